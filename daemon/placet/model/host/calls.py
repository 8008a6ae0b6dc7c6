"""Assignment of streamed fragments to tool calls: providers differ in ids, indexes and repetitions."""

import json
import uuid
from dataclasses import dataclass, field

from placet.model import frames

_EMPTY = "{}"

MOST_ARGUMENT_CHARACTERS = 8_000_000
"""Limit of the arguments of one call, in characters."""
_MOST_CHECKED = 100_000
"""Limit in characters for arguments which are parsed again with each fragment, to see whether they are complete."""


class ArgumentsTooLong(Exception):
    """Raised when the model writes more arguments than any tool takes."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the arguments of its call of {name or 'a tool'} are longer than {MOST_ARGUMENT_CHARACTERS}")


@dataclass(slots=True)
class _OpenCall:
    call_id: str
    name: str = ""
    announced: bool = False
    held: str = ""
    """Empty object as the first argument: Databricks sends an empty object before the real arguments, other providers
    mean an empty object."""
    fragments: list[str] = field(default_factory=list[str])
    """Fragments of the arguments so far."""
    length: int = 0
    """Length of all fragments in characters."""

    @property
    def is_complete(self) -> bool:
        if self.length > _MOST_CHECKED or not self.fragments or not self.fragments[-1].rstrip().endswith("}"):
            return False
        try:
            json.loads("".join(self.fragments))
        except (ValueError, RecursionError):
            return False
        return True


@dataclass(slots=True)
class CallTracker:
    """Turns fragments (index, id, name, arguments) into Call and Arguments pieces.

    A new id is a new call whatever the index (BerriAI/litellm#33678); a fragment without an id belongs to the last call
    of its index; a call which never gets an id from the provider gets an id here.
    """

    _by_id: dict[str, _OpenCall] = field(default_factory=dict[str, _OpenCall])
    _by_index: dict[int, _OpenCall] = field(default_factory=dict[int, _OpenCall])

    @property
    def any(self) -> bool:
        return bool(self._by_id)

    def feed(self, index: int, call_id: str | None, name: str | None, arguments: str | None) -> list[frames.Piece]:
        call = self._find(index, call_id, name)
        self._by_index[index] = call
        if arguments:
            call.fragments.append(arguments)
            call.length += len(arguments)
            if call.length > MOST_ARGUMENT_CHARACTERS:
                raise ArgumentsTooLong(call.name or name or "")
        if not call.announced:
            call.name = name or call.name
            return self._announce(call) if call.name else []
        if not arguments:
            return []
        call.held = ""
        return [frames.Arguments(call.call_id, arguments)]

    def finish(self) -> list[frames.Piece]:
        """Announce calls which never got a name: the loop answers such calls as unknown tools."""
        pieces: list[frames.Piece] = []
        for call in self._by_id.values():
            if not call.announced:
                pieces += self._announce(call)
            if call.held:
                pieces.append(frames.Arguments(call.call_id, call.held))
        return pieces

    def _find(self, index: int, call_id: str | None, name: str | None) -> _OpenCall:
        if call_id:
            return self._by_id.get(call_id) or self._open(call_id)
        current = self._by_index.get(index)
        if current is None or (name and current.name and current.is_complete):
            return self._open(f"call_{uuid.uuid4().hex[:24]}")
        return current

    def _open(self, call_id: str) -> _OpenCall:
        call = self._by_id[call_id] = _OpenCall(call_id)
        return call

    def _announce(self, call: _OpenCall) -> list[frames.Piece]:
        call.announced = True
        pieces: list[frames.Piece] = [frames.Call(call.call_id, call.name)]
        arguments = "".join(call.fragments)
        if arguments == _EMPTY:
            call.held = _EMPTY
        elif arguments:
            pieces.append(frames.Arguments(call.call_id, arguments))
        return pieces
