"""UART against uart_reg.h (ESP-IDF, esp32c3) and character arithmetic.

APB 80 MHz / 115200 = 694.44; ESP-IDF programs 80e6 * 16 // 115200 = 11111 sixteenths, that is
CLKDIV 694 + 7/16, so a bit is 11111 / 16 / 80e6 s = 8680.46875 ns and a character of ten bits
86804.6875 ns.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renode.peripherals.soc.esp32c3.uart import FIFO_DEPTH, Uart1
from tests.models.fake_host import FakeHost

FIFO, INT_RAW, INT_ST, INT_ENA, INT_CLR = 0x00, 0x04, 0x08, 0x0C, 0x10
CLKDIV, STATUS, CONF0, CONF1, MEM_CONF = 0x14, 0x1C, 0x20, 0x24, 0x60
FSM_STATUS, CLK_CONF, ID = 0x6C, 0x78, 0x80
RXFIFO_FULL, TXFIFO_EMPTY, FRM_ERR, RXFIFO_OVF = 1 << 0, 1 << 1, 1 << 3, 1 << 4
RXFIFO_TOUT, TX_DONE = 1 << 8, 1 << 14
RX_TOUT_EN = 1 << 21
SOURCE = 22
CHARACTER_NS = 86804.6875


def chars(count: int) -> int:
    """The ns that `count` back-to-back characters take, rounded down as the clock is."""
    return int(count * CHARACTER_NS)


def configure(uart: Uart1, full: int = 120, empty: int = 10, tout: int = 20) -> None:
    """115200 8N1 from APB, thresholds in characters, time-out in bits, as ESP-IDF would."""
    uart.write(CLK_CONF, 0x03500000)  # SCLK_SEL = 1 (APB), divider 1, all clocks on
    uart.write(CLKDIV, 694 | 7 << 20)
    uart.write(CONF1, full | empty << 9 | (RX_TOUT_EN if tout else 0))
    uart.write(MEM_CONF, tout << 16 | 0x12)


@pytest.fixture
def host() -> FakeHost:
    return FakeHost()


@pytest.fixture
def uart(host: FakeHost) -> Uart1:
    model = Uart1(host, "uart1")
    configure(model)
    return model


def send(uart: Uart1, data: bytes) -> None:
    for byte in data:
        uart.write(FIFO, byte)


def receive(uart: Uart1) -> bytes:
    return bytes(uart.read(FIFO) for _ in range(uart.read(STATUS) & 0x3FF))


@pytest.mark.parametrize(
    ("offset", "value"),
    [
        (INT_RAW, TXFIFO_EMPTY),
        (CLKDIV, 0x2B6),
        (STATUS, 0xE000C000),
        (CONF0, 0x1000001C),
        (CONF1, 0x60 << 9 | 0x60),
        (MEM_CONF, 0x0A << 16 | 1 << 4 | 1 << 1),
        (CLK_CONF, 1 << 25 | 1 << 24 | 1 << 22 | 3 << 20 | 1 << 12),
        (0x7C, 0x02008270),
        (ID, 1 << 30 | 0x500),
    ],
)
def test_reset_values(host: FakeHost, offset: int, value: int) -> None:
    assert Uart1(host, "uart1").read(offset) == value


def test_baud_follows_the_registers(host: FakeHost, uart: Uart1) -> None:
    # 80e6 / (694 + 7/16) = 115201.15
    assert uart.baud == pytest.approx(115201.15, abs=0.01)
    uart.write(CLK_CONF, 0x03701000)  # XTAL 40 MHz, divider 2
    # 40e6 / 2 / (694 + 7/16) = 28800.29
    assert uart.baud == pytest.approx(28800.29, abs=0.01)
    uart.write(CLK_CONF, 0x03500000 | 1 << 6 | 2)  # APB, divider 1 + 1/2
    # 80e6 / 1.5 / (694 + 7/16) = 76800.77
    assert uart.baud == pytest.approx(76800.77, abs=0.01)


def test_configuration_waits_for_an_update_without_high_speed(uart: Uart1) -> None:
    uart.write(ID, 0x500)
    uart.write(CLKDIV, 347)
    assert uart.baud == pytest.approx(115201.15, abs=0.01)
    uart.write(ID, 0x500 | 1 << 31)
    assert uart.baud == pytest.approx(80e6 / 347)
    assert uart.read(ID) >> 31 == 0


@pytest.mark.parametrize(
    ("conf0", "bits"),
    [
        (0x1C, 10),  # 8N1
        (0x1E, 11),  # 8E1
        (0x3C, 11),  # 8N2
        (0x2C, 10.5),  # 8N1.5
        (0x18, 9),  # 7N1
    ],
)
def test_a_character_lasts_its_bits(uart: Uart1, conf0: int, bits: float) -> None:
    uart.write(CONF0, conf0)
    assert uart.feed(b"A") == int(bits * CHARACTER_NS / 10)


def test_characters_arrive_one_per_character_time(host: FakeHost, uart: Uart1) -> None:
    assert uart.feed(b"hello") == chars(5)
    host.run_until(chars(3) - 1)
    assert uart.read(STATUS) & 0x3FF == 2
    assert uart.read(FSM_STATUS) & 0xF
    host.run_until(chars(3))
    assert receive(uart) == b"hel"
    host.run_until(chars(5))
    assert receive(uart) == b"lo"
    assert uart.read(FIFO) == 0
    assert uart.read(FSM_STATUS) == 0


def test_a_second_feed_waits_for_the_wire(host: FakeHost, uart: Uart1) -> None:
    uart.feed(b"ab")
    host.run_until(chars(1))
    assert uart.feed(b"cd") == chars(4)
    host.run_until(1_000_000)
    assert uart.feed(b"e") == 1_000_000 + chars(1)


def test_full_interrupt_at_the_threshold_and_again_while_it_holds(
    host: FakeHost, uart: Uart1
) -> None:
    configure(uart, full=4, tout=0)
    uart.write(INT_ENA, RXFIFO_FULL)
    uart.feed(bytes(6))
    host.run_all()
    assert host.irq_edges == [(chars(4), SOURCE, True)]
    host.run_until(chars(6))
    uart.write(INT_CLR, RXFIFO_FULL)
    assert uart.read(INT_ST) == RXFIFO_FULL
    receive(uart)
    assert host.irqs[SOURCE]
    uart.write(INT_CLR, RXFIFO_FULL)
    assert not host.irqs[SOURCE]


def test_timeout_interrupt_after_silence_and_only_with_data(host: FakeHost, uart: Uart1) -> None:
    uart.write(INT_ENA, RXFIFO_TOUT)
    end = uart.feed(b"abc")
    host.run_all()
    # 20 bits of 8680.46875 ns after the last stop bit
    assert host.irq_edges == [(end + 173609, SOURCE, True)]
    uart.write(INT_CLR, RXFIFO_TOUT)
    assert not host.irqs[SOURCE]
    receive(uart)
    end = uart.feed(b"d")
    host.run_until(end)
    receive(uart)
    host.run_for(1_000_000)
    assert uart.read(INT_RAW) & RXFIFO_TOUT == 0


def test_next_character_in_time_prevents_the_timeout(host: FakeHost, uart: Uart1) -> None:
    uart.write(INT_ENA, RXFIFO_TOUT)
    host.run_until(uart.feed(b"a") + 100_000)
    end = uart.feed(b"b")
    host.run_until(end + 173608)
    assert not host.irq_edges
    host.run_until(end + 173609)
    assert host.irqs[SOURCE]


def test_overflow_keeps_the_oldest_and_says_so(host: FakeHost, uart: Uart1) -> None:
    uart.write(INT_ENA, RXFIFO_OVF)
    sent = bytes(range(130))
    uart.feed(sent)
    host.run_all()
    assert host.irq_edges == [(chars(129), SOURCE, True)]
    host.run_until(chars(130))
    assert receive(uart) == sent[:FIFO_DEPTH]


def test_a_long_message_costs_few_events(host: FakeHost, uart: Uart1) -> None:
    uart.write(INT_ENA, RXFIFO_FULL | RXFIFO_TOUT)
    host.on_irq = lambda _, level: got.extend(service()) if level else None
    got: list[int] = []

    def service() -> bytes:
        data = receive(uart)
        uart.write(INT_CLR, RXFIFO_FULL | RXFIFO_TOUT)
        return data

    sent = bytes(i % 251 for i in range(1200))
    uart.feed(sent)
    host.run_all()
    assert bytes(got) == sent
    # 1200 characters are ten thresholds of 120; the rest is the end of the wire and a time-out
    assert host.events_run <= 13


def test_transmit_interrupts(host: FakeHost, uart: Uart1) -> None:
    send(uart, bytes(21))
    # one character is being shifted, twenty wait; "empty" is fewer than ten
    assert uart.read(STATUS) >> 16 & 0x3FF == 20
    uart.write(INT_CLR, TXFIFO_EMPTY | TX_DONE)
    uart.write(INT_ENA, TXFIFO_EMPTY | TX_DONE)
    assert not host.irqs.get(SOURCE)
    host.run_until(chars(11) - 1)
    assert uart.read(INT_RAW) & TXFIFO_EMPTY == 0
    host.run_all()
    assert host.irq_edges == [(chars(11), SOURCE, True)]
    uart.write(INT_ENA, TX_DONE)
    assert host.now == chars(21)
    assert uart.read(INT_ST) == TX_DONE
    assert uart.read(STATUS) >> 16 & 0x3FF == 0
    assert uart.read(FSM_STATUS) == 0


def test_tx_done_rises_when_the_last_stop_bit_has_left(host: FakeHost, uart: Uart1) -> None:
    uart.write(INT_ENA, TX_DONE)
    send(uart, b"abc")
    host.run_until(chars(3) - 1)
    assert not host.irqs.get(SOURCE)
    host.run_until(chars(3))
    assert host.irqs[SOURCE]


def test_a_line_is_told_when_its_newline_has_left(host: FakeHost, uart: Uart1) -> None:
    heard: list[tuple[int, bytes, int, int]] = []
    output: list[bytes] = []
    uart.on_line = lambda line, first, last: heard.append((host.now, line, first, last))
    uart.on_output = output.append
    host.run_until(1000)
    send(uart, b"ab\n\ncd")
    host.run_all()
    assert heard == [
        (1000 + chars(3), b"ab", 1000, 1000 + chars(3)),
        (1000 + chars(4), b"", 1000 + chars(3), 1000 + chars(4)),
    ]
    assert output == [b"ab\n", b"\n", b"cd"]
    assert host.now == 1000 + chars(6)
    host.run_until(2_000_000)
    send(uart, b"e\n")
    host.run_all()
    assert heard[-1][1:] == (b"cde", 1000 + chars(4), 2_000_000 + chars(2))
    assert output[-1] == b"e\n"


def test_a_listener_may_answer_at_once(host: FakeHost, uart: Uart1) -> None:
    uart.on_line = lambda line, *_: ends.append(uart.feed(line + b"!"))
    ends: list[int] = []
    send(uart, b"ping\n")
    host.run_all()
    host.run_until(ends[0])
    assert ends == [chars(5) + chars(5)]
    assert receive(uart) == b"ping!"


def test_a_full_transmit_fifo_loses_what_does_not_fit(host: FakeHost, uart: Uart1) -> None:
    output: list[bytes] = []
    uart.on_output = output.append
    send(uart, bytes(range(140)))
    host.run_all()
    assert b"".join(output) == bytes(range(129))  # 128 in the FIFO and one being shifted


def test_a_full_transmit_fifo_takes_one_more_when_one_has_left(host: FakeHost, uart: Uart1) -> None:
    output: list[bytes] = []
    uart.on_output = output.append
    send(uart, bytes(range(129)))
    for sent in (b"\xfd\xff", b"\xfe\xff"):
        host.run_for(chars(1) + 1)
        send(uart, sent)
    host.run_all()
    assert b"".join(output) == bytes(range(129)) + b"\xfd\xfe"


def test_a_write_after_a_late_event_starts_now_and_not_in_the_past(
    host: FakeHost, uart: Uart1
) -> None:
    """An engine may look at a register shortly before it runs an event that is due."""
    heard: list[tuple[int, int]] = []
    uart.on_line = lambda _, first, last: heard.append((first, last))
    send(uart, b"\n")
    host.now = chars(1) + 500
    send(uart, b"\n")
    host.run_all()
    assert heard == [(0, chars(1)), (chars(1) + 500, chars(1) + 500 + chars(1))]


def test_restore_between_two_halves_of_a_line(host: FakeHost, uart: Uart1) -> None:
    output: list[bytes] = []
    uart.on_output = output.append
    send(uart, b"half ")
    host.run_all()
    state, world = uart.snapshot(), host.snapshot()
    for _ in range(2):
        output.clear()
        uart.restore(state)
        host.restore(world)
        send(uart, b"done\n")
        host.run_all()
        assert output == [b"done\n"]


def test_fifo_resets(host: FakeHost, uart: Uart1) -> None:
    output: list[bytes] = []
    uart.on_output = output.append
    host.run_until(uart.feed(b"abc"))
    send(uart, b"xyz")
    uart.write(CONF0, 0x1C | 1 << 17 | 1 << 18)
    uart.write(CONF0, 0x1C)
    assert uart.read(STATUS) & 0x3FF == 0
    host.run_all()
    assert output == [b"x"]


@pytest.mark.parametrize(("host_baud", "heard"), [(115200, b"ok\n"), (112000, b"ok\n")])
def test_a_small_baud_error_is_tolerated(
    host: FakeHost, uart: Uart1, host_baud: int, heard: bytes
) -> None:
    output: list[bytes] = []
    uart.on_output = output.append
    uart.host_baud = host_baud
    send(uart, b"ok\n")
    end = uart.feed(b"ok\n")
    assert end == 3 * 10 * 1_000_000_000 // host_baud
    host.run_until(1_000_000)
    assert b"".join(output) == heard
    assert receive(uart) == b"ok\n"


def test_a_wrong_baud_garbles_both_ways(host: FakeHost, uart: Uart1) -> None:
    lines: list[bytes] = []
    output: list[bytes] = []
    uart.on_line = lambda line, *_: lines.append(line)
    uart.on_output = output.append
    uart.host_baud = 9600
    uart.write(INT_ENA, FRM_ERR)
    uart.feed(b"a")
    send(uart, b"ok\n")
    host.run_until(2_000_000)
    assert lines == []
    assert b"".join(output) == b"\xff\xff\xff"
    assert receive(uart) == b"\xff"
    assert host.irqs[SOURCE]


def test_reset_forgets_everything(host: FakeHost, uart: Uart1) -> None:
    uart.write(INT_ENA, RXFIFO_FULL | TX_DONE)
    uart.feed(bytes(200))
    send(uart, b"abc\n")
    host.run_until(chars(120))
    uart.reset()
    fresh = Uart1(FakeHost(), "fresh")
    assert uart.dump() == fresh.dump()
    assert uart.baud == fresh.baud
    assert host.pending == 0
    assert not host.irqs[SOURCE]


def test_restore_in_mid_transfer_continues_alike(host: FakeHost, uart: Uart1) -> None:
    heard: list[tuple[bytes, int, int]] = []
    uart.on_line = lambda line, first, last: heard.append((line, first, last))
    uart.write(INT_ENA, RXFIFO_FULL | RXFIFO_TOUT | TX_DONE)
    uart.feed(bytes(range(150)))
    send(uart, b"one\ntwo\n")
    host.run_until(chars(5) + 7)
    state, world = uart.snapshot(), host.snapshot()

    def go_on() -> tuple[list[tuple[bytes, int, int]], list[tuple[int, int, bool]], bytes, int]:
        heard.clear()
        host.irq_edges.clear()
        host.run_all()
        return list(heard), list(host.irq_edges), receive(uart), host.now

    first = go_on()
    assert first[0] == [(b"two", chars(4), chars(8))]
    uart.restore(state)
    host.restore(world)
    assert go_on() == first


@given(
    chunks=st.lists(st.binary(max_size=60), max_size=8),
    pauses=st.lists(st.integers(0, 2_000_000), min_size=8, max_size=8),
    full=st.integers(1, 120),
)
def test_bytes_in_are_bytes_out_whatever_the_chunks(
    chunks: list[bytes], pauses: list[int], full: int
) -> None:
    """An interrupt-driven echo with thresholds below the depth loses and reorders nothing."""
    host = FakeHost()
    uart = Uart1(host, "uart1")
    configure(uart, full=full)
    out = bytearray()
    uart.on_output = out.extend

    def service(source: int, level: bool) -> None:
        if level:
            send(uart, receive(uart))
            uart.write(INT_CLR, RXFIFO_FULL | RXFIFO_TOUT)

    host.on_irq = service
    uart.write(INT_ENA, RXFIFO_FULL | RXFIFO_TOUT)
    for chunk, pause in zip(chunks, pauses, strict=False):
        uart.feed(chunk)
        host.run_for(pause)
    host.run_all()
    assert bytes(out) == b"".join(chunks)


@given(
    data=st.binary(max_size=300),
    probes=st.lists(st.integers(0, 30_000_000), max_size=20),
)
def test_looking_never_changes_what_happens(data: bytes, probes: list[int]) -> None:
    """Interrupt times do not depend on when registers are read in between."""

    def run(looks: list[int]) -> tuple[list[tuple[int, int, bool]], int]:
        host = FakeHost()
        uart = Uart1(host, "uart1")
        configure(uart)
        uart.write(INT_ENA, RXFIFO_FULL | RXFIFO_TOUT | RXFIFO_OVF)
        uart.feed(data)
        for when in sorted(looks):
            host.run_until(when)
            for offset in (STATUS, INT_RAW, INT_ST, FSM_STATUS):
                uart.read(offset)
        host.run_until(30_000_000)
        return host.irq_edges, uart.read(INT_RAW)

    assert run(probes) == run([])
