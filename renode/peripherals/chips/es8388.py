"""ES8388 stereo audio codec by Everest Semiconductor, as far as its four outputs are concerned.

Sources: ES8388 datasheet, rev. 5.0, sections 4 (clocks), 5.2 (2-wire interface) and 6 (registers),
compared with the register headers of ESP-ADF (audio_hal/driver/es8388), Apache NuttX
(drivers/audio/es8388.h, reset values) and Linux (sound/soc/codecs/es8328.h, the sister chip).

What the datasheet leaves open, and what the model does:

- Gain is what a signal that is the same on both I2S channels meets between DSDIN and the output
  pin, relative to LDACVOL = 0 dB, LOUT1VOL = 0 dB and Vpp_scale = 3.5 V. Phase inversion, mono
  mixing, de-emphasis and the shelving filter do not change it; analogue inputs carry nothing.
- Volume codes beyond the tables' ends count as the last documented one and are reported.
- EnRef (CONTROL1) silences nothing: drivers in the field play with EnRef = 0.
- MSC = 1 (the reset value) silences: the board drives LRCK and SCLK, and so would the chip.
- DACMute acts at once. The soft ramp counts LRCK cycles, so it stands still while the DAC's
  digital part has no clock, and starts again from -96 dB once dac_DigPDN is released.
- SCPReset reads back as 0; the other bits of the same write are lost.
- Reserved bits store what is written.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from renode.peripherals.bus.target import I2CTarget
from renode.peripherals.host import Host
from renode.peripherals.registers import Field, Register, RegisterBank

__all__ = ["ES8388", "OUTPUTS", "SILENT", "Values", "gain_from", "silence_from"]

OUTPUTS = ("LOUT1", "ROUT1", "LOUT2", "ROUT2")
"""The analogue outputs, by pin name (datasheet section 2)."""

SILENT = -math.inf
"""The gain in dB of an output that carries no signal at all."""

Values: TypeAlias = Mapping[str, int] | Sequence[int]
"""Register contents: by name, as `ES8388.dump` gives them, or by register number from 0x00."""

_DACVOL_MIN = 0xC0
_OUTVOL_0_DB = 0x1E
_OUTVOL_MAX = 0x21
_LRCK_PER_STEP = (4, 32, 64, 128)
_VPP = (3.5, 4.0, 3.0, 2.5)
_SINGLE_SPEED_MAX_HZ = 50_000
_SINGLE_SPEED_RATIOS = (256, 384, 512, 768, 1024)
_DOUBLE_SPEED_RATIOS = (128, 192, 256, 384, 512)
_NS = 1_000_000_000


class _Ramp(NamedTuple):
    """A digital volume on its way to `target`; volumes are attenuations in steps of 0.5 dB."""

    start: int
    """LRCK count at which the ramp stood at `origin`."""
    origin: int
    target: int
    lrck_per_step: int
    """0 when the soft ramp is disabled."""

    def steps(self, lrck: int) -> int:
        return (lrck - self.start) // self.lrck_per_step

    def volume(self, lrck: int) -> int:
        if not self.lrck_per_step:
            return self.target
        steps = self.steps(lrck)
        if self.target > self.origin:
            return min(self.target, self.origin + steps)
        return max(self.target, self.origin - steps)

    def redirected(self, lrck: int, target: int, lrck_per_step: int) -> _Ramp:
        """The ramp from here on; one in motion keeps the LRCK it has counted towards a step."""
        if (target, lrck_per_step) == (self.target, self.lrck_per_step):
            return self
        volume = self.volume(lrck)
        start = lrck
        if volume != self.target and lrck_per_step == self.lrck_per_step:
            start = self.start + self.steps(lrck) * lrck_per_step
        return _Ramp(start, volume, target, lrck_per_step)


class ES8388(RegisterBank, I2CTarget):
    """The codec on an I2C bus: one register per transaction, and the gain that follows from all.

    `address` is 0x10 with pin AD0 (CE) low and 0x11 with it high (datasheet section 5.2);
    anything else is a ValueError. `mclk_hz` and `lrck_hz` are the board's clocks.
    """

    WIDTH = 8
    STATE = (
        "_pointer",
        "_transferred",
        "_mclk_hz",
        "_lrck_hz",
        "_lrck_count",
        "_counting_since_ns",
        "_counting_hz",
        "_ramps",
    )

    CONTROL1 = Register(0x00, reset=0x06)
    SCP_RESET = CONTROL1.bit(7, access="sc", doc="SCPReset: load all registers' reset values")
    LRCM = CONTROL1.bit(6, tagged=True)
    DACMCLK = CONTROL1.bit(5, tagged=True)
    SAME_FS = CONTROL1.bit(4, tagged=True)
    SEQ_EN = CONTROL1.bit(3, tagged=True)
    EN_REF = CONTROL1.bit(2, tagged=True)
    VMIDSEL = CONTROL1.field(0, 2, doc="0: Vmid disabled; 1, 2, 3: 50, 500, 5 kOhm divider")

    CONTROL2 = Register(0x01, reset=0x5C)
    LP_VCM_MOD = CONTROL2.bit(5, tagged=True)
    LP_VREF_BUF = CONTROL2.bit(4, tagged=True)
    PDN_ANA = CONTROL2.bit(3, doc="PdnAna: the entire analogue part powered down")
    PDN_IBIASGEN = CONTROL2.bit(2, doc="PdnIbiasgen: bias generator powered down")
    VREF_LO = CONTROL2.bit(1, tagged=True)
    PDN_VREFBUF = CONTROL2.bit(0, doc="PdnVrefbuf: reference buffer powered down")

    CHIPPOWER = Register(0x02, reset=0xC3)
    ADC_DIG_PDN = CHIPPOWER.bit(7, tagged=True)
    DAC_DIG_PDN = CHIPPOWER.bit(6, doc="dac_DigPDN: DAC modulator, filter, serial port in reset")
    ADC_STM_RST = CHIPPOWER.bit(5, tagged=True)
    DAC_STM_RST = CHIPPOWER.bit(4, doc="dac_stm_rst: DAC state machine held in power-down")
    ADCDLL_PDN = CHIPPOWER.bit(3, tagged=True)
    DACDLL_PDN = CHIPPOWER.bit(2, doc="DAC DLL powered down, which stops the DAC's clock")
    ADCVREF_PDN = CHIPPOWER.bit(1, tagged=True)
    DACVREF_PDN = CHIPPOWER.bit(0, doc="dacVref_PDN: DAC's analogue reference powered down")

    ADCPOWER = Register(0x03, reset=0xFC, tagged=True)

    DACPOWER = Register(0x04, reset=0xC0)
    PDN_DACL = DACPOWER.bit(7, doc="PdnDACL: left DAC powered down")
    PDN_DACR = DACPOWER.bit(6, doc="PdnDACR: right DAC powered down")
    LOUT1 = DACPOWER.bit(5, doc="output enabled")
    ROUT1 = DACPOWER.bit(4, doc="output enabled")
    LOUT2 = DACPOWER.bit(3, doc="output enabled")
    ROUT2 = DACPOWER.bit(2, doc="output enabled")

    CHIPLOPOW1 = Register(0x05, tagged=True)
    CHIPLOPOW2 = Register(0x06, tagged=True)
    ANAVOLMANAG = Register(0x07, reset=0x7C, tagged=True)

    MASTERMODE = Register(0x08, reset=0x80)
    MSC = MASTERMODE.bit(7, doc="serial audio port is master: the chip drives LRCK and SCLK")
    MCLKDIV2 = MASTERMODE.bit(6, doc="MCLK is divided by 2")
    BCLK_INV = MASTERMODE.bit(5, tagged=True)
    BCLKDIV = MASTERMODE.field(0, 5, tagged=True)

    ADCCONTROL1 = Register(0x09, tagged=True)
    ADCCONTROL2 = Register(0x0A, tagged=True)
    ADCCONTROL3 = Register(0x0B, reset=0x02, tagged=True)
    ADCCONTROL4 = Register(0x0C, tagged=True)
    ADCCONTROL5 = Register(0x0D, reset=0x06, tagged=True)
    ADCCONTROL6 = Register(0x0E, reset=0x30, tagged=True)
    ADCCONTROL7 = Register(0x0F, reset=0x20, tagged=True)
    ADCCONTROL8 = Register(0x10, reset=0xC0, tagged=True)
    ADCCONTROL9 = Register(0x11, reset=0xC0, tagged=True)
    ADCCONTROL10 = Register(0x12, reset=0x38, tagged=True)
    ADCCONTROL11 = Register(0x13, reset=0xB0, tagged=True)
    ADCCONTROL12 = Register(0x14, reset=0x32, tagged=True)
    ADCCONTROL13 = Register(0x15, reset=0x06, tagged=True)
    ADCCONTROL14 = Register(0x16, tagged=True)

    DACCONTROL1 = Register(0x17, tagged=True, doc="serial format: assumed to match the board's")
    DACCONTROL2 = Register(0x18, reset=0x06, tagged=True)

    DACCONTROL3 = Register(0x19, reset=0x22)
    DAC_RAMP_RATE = DACCONTROL3.field(6, 2, doc="0.5 dB per 4, 32, 64, 128 LRCK")
    DAC_SOFT_RAMP = DACCONTROL3.bit(5, doc="digital volume changes by the soft ramp")
    DAC_LE_R = DACCONTROL3.bit(3, doc="DACLeR: LDACVOL sets both channels")
    DAC_MUTE = DACCONTROL3.bit(2, doc="DACMute: analogue outputs of both channels muted")

    DACCONTROL4 = Register(0x1A, reset=0xC0)
    LDACVOL = DACCONTROL4.field(0, 8, doc="left digital attenuation in 0.5 dB, 0xC0 = -96 dB")
    DACCONTROL5 = Register(0x1B, reset=0xC0)
    RDACVOL = DACCONTROL5.field(0, 8, doc="right digital attenuation in 0.5 dB, 0xC0 = -96 dB")

    DACCONTROL6 = Register(0x1C, reset=0x08, tagged=True)

    DACCONTROL7 = Register(0x1D)
    ZERO_L = DACCONTROL7.bit(7, doc="ZeroL: left DAC's output is all zero")
    ZERO_R = DACCONTROL7.bit(6, doc="ZeroR: right DAC's output is all zero")
    MONO = DACCONTROL7.bit(5, tagged=True)
    SE = DACCONTROL7.field(2, 3, tagged=True)
    VPP_SCALE = DACCONTROL7.field(0, 2, doc="full scale: 3.5, 4.0, 3.0, 2.5 V")

    DACCONTROL8 = Register(0x1E, reset=0x1F, tagged=True)
    DACCONTROL9 = Register(0x1F, reset=0xF7, tagged=True)
    DACCONTROL10 = Register(0x20, reset=0xFD, tagged=True)
    DACCONTROL11 = Register(0x21, reset=0xFF, tagged=True)
    DACCONTROL12 = Register(0x22, reset=0x1F, tagged=True)
    DACCONTROL13 = Register(0x23, reset=0xF7, tagged=True)
    DACCONTROL14 = Register(0x24, reset=0xFD, tagged=True)
    DACCONTROL15 = Register(0x25, reset=0xFF, tagged=True)
    DACCONTROL16 = Register(0x26, tagged=True)

    DACCONTROL17 = Register(0x27, reset=0x38)
    LD2LO = DACCONTROL17.bit(7, doc="left DAC to left mixer")
    LI2LO = DACCONTROL17.bit(6, tagged=True)
    LI2LOVOL = DACCONTROL17.field(3, 3, tagged=True)
    DACCONTROL18 = Register(0x28, reset=0x28, tagged=True)
    DACCONTROL19 = Register(0x29, reset=0x28, tagged=True)
    DACCONTROL20 = Register(0x2A, reset=0x38)
    RD2RO = DACCONTROL20.bit(7, doc="right DAC to right mixer")
    RI2RO = DACCONTROL20.bit(6, tagged=True)
    RI2ROVOL = DACCONTROL20.field(3, 3, tagged=True)

    DACCONTROL21 = Register(0x2B)
    SLRCK = DACCONTROL21.bit(7, tagged=True)
    LRCK_SEL = DACCONTROL21.bit(6, tagged=True)
    OFFSET_DIS = DACCONTROL21.bit(5, tagged=True)
    MCLK_DIS = DACCONTROL21.bit(4, doc="MCLK input pin disabled")
    ADC_DLL_PWD = DACCONTROL21.bit(3, tagged=True)
    DAC_DLL_PWD = DACCONTROL21.bit(2, doc="DAC DLL powered down")

    DACCONTROL22 = Register(0x2C, tagged=True)
    DACCONTROL23 = Register(0x2D, tagged=True)

    DACCONTROL24 = Register(0x2E)
    LOUT1VOL = DACCONTROL24.field(0, 6, doc="-45 dB + 1.5 dB a step, 0x1E = 0 dB, top 0x21")
    DACCONTROL25 = Register(0x2F)
    ROUT1VOL = DACCONTROL25.field(0, 6, doc="as LOUT1VOL")
    DACCONTROL26 = Register(0x30)
    LOUT2VOL = DACCONTROL26.field(0, 6, doc="as LOUT1VOL")
    DACCONTROL27 = Register(0x31)
    ROUT2VOL = DACCONTROL27.field(0, 6, doc="as LOUT1VOL")

    DACCONTROL28 = Register(0x32, tagged=True)
    DACCONTROL29 = Register(0x33, reset=0xAA, tagged=True)
    DACCONTROL30 = Register(0x34, reset=0xAA, tagged=True)

    UNDOCUMENTED_35 = Register(0x35, tagged=True, doc="drivers write it; storage only")
    UNDOCUMENTED_37 = Register(0x37, tagged=True, doc="drivers write it; storage only")
    UNDOCUMENTED_39 = Register(0x39, tagged=True, doc="drivers write it; storage only")

    def __init__(
        self,
        host: Host,
        name: str = "es8388",
        address: int = 0x10,
        mclk_hz: int = 12_288_000,
        lrck_hz: int = 48_000,
    ) -> None:
        super().__init__(host, name)
        if address not in (0x10, 0x11):
            raise ValueError(f"{name}: an ES8388 answers at 0x10 or 0x11, not at {address:#x}")
        self._address = address
        self._mclk_hz = mclk_hz
        self._lrck_hz = lrck_hz
        self._power_on()

    def reset(self) -> None:
        """Return to the state after power-on; the board's clocks stay as they are."""
        super().reset()
        self._power_on()

    def set_clocks(self, mclk_hz: int, lrck_hz: int) -> None:
        """Change the clocks the board drives, in Hz; 0 is off."""
        self._mclk_hz = mclk_hz
        self._lrck_hz = lrck_hz
        self._follow()

    def output_gain_db(self, output: str) -> float:
        """Gain from I2S data to `output` at this instant in dB, `SILENT` if nothing comes out.

        `output` is one of `OUTPUTS`; ValueError for another.
        """
        channel, volume, _ = _path(output)
        if self.silent_because(output):
            return SILENT
        return _gain_db(self._ramps[channel].volume(self._lrck()), volume, self.dump())

    def settled_gain_db(self, output: str) -> float:
        """Gain of `output` in dB as `output_gain_db`, but with the soft ramp at its end."""
        if self._clock_faults():
            return SILENT
        return gain_from(self.dump(), output)

    def silent_because(self, output: str) -> list[str]:
        """Why `output` carries nothing, in plain words with register and bit; empty if it does."""
        return self._clock_faults() + silence_from(self.dump(), output)

    @property
    def addresses(self) -> tuple[int, ...]:
        """The 7-bit address that pin AD0 selects."""
        return (self._address,)

    def start(self, address: int, reading: bool) -> bool:
        """Acknowledge; the register pointer survives a STOP as well as a repeated START."""
        self._transferred = 0
        return True

    def write_byte(self, value: int) -> bool:
        """Take the register pointer, then the register's data (datasheet table 3).

        A write takes effect with its data byte. More data is not documented: acknowledged,
        reported and dropped.
        """
        if self._transferred == 0:
            self._pointer = value
        elif self._transferred == 1:
            self.write(self._pointer, value)
        else:
            self.host.unmodelled(self, f"write burst past register {self._pointer:#04x}")
        self._transferred += 1
        return True

    def read_byte(self) -> int:
        """Give the register pointed at (datasheet table 4).

        Reading on is not documented: reported, and the same register is given again.
        """
        if self._transferred:
            self.host.unmodelled(self, f"read burst past register {self._pointer:#04x}")
        self._transferred += 1
        return self.read(self._pointer)

    def read_acknowledged(self, acked: bool) -> None:
        """Nothing depends on the master's answer: each byte is fetched when it is clocked out."""

    def stop(self) -> None:
        """End the transfer."""
        self._transferred = 0

    @CONTROL1.on_write
    def _control(self, old: int, written: int) -> None:
        if not ES8388.SCP_RESET.of(written):
            return
        before = self._values
        self._values = list(self._resets)
        self._follow()
        for register in self.registers:
            was, now = before[register.index], self._values[register.index]
            if was != now and register is not ES8388.CONTROL1:
                for observer in self.observers:
                    observer(self, register, was, now)

    @CHIPPOWER.on_write
    @MASTERMODE.on_write
    @DACCONTROL3.on_write
    @DACCONTROL21.on_write
    def _ramp_changed(self, old: int, written: int) -> None:
        self._follow()

    @DACCONTROL4.on_write
    @DACCONTROL5.on_write
    def _digital_volume(self, old: int, written: int) -> None:
        if written > _DACVOL_MIN:
            self.host.unmodelled(self, f"digital volume {written:#04x}, below -96 dB")
        self._follow()

    @DACCONTROL24.on_write
    @DACCONTROL25.on_write
    @DACCONTROL26.on_write
    @DACCONTROL27.on_write
    def _output_volume(self, old: int, written: int) -> None:
        if written > _OUTVOL_MAX:
            self.host.unmodelled(self, f"output volume {written:#04x}, above +4.5 dB")

    def _power_on(self) -> None:
        self._pointer = 0
        self._transferred = 0
        self._lrck_count = 0
        self._counting_since_ns = self.host.now_ns()
        self._counting_hz = 0
        self._ramps = (_Ramp(0, _DACVOL_MIN, _DACVOL_MIN, 0),) * 2

    def _lrck(self) -> int:
        """LRCK cycles the DAC's digital part has seen since power-on."""
        elapsed_ns = self.host.now_ns() - self._counting_since_ns
        return self._lrck_count + elapsed_ns * self._counting_hz // _NS

    def _follow(self) -> None:
        """Bring clock and ramps in line with the registers and the board as they are now."""
        lrck = self._lrck()
        values = self.dump()
        stopped = self._clock_faults() + _silence(_NO_DAC_CLOCK, values)
        hz = 0 if stopped else self._lrck_hz
        if hz != self._counting_hz:
            self._lrck_count = lrck
            self._counting_since_ns = self.host.now_ns()
            self._counting_hz = hz
        per_step = _LRCK_PER_STEP[self.DAC_RAMP_RATE] if self.DAC_SOFT_RAMP else 0
        targets = (_volume(values, 0), _volume(values, 1))
        if self.DAC_DIG_PDN:
            left, right = (_Ramp(lrck, _DACVOL_MIN, target, per_step) for target in targets)
        else:
            left, right = (
                ramp.redirected(lrck, target, per_step)
                for ramp, target in zip(self._ramps, targets, strict=True)
            )
        self._ramps = (left, right)

    def _clock_faults(self) -> list[str]:
        """What is wrong with the board's clocks (datasheet section 4, table 1)."""
        faults = []
        if not self._mclk_hz:
            faults.append("no MCLK from the board")
        if not self._lrck_hz:
            faults.append("no LRCK from the board")
        if faults:
            return faults
        single = self._lrck_hz <= _SINGLE_SPEED_MAX_HZ
        ratios = _SINGLE_SPEED_RATIOS if single else _DOUBLE_SPEED_RATIOS
        divider = 2 if self.MCLKDIV2 else 1
        if self._mclk_hz not in (ratio * divider * self._lrck_hz for ratio in ratios):
            faults.append(
                f"MCLK of {self._mclk_hz} Hz is no supported multiple of LRCK, "
                f"{self._lrck_hz} Hz (MASTERMODE.MCLKDIV2 = {self.MCLKDIV2})"
            )
        return faults


_Cause: TypeAlias = tuple[Field, int, str]
"""A field, the value at which it keeps an output silent, and what that value means."""

_Path: TypeAlias = tuple[int, Field, tuple[_Cause, ...]]
"""An output's channel (0 left, 1 right), its volume, and all that can silence it."""

_NO_DAC_CLOCK = (
    (ES8388.MSC, 1, "chip and board both drive LRCK"),
    (ES8388.MCLK_DIS, 1, "MCLK input disabled"),
    (ES8388.DACDLL_PDN, 1, "DAC clock stopped"),
    (ES8388.DAC_DLL_PWD, 1, "DAC clock stopped"),
    (ES8388.DAC_DIG_PDN, 1, "DAC digital part in reset"),
    (ES8388.DAC_STM_RST, 1, "DAC state machine in reset"),
)
_NO_ANALOGUE = (
    (ES8388.VMIDSEL, 0, "Vmid disabled"),
    (ES8388.PDN_ANA, 1, "analogue part powered down"),
    (ES8388.PDN_IBIASGEN, 1, "bias generator powered down"),
    (ES8388.PDN_VREFBUF, 1, "reference buffer powered down"),
    (ES8388.DACVREF_PDN, 1, "DAC reference powered down"),
)
_MUTED = ((ES8388.DAC_MUTE, 1, "muted"),)
_LEFT = (
    (ES8388.PDN_DACL, 1, "DAC left powered down"),
    (ES8388.ZERO_L, 1, "DAC left forced to zero"),
    (ES8388.LD2LO, 0, "DAC left not mixed to the left outputs"),
)
_RIGHT = (
    (ES8388.PDN_DACR, 1, "DAC right powered down"),
    (ES8388.ZERO_R, 1, "DAC right forced to zero"),
    (ES8388.RD2RO, 0, "DAC right not mixed to the right outputs"),
)


def _route(channel: int, enable: Field, volume: Field) -> _Path:
    side = (_LEFT, _RIGHT)[channel]
    disabled = (enable, 0, f"output {enable.name} disabled")
    return channel, volume, (*_NO_DAC_CLOCK, *_NO_ANALOGUE, *_MUTED, *side, disabled)


_PATHS = {
    "LOUT1": _route(0, ES8388.LOUT1, ES8388.LOUT1VOL),
    "ROUT1": _route(1, ES8388.ROUT1, ES8388.ROUT1VOL),
    "LOUT2": _route(0, ES8388.LOUT2, ES8388.LOUT2VOL),
    "ROUT2": _route(1, ES8388.ROUT2, ES8388.ROUT2VOL),
}


def gain_from(values: Values, output: str) -> float:
    """Gain of `output` in dB that register contents stand for, the ramp done and clocks given.

    `SILENT` if the registers keep it silent. ValueError if `output` is not one of `OUTPUTS`.
    """
    channel, volume, causes = _path(output)
    if _silence(causes, values):
        return SILENT
    return _gain_db(_volume(values, channel), volume, values)


def silence_from(values: Values, output: str) -> list[str]:
    """Why register contents keep `output` silent, in plain words; empty if they do not."""
    _, _, causes = _path(output)
    return _silence(causes, values)


def _path(output: str) -> _Path:
    path = _PATHS.get(output)
    if path is None:
        raise ValueError(f"an ES8388 has no output {output!r}, only {', '.join(OUTPUTS)}")
    return path


def _get(field: Field, values: Values) -> int:
    register = field.register
    whole = values[register.name] if isinstance(values, Mapping) else values[register.offset]
    return field.of(whole)


def _silence(causes: Sequence[_Cause], values: Values) -> list[str]:
    return [
        f"{words} ({field.register.name}.{field.name} = {value})"
        for field, value, words in causes
        if _get(field, values) == value
    ]


def _volume(values: Values, channel: int) -> int:
    """The digital attenuation a channel is set to, in steps of 0.5 dB."""
    right = channel == 1 and not _get(ES8388.DAC_LE_R, values)
    return min(_get(ES8388.RDACVOL if right else ES8388.LDACVOL, values), _DACVOL_MIN)


def _gain_db(digital: int, volume: Field, values: Values) -> float:
    output = min(_get(volume, values), _OUTVOL_MAX) - _OUTVOL_0_DB
    vpp = _VPP[_get(ES8388.VPP_SCALE, values)]
    return -0.5 * digital + 1.5 * output + 20 * math.log10(vpp / _VPP[0])
