/* Placement attributes; runtime/ld/esp32c3.ld gives the sections their addresses. */
#pragma once

#define IRAM_ATTR __attribute__((section(".iram1")))
#define DRAM_ATTR __attribute__((section(".dram1")))
#define DMA_ATTR __attribute__((aligned(4)))
#define WORD_ALIGNED_ATTR __attribute__((aligned(4)))
#define RTC_NOINIT_ATTR __attribute__((section(".rtc_noinit")))
#define FORCE_INLINE_ATTR static inline __attribute__((always_inline))
#define NOINLINE_ATTR __attribute__((noinline))
