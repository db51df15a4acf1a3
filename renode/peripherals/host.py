"""What a hardware model may ask of the engine that hosts it, and what it offers in return."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol, TypeAlias

Handle: TypeAlias = int
"""Names one pending event; plain data, so that it can be part of a model's snapshot."""

State: TypeAlias = tuple[Any, ...]


class Host(Protocol):
    """The engine as a model sees it: virtual time, events, interrupt sources, a log."""

    def now_ns(self) -> int:
        """Virtual time in nanoseconds since power-on."""

    def call_at(self, t_ns: int, model: Model, method: str, *args: Any) -> Handle:
        """Call `model.method(*args)` at virtual time `t_ns` (at once if that has passed).

        Events due at the same time run in the order in which they were asked for. Arguments
        are plain immutable data, because a pending event is part of a snapshot.
        """

    def cancel(self, handle: Handle) -> None:
        """Forget a pending event; one that has run or was cancelled before is no error."""

    def set_irq(self, source: int, level: bool) -> None:
        """Drive the peripheral interrupt source `source` (numbers: soc/interrupts.h)."""

    def unmodelled(self, model: Model, access: str) -> None:
        """Note an access that the model does not cover; reported once per place in firmware."""


class Model:
    """A piece of hardware with a name, a reset state and a state that can be copied.

    A subclass lists the attributes that change while it runs in `STATE`; containers there hold
    immutable items only, so a shallow copy is a whole one.
    """

    STATE: ClassVar[tuple[str, ...]] = ()
    _all_state: ClassVar[tuple[str, ...]] = ()

    def __init__(self, host: Host, name: str) -> None:
        self.host = host
        self.name = name

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        names = [name for base in reversed(cls.__mro__) for name in vars(base).get("STATE", ())]
        cls._all_state = tuple(dict.fromkeys(names))

    def reset(self) -> None:
        """Return to the state after power-on."""

    def snapshot(self) -> State:
        """Copy everything that `restore` needs."""
        return tuple(_copied(getattr(self, name)) for name in self._all_state)

    def restore(self, state: State) -> None:
        """Return to a state that `snapshot` gave; the same state can be restored many times."""
        for name, value in zip(self._all_state, state, strict=True):
            setattr(self, name, _copied(value))


def _copied(value: Any) -> Any:
    copy = getattr(value, "copy", None)
    return value if copy is None else copy()
