"""The ESP32-C3's eFuse controller as an unprotected chip of revision v0.4 shows itself."""

from __future__ import annotations

from typing import ClassVar

from renode.peripherals.host import Host
from renode.peripherals.registers import Register, RegisterArray, RegisterBank

DEFAULT_MAC = bytes.fromhex("020000c3c3c3")
"""A locally administered address, so that it is nobody's."""


class Efuse(RegisterBank):
    """Fuses that are read only: nothing is burnt, protected or encrypted; burning is ignored.

    Registers: ESP-IDF soc/esp32c3/register/soc/efuse_reg.h.
    """

    BASE: ClassVar[int] = 0x60008800
    SIZE: ClassVar[int] = 0x800

    PGM_DATA = RegisterArray(0x00, 8, tagged=True)
    PGM_CHECK_VALUE = RegisterArray(0x20, 3, tagged=True)
    RD_WR_DIS = Register(0x2C, access="ro")
    RD_REPEAT_DATA = RegisterArray(0x30, 5, access="ro")
    RD_MAC_SPI_SYS_0 = Register(0x44, access="ro", doc="low four bytes of the MAC address")
    RD_MAC_SPI_SYS_1 = Register(0x48, access="ro")
    MAC_1 = RD_MAC_SPI_SYS_1.field(0, 16, doc="high two bytes of the MAC address")
    RD_MAC_SPI_SYS_2 = Register(0x4C, access="ro")
    RD_MAC_SPI_SYS_3 = Register(0x50, access="ro", reset=4 << 18)
    WAFER_VERSION_MINOR_LO = RD_MAC_SPI_SYS_3.field(18, 3)
    PKG_VERSION = RD_MAC_SPI_SYS_3.field(21, 3)
    BLK_VERSION_MINOR = RD_MAC_SPI_SYS_3.field(24, 3)
    RD_MAC_SPI_SYS_4 = Register(0x54, access="ro")
    RD_MAC_SPI_SYS_5 = Register(0x58, access="ro")
    RD_SYS_PART1_DATA = RegisterArray(0x5C, 8, access="ro")
    RD_USR_DATA = RegisterArray(0x7C, 8, access="ro")
    RD_KEY_DATA = RegisterArray(0x9C, 48, access="ro", doc="KEY0 to KEY5, eight words each")
    RD_SYS_PART2_DATA = RegisterArray(0x15C, 8, access="ro")
    RD_REPEAT_ERR = RegisterArray(0x17C, 4, access="ro")
    RD_REPEAT_ERR4 = Register(0x190, access="ro")
    RD_RS_ERR = RegisterArray(0x1C0, 2, access="ro")
    CLK = Register(0x1C8, reset=2, tagged=True)
    CONF = Register(0x1CC, tagged=True)
    STATUS = Register(0x1D0, access="ro")
    CMD = Register(0x1D4, access="sc", doc="a command has finished before it can be looked at")
    INT_RAW = Register(0x1D8, access="ro", tagged=True)
    INT_ST = Register(0x1DC, access="ro", tagged=True)
    INT_ENA = Register(0x1E0, tagged=True)
    INT_CLR = Register(0x1E4, access="wo", tagged=True)
    DAC_CONF = Register(0x1E8, reset=0x1FE1C, tagged=True)
    RD_TIM_CONF = Register(0x1EC, reset=18 << 24, tagged=True)
    WR_TIM_CONF1 = Register(0x1F0, reset=10368 << 8, tagged=True)
    WR_TIM_CONF2 = Register(0x1F4, reset=400, tagged=True)
    DATE = Register(0x1FC, reset=0x02007200)

    def __init__(self, host: Host, name: str, mac: bytes = DEFAULT_MAC) -> None:
        super().__init__(host, name)
        self.mac = mac
        self._show_mac()

    def reset(self) -> None:
        super().reset()
        self._show_mac()

    def _show_mac(self) -> None:
        number = int.from_bytes(self.mac, "big")
        self.RD_MAC_SPI_SYS_0, self.MAC_1 = number & 0xFFFFFFFF, number >> 32
