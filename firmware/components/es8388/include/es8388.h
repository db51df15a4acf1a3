#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bus_guard.h"
#include "esp_err.h"

/* Driver of the ES8388 codec (register names and meanings: Everest Semiconductor's datasheet,
 * register map). Registers are accessed one per transaction. Errors are the bus's own. */

/* 7-bit address with the chip's CE pin low. */
#define ES8388_ADDRESS 0x10

typedef enum {
    ES8388_LEFT,
    ES8388_RIGHT,
} es8388_channel_t;

#define ES8388_CHANNELS 2

/* A DAC volume register that stands for no volume from 0 to 100. */
#define ES8388_VOLUME_NONE (-1)

/* Attaches the codec to the bus, without talking to it. */
esp_err_t es8388_attach(i2c_port_num_t port, uint32_t scl_hz);

/* Brings the codec to its playing state: I2S slave, 16 bits, DAC to LOUT1 and ROUT1 at 0 dB, soft
 * ramp on, not muted, both channels at `volume` (0 to 100). Ready from then on. */
esp_err_t es8388_start(int volume);

/* True once es8388_start() has succeeded. */
bool es8388_is_ready(void);

/* Writes the DAC volume register of one channel; `volume` is 0 to 100. */
esp_err_t es8388_set_volume(es8388_channel_t channel, int volume);

/* Reads the DAC volume register of one channel from the chip. */
esp_err_t es8388_read_volume(es8388_channel_t channel, uint8_t *attenuation);

/* What was last passed to es8388_set_volume(), as a register value: not the chip's. */
uint8_t es8388_remembered_volume(es8388_channel_t channel);

/* The register value of a volume: attenuation in steps of 0.5 dB. 0 is -96 dB (0xC0), 1 to 100 go
 * linearly from -49.5 dB to 0 dB. */
uint8_t es8388_attenuation_of(int volume);

/* The volume a register value stands for, or ES8388_VOLUME_NONE. */
int es8388_volume_of(uint8_t attenuation);
