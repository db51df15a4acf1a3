"""Registers declared as data, so that a model reads like its datasheet's register table.

    class Lamp(RegisterBank):
        CTRL = Register(0x00, reset=0x01)
        EN = CTRL.bit(0)
        LEVEL = CTRL.field(4, 4)
        STATUS = Register(0x04, access="ro")
        DONE = STATUS.bit(0)

        @CTRL.on_write
        def _control(self, old: int, written: int) -> None:
            self.DONE = self.EN

Inside the model `self.CTRL` and `self.EN` are integers that can be read and assigned; on the
class they are the descriptors, for documentation and tests. Reads, writes, resets, dumps and
the fidelity table all follow from the declarations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, TypeVar, overload

from renode.peripherals.host import Host, Model

Access: TypeAlias = Literal["rw", "ro", "wo", "w1c", "sc"]
"""rw: stored. ro: writes ignored. wo: stored, reads as 0. w1c: a written 1 clears the bit.
sc: a written 1 starts something and the bit reads back as 0."""

_Hook = TypeVar("_Hook", bound=Callable[..., Any])


class Interposer(Protocol):
    """Sits between a register's port and its storage, as a defect in the chip would."""

    def written(self, register: Register, value: int) -> int | None:
        """What is really stored when `value` arrives; None when the write has no effect."""

    def read(self, register: Register, value: int) -> int:
        """What the port shows when the storage holds `value`."""


class Field:
    """Bits of a register; on an instance an integer, shifted down to bit 0."""

    def __init__(
        self, register: Register, lsb: int, width: int, *, access: Access, tagged: bool, doc: str
    ) -> None:
        self.register = register
        self.lsb = lsb
        self.width = width
        self.access = access
        self.tagged = tagged
        self.doc = doc
        self.name = ""
        self.mask = ((1 << width) - 1) << lsb

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.name or name

    @overload
    def __get__(self, bank: None, owner: type) -> Field: ...
    @overload
    def __get__(self, bank: RegisterBank, owner: type) -> int: ...
    def __get__(self, bank: RegisterBank | None, owner: type) -> Field | int:
        if bank is None:
            return self
        return (bank._values[self.register.index] & self.mask) >> self.lsb

    def __set__(self, bank: RegisterBank, value: int) -> None:
        values, index = bank._values, self.register.index
        values[index] = (values[index] & ~self.mask) | (int(value) << self.lsb & self.mask)

    def of(self, value: int) -> int:
        """The field's part of a whole register value."""
        return (value & self.mask) >> self.lsb


class Register:
    """One register: offset in bytes (or a chip's register number), reset value and access."""

    def __init__(
        self,
        offset: int,
        *,
        reset: int = 0,
        access: Access = "rw",
        tagged: bool = False,
        doc: str = "",
    ) -> None:
        self.offset = offset
        self.reset = reset
        self.access = access
        self.tagged = tagged
        self.doc = doc
        self.name = ""
        self.index = -1
        self.fields: list[Field] = []
        self._read_hook: Callable[[Any], int] | None = None
        self._write_hook: Callable[[Any, int, int], None] | None = None

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.name or name

    def bit(
        self, position: int, *, access: Access = "rw", tagged: bool = False, doc: str = ""
    ) -> Field:
        """Declare a one-bit field."""
        return self.field(position, 1, access=access, tagged=tagged, doc=doc)

    def field(
        self, lsb: int, width: int, *, access: Access = "rw", tagged: bool = False, doc: str = ""
    ) -> Field:
        """Declare a field of `width` bits from bit `lsb` up; `tagged` bits exist but do nothing."""
        field = Field(self, lsb, width, access=access, tagged=tagged, doc=doc)
        self.fields.append(field)
        return field

    def on_read(self, hook: _Hook) -> _Hook:
        """Decorate `def hook(self) -> int`, which then gives the value a read returns."""
        self._read_hook = hook
        return hook

    def on_write(self, hook: _Hook) -> _Hook:
        """Decorate `def hook(self, old, written)`, called after the write has been stored.

        `old` is the value stored before; `written` is the value on the bus, with the bits that
        are not stored (sc, w1c, ro).
        """
        self._write_hook = hook
        return hook

    @overload
    def __get__(self, bank: None, owner: type) -> Register: ...
    @overload
    def __get__(self, bank: RegisterBank, owner: type) -> int: ...
    def __get__(self, bank: RegisterBank | None, owner: type) -> Register | int:
        return self if bank is None else bank._values[self.index]

    def __set__(self, bank: RegisterBank, value: int) -> None:
        bank._values[self.index] = int(value) & bank._mask

    def _masks(self, width: int) -> tuple[int, int, int]:
        """Bits that are stored, that clear when a 1 is written, and that read as 0."""
        by_access = {"rw": 0, "ro": 0, "wo": 0, "w1c": 0, "sc": 0}
        declared = 0
        for field in self.fields:
            by_access[field.access] |= field.mask
            declared |= field.mask
        by_access[self.access] |= (1 << width) - 1 & ~declared
        if self.access != "rw":
            for field in self.fields:
                if field.access == "rw":
                    by_access["rw"] &= ~field.mask
                    by_access[self.access] |= field.mask
        stored = by_access["rw"] | by_access["wo"]
        return stored, by_access["w1c"], by_access["wo"]


class RegisterArray:
    """`count` like registers, `stride` bytes apart, named NAME0, NAME1, ..."""

    def __init__(
        self,
        offset: int,
        count: int,
        *,
        stride: int = 4,
        reset: int = 0,
        access: Access = "rw",
        tagged: bool = False,
        doc: str = "",
    ) -> None:
        self.elements = [
            Register(offset + stride * i, reset=reset, access=access, tagged=tagged, doc=doc)
            for i in range(count)
        ]
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        if not self.name:
            self.name = name
            for i, register in enumerate(self.elements):
                register.name = f"{name}{i}"

    def on_read(self, hook: _Hook) -> _Hook:
        """Decorate `def hook(self, index) -> int`."""
        for i, register in enumerate(self.elements):
            register._read_hook = lambda bank, i=i: hook(bank, i)
        return hook

    def on_write(self, hook: _Hook) -> _Hook:
        """Decorate `def hook(self, index, old, written)`."""
        for i, register in enumerate(self.elements):
            register._write_hook = lambda bank, old, written, i=i: hook(bank, i, old, written)
        return hook

    @overload
    def __get__(self, bank: None, owner: type) -> RegisterArray: ...
    @overload
    def __get__(self, bank: RegisterBank, owner: type) -> ArrayView: ...
    def __get__(self, bank: RegisterBank | None, owner: type) -> RegisterArray | ArrayView:
        return self if bank is None else ArrayView(bank, self)


class ArrayView:
    """The values of a register array on one instance, indexed like a list."""

    def __init__(self, bank: RegisterBank, array: RegisterArray) -> None:
        self._bank = bank
        self._elements = array.elements

    def __len__(self) -> int:
        return len(self._elements)

    def __iter__(self) -> Iterator[int]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, i: int) -> int:
        return self._bank._values[self._elements[i].index]

    def __setitem__(self, i: int, value: int) -> None:
        self._bank._values[self._elements[i].index] = value & self._bank._mask


class RegisterBank(Model):
    """A model whose face is a set of declared registers, `WIDTH` bits wide."""

    WIDTH: ClassVar[int] = 32
    STATE: ClassVar[tuple[str, ...]] = ("_values",)
    registers: ClassVar[tuple[Register, ...]] = ()
    _by_offset: ClassVar[dict[int, Register]] = {}
    _resets: ClassVar[list[int]] = []
    _mask: ClassVar[int] = 0
    _access: ClassVar[list[tuple[int, int, int]]] = []

    def __init__(self, host: Host, name: str) -> None:
        super().__init__(host, name)
        self.interposers: list[Interposer] = []
        self.observers: list[Callable[[RegisterBank, Register, int, int], None]] = []
        self._values = list(self._resets)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        found: list[Register] = []
        for base in reversed(cls.__mro__):
            for value in vars(base).values():
                if isinstance(value, Register):
                    found.append(value)
                elif isinstance(value, RegisterArray):
                    found.extend(value.elements)
        cls._by_offset = {}
        for i, register in enumerate(found):
            if register.offset in cls._by_offset:
                other = cls._by_offset[register.offset].name
                raise TypeError(f"{cls.__name__}: {register.name} and {other} share an offset")
            if register.index not in (-1, i):
                raise TypeError(f"{cls.__name__}: {register.name} belongs to another layout")
            register.index = i
            cls._by_offset[register.offset] = register
        cls.registers = tuple(found)
        cls._resets = [register.reset for register in found]
        cls._mask = (1 << cls.WIDTH) - 1
        cls._access = [register._masks(cls.WIDTH) for register in found]

    @classmethod
    def register(cls, which: str | int) -> Register:
        """Find a register by name (any case) or offset; KeyError with the known names if none."""
        for register in cls.registers:
            if which in (register.offset, register.name) or (
                isinstance(which, str) and which.upper() == register.name.upper()
            ):
                return register
        known = ", ".join(register.name for register in cls.registers)
        raise KeyError(f"{cls.__name__} has no register {which!r}, only {known}")

    def reset(self) -> None:
        """Load every register's reset value."""
        self._values = list(self._resets)

    def peek(self, register: Register) -> int:
        """The stored value, with no side effect and past any interposer: the hardware's truth."""
        return self._values[register.index]

    def dump(self) -> dict[str, int]:
        """Stored values by register name, without side effects."""
        return {register.name: self._values[register.index] for register in self.registers}

    def read(self, offset: int) -> int:
        """A bus read at `offset`."""
        register = self._by_offset.get(offset)
        if register is None:
            self.host.unmodelled(self, f"read {offset:#x}")
            return 0
        hook = register._read_hook
        if hook is not None:
            value = hook(self)
        else:
            value = self._values[register.index] & ~self._access[register.index][2]
        for interposer in self.interposers:
            value = interposer.read(register, value)
        return value

    def write(self, offset: int, value: int) -> None:
        """A bus write at `offset`."""
        register = self._by_offset.get(offset)
        if register is None:
            self.host.unmodelled(self, f"write {offset:#x} = {value:#x}")
            return
        for interposer in self.interposers:
            taken = interposer.written(register, value)
            if taken is None:
                return
            value = taken
        index = register.index
        old = self._values[index]
        stored, w1c, _ = self._access[index]
        self._values[index] = (old & ~stored & ~(value & w1c)) | (value & stored)
        hook = register._write_hook
        if hook is not None:
            hook(self, old, value)
        for observer in self.observers:
            observer(self, register, old, self._values[index])

    def reader(self, offset: int) -> Callable[[], int]:
        """`read` for one offset, with everything that cannot change looked up beforehand."""
        register = self._by_offset.get(offset)
        if register is None or type(self).read is not RegisterBank.read:
            return partial(self.read, offset)
        hook = register._read_hook
        index, visible = register.index, ~self._access[register.index][2]

        def read() -> int:
            if self.interposers:
                return self.read(offset)
            return self._values[index] & visible if hook is None else hook(self)

        return read

    def writer(self, offset: int) -> Callable[[int], None]:
        """`write` for one offset, with everything that cannot change looked up beforehand."""
        register = self._by_offset.get(offset)
        if register is None or type(self).write is not RegisterBank.write:
            return partial(self.write, offset)
        index, hook = register.index, register._write_hook
        stored, w1c, _ = self._access[index]
        kept = ~stored

        def write(value: int) -> None:
            if self.interposers or self.observers:
                self.write(offset, value)
                return
            values = self._values
            old = values[index]
            values[index] = (old & kept & ~(value & w1c)) | (value & stored)
            if hook is not None:
                hook(self, old, value)

        return write
