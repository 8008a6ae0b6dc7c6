"""Base of the readers of every wire: events in, pieces out, and the end of an answer."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import msgspec

from placet.model import frames
from placet.model.host.calls import CallTracker

_STATUS_OF_TYPE = {
    "invalid_request_error": 400,
    "context_length_exceeded": 400,
    "authentication_error": 401,
    "invalid_api_key": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "model_not_found": 404,
    "timeout_error": 408,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "insufficient_quota": 429,
    "too_many_requests": 429,
    "overloaded_error": 529,
    "service_unavailable": 503,
    "server_is_overloaded": 503,
}
"""HTTP status by type of error. Anthropic: https://docs.anthropic.com/en/api/errors; the other codes come from OpenAI
and similar servers."""

_FINISH_REASONS = {
    "eos": "stop",
    "eos_token": "stop",
    "end_turn": "stop",
    "stop_sequence": "stop",
    "COMPLETE": "stop",
    "max_tokens": "length",
    "model_length": "length",
    "max_output_tokens": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
    "safety": "content_filter",
    "sensitive": "content_filter",
}
"""Finish reasons of OpenAI, by the words of other providers."""


class StreamFault(Exception):
    """Raised when the provider reports a fault inside a stream which began well."""

    def __init__(self, message: str, status_code: int) -> None:
        super().__init__(message)
        self.status_code = status_code


class NoJson(Exception):
    """Raised when the stream holds data which is no event of the wire."""


class Pieces:
    """Gathers the pieces of one network read in order; texts which continue a piece are joined first."""

    def __init__(self) -> None:
        self._done: list[frames.Piece] = []
        self._kind = ""
        self._call_id = ""
        self._texts: list[str] = []

    def text(self, text: str) -> None:
        self._add("text", text)

    def thought(self, text: str) -> None:
        self._add("thought", text)

    def arguments(self, call_id: str, text: str) -> None:
        self._add("arguments", text, call_id)

    def put(self, pieces: Iterable[frames.Piece]) -> None:
        """Add finished pieces."""
        for piece in pieces:
            if isinstance(piece, frames.Arguments):
                self._add("arguments", piece.text, piece.call_id)
            else:
                self._close()
                self._done.append(piece)

    def take(self) -> list[frames.Piece]:
        """Return all pieces since the last call."""
        self._close()
        done, self._done = self._done, []
        return done

    def _add(self, kind: str, text: str, call_id: str = "") -> None:
        if kind != self._kind or call_id != self._call_id:
            self._close()
            self._kind, self._call_id = kind, call_id
        self._texts.append(text)

    def _close(self) -> None:
        if not self._texts:
            return
        text = "".join(self._texts)
        match self._kind:
            case "text":
                self._done.append(frames.Text(text))
            case "thought":
                self._done.append(frames.Thought(text))
            case _:
                self._done.append(frames.Arguments(self._call_id, text))
        self._texts.clear()
        self._kind = ""


class StreamReader(ABC):
    """Reads the events of one answer in order."""

    media_type = "event-stream"
    """Part of the media type of each stream."""

    def __init__(self) -> None:
        self.calls = CallTracker()
        self.usage: frames.Usage | None = None
        """Figures of the provider, once the figures came; without a cost."""
        self.reason: str | None = None
        """Reason of the answer's end, once the provider gave a reason."""
        self.complete = False
        """True after the provider's last event: nothing after this event counts."""
        self.out = Pieces()

    @abstractmethod
    def read_event(self, data: bytes) -> None:
        """Take one event into `out`. Raises msgspec.MsgspecError and StreamFault."""

    def read(self, payloads: list[bytes]) -> list[frames.Piece]:
        """Return the pieces in these events. Raises StreamFault and NoJson; earlier pieces stay for `out.take()`."""
        for data in payloads:
            if self.complete:
                break
            try:
                self.read_event(data)
            except msgspec.MsgspecError:
                self._read_lines(data)
        return self.out.take()

    @property
    def ended(self) -> bool:
        """Return whether the provider has marked the answer as whole."""
        return self.complete or self.reason is not None

    def _read_lines(self, data: bytes) -> None:
        """Read each line of `data` as an event: some servers forget the blank lines between events."""
        try:
            lines = data.split(b"\n")
            if len(lines) == 1:
                self.read_event(data)
            for line in lines if len(lines) > 1 else ():
                self.read_event(line)
        except msgspec.MsgspecError as error:
            shown = data[:80].decode("utf-8", "replace")
            raise NoJson(f"its stream holds what is no event: {shown}") from error


def closing_pieces(calls: CallTracker, reason: str) -> list[frames.Piece]:
    """Return the last pieces; the presence of calls decides, not the provider's reason (BerriAI/litellm#21041)."""
    reason = _FINISH_REASONS.get(reason, reason)
    if reason in {"stop", "tool_calls", "function_call"}:
        reason = "tool_calls" if calls.any else "stop"
    return [*calls.finish(), frames.Finish(reason)]


def fault_of(error: Any) -> StreamFault:
    """Return the fault in an error event; the shape of the event differs from provider to provider."""
    if not isinstance(error, dict):
        return StreamFault(f"{error}", 500)
    fields: dict[str, Any] = error
    message = fields.get("message")
    text = message if isinstance(message, str) and message else msgspec.json.encode(fields).decode()
    for name in ("status_code", "status", "code", "type"):
        value = fields.get(name)
        if isinstance(value, str):
            value = _STATUS_OF_TYPE.get(value) or (int(value) if value.isdecimal() else None)
        if isinstance(value, int) and 400 <= value < 600:
            return StreamFault(text, value)
    return StreamFault(text, 500)


def count(figures: dict[str, Any] | None, *names: str) -> int:
    """Return the first of these figures which is present and not 0."""
    for name in names:
        value = (figures or {}).get(name)
        if isinstance(value, int | float) and value > 0:
            return int(value)
    return 0
