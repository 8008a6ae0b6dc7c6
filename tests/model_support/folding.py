"""Pieces of an answer put together, so that two ways of reading it can be compared."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from placet.model import frames


@dataclass(slots=True)
class Folded:
    text: str = ""
    thinking: str = ""
    seals: list[str] = field(default_factory=list[str])
    """Signatures and redacted blocks."""
    calls: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Name and arguments by id."""
    usage: frames.Usage | None = None
    finish: str | None = None


def fold(pieces: Iterable[frames.Piece]) -> Folded:
    folded = Folded()
    for piece in pieces:
        match piece:
            case frames.Text(text):
                folded.text += text
            case frames.Thought(text, signature, redacted):
                folded.thinking += text
                folded.seals += [seal for seal in (signature, redacted) if seal]
            case frames.Call(call_id, name):
                assert call_id not in folded.calls
                folded.calls[call_id] = [name, ""]
            case frames.Arguments(call_id, text):
                folded.calls[call_id][1] += text
            case frames.Usage():
                folded.usage = piece
            case frames.Finish(reason):
                assert folded.finish is None
                folded.finish = reason
    return folded
