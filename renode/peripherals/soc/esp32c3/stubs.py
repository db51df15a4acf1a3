"""ESP32-C3 blocks of which only the face is modelled: what is written can be read back.

Every class is a table of the offsets that exist, with the few answers that ESP-IDF waits for;
an access to any other offset is reported as not modelled. Offsets: ESP-IDF
soc/esp32c3/register/soc/*_reg.h.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

from renode.peripherals.host import Host
from renode.peripherals.registers import Register, RegisterArray, RegisterBank

FLASH_JEDEC_ID = 0x1640C8
"""RDID answer of a GigaDevice GD25Q32, 4 MB: manufacturer in the low byte."""


class SpiMem(RegisterBank):
    """A flash controller whose commands have finished at once; it knows no flash contents."""

    SIZE: ClassVar[int] = 0x1000

    CMD = Register(0x00, access="sc")
    FLASH_RDSR = CMD.bit(27, access="sc")
    FLASH_RDID = CMD.bit(28, access="sc")
    USR = CMD.bit(18, access="sc")
    REG = RegisterArray(0x04, 7, tagged=True)
    USER2 = Register(0x20, reset=0x70000000)
    USR_COMMAND_VALUE = USER2.field(0, 16)
    DLEN = RegisterArray(0x24, 2, tagged=True)
    RD_STATUS = Register(0x2C)
    MISC = RegisterArray(0x34, 3, tagged=True)
    FSM = Register(0x54, tagged=True)
    W = RegisterArray(0x58, 16)
    TIMING = RegisterArray(0x98, 8, tagged=True)
    TAIL = RegisterArray(0xC0, 9, tagged=True)
    DATE = Register(0x3FC, tagged=True)

    _READ_ID: ClassVar[int] = 0x9F
    _READ_STATUS_2: ClassVar[int] = 0x35
    _QUAD_ENABLED: ClassVar[int] = 0x02

    @CMD.on_write
    def _cmd_written(self, old: int, written: int) -> None:
        opcode = self.USR_COMMAND_VALUE & 0xFF
        if SpiMem.FLASH_RDID.of(written):
            opcode = self._READ_ID
        elif not SpiMem.USR.of(written):
            return
        answers = {self._READ_ID: FLASH_JEDEC_ID, self._READ_STATUS_2: self._QUAD_ENABLED}
        self.W[0] = answers.get(opcode, 0)


class Spi1(SpiMem):
    """SPI1, through which ESP-IDF asks the flash for its identity."""

    BASE: ClassVar[int] = 0x60002000


class Spi0(SpiMem):
    """SPI0, which feeds the cache."""

    BASE: ClassVar[int] = 0x60003000


class IoMux(RegisterBank):
    """Pad configuration; only the pull-up is looked at, by the GPIO model."""

    BASE: ClassVar[int] = 0x60009000
    SIZE: ClassVar[int] = 0x1000

    PIN_CTRL = Register(0x00, tagged=True)
    GPIO = RegisterArray(0x04, 22, doc="FUN_WPD 7, FUN_WPU 8, FUN_IE 9, FUN_DRV 10-11")
    DATE = Register(0xFC, tagged=True)

    def pulled_up(self, pin: int) -> int:
        """Whether the weak pull-up of a pad (0-21) is on: 0 or 1."""
        return self.GPIO[pin] >> 8 & 1


class RtcI2c(RegisterBank):
    """The master of the internal analogue registers: never busy, reads 0."""

    BASE: ClassVar[int] = 0x6000E000
    SIZE: ClassVar[int] = 0x1000

    REG = RegisterArray(0x00, 30, tagged=True)
    DATE = Register(0xFC, tagged=True)

    _BUSY: ClassVar[int] = 1 << 25

    @REG.on_read
    def _reg(self, i: int) -> int:
        return self.REG[i] & ~self._BUSY


class ApbCtrl(RegisterBank):
    """SYSCON, with the random number generator as a fixed sequence."""

    BASE: ClassVar[int] = 0x60026000
    SIZE: ClassVar[int] = 0x1000

    REG = RegisterArray(0x00, 9, tagged=True)
    FLASH = RegisterArray(0x28, 12, tagged=True)
    MEMORY = RegisterArray(0x88, 10, tagged=True)
    RND_DATA = Register(0xB0, access="ro")
    PERI_BACKUP = RegisterArray(0xB4, 6, tagged=True)
    INT = Register(0xD0, tagged=True)
    DATE = Register(0x3FC, tagged=True)

    STATE = ("_random",)
    _SEED: ClassVar[int] = 0x2545F491

    def __init__(self, host: Host, name: str) -> None:
        super().__init__(host, name)
        self._random = self._SEED

    def reset(self) -> None:
        super().reset()
        self._random = self._SEED

    @RND_DATA.on_read
    def _rnd_data(self) -> int:
        """The next value of Marsaglia's 32-bit xorshift (13, 17, 5), so that runs repeat."""
        x = self._random
        x ^= x << 13 & 0xFFFFFFFF
        x ^= x >> 17
        x ^= x << 5 & 0xFFFFFFFF
        self._random = x
        return x


class UsbSerialJtag(RegisterBank):
    """USB-Serial-JTAG with nobody at the other end: takes and drops what is sent."""

    BASE: ClassVar[int] = 0x60043000
    SIZE: ClassVar[int] = 0x1000

    EP1 = Register(0x00, access="wo", tagged=True)
    EP1_CONF = Register(0x04, reset=1 << 1)
    WR_DONE = EP1_CONF.bit(0, access="sc", tagged=True)
    SERIAL_IN_EP_DATA_FREE = EP1_CONF.bit(1, access="ro")
    SERIAL_OUT_EP_DATA_AVAIL = EP1_CONF.bit(2, access="ro")
    INT = RegisterArray(0x08, 4, tagged=True)
    CONF = RegisterArray(0x18, 13, tagged=True)
    DATE = Register(0x80, tagged=True)


class Spi2(RegisterBank):
    """The general-purpose SPI controller."""

    BASE: ClassVar[int] = 0x60024000
    SIZE: ClassVar[int] = 0x1000

    CMD = Register(0x00, access="sc", tagged=True)
    REG = RegisterArray(0x04, 16, tagged=True)
    W = RegisterArray(0x98, 16, tagged=True)
    TAIL = RegisterArray(0xE0, 5, tagged=True)


class Uhci(RegisterBank):
    """The UART's DMA host."""

    BASE: ClassVar[int] = 0x60014000
    SIZE: ClassVar[int] = 0x1000

    REG = RegisterArray(0x00, 33, tagged=True)


class Rmt(RegisterBank):
    """The remote-control transceiver."""

    BASE: ClassVar[int] = 0x60016000
    SIZE: ClassVar[int] = 0x1000

    REG = RegisterArray(0x00, 29, tagged=True)
    DATE = Register(0xCC, tagged=True)


class Ledc(RegisterBank):
    """The LED PWM controller."""

    BASE: ClassVar[int] = 0x60019000
    SIZE: ClassVar[int] = 0x1000

    CHANNEL = RegisterArray(0x00, 30, tagged=True)
    TIMER = RegisterArray(0xA0, 13, tagged=True)
    DATE = Register(0xFC, tagged=True)


class Twai(RegisterBank):
    """The CAN controller."""

    BASE: ClassVar[int] = 0x6002B000
    SIZE: ClassVar[int] = 0x1000

    REG = RegisterArray(0x00, 32, tagged=True)


class I2s(RegisterBank):
    """The I2S controller; it makes no clocks, the board does."""

    BASE: ClassVar[int] = 0x6002D000
    SIZE: ClassVar[int] = 0x1000

    INT = RegisterArray(0x0C, 4, tagged=True)
    CONF = RegisterArray(0x20, 10, tagged=True)
    TIMING = RegisterArray(0x50, 8, tagged=True)
    DATE = Register(0x80, tagged=True)


class Aes(RegisterBank):
    """The AES accelerator; it does not compute."""

    BASE: ClassVar[int] = 0x6003A000
    SIZE: ClassVar[int] = 0x1000

    REG = RegisterArray(0x00, 48, tagged=True)


class Sha(RegisterBank):
    """The SHA accelerator; it does not compute."""

    BASE: ClassVar[int] = 0x6003B000
    SIZE: ClassVar[int] = 0x1000

    REG = RegisterArray(0x00, 48, tagged=True)


class Rsa(RegisterBank):
    """The RSA accelerator; its memory has been cleaned, and it does not compute."""

    BASE: ClassVar[int] = 0x6003C000
    SIZE: ClassVar[int] = 0x1000

    M_PRIME = RegisterArray(0x800, 4, tagged=True)
    CLEAN = Register(0x810, access="ro", reset=1)
    REG = RegisterArray(0x814, 7, tagged=True)


class DigitalSignature(RegisterBank):
    """The digital signature accelerator; it does not compute."""

    BASE: ClassVar[int] = 0x6003D000
    SIZE: ClassVar[int] = 0x1000

    REG = RegisterArray(0xE00, 9, tagged=True)


class Hmac(RegisterBank):
    """The HMAC accelerator; it does not compute."""

    BASE: ClassVar[int] = 0x6003E000
    SIZE: ClassVar[int] = 0x1000

    REG = RegisterArray(0x40, 16, tagged=True)


class Gdma(RegisterBank):
    """The general DMA; it moves nothing."""

    BASE: ClassVar[int] = 0x6003F000
    SIZE: ClassVar[int] = 0x1000

    INT = RegisterArray(0x00, 12, tagged=True)
    MISC = RegisterArray(0x44, 2, tagged=True)
    CHANNEL = RegisterArray(0x70, 133, tagged=True)


class ApbSaradc(RegisterBank):
    """The analogue-to-digital converter; it does not convert."""

    BASE: ClassVar[int] = 0x60040000
    SIZE: ClassVar[int] = 0x1000

    REG = RegisterArray(0x00, 25, tagged=True)
    DATE = Register(0x3FC, tagged=True)


class Sensitive(RegisterBank):
    """Memory permissions, which are not enforced."""

    BASE: ClassVar[int] = 0x600C1000
    SIZE: ClassVar[int] = 0x1000

    REG = RegisterArray(0x00, 93, tagged=True)
    DATE = Register(0xFFC, tagged=True)


class MmuTable(RegisterBank):
    """The flash mapping, which is stored and not applied: the engine maps the image itself."""

    BASE: ClassVar[int] = 0x600C5000
    SIZE: ClassVar[int] = 0x1000

    ENTRY = RegisterArray(0x00, 128, reset=1 << 8, tagged=True, doc="bit 8: invalid")


class XtsAes(RegisterBank):
    """Flash encryption; it does not encrypt."""

    BASE: ClassVar[int] = 0x600CC000
    SIZE: ClassVar[int] = 0x1000

    PLAIN = RegisterArray(0x00, 16, tagged=True)
    REG = RegisterArray(0x40, 8, tagged=True)


class AssistDebug(RegisterBank):
    """Watchpoints and stack-range monitors, which do not watch."""

    BASE: ClassVar[int] = 0x600CE000
    SIZE: ClassVar[int] = 0x1000

    REG = RegisterArray(0x00, 39, tagged=True)
    DATE = Register(0x1FC, tagged=True)


STUBS: Mapping[str, type[RegisterBank]] = MappingProxyType(
    {
        "usb_serial_jtag": UsbSerialJtag,
        "spi2": Spi2,
        "uhci": Uhci,
        "rmt": Rmt,
        "ledc": Ledc,
        "twai": Twai,
        "i2s": I2s,
        "aes": Aes,
        "sha": Sha,
        "rsa": Rsa,
        "digital_signature": DigitalSignature,
        "hmac": Hmac,
        "gdma": Gdma,
        "apb_saradc": ApbSaradc,
        "sensitive": Sensitive,
        "mmu_table": MmuTable,
        "xts_aes": XtsAes,
        "assist_debug": AssistDebug,
        "rtc_i2c": RtcI2c,
        "apb_ctrl": ApbCtrl,
        "spi0": Spi0,
        "spi1": Spi1,
    }
)
"""The stubs that nobody else needs to hold, by name."""
