"""The I2C controller of the ESP32-C3, master side, at register level.

Sources: ESP32-C3 Technical Reference Manual, chapter "I2C Controller"; esp-idf
`soc/esp32c3/register/soc/i2c_reg.h`; `hal/esp32c3/include/hal/i2c_ll.h` for what the timing
registers mean on silicon.
"""

from __future__ import annotations

from enum import IntEnum
from typing import ClassVar

from renode.peripherals.bus.i2c import BusTiming, I2CBus
from renode.peripherals.host import Handle, Host
from renode.peripherals.registers import Register, RegisterArray, RegisterBank

XTAL_HZ = 40_000_000
RC_FAST_HZ = 17_500_000
FIFO_DEPTH = 32
COMMANDS = 8


class Opcode(IntEnum):
    """Bits 13:11 of a COMD register."""

    WRITE = 1
    STOP = 2
    READ = 3
    END = 4
    RSTART = 6


class Interrupt(IntEnum):
    """Bit positions in INT_RAW, INT_CLR, INT_ENA and INT_ST."""

    RXFIFO_WM = 0
    TXFIFO_WM = 1
    RXFIFO_OVF = 2
    END_DETECT = 3
    BYTE_TRANS_DONE = 4
    ARBITRATION_LOST = 5
    MST_TXFIFO_UDF = 6
    TRANS_COMPLETE = 7
    TIME_OUT = 8
    TRANS_START = 9
    NACK = 10
    TXFIFO_OVF = 11
    RXFIFO_UDF = 12
    SCL_ST_TO = 13
    SCL_MAIN_ST_TO = 14
    DET_START = 15


_WATERMARKS = 1 << Interrupt.RXFIFO_WM | 1 << Interrupt.TXFIFO_WM


class I2CController(RegisterBank):
    """I2C0: a command list of eight entries, two FIFOs of 32 bytes, one interrupt source.

    The slave side is absent: CTR.MS_MODE = 0 is reported as unmodelled when a transfer starts.
    Timing registers take effect at CTR.CONF_UPGATE, as on silicon. After a NACK the controller
    makes its own STOP; a STOP asked for meanwhile is that one, another list begins after it.
    """

    BASE: ClassVar[int] = 0x6001_3000
    SIZE: ClassVar[int] = 0x1000
    SOURCE: ClassVar[int] = 29
    STATE = (
        "_tx",
        "_rx",
        "_command",
        "_bytes_left",
        "_running",
        "_on_bus",
        "_starved",
        "_timing",
        "_clearing",
        "_timeouts",
        "_stopping",
        "_ending",
        "_again",
    )

    SCL_LOW_PERIOD_REG = Register(0x00, doc="SCL low time in clocks, less one")
    SCL_LOW_PERIOD = SCL_LOW_PERIOD_REG.field(0, 9)
    CTR = Register(0x04, reset=0x20B)
    SDA_FORCE_OUT = CTR.bit(0, tagged=True)
    SCL_FORCE_OUT = CTR.bit(1, tagged=True)
    SAMPLE_SCL_LEVEL = CTR.bit(2, tagged=True)
    RX_FULL_ACK_LEVEL = CTR.bit(3, tagged=True)
    MS_MODE = CTR.bit(4)
    TRANS_START = CTR.bit(5, access="sc")
    TX_LSB_FIRST = CTR.bit(6)
    RX_LSB_FIRST = CTR.bit(7)
    CLK_EN = CTR.bit(8, tagged=True)
    ARBITRATION_EN = CTR.bit(9, tagged=True)
    FSM_RST = CTR.bit(10, access="sc")
    CONF_UPGATE = CTR.bit(11, access="sc")
    SR = Register(0x08, reset=0xC000, access="ro")
    RESP_REC = SR.bit(0, access="ro", doc="level of the last acknowledge: 0 ACK, 1 NACK")
    ARB_LOST = SR.bit(3, access="ro")
    BUS_BUSY = SR.bit(4, access="ro")
    RXFIFO_CNT = SR.field(8, 6, access="ro")
    STRETCH_CAUSE = SR.field(14, 2, access="ro", tagged=True)
    TXFIFO_CNT = SR.field(18, 6, access="ro")
    SCL_MAIN_STATE_LAST = SR.field(24, 3, access="ro", tagged=True)
    SCL_STATE_LAST = SR.field(28, 3, access="ro", tagged=True)
    TO = Register(0x0C, reset=0x10)
    TIME_OUT_VALUE = TO.field(0, 5, doc="log2 of the time-out in clocks")
    TIME_OUT_EN = TO.bit(5)
    SLAVE_ADDR = Register(0x10, tagged=True)
    FIFO_ST = Register(0x14, access="ro", tagged=True)
    FIFO_CONF = Register(0x18, reset=0x408B)
    RXFIFO_WM_THRHD = FIFO_CONF.field(0, 5)
    TXFIFO_WM_THRHD = FIFO_CONF.field(5, 5)
    NONFIFO_EN = FIFO_CONF.bit(10, tagged=True)
    RX_FIFO_RST = FIFO_CONF.bit(12)
    TX_FIFO_RST = FIFO_CONF.bit(13)
    FIFO_PRT_EN = FIFO_CONF.bit(14, tagged=True)
    DATA = Register(0x1C)
    INT_RAW = Register(0x20, reset=1 << Interrupt.TXFIFO_WM, access="ro")
    INT_CLR = Register(0x24, access="sc")
    INT_ENA = Register(0x28)
    INT_ST = Register(0x2C, access="ro")
    SDA_HOLD = Register(0x30, tagged=True)
    SDA_SAMPLE = Register(0x34, tagged=True)
    SCL_HIGH_PERIOD_REG = Register(0x38)
    SCL_HIGH_PERIOD = SCL_HIGH_PERIOD_REG.field(0, 9)
    SCL_WAIT_HIGH_PERIOD = SCL_HIGH_PERIOD_REG.field(9, 7)
    SCL_START_HOLD = Register(0x40, reset=8, doc="in clocks, less one")
    SCL_RSTART_SETUP = Register(0x44, reset=8, doc="in clocks, less one")
    SCL_STOP_HOLD = Register(0x48, reset=8, doc="in clocks, less one")
    SCL_STOP_SETUP = Register(0x4C, reset=8, doc="in clocks, less one")
    FILTER_CFG = Register(0x50, reset=0x300, tagged=True)
    CLK_CONF = Register(0x54, reset=1 << 21)
    SCLK_DIV_NUM = CLK_CONF.field(0, 8)
    SCLK_DIV_A = CLK_CONF.field(8, 6)
    SCLK_DIV_B = CLK_CONF.field(14, 6)
    SCLK_SEL = CLK_CONF.bit(20, doc="0 XTAL 40 MHz, 1 RC_FAST 17.5 MHz")
    SCLK_ACTIVE = CLK_CONF.bit(21, tagged=True)
    COMD = RegisterArray(0x58, COMMANDS)
    SCL_ST_TIME_OUT = Register(0x78, reset=0x10, doc="log2 of the time-out in clocks, bits 4:0")
    SCL_MAIN_ST_TIME_OUT = Register(0x7C, reset=0x10, doc="log2 of the time-out, bits 4:0")
    SCL_SP_CONF = Register(0x80)
    SCL_RST_SLV_EN = SCL_SP_CONF.bit(0)
    SCL_RST_SLV_NUM = SCL_SP_CONF.field(1, 5)
    SCL_PD_EN = SCL_SP_CONF.bit(6, tagged=True)
    SDA_PD_EN = SCL_SP_CONF.bit(7, tagged=True)
    SCL_STRETCH_CONF = Register(0x84, tagged=True)
    DATE = Register(0xF8, reset=0x2007_0201)

    def __init__(self, host: Host, name: str, bus: I2CBus) -> None:
        super().__init__(host, name)
        self.bus = bus
        bus.connect(self)
        self._clear()

    def reset(self) -> None:
        """Return to the state after power-on, and let go of the bus in mid-transfer."""
        super().reset()
        self._reset_fsm()
        self._clear()
        self.host.set_irq(self.SOURCE, False)

    def _clear(self) -> None:
        self._tx = bytearray()
        self._rx = bytearray()
        self._command = 0
        self._bytes_left = 0
        self._running = False
        self._on_bus = False
        self._starved = False
        self._timing = BusTiming.at(100_000)
        self._clearing = False
        self._timeouts: tuple[Handle, ...] = ()
        self._stopping = False
        self._ending: Handle | None = None
        self._again = False

    # -- registers ---------------------------------------------------------------------------

    @CTR.on_write
    def _control(self, old: int, written: int) -> None:
        if I2CController.FSM_RST.of(written):
            self._reset_fsm()
        if I2CController.CONF_UPGATE.of(written):
            self._timing = self._programmed_timing()
            if self.SCL_RST_SLV_EN and not self._clearing:
                self._clearing = True
                self.bus.clear(self, self.SCL_RST_SLV_NUM, self._timing)
        if I2CController.TRANS_START.of(written):
            self._begin()

    @SR.on_read
    def _status(self) -> int:
        self.BUS_BUSY = int(self.bus.busy)
        self.RXFIFO_CNT = len(self._rx)
        self.TXFIFO_CNT = len(self._tx)
        return self.SR

    @FIFO_CONF.on_write
    def _fifo_conf(self, old: int, written: int) -> None:
        if self.RX_FIFO_RST:
            self._rx.clear()
        if self.TX_FIFO_RST:
            self._tx.clear()
        self._watermarks()

    @DATA.on_read
    def _pop(self) -> int:
        if not self._rx:
            self._raise(Interrupt.RXFIFO_UDF)
            return 0
        value = self._rx.pop(0)
        self._watermarks()
        return value

    @DATA.on_write
    def _push(self, old: int, written: int) -> None:
        if len(self._tx) >= FIFO_DEPTH:
            self._raise(Interrupt.TXFIFO_OVF)
            return
        self._tx.append(written & 0xFF)
        self._watermarks()
        if self._starved:
            self._starved = False
            self._step()

    @INT_ST.on_read
    def _masked(self) -> int:
        return self.INT_RAW & self.INT_ENA

    @INT_CLR.on_write
    def _clear_interrupts(self, old: int, written: int) -> None:
        self.INT_RAW &= ~written
        self._watermarks()
        self._update_irq()

    @INT_ENA.on_write
    def _enable(self, old: int, written: int) -> None:
        self._update_irq()

    @SCL_SP_CONF.on_write
    def _special(self, old: int, written: int) -> None:
        if self._clearing and not self.SCL_RST_SLV_EN:
            self._clearing = False
            self.bus.cancel_clear(self)

    def _raise(self, interrupt: Interrupt) -> None:
        raw = self.INT_RAW
        bit = 1 << interrupt
        if not raw & bit:
            self.INT_RAW = raw | bit
            if self.INT_ENA & bit:
                self._update_irq()

    def _update_irq(self) -> None:
        self.host.set_irq(self.SOURCE, bool(self.INT_RAW & self.INT_ENA))

    def _watermarks(self) -> None:
        if self.INT_RAW & _WATERMARKS == _WATERMARKS:
            return
        if len(self._rx) > self.RXFIFO_WM_THRHD:
            self._raise(Interrupt.RXFIFO_WM)
        if len(self._tx) < self.TXFIFO_WM_THRHD:
            self._raise(Interrupt.TXFIFO_WM)

    # -- timing ------------------------------------------------------------------------------

    @property
    def clock_hz(self) -> float:
        """The controller's own clock: the source divided by CLK_CONF, in Hz."""
        source = RC_FAST_HZ if self.SCLK_SEL else XTAL_HZ
        fraction = self.SCLK_DIV_B / self.SCLK_DIV_A if self.SCLK_DIV_A else 0.0
        return source / (self.SCLK_DIV_NUM + 1 + fraction)

    def _clocks_ns(self, clocks: int) -> int:
        return max(1, round(clocks * 1e9 / self.clock_hz))

    def _programmed_timing(self) -> BusTiming:
        return BusTiming(
            low_ns=self._clocks_ns(self.SCL_LOW_PERIOD + 1),
            high_ns=self._clocks_ns(self.SCL_HIGH_PERIOD + self.SCL_WAIT_HIGH_PERIOD),
            start_hold_ns=self._clocks_ns((self.SCL_START_HOLD & 0x1FF) + 1),
            restart_setup_ns=self._clocks_ns((self.SCL_RSTART_SETUP & 0x1FF) + 1),
            stop_setup_ns=self._clocks_ns((self.SCL_STOP_SETUP & 0x1FF) + 1),
            bus_free_ns=self._clocks_ns((self.SCL_STOP_HOLD & 0x1FF) + 1),
        )

    # -- the command list --------------------------------------------------------------------

    def _begin(self) -> None:
        if not self.MS_MODE:
            self.host.unmodelled(self, "TRANS_START in slave mode (CTR.MS_MODE = 0)")
            return
        if self._stopping:
            self._again = True
            return
        if self._running:
            return
        self._running = True
        self.ARB_LOST = 0
        self._command = 0
        self._load()

    def _load(self) -> None:
        """Begin the command at the current index."""
        if self._command >= COMMANDS:
            self._running = False
            return
        self._bytes_left = self.COMD[self._command] & 0xFF
        self._step()

    def _done(self) -> None:
        """The current command is finished."""
        self.COMD[self._command] |= 1 << 31
        self._command += 1
        self._load()

    def _step(self) -> None:
        command = self.COMD[self._command]
        opcode = command >> 11 & 7
        if opcode == Opcode.RSTART:
            self.bus.start(self, self._timing)
        elif opcode == Opcode.END:
            self.COMD[self._command] |= 1 << 31
            self._running = False
            self._raise(Interrupt.END_DETECT)
        elif opcode == Opcode.STOP and not self._on_bus:
            # Nothing to stop: SDA makes one low pulse while SCL is high, and that is a STOP.
            self._stopping = True
            end = self.host.now_ns() + self._timing.stop_setup_ns
            self._ending = self.host.call_at(end, self, "bus_stopped")
        elif not self._on_bus:
            self._running = False
            self.host.unmodelled(self, f"command {opcode} without a START")
        elif opcode == Opcode.STOP:
            self.bus.stop(self)
        elif opcode == Opcode.WRITE:
            self._write_next()
        elif opcode == Opcode.READ:
            self._read_next(bool(command >> 10 & 1))
        else:
            self._running = False
            self.host.unmodelled(self, f"command opcode {opcode}")

    def _write_next(self) -> None:
        if self._bytes_left == 0:
            self._done()
        elif not self._tx:
            self._starved = True
            self._raise(Interrupt.MST_TXFIFO_UDF)
        else:
            value = self._tx.pop(0)
            self._watermarks()
            self.bus.send(self, _reversed(value) if self.TX_LSB_FIRST else value)

    def _read_next(self, ack_level: bool) -> None:
        if self._bytes_left == 0:
            self._done()
        else:
            self.bus.receive(self, ack=not ack_level)

    def _reset_fsm(self) -> None:
        self._running = False
        self._on_bus = False
        self._starved = False
        self._stopping = False
        self._again = False
        self.clock_resumed()
        if self._ending is not None:
            self.host.cancel(self._ending)
            self._ending = None
        if self._clearing:
            self._clearing = False
            self.SCL_RST_SLV_EN = 0
            self.bus.cancel_clear(self)
        self.bus.abandon(self)

    # -- what the bus says -------------------------------------------------------------------

    def bus_started(self) -> None:
        self._on_bus = True
        self._raise(Interrupt.TRANS_START)
        self._done()

    def byte_sent(self, acked: bool) -> None:
        command = self.COMD[self._command]
        self.RESP_REC = int(not acked)
        self._bytes_left -= 1
        self._raise(Interrupt.BYTE_TRANS_DONE)
        check, expected = command >> 8 & 1, command >> 9 & 1
        if check and int(not acked) != expected:
            self._running = False
            self._stopping = True
            self.bus.stop(self)
            self._raise(Interrupt.NACK)
        else:
            self._write_next()

    def byte_received(self, value: int) -> None:
        self._bytes_left -= 1
        if len(self._rx) >= FIFO_DEPTH:
            self._raise(Interrupt.RXFIFO_OVF)
        else:
            self._rx.append(_reversed(value) if self.RX_LSB_FIRST else value)
        self._watermarks()
        self._raise(Interrupt.BYTE_TRANS_DONE)
        self._read_next(bool(self.COMD[self._command] >> 10 & 1))

    def bus_stopped(self) -> None:
        self._on_bus = False
        self._ending = None
        if self._running:
            self.COMD[self._command] |= 1 << 31
            self._running = False
        again = self._again
        self._stopping = self._again = False
        self._raise(Interrupt.TRANS_COMPLETE)
        if not again:
            return
        if self.COMD[0] >> 11 & 7 == Opcode.STOP:
            self.COMD[0] |= 1 << 31
        else:
            self._begin()

    def arbitration_lost(self) -> None:
        self._on_bus = False
        self._running = False
        self._stopping = False
        self._again = False
        self.ARB_LOST = 1
        self.clock_resumed()
        self._raise(Interrupt.ARBITRATION_LOST)

    def clock_stalled(self) -> None:
        if self._timeouts:
            return
        now = self.host.now_ns()
        limits = [
            (self.SCL_ST_TIME_OUT & 0x1F, Interrupt.SCL_ST_TO),
            (self.SCL_MAIN_ST_TIME_OUT & 0x1F, Interrupt.SCL_MAIN_ST_TO),
        ]
        if self.TIME_OUT_EN:
            limits.append((self.TIME_OUT_VALUE, Interrupt.TIME_OUT))
        self._timeouts = tuple(
            self.host.call_at(now + self._clocks_ns(1 << power), self, "_timed_out", int(which))
            for power, which in limits
        )

    def clock_resumed(self) -> None:
        for handle in self._timeouts:
            self.host.cancel(handle)
        self._timeouts = ()

    def pulses_done(self) -> None:
        self._clearing = False
        self.SCL_RST_SLV_EN = 0

    def _timed_out(self, which: int) -> None:
        self._raise(Interrupt(which))


def _reversed(value: int) -> int:
    return int(f"{value:08b}"[::-1], 2)
