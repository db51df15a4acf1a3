"""The ESP32-C3's cache controller: every operation has finished when it is looked at."""

from __future__ import annotations

from typing import ClassVar

from renode.peripherals.registers import Register, RegisterArray, RegisterBank


class Extmem(RegisterBank):
    """The cache controller of a flash that is simply memory.

    Lock, sync, preload and autoload answer "done"; FREEZE_DONE follows FREEZE_ENA. Registers:
    ESP-IDF soc/esp32c3/register/soc/extmem_reg.h.
    """

    BASE: ClassVar[int] = 0x600C4000
    SIZE: ClassVar[int] = 0x1000

    ICACHE_CTRL = Register(0x000, tagged=True)
    ICACHE_CTRL1 = Register(0x004, reset=3, tagged=True)
    ICACHE_TAG_POWER_CTRL = Register(0x008, reset=5, tagged=True)
    ICACHE_PRELOCK = RegisterArray(0x00C, 4, tagged=True)
    ICACHE_LOCK_CTRL = Register(0x01C, reset=1 << 2)
    ICACHE_LOCK_DONE = ICACHE_LOCK_CTRL.bit(2, access="ro")
    ICACHE_LOCK_RANGE = RegisterArray(0x020, 2, tagged=True)
    ICACHE_SYNC_CTRL = Register(0x028, reset=1 << 1)
    ICACHE_INVALIDATE_ENA = ICACHE_SYNC_CTRL.bit(0, access="sc")
    ICACHE_SYNC_DONE = ICACHE_SYNC_CTRL.bit(1, access="ro")
    ICACHE_SYNC_RANGE = RegisterArray(0x02C, 2, tagged=True)
    ICACHE_PRELOAD_CTRL = Register(0x034, reset=1 << 1)
    ICACHE_PRELOAD_ENA = ICACHE_PRELOAD_CTRL.bit(0, access="sc")
    ICACHE_PRELOAD_DONE = ICACHE_PRELOAD_CTRL.bit(1, access="ro")
    ICACHE_PRELOAD_RANGE = RegisterArray(0x038, 2, tagged=True)
    ICACHE_AUTOLOAD_CTRL = Register(0x040, reset=1 << 3)
    ICACHE_AUTOLOAD_DONE = ICACHE_AUTOLOAD_CTRL.bit(3, access="ro")
    ICACHE_AUTOLOAD_RANGE = RegisterArray(0x044, 4, tagged=True)
    IBUS_TO_FLASH_START_VADDR = Register(0x054, reset=0x42000000, tagged=True)
    IBUS_TO_FLASH_END_VADDR = Register(0x058, reset=0x427FFFFF, tagged=True)
    DBUS_TO_FLASH_START_VADDR = Register(0x05C, reset=0x3C000000, tagged=True)
    DBUS_TO_FLASH_END_VADDR = Register(0x060, reset=0x3C7FFFFF, tagged=True)
    CACHE_ACS_CNT_CLR = Register(0x064, access="wo", tagged=True)
    CACHE_ACS_CNT = RegisterArray(0x068, 4, access="ro", tagged=True)
    CACHE_ILG_INT_ENA = Register(0x078, tagged=True)
    CACHE_ILG_INT_CLR = Register(0x07C, access="wo", tagged=True)
    CACHE_ILG_INT_ST = Register(0x080, access="ro", tagged=True)
    CORE0_ACS_CACHE_INT_ENA = Register(0x084, tagged=True)
    CORE0_ACS_CACHE_INT_CLR = Register(0x088, access="wo", tagged=True)
    CORE0_ACS_CACHE_INT_ST = Register(0x08C, access="ro", tagged=True)
    CORE0_DBUS_REJECT_ST = Register(0x090, access="ro", tagged=True)
    CORE0_DBUS_REJECT_VADDR = Register(0x094, access="ro", reset=0xFFFFFFFF, tagged=True)
    CORE0_IBUS_REJECT_ST = Register(0x098, access="ro", tagged=True)
    CORE0_IBUS_REJECT_VADDR = Register(0x09C, access="ro", reset=0xFFFFFFFF, tagged=True)
    CACHE_MMU_FAULT = RegisterArray(0x0A0, 2, access="ro", tagged=True)
    CACHE_WRAP_AROUND_CTRL = Register(0x0A8, tagged=True)
    CACHE_MMU_POWER_CTRL = Register(0x0AC, reset=5, tagged=True)
    CACHE_STATE = Register(0x0B0, access="ro", reset=1, doc="idle")
    CACHE_ENCRYPT_DECRYPT = RegisterArray(0x0B4, 2, tagged=True)
    CACHE_PRELOAD_INT_CTRL = Register(0x0BC, tagged=True)
    CACHE_SYNC_INT_CTRL = Register(0x0C0, tagged=True)
    CACHE_MMU_OWNER = Register(0x0C4, tagged=True)
    CACHE_CONF_MISC = Register(0x0C8, reset=7, tagged=True)
    ICACHE_FREEZE = Register(0x0CC)
    ICACHE_FREEZE_ENA = ICACHE_FREEZE.bit(0)
    ICACHE_FREEZE_MODE = ICACHE_FREEZE.bit(1, tagged=True)
    ICACHE_FREEZE_DONE = ICACHE_FREEZE.bit(2, access="ro")
    ICACHE_ATOMIC_OPERATE_ENA = Register(0x0D0, reset=1, tagged=True)
    CACHE_REQUEST = Register(0x0D4, tagged=True)
    BUS_PMS_TBL = RegisterArray(0x0D8, 10, tagged=True, doc="permissions, IBUS then DBUS")
    CLOCK_GATE = Register(0x100, reset=1, tagged=True)
    DATE = Register(0x3FC, reset=0x02007160)

    @ICACHE_FREEZE.on_write
    def _freeze_written(self, old: int, written: int) -> None:
        self.ICACHE_FREEZE_DONE = self.ICACHE_FREEZE_ENA
