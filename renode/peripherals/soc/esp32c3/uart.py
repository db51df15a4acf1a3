"""The ESP32-C3's UART controllers with exact character timing and an implicit wire."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar, TypeAlias

from renode.peripherals.host import Handle, Host
from renode.peripherals.registers import Register, RegisterBank

FIFO_DEPTH = 128
"""Characters in each FIFO when MEM_CONF gives one block to each direction (SOC_UART_FIFO_LEN)."""

_SECOND = 1_000_000_000
_SCLK_HZ = {0: 80_000_000, 1: 80_000_000, 2: 17_500_000, 3: 40_000_000}
_BAUD_TOLERANCE = 0.03

_RXFIFO_FULL = 1 << 0
_TXFIFO_EMPTY = 1 << 1
_FRM_ERR = 1 << 3
_RXFIFO_OVF = 1 << 4
_RXFIFO_TOUT = 1 << 8
_TX_DONE = 1 << 14

_Duration: TypeAlias = tuple[int, int]
"""An exact time in ns as numerator and denominator."""


class Uart(RegisterBank):
    """A UART whose wire ends at the host: `feed` sends to the device, listeners hear from it.

    Characters follow each other without gaps for as long as there are any, so the time of each
    is arithmetic and no event is spent on it; one event is pending for the next instant at which
    an interrupt rises, a line ends or the transmitter runs dry. Registers and resets: ESP-IDF
    soc/esp32c3/register/soc/uart_reg.h. The GPIO matrix is not consulted: the wire is always
    connected.

    `on_line(line, first_ns, last_ns)` is called when a newline has left the wire, with the line
    without it, the ns of its first start bit and of the newline's last stop bit. `on_output`
    gets the raw bytes, at the latest at a line's end or when the transmitter is empty.
    """

    BASE: ClassVar[int] = 0
    SIZE: ClassVar[int] = 0x1000
    SOURCE: ClassVar[int] = 0
    """Interrupt source, soc/interrupts.h."""

    FIFO = Register(0x00, doc="a write queues a character, a read takes one")
    INT_RAW = Register(0x04, access="ro", reset=_TXFIFO_EMPTY)
    INT_ST = Register(0x08, access="ro")
    INT_ENA = Register(0x0C)
    INT_CLR = Register(0x10, access="wo")
    CLKDIV = Register(0x14, reset=0x2B6)
    CLKDIV_INT = CLKDIV.field(0, 12)
    CLKDIV_FRAG = CLKDIV.field(20, 4, doc="sixteenths")
    RX_FILT = Register(0x18, reset=0x08, tagged=True)
    STATUS = Register(0x1C, access="ro", reset=0xE000C000)
    RXFIFO_CNT = STATUS.field(0, 10)
    TXFIFO_CNT = STATUS.field(16, 10)
    CONF0 = Register(0x20, reset=0x1000001C)
    PARITY = CONF0.bit(0, tagged=True, doc="both ends of the wire agree on it")
    PARITY_EN = CONF0.bit(1)
    BIT_NUM = CONF0.field(2, 2, doc="data bits - 5")
    STOP_BIT_NUM = CONF0.field(4, 2, doc="1: 1 bit, 2: 1.5 bits, 3: 2 bits")
    CONF0_PINS = CONF0.field(6, 8, tagged=True, doc="RTS, DTR, break and IrDA")
    LOOPBACK = CONF0.bit(14, tagged=True)
    TX_FLOW_EN = CONF0.bit(15, tagged=True)
    IRDA_EN = CONF0.bit(16, tagged=True)
    RXFIFO_RST = CONF0.bit(17)
    TXFIFO_RST = CONF0.bit(18)
    _FRAME: ClassVar[int] = PARITY_EN.mask | BIT_NUM.mask | STOP_BIT_NUM.mask
    CONF0_INV = CONF0.field(19, 6, tagged=True, doc="signal inversion")
    CONF0_CLK = CONF0.field(25, 4, tagged=True, doc="gating, error discard, autobaud")
    CONF1 = Register(0x24, reset=0xC060)
    RXFIFO_FULL_THRHD = CONF1.field(0, 9)
    TXFIFO_EMPTY_THRHD = CONF1.field(9, 9)
    CONF1_FLOW = CONF1.field(18, 3, tagged=True)
    RX_TOUT_EN = CONF1.bit(21)
    LOWPULSE = Register(0x28, access="ro", reset=0xFFF, tagged=True)
    HIGHPULSE = Register(0x2C, access="ro", reset=0xFFF, tagged=True)
    RXD_CNT = Register(0x30, access="ro", tagged=True)
    FLOW_CONF = Register(0x34, tagged=True)
    SLEEP_CONF = Register(0x38, reset=0xF0, tagged=True)
    SWFC_CONF0 = Register(0x3C, reset=0x13 << 9 | 0xE0, tagged=True)
    SWFC_CONF1 = Register(0x40, reset=0x11 << 9, tagged=True)
    TXBRK_CONF = Register(0x44, reset=0x0A, tagged=True)
    IDLE_CONF = Register(0x48, reset=0x100 << 10 | 0x100, tagged=True)
    RS485_CONF = Register(0x4C, tagged=True)
    AT_CMD_PRECNT = Register(0x50, reset=0x901, tagged=True)
    AT_CMD_POSTCNT = Register(0x54, reset=0x901, tagged=True)
    AT_CMD_GAPTOUT = Register(0x58, reset=11, tagged=True)
    AT_CMD_CHAR = Register(0x5C, reset=0x032B, tagged=True)
    MEM_CONF = Register(0x60, reset=0x000A0012)
    MEM_SIZE = MEM_CONF.field(1, 6, tagged=True, doc="RX_SIZE and TX_SIZE; the depth is fixed")
    RX_FLOW_THRHD = MEM_CONF.field(7, 9, tagged=True)
    RX_TOUT_THRHD = MEM_CONF.field(16, 10, doc="bit times")
    MEM_FORCE = MEM_CONF.field(26, 2, tagged=True)
    MEM_TX_STATUS = Register(0x64, access="ro", tagged=True)
    MEM_RX_STATUS = Register(0x68, access="ro", reset=0x100 << 11 | 0x100, tagged=True)
    FSM_STATUS = Register(0x6C, access="ro")
    ST_URX_OUT = FSM_STATUS.field(0, 4)
    ST_UTX_OUT = FSM_STATUS.field(4, 4)
    POSPULSE = Register(0x70, access="ro", reset=0xFFF, tagged=True)
    NEGPULSE = Register(0x74, access="ro", reset=0xFFF, tagged=True)
    CLK_CONF = Register(0x78, reset=0x03701000)
    SCLK_DIV_B = CLK_CONF.field(0, 6, doc="denominator of the divider's fraction")
    SCLK_DIV_A = CLK_CONF.field(6, 6, doc="numerator of the divider's fraction")
    SCLK_DIV_NUM = CLK_CONF.field(12, 8, doc="divider - 1")
    SCLK_SEL = CLK_CONF.field(20, 2, doc="1: APB 80 MHz, 2: RC_FAST 17.5 MHz, 3: XTAL 40 MHz")
    CLK_CONF_GATES = CLK_CONF.field(22, 6, tagged=True)
    DATE = Register(0x7C, reset=0x02008270)
    ID = Register(0x80, reset=0x40000500)
    ID_NUMBER = ID.field(0, 30)
    HIGH_SPEED = ID.bit(30, doc="configuration reaches the core clock domain by itself")
    REG_UPDATE = ID.bit(31, access="sc", doc="configuration reaches the core clock domain now")

    STATE = (
        "_host_baud",
        "_rx_character",
        "_tx_character",
        "_bit",
        "_garbled",
        "_rx_wire",
        "_rx_start_ns",
        "_rx_arrived",
        "_rx_fifo",
        "_rx_quiet_ns",
        "_rx_tout_armed",
        "_tx",
        "_tx_start_ns",
        "_tx_ended",
        "_line",
        "_line_start_ns",
        "_line_shown",
        "_wake_handle",
        "_wake_ns",
    )

    def __init__(self, host: Host, name: str) -> None:
        super().__init__(host, name)
        self.on_line: Callable[[bytes, int, int], None] | None = None
        self.on_output: Callable[[bytes], None] | None = None
        self._host_baud: int | None = None
        self._wake_handle: Handle | None = None
        self._clear()

    def _clear(self) -> None:
        self._wake_ns = 0
        self._rx_wire = bytearray()
        self._rx_start_ns = 0
        self._rx_arrived = 0
        self._rx_fifo = bytearray()
        self._rx_quiet_ns = 0
        self._rx_tout_armed = False
        self._tx = bytearray()
        self._tx_start_ns = 0
        self._tx_ended = 0
        self._line = bytearray()
        self._line_start_ns = 0
        self._line_shown = 0
        self._set_timing()

    def reset(self) -> None:
        """Return to the state after power-on; characters on the wire in either way are lost."""
        super().reset()
        if self._wake_handle is not None:
            self.host.cancel(self._wake_handle)
            self._wake_handle = None
        self._clear()
        self.host.set_irq(self.SOURCE, False)

    @property
    def baud(self) -> float:
        """Bits per second that the registers ask for."""
        numerator, denominator = self._bit
        return _SECOND * denominator / numerator

    @property
    def listening(self) -> bool:
        """The firmware has switched a receive interrupt on, as a driver does when it starts."""
        return bool(self.INT_ENA & (_RXFIFO_FULL | _RXFIFO_TOUT))

    @property
    def host_baud(self) -> int | None:
        """Bits per second at the wire's other end; None follows the device.

        More than 3 % apart, every character reads as 0xFF at the receiving end, and the
        device's receiver also notes a framing error: a newline never arrives.
        """
        return self._host_baud

    @host_baud.setter
    def host_baud(self, baud: int | None) -> None:
        self._advance()
        self._host_baud = baud
        self._retime()

    def feed(self, data: bytes) -> int:
        """Send `data` to the device as soon as the wire is free; the ns at which it has ended."""
        self._advance()
        if not self._rx_wire:
            self._rx_start_ns = max(self.host.now_ns(), self._rx_free_ns())
            self._rx_arrived = 0
        self._rx_wire += data
        self._advance()
        return self._rx_free_ns()

    def _rx_free_ns(self) -> int:
        return self._rx_end_ns(len(self._rx_wire))

    def _rx_end_ns(self, count: int) -> int:
        """When the `count`-th character that is still on the wire will have arrived."""
        numerator, denominator = self._rx_character
        return self._rx_start_ns + (self._rx_arrived + count) * numerator // denominator

    def _tx_end_ns(self, count: int) -> int:
        """When the `count`-th character that has not left yet will have left."""
        numerator, denominator = self._tx_character
        return self._tx_start_ns + (self._tx_ended + count) * numerator // denominator

    def _set_timing(self) -> None:
        """Derive the durations of a bit and of a character from the registers."""
        whole = (max(self.CLKDIV_INT, 1) << 4) + self.CLKDIV_FRAG
        fraction = max(self.SCLK_DIV_B, 1)
        divider = (self.SCLK_DIV_NUM + 1) * fraction + (self.SCLK_DIV_B and self.SCLK_DIV_A)
        numerator = _SECOND * whole * divider
        denominator = 16 * fraction * _SCLK_HZ[self.SCLK_SEL]
        half_bits = 2 * (1 + 5 + self.BIT_NUM + self.PARITY_EN) + max(self.STOP_BIT_NUM + 1, 2)
        self._bit: _Duration = numerator, denominator
        self._tx_character: _Duration = half_bits * numerator, 2 * denominator
        self._rx_character = self._tx_character
        self._garbled = False
        if self._host_baud is not None:
            self._rx_character = half_bits * _SECOND, 2 * self._host_baud
            error = self._host_baud * numerator / (_SECOND * denominator) - 1
            self._garbled = abs(error) > _BAUD_TOLERANCE

    def _retime(self) -> None:
        """Apply a new configuration; a character that is under way starts anew at the new rate."""
        now = self.host.now_ns()
        rx_restart_ns = now if self._rx_wire else self._rx_free_ns()
        old_rx, old_tx = self._rx_character, self._tx_character
        self._set_timing()
        if self._rx_character != old_rx:
            self._rx_start_ns, self._rx_arrived = rx_restart_ns, 0
        if self._tx_character != old_tx:
            self._tx_start_ns, self._tx_ended = now, 0
        self._settle()

    def _timing_written(self, old: int, written: int) -> None:
        self._advance()
        if self.HIGH_SPEED:
            self._retime()

    CLKDIV.on_write(_timing_written)
    CLK_CONF.on_write(_timing_written)

    @CONF0.on_write
    def _conf0_written(self, old: int, written: int) -> None:
        self._advance()
        if self.RXFIFO_RST:
            self._rx_fifo.clear()
        if self.TXFIFO_RST:
            del self._tx[1:]
        if (old ^ written) & self._FRAME and self.HIGH_SPEED:
            self._retime()
        self._settle()

    @ID.on_write
    def _id_written(self, old: int, written: int) -> None:
        if Uart.REG_UPDATE.of(written):
            self._advance()
            self._retime()

    def _condition_written(self, old: int, written: int) -> None:
        self._advance()
        self._settle()

    INT_ENA.on_write(_condition_written)
    CONF1.on_write(_condition_written)
    MEM_CONF.on_write(_condition_written)

    @INT_CLR.on_write
    def _int_clr_written(self, old: int, written: int) -> None:
        self._advance()
        self.INT_RAW &= ~written
        self._settle()

    @INT_RAW.on_read
    def _int_raw(self) -> int:
        self._advance()
        return self.INT_RAW

    @INT_ST.on_read
    def _int_st(self) -> int:
        self._advance()
        return self.INT_RAW & self.INT_ENA

    @STATUS.on_read
    def _status(self) -> int:
        self._advance()
        self.RXFIFO_CNT = len(self._rx_fifo)
        self.TXFIFO_CNT = max(len(self._tx) - 1, 0)
        return self.STATUS

    @FSM_STATUS.on_read
    def _fsm_status(self) -> int:
        self._advance()
        self.ST_URX_OUT = bool(self._rx_wire)
        self.ST_UTX_OUT = bool(self._tx)
        return self.FSM_STATUS

    @FIFO.on_read
    def _fifo_read(self) -> int:
        """Take a character; making room never brings an instant closer, so nothing to settle."""
        if self._rx_wire:
            self._advance()
        return self._rx_fifo.pop(0) if self._rx_fifo else 0

    @FIFO.on_write
    def _fifo_written(self, old: int, written: int) -> None:
        """Queue a character; one more than the FIFO holds is lost."""
        character = written & (1 << 5 + self.BIT_NUM) - 1
        now = self.host.now_ns()
        if self._tx and len(self._tx) <= FIFO_DEPTH and now < self._wake_ns:
            self._tx.append(character)
            return
        self._advance()
        if not self._tx:
            self._tx_start_ns, self._tx_ended = now, 0
        if len(self._tx) <= FIFO_DEPTH:
            self._tx.append(character)
        self._settle()

    def _wake(self) -> None:
        self._wake_handle = None
        self._advance()
        self._settle()

    def _advance(self) -> None:
        """Make everything that is due by now happen, and tell the listeners."""
        if not (self._rx_wire or self._tx or self._rx_tout_armed):
            return
        now = self.host.now_ns()
        if self._rx_wire:
            self._receive(now)
        waited = self._rx_tout_armed and not self._rx_wire and self.RX_TOUT_EN
        if waited and self._tout_ns() <= now:
            self._rx_tout_armed = False
            if self._rx_fifo:
                self.INT_RAW |= _RXFIFO_TOUT
        heard = list(self._transmit(now)) if self._tx else ()
        self._settle()
        for data, line in heard:
            if data and self.on_output is not None:
                self.on_output(data)
            if line is not None and self.on_line is not None:
                self.on_line(*line)

    def _tout_ns(self) -> int:
        numerator, denominator = self._bit
        return self._rx_quiet_ns + self.RX_TOUT_THRHD * numerator // denominator

    def _receive(self, now: int) -> None:
        numerator, denominator = self._rx_character
        over = ((now - self._rx_start_ns + 1) * denominator - 1) // numerator
        count = min(over - self._rx_arrived, len(self._rx_wire))
        if count <= 0:
            return
        characters = self._rx_wire[:count]
        del self._rx_wire[:count]
        self._rx_arrived += count
        self._rx_quiet_ns = self._rx_end_ns(0)
        self._rx_tout_armed = True
        if self._garbled:
            characters = bytearray(b"\xff" * count)
            self.INT_RAW |= _FRM_ERR
        room = FIFO_DEPTH - len(self._rx_fifo)
        self._rx_fifo += characters[:room]
        if count > room:
            self.INT_RAW |= _RXFIFO_OVF

    def _transmit(self, now: int) -> Iterator[tuple[bytes, tuple[bytes, int, int] | None]]:
        """Move the characters that have left into the line, and yield what completes."""
        numerator, denominator = self._tx_character
        over = ((now - self._tx_start_ns + 1) * denominator - 1) // numerator
        count = min(over - self._tx_ended, len(self._tx))
        if count <= 0:
            return
        characters = bytes(self._tx[:count]) if not self._garbled else b"\xff" * count
        first = self._tx_ended
        self._tx_ended += count
        del self._tx[:count]
        position = 0
        while position < count:
            if not self._line:
                started = (first + position) * numerator // denominator
                self._line_start_ns = self._tx_start_ns + started
            newline = characters.find(b"\n", position)
            if newline < 0:
                self._line += characters[position:]
                break
            self._line += characters[position:newline]
            ended = self._tx_start_ns + (first + newline + 1) * numerator // denominator
            line = bytes(self._line)
            yield line[self._line_shown :] + b"\n", (line, self._line_start_ns, ended)
            self._line.clear()
            self._line_shown = 0
            position = newline + 1
        if not self._tx:
            self.INT_RAW |= _TX_DONE
            yield bytes(self._line[self._line_shown :]), None
            self._line_shown = len(self._line)

    def _settle(self) -> None:
        """Bring interrupt bits, the interrupt line and the pending event up to date."""
        if len(self._rx_fifo) >= max(self.RXFIFO_FULL_THRHD, 1):
            self.INT_RAW |= _RXFIFO_FULL
        if max(len(self._tx) - 1, 0) < self.TXFIFO_EMPTY_THRHD:
            self.INT_RAW |= _TXFIFO_EMPTY
        self.host.set_irq(self.SOURCE, bool(self.INT_RAW & self.INT_ENA))
        due = min(self._instants(), default=None)
        if self._wake_handle is not None:
            if due is not None and due >= self._wake_ns:
                return
            self.host.cancel(self._wake_handle)
            self._wake_handle = None
        if due is not None:
            self._wake_ns = due
            self._wake_handle = self.host.call_at(due, self, "_wake")

    def _instants(self) -> Iterator[int]:
        """The coming times at which an interrupt rises or a listener has something to hear."""
        quiet = self.INT_ENA & ~self.INT_RAW
        coming = len(self._rx_wire)
        if coming:
            if quiet & _RXFIFO_FULL:
                missing = max(self.RXFIFO_FULL_THRHD, 1) - len(self._rx_fifo)
                if 0 < missing <= min(coming, FIFO_DEPTH - len(self._rx_fifo)):
                    yield self._rx_end_ns(missing)
            if quiet & _RXFIFO_OVF:
                room = FIFO_DEPTH - len(self._rx_fifo)
                if room < coming:
                    yield self._rx_end_ns(room + 1)
            if quiet & _FRM_ERR and self._garbled:
                yield self._rx_end_ns(1)
        if quiet & _RXFIFO_TOUT and self.RX_TOUT_EN:
            if coming:
                yield self._rx_end_ns(coming)
            elif self._rx_tout_armed and self._rx_fifo:
                yield self._tout_ns()
        waiting = len(self._tx)
        if waiting:
            newline = -1 if self._garbled else self._tx.find(b"\n")
            yield self._tx_end_ns(newline + 1 if newline >= 0 else waiting)
            if quiet & _TXFIFO_EMPTY and 0 < self.TXFIFO_EMPTY_THRHD < waiting:
                yield self._tx_end_ns(waiting - self.TXFIFO_EMPTY_THRHD)


class Uart0(Uart):
    """UART0, where an ESP-IDF application has its console."""

    BASE = 0x60000000
    SOURCE = 21


class Uart1(Uart):
    """UART1."""

    BASE = 0x60010000
    SOURCE = 22
