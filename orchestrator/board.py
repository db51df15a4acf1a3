"""Board files: SoC, bus, chips and claims in TOML, checked with line numbers."""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_right
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from orchestrator.errors import BoardError
from renode.peripherals import RegisterBank
from renode.peripherals.chips import CHIPS
from renode.peripherals.chips.es8388 import OUTPUTS

Identifier = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_.-]*$")]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class BoardSection(_Section):
    """`[board]`: what it is called and what runs it."""

    name: str
    soc: Literal["esp32c3"]


class McpSection(_Section):
    """`[mcp]`: where the device's MCP server is and how patient its host is."""

    uart: Literal[0, 1] = 1
    baud: Annotated[int, Field(ge=300, le=5_000_000)] = 115_200
    heartbeat_ms: Annotated[int, Field(gt=0)] = 1000
    reply_timeout_ms: Annotated[int, Field(gt=0)] = 3000
    boot_timeout_ms: Annotated[int, Field(gt=0)] = 3000


class ConsoleSection(_Section):
    """`[console]`: where the firmware logs."""

    uart: Literal[0, 1] = 0
    baud: Annotated[int, Field(ge=300, le=5_000_000)] = 115_200


class AudioSection(_Section):
    """`[audio]`: the clocks that the board gives its codec, in Hz; 0 is off."""

    mclk_hz: Annotated[int, Field(ge=0)] = 12_288_000
    lrck_hz: Annotated[int, Field(ge=0)] = 48_000


class DeviceSection(_Section):
    """`[[device]]`: a chip on the I2C bus."""

    name: Identifier
    model: str
    address: int

    @field_validator("model")
    @classmethod
    def _known(cls, model: str) -> str:
        if model not in CHIPS:
            raise ValueError(f"no model is called '{model}'; known: {', '.join(CHIPS)}")
        return model

    @field_validator("address")
    @classmethod
    def _seven_bits(cls, address: int) -> int:
        if not 0 < address < 0x80:
            raise ValueError(f"address {address:#x} is not a 7-bit address")
        return address


class RivalSection(_Section):
    """`[[rival]]`: another master on the same wires."""

    name: Identifier
    hz: Annotated[int, Field(ge=1_000, le=1_000_000)] = 100_000


class TruthSection(_Section):
    """`[[claim.truth]]`: one thing that must hold in the hardware, and how to read it.

    `scale` maps the claimed value to the expected one, linear between its points.
    """

    label: str
    output: str | None = None
    register_: Annotated[str | None, Field(alias="register")] = None
    unit: str = ""
    scale: Annotated[tuple[tuple[float, float], ...], Field(min_length=2)]
    tolerance: Annotated[float, Field(ge=0)] = 0.0

    @model_validator(mode="after")
    def _check(self) -> TruthSection:
        if (self.output is None) == (self.register_ is None):
            raise ValueError("a truth reads either an 'output' or a 'register'")
        points = [x for x, _ in self.scale]
        if points != sorted(set(points)):
            raise ValueError("the scale's first numbers must rise")
        return self

    def expected(self, claimed: float) -> float | None:
        """The value that must hold when `claimed` was claimed; None outside the scale."""
        xs = [x for x, _ in self.scale]
        if not xs[0] <= claimed <= xs[-1]:
            return None
        i = max(1, min(bisect_right(xs, claimed), len(xs) - 1))
        (x0, y0), (x1, y1) = self.scale[i - 1], self.scale[i]
        return y0 + (y1 - y0) * (claimed - x0) / (x1 - x0)


class ClaimSection(_Section):
    """`[[claim]]`: ties a tool's reply to the truth in the hardware.

    Exactly one of `argument` (the tool sets what this argument says) and `reports` (the tool
    reports the truth under this key of the reply's detail).
    """

    tool: str
    device: str
    argument: str | None = None
    reports: str | None = None
    truth: tuple[TruthSection, ...] = ()
    same_truth_as: str | None = None

    @model_validator(mode="after")
    def _check(self) -> ClaimSection:
        if (self.argument is None) == (self.reports is None):
            raise ValueError("a claim has either an 'argument' or a key it 'reports'")
        if bool(self.truth) == bool(self.same_truth_as):
            raise ValueError("a claim has its own [[claim.truth]] or 'same_truth_as'")
        return self


class Board(_Section):
    """A whole board file. `Board.load` reads and checks one."""

    board: BoardSection
    mcp: McpSection = McpSection()
    console: ConsoleSection = ConsoleSection()
    audio: AudioSection = AudioSection()
    device: tuple[DeviceSection, ...] = ()
    rival: tuple[RivalSection, ...] = ()
    claim: tuple[ClaimSection, ...] = ()

    @classmethod
    def load(cls, path: Path) -> Board:
        """Read a board file; BoardError `FILE:LINE: what is wrong` if it is not right."""
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise BoardError(f"{path}: no such board file") from None
        except (OSError, UnicodeDecodeError) as error:
            raise BoardError(f"{path}: cannot be read: {error}") from None
        try:
            raw = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise BoardError(_toml_message(path, str(error))) from None
        try:
            board = cls.model_validate(raw)
        except ValidationError as error:
            raise BoardError(_validation_message(path, text, error)) from None
        board._check_references(path, text)
        return board

    def claim_for(self, tool: str) -> ClaimSection | None:
        """The claim of a tool, with its truth filled in; None if the board has none."""
        for claim in self.claim:
            if claim.tool == tool:
                if claim.same_truth_as is None:
                    return claim
                source = self.claim_for(claim.same_truth_as)
                assert source is not None
                return claim.model_copy(update={"truth": source.truth})
        return None

    def _check_references(self, path: Path, text: str) -> None:
        def fail(where: tuple[str | int, ...], message: str) -> BoardError:
            return BoardError(f"{path}:{_line_of(text, where)}: {message}")

        names: set[str] = set()
        addresses: dict[int, str] = {}
        for i, device in enumerate(self.device):
            if device.name in names:
                raise fail(("device", i, "name"), f"two devices are called '{device.name}'")
            if device.address in addresses:
                raise fail(
                    ("device", i, "address"),
                    f"device '{device.name}': address {device.address:#04x} is taken by "
                    f"'{addresses[device.address]}'",
                )
            names.add(device.name)
            addresses[device.address] = device.name
        tools = {claim.tool for claim in self.claim if claim.truth}
        devices = {device.name: device for device in self.device}
        for i, claim in enumerate(self.claim):
            if claim.device not in devices:
                raise fail(
                    ("claim", i, "device"),
                    f"claim '{claim.tool}': no device is called '{claim.device}'",
                )
            if claim.same_truth_as is not None and claim.same_truth_as not in tools:
                raise fail(
                    ("claim", i, "same_truth_as"),
                    f"claim '{claim.tool}': no claim with a truth is for '{claim.same_truth_as}'",
                )
            model = CHIPS[devices[claim.device].model]
            for j, truth in enumerate(claim.truth):
                where = ("claim", i, "truth", j)
                if truth.register_ is not None:
                    if not issubclass(model, RegisterBank):
                        raise fail(where, f"device '{claim.device}' has no registers")
                    try:
                        model.register(truth.register_)
                    except KeyError:
                        raise fail(
                            (*where, "register"),
                            f"device '{claim.device}' has no register '{truth.register_}'",
                        ) from None
                elif not hasattr(model, "settled_gain_db") or truth.output not in OUTPUTS:
                    raise fail(
                        (*where, "output"),
                        f"device '{claim.device}' has no output '{truth.output}'",
                    )


def _toml_message(path: Path, message: str) -> str:
    found = re.search(r"\(at line (\d+), column \d+\)", message)
    if found:
        return f"{path}:{found[1]}: {message[: found.start()].strip()}"
    return f"{path}: {message}"


def _validation_message(path: Path, text: str, error: ValidationError) -> str:
    first = error.errors()[0]
    location = first["loc"]
    message = first["msg"].removeprefix("Value error, ")
    key = ".".join(str(part) for part in location if isinstance(part, str))
    if first["type"] == "extra_forbidden":
        message = f"unknown key '{location[-1]}'"
    elif first["type"] == "missing":
        message = f"'{location[-1]}' is missing"
        location = location[:-1]
    elif first["type"] != "value_error":
        message = f"'{key}': {message[0].lower()}{message[1:]}"
    more = len(error.errors()) - 1
    suffix = f" (and {more} more)" if more else ""
    name = _name_of(text, location)
    prefix = f"{location[0]} '{name}': " if name else ""
    return f"{path}:{_line_of(text, location)}: {prefix}{message}{suffix}"


def _name_of(text: str, location: tuple[Any, ...]) -> str | None:
    """The `name` or `tool` of the table array's element that `location` lies in."""
    if len(location) < 2 or not isinstance(location[1], int):
        return None
    raw = tomllib.loads(text)[location[0]][location[1]]
    name = raw.get("name", raw.get("tool")) if isinstance(raw, dict) else None
    return name if isinstance(name, str) else None


def _line_of(text: str, location: tuple[Any, ...]) -> int:
    """The line of the deepest part of `location` that the text spells out."""
    counts: dict[tuple[Any, ...], int] = {}
    lines: dict[tuple[Any, ...], int] = {}
    table: tuple[Any, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*(\[\[?)\s*([A-Za-z0-9_.\-]+)\s*\]", line)
        if header:
            table = ()
            parts = header[2].split(".")
            for depth, part in enumerate(parts):
                table = (*table, part)
                last = depth == len(parts) - 1
                if last and header[1] == "[[":
                    counts[table] = counts.get(table, -1) + 1
                if table in counts:
                    table = (*table, counts[table])
            lines[table] = number
            continue
        key = re.match(r"\s*([A-Za-z0-9_\-]+)\s*=", line)
        if key:
            lines.setdefault((*table, key[1]), number)
    for end in range(len(location), 0, -1):
        if location[:end] in lines:
            return lines[location[:end]]
    return 1
