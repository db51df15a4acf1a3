"""SSD1306 OLED controller by Solomon Systech, 128 x 64 dots, over I2C.

Source: SSD1306 datasheet, rev. 1.1: section 8.1.5 (I2C), 8.7 (GDDRAM), tables 9-1 and 9-2
(commands, reset values), section 10 (addressing), application note 2.1 (charge pump).

What the datasheet leaves open, and what the model does: the GDDRAM is zero after power-on; a
status read gives 0 for the reserved bits; a command whose arguments have not all come waits for
them, across transfers too. Scrolling does not move the RAM's contents: its start is reported.
"""

from __future__ import annotations

from renode.peripherals.bus.target import I2CTarget
from renode.peripherals.host import Host, Model

__all__ = ["COLUMNS", "PAGES", "SSD1306"]

COLUMNS = 128
PAGES = 8

_CO = 0x80
_DATA = 0x40
_RESERVED = 0x3F
_STATUS_OFF = 0x40

_HORIZONTAL, _VERTICAL, _PAGE = range(3)

_ADDRESSING, _COLUMN_RANGE, _PAGE_RANGE = 0x20, 0x21, 0x22
_CONTRAST, _CHARGE_PUMP, _MULTIPLEX = 0x81, 0x8D, 0xA8

_ARGUMENTS = {
    _ADDRESSING: 1,
    _COLUMN_RANGE: 2,
    _PAGE_RANGE: 2,
    0x26: 6,
    0x27: 6,
    0x29: 5,
    0x2A: 5,
    _CONTRAST: 1,
    _CHARGE_PUMP: 1,
    0xA3: 2,
    _MULTIPLEX: 1,
    0xD3: 1,
    0xD5: 1,
    0xD9: 1,
    0xDA: 1,
    0xDB: 1,
}
"""How many argument bytes follow the commands that have any (tables 9-1, 9-2)."""

_MASKS = {_ADDRESSING: 0x03, _COLUMN_RANGE: 0x7F, _PAGE_RANGE: 0x07, _MULTIPLEX: 0x3F}
"""The argument bits that count, where some do not."""

_RESETS: dict[int, tuple[int, ...]] = {
    _ADDRESSING: (_PAGE,),
    _COLUMN_RANGE: (0, COLUMNS - 1),
    _PAGE_RANGE: (0, PAGES - 1),
    _CONTRAST: (0x7F,),
    _CHARGE_PUMP: (0x10,),
    0xA3: (0, 64),
    _MULTIPLEX: (0x3F,),
    0xD3: (0x00,),
    0xD5: (0x80,),
    0xD9: (0x22,),
    0xDA: (0x12,),
    0xDB: (0x20,),
}


class SSD1306(Model, I2CTarget):
    """The display as an I2C target: it acknowledges all and stores what it is told to show.

    `address` is 0x3C with pin SA0 low and 0x3D with it high (datasheet section 8.1.5); anything
    else is a ValueError.
    """

    STATE = (
        "_ram",
        "_column",
        "_page",
        "_page_mode_column",
        "_settings",
        "_command",
        "_arguments",
        "_control",
        "_start_line",
        "_on",
        "_all_on",
        "_inverse",
        "_segments_remapped",
        "_scan_reversed",
    )

    def __init__(self, host: Host, name: str = "ssd1306", address: int = 0x3C) -> None:
        super().__init__(host, name)
        if address not in (0x3C, 0x3D):
            raise ValueError(f"{name}: an SSD1306 answers at 0x3c or 0x3d, not at {address:#x}")
        self._address = address
        self.reset()

    def reset(self) -> None:
        """Return to the state after power-on, with the GDDRAM zero."""
        self._ram = bytearray(COLUMNS * PAGES)
        self._column = 0
        self._page = 0
        self._page_mode_column = 0
        self._settings = dict(_RESETS)
        self._command: int | None = None
        self._arguments: tuple[int, ...] = ()
        self._control: int | None = None
        self._start_line = 0
        self._on = False
        self._all_on = False
        self._inverse = False
        self._segments_remapped = False
        self._scan_reversed = False

    def frame(self) -> bytes:
        """The GDDRAM: 1024 bytes, page by page, column 0 first, bit 0 the page's top row."""
        return bytes(self._ram)

    def setting(self, command: int) -> tuple[int, ...]:
        """The arguments in force of a command; KeyError if none came and it has no reset value."""
        return self._settings[command]

    @property
    def is_on(self) -> bool:
        """Display on (command 0xAF), as opposed to sleep (0xAE, reset)."""
        return self._on

    @property
    def is_entirely_on(self) -> bool:
        """Every dot lit, whatever the GDDRAM holds (command 0xA5)."""
        return self._all_on

    @property
    def is_inverse(self) -> bool:
        """A 0 in the GDDRAM lights the dot (command 0xA7)."""
        return self._inverse

    @property
    def charge_pump_on(self) -> bool:
        """Charge pump enabled (command 0x8D, bit 2): without it or a VCC the panel stays dark."""
        return bool(self._settings[_CHARGE_PUMP][0] & 0x04)

    @property
    def contrast(self) -> int:
        """Contrast, 0-255 (command 0x81)."""
        return self._settings[_CONTRAST][0]

    @property
    def multiplex_ratio(self) -> int:
        """Rows driven, 16-64 (command 0xA8)."""
        return self._settings[_MULTIPLEX][0] + 1

    @property
    def start_line(self) -> int:
        """The GDDRAM row shown at the top, 0-63 (commands 0x40-0x7F)."""
        return self._start_line

    @property
    def segments_remapped(self) -> bool:
        """Column 127 drives SEG0 (command 0xA1)."""
        return self._segments_remapped

    @property
    def scan_reversed(self) -> bool:
        """Rows are scanned from the last to COM0 (command 0xC8)."""
        return self._scan_reversed

    @property
    def addresses(self) -> tuple[int, ...]:
        """The 7-bit address that pin SA0 selects."""
        return (self._address,)

    def start(self, address: int, reading: bool) -> bool:
        """Acknowledge; the first byte written will be a control byte."""
        self._control = None
        return True

    def write_byte(self, value: int) -> bool:
        """Take a control byte, or what the last one announced (datasheet section 8.1.5.2).

        Co = 1 announces one byte and another control byte; Co = 0 nothing but bytes until STOP.
        """
        if self._control is None:
            self._control = value
            if value & _RESERVED:
                self.host.unmodelled(self, f"control byte {value:#04x}")
            return True
        if self._control & _DATA:
            self._store(value)
        else:
            self._take(value)
        if self._control & _CO:
            self._control = None
        return True

    def read_byte(self) -> int:
        """Give the status register: bit 6 is 1 while the display is off (table 9-3)."""
        return 0 if self._on else _STATUS_OFF

    def read_acknowledged(self, acked: bool) -> None:
        """Nothing depends on the master's answer: the status is given as often as it is asked."""

    def stop(self) -> None:
        """End the transfer."""
        self._control = None

    def _store(self, value: int) -> None:
        """Write the dots at the pointers and move these on (section 10.1.3)."""
        self._ram[self._page * COLUMNS + self._column] = value
        mode = self._settings[_ADDRESSING][0]
        first_column, last_column = self._settings[_COLUMN_RANGE]
        first_page, last_page = self._settings[_PAGE_RANGE]
        if mode == _PAGE:
            first_column, last_column = self._page_mode_column, COLUMNS - 1
        column_done = self._column == last_column
        page_done = self._page == last_page
        if mode != _VERTICAL or page_done:
            self._column = first_column if column_done else (self._column + 1) % COLUMNS
        if mode == _VERTICAL or (mode == _HORIZONTAL and column_done):
            self._page = first_page if page_done else (self._page + 1) % PAGES

    def _take(self, value: int) -> None:
        """Collect a command and its arguments, and obey it once it is complete."""
        if self._command is None:
            self._command = value
        else:
            self._arguments += (value & _MASKS.get(self._command, 0xFF),)
        if len(self._arguments) == _ARGUMENTS.get(self._command, 0):
            command, arguments = self._command, self._arguments
            self._command, self._arguments = None, ()
            if arguments:
                self._set(command, arguments)
            else:
                self._obey(command)

    def _set(self, command: int, arguments: tuple[int, ...]) -> None:
        invalid = (command == _ADDRESSING and arguments[0] > _PAGE) or (
            command == _MULTIPLEX and arguments[0] < 15
        )
        if invalid:
            self.host.unmodelled(self, f"command {command:#04x} with {arguments[0]:#04x}")
            return
        self._settings[command] = arguments
        if command == _COLUMN_RANGE:
            self._column = arguments[0]
        elif command == _PAGE_RANGE:
            self._page = arguments[0]

    def _obey(self, command: int) -> None:
        """Obey a command without arguments; an unknown one is reported."""
        in_page_mode = self._settings[_ADDRESSING][0] == _PAGE
        match command:
            case _ if command < 0x10 and in_page_mode:
                self._page_mode_column = (self._page_mode_column & 0x70) | command
                self._column = self._page_mode_column
            case _ if command < 0x20 and in_page_mode:
                self._page_mode_column = (command & 0x07) << 4 | self._page_mode_column & 0x0F
                self._column = self._page_mode_column
            case _ if 0xB0 <= command <= 0xB7 and in_page_mode:
                self._page = command & 0x07
            case _ if 0x40 <= command < 0x80:
                self._start_line = command & 0x3F
            case 0xA0 | 0xA1:
                self._segments_remapped = command == 0xA1
            case 0xA4 | 0xA5:
                self._all_on = command == 0xA5
            case 0xA6 | 0xA7:
                self._inverse = command == 0xA7
            case 0xAE | 0xAF:
                self._on = command == 0xAF
            case 0xC0 | 0xC8:
                self._scan_reversed = command == 0xC8
            case 0x2E | 0xE3:
                pass
            case _:
                self.host.unmodelled(self, f"command {command:#04x}")
