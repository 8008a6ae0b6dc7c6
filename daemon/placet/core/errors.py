"""Define every error that Placet raises on purpose.

PlacetError
├── ToolError            the model's mistake or the world's: becomes a tool result with advice for the model
│   ├── InvalidArguments     the arguments do not fit the tool's schema
│   ├── DocumentError        a file cannot be read or written as asked
│   │   └── DocumentMissing      no such file exists
│   ├── EditError            the proposed edit does not fit the text
│   │   ├── EditConflict         the user changed the same lines meanwhile
│   │   └── NotApplied           the editor or the disk did not take the edit
│   ├── SandboxFailed        the sandbox could not be set up, so the command did not run
│   ├── PermissionDenied     a rule says no
│   └── NobodyToAsk          a rule says ask, and nobody is present
├── Rejected             the user said no; without feedback it ends the turn
├── ModelError           the model or its provider failed
├── TurnStopped          Placet ends the turn by itself and says why
├── SettingsError        a setting cannot be used
├── StoreError           the store cannot be read or written
└── RequestError         a front door's request cannot be served (no such session, …)
    └── AtWorkElsewhere      another process is at work in the session

The user's stop is asyncio.CancelledError; no handler may catch and drop the error.
"""

from collections.abc import Mapping
from typing import Any, Literal


class PlacetError(Exception):
    """Root of all errors raised by Placet on purpose."""

    hint: str = ""
    """Advice on the next step, where the text itself gives none."""

    @property
    def with_hint(self) -> str:
        """Text and hint together, for the user."""
        return f"{self} {self.hint}".rstrip()


FailureKind = Literal["mistake", "conflict", "missing", "rejected"]
"""Kind of a failed call for screens, as the text is for the model: the model's own mistake, lines changed meanwhile, a
file that cannot be read, the user's rejection.
"""


class ToolError(PlacetError):
    """A tool call failed, and the model is told; the text says what to do next."""

    failure: FailureKind | None = None
    """Kind of the failure; None where the user reads the text."""


class InvalidArguments(ToolError):
    """The arguments do not satisfy the tool's schema."""

    failure = "mistake"


class DocumentError(ToolError):
    """A document cannot be read or written: binary, directory, undecodable, read-only, …"""

    failure = "missing"


class DocumentMissing(DocumentError):
    """No file is at the path."""


class EditError(ToolError):
    """The edit does not fit the text of the document; nothing was changed."""

    failure = "mistake"


class EditConflict(EditError):
    """The user changed the lines the edit touches; nothing was changed."""

    failure = "conflict"


class NotApplied(EditError):
    """The holder of the document did not take the edit, though the edit fits."""

    failure = None


class SandboxFailed(ToolError):
    """The sandbox could not be set up, and the command did not run."""


class PermissionDenied(ToolError):
    """A permission rule refuses the call."""


class NobodyToAsk(ToolError):
    """The rules ask for the user's decision and nobody is present to decide."""


class Rejected(PlacetError):
    """The user rejected the request. With `feedback` the model is told and goes on; without, the turn ends."""

    def __init__(self, feedback: str = "", metadata: Mapping[str, Any] | None = None) -> None:
        """Make the error; `metadata` holds the rejected parts for a screen to show."""
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

    `status` is the provider's HTTP status, if any; `retry_after` is in seconds; `before_first_delta` says that no part
    of an answer had been seen, so that the call may be made again.
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
        code: Literal["doom_loop", "cut_off", "cost_cap", "context_full", "nothing_gained", "repetition", "hook"],
        message: str,
        *,
        hint: str,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint


class SettingsError(PlacetError):
    """A setting cannot be used; the text names the setting and the allowed values."""


class StoreError(PlacetError):
    """The store cannot be opened, read or written."""


class RequestError(PlacetError):
    """A request of a front door cannot be served; the text is for the user."""


class AtWorkElsewhere(RequestError):
    """Another process is at work in the session; the session can be read and copied meanwhile."""
