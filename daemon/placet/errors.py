"""Every error Placet raises on purpose, drawn once.

PlacetError
├── ToolError            the model's mistake or the world's: becomes a tool result that says how to mend it
│   ├── InvalidArguments     the arguments do not fit the tool's schema
│   ├── DocumentError        a file cannot be read or written as asked
│   │   └── DocumentMissing      there is no such file
│   ├── EditError            the proposed edit does not fit the text
│   │   └── EditConflict         the user changed the same lines meanwhile
│   ├── PermissionDenied     a rule says no
│   └── NobodyToAsk          a rule says ask, and no one is there
├── Rejected             the user said no; without feedback it ends the turn
├── ModelError           the model or its provider failed
├── TurnStopped          Placet ends the turn by itself and says why
├── SettingsError        a setting cannot be used
├── StoreError           the store cannot be read or written
└── RequestError         a front door's request cannot be served (no such session, …)
    └── AtWorkElsewhere      another process is at work in the session

The user's stop is asyncio.CancelledError, and is never caught to be dropped.
"""

from collections.abc import Mapping
from typing import Any, Literal


class PlacetError(Exception):
    """The root: whatever Placet raises on purpose."""

    hint: str = ""
    """What to do next, where the text does not say it itself."""

    @property
    def told(self) -> str:
        """All of it, for the user."""
        return f"{self} {self.hint}".rstrip()


class ToolError(PlacetError):
    """A tool call failed in a way the model is told about; the text says what to do next."""


class InvalidArguments(ToolError):
    """The arguments do not satisfy the tool's schema."""


class DocumentError(ToolError):
    """A document cannot be read or written: binary, directory, undecodable, read-only, …"""


class DocumentMissing(DocumentError):
    """There is no file at the path."""


class EditError(ToolError):
    """The edit does not fit the text it is meant for; nothing was changed."""


class EditConflict(EditError):
    """The user changed the lines the edit touches; nothing was changed."""


class PermissionDenied(ToolError):
    """A permission rule refuses the call."""


class NobodyToAsk(ToolError):
    """The rules ask for the user's word and nobody is there to give it."""


class Rejected(PlacetError):
    """The user refused. With `feedback` the model is told and goes on; without, the turn ends."""

    def __init__(self, feedback: str = "", metadata: Mapping[str, Any] | None = None) -> None:
        """`metadata`: what a screen can show of what was refused."""
        super().__init__(feedback or "The user rejected this.")
        self.feedback = feedback
        self.metadata: Mapping[str, Any] = metadata or {}


ModelErrorCode = Literal[
    "authentication",
    "rate_limit",
    "context_overflow",
    "bad_request",
    "not_found",
    "overloaded",
    "server_error",
    "timeout",
    "connection",
    "interrupted",
    "empty_answer",
    "host_died",
    "no_model",
]


class ModelError(PlacetError):
    """A call to a model failed.

    `status` is the provider's HTTP status where there is one; `retry_after` is in seconds;
    `before_first_delta` says that nothing of an answer had been seen, so that the call may be made again.
    """

    def __init__(
        self,
        code: ModelErrorCode,
        message: str,
        *,
        hint: str = "",
        status: int | None = None,
        retry_after: float | None = None,
        before_first_delta: bool = True,
    ) -> None:
        super().__init__(message)
        self.code: ModelErrorCode = code
        self.message = message
        self.hint = hint
        self.status = status
        self.retry_after = retry_after
        self.before_first_delta = before_first_delta


class TurnStopped(PlacetError):
    """Going on with the turn would be of no use; `message` and `hint` are for the user."""

    def __init__(
        self,
        code: Literal["doom_loop", "cut_off", "cost_cap", "context_full", "nothing_gained", "repetition"],
        message: str,
        *,
        hint: str,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint


class SettingsError(PlacetError):
    """A setting cannot be used; the text names it and what is allowed."""


class StoreError(PlacetError):
    """The store cannot be opened, read or written."""


class RequestError(PlacetError):
    """A request of a front door cannot be served; the text is for the user."""


class AtWorkElsewhere(RequestError):
    """Another process is at work in the session, which can be looked at and copied meanwhile."""
