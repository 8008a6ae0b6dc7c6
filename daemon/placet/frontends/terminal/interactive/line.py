"""Meaning of a line and of Ctrl-C in the interactive session, by the state of the session. Pure."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from placet.agent.commands.template import call_in


@dataclass(frozen=True, slots=True)
class TypedAnswer:
    """Line that answers the question on the screen."""

    text: str


@dataclass(frozen=True, slots=True)
class OwnCommand:
    """Call of a command of the interactive session itself."""

    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class TypedPrompt:
    """Prompt for the model; a prompt steers while a turn runs."""

    text: str


@dataclass(frozen=True, slots=True)
class Leave:
    """The user leaves."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """Empty line."""


Act = TypedAnswer | OwnCommand | TypedPrompt | Leave | Nothing
_LEAVE = frozenset(("exit", "quit"))


def meant(text: str, own: Collection[str], *, is_asked: bool) -> Act:
    """Return the meaning of a line; `own` holds the names of the session's own commands."""
    if is_asked:
        return TypedAnswer(text)
    if not text.strip():
        return Nothing()
    if text.strip().lower() in _LEAVE:
        return Leave()
    call = call_in(text.rstrip())
    if call is not None and call.name in _LEAVE:
        return Leave()
    if call is not None and call.name in own:
        return OwnCommand(call.name, call.arguments)
    return TypedPrompt(text)


Interrupt = Literal["clear", "stop", "warn", "leave"]


def interrupted(*, is_second: bool, has_text: bool, is_busy: bool) -> Interrupt:
    """Return the effect of Ctrl-C: it clears the line, else the first stops the work, and a second in a row leaves."""
    if has_text:
        return "clear"
    if is_second:
        return "leave"
    return "stop" if is_busy else "warn"
