"""Each fault that a provider or the way to the provider can have, and the message for the user."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from placet.core.errors import ModelErrorCode
from wire_servers.answers import Answer, Bytes, Drop, Status, StreamError, Text, Truncate, Wait
from wire_servers.server import Wire

AGAIN = "Send the prompt again in a moment."
LATER = "Wait a moment, then send the prompt again, or check your plan with the provider."
OPTIONS = "Check `model` and `modelOptions`: the model may not support an option or tools."
SHORTER = "Start a new session, or choose a model with a larger context."
KEY = "Check the key in {key}."
SLOW = "Send the prompt again, or raise `modelOptions.idleTimeoutSeconds` for a slow model."
ADDRESS = "Start the server at {base}, or correct `modelOptions.apiBase`."
PROXY = "Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY in the environment in which the editor is started."
AUTHORITY = "Set SSL_CERT_FILE to a file with the certificate of its authority (PEM) where the editor is started."
LOST = "The answer of the server at {base} broke off: the connection was lost."
TOO_EARLY = "The answer of the server at {base} broke off: the stream ended before the answer was complete."
HALF_EVENT = "The answer of the server at {base} broke off: the stream ended in the middle of an event."
TOO_LONG = "This model's maximum context length is 128000 tokens"
QUICK = {"idleTimeoutSeconds": 0.3}
HALF = Text("half", pieces=1)


@dataclass(frozen=True, slots=True)
class Fault:
    what: str
    answer: Answer
    code: ModelErrorCode
    message: str
    """What the user sees; {base}, {model} and {key} stand for what was configured."""
    hint: str
    status: int | None = None
    retry_after: float | None = None
    options: Mapping[str, object] = field(default_factory=dict[str, object])

    @property
    def begun(self) -> bool:
        """Something of the answer was shown before, and so the call is not made again by itself."""
        return HALF in self.answer


def limited(what: str, retry_after: float | None, headers: Mapping[str, str]) -> Fault:
    message = "The server at {base} accepts no more requests for now (429): slow down."
    answer = (Status(429, "slow down", headers=headers),)
    return Fault(f"429 with {what}", answer, "rate_limit", message, LATER, 429, retry_after)


def refused(what: str, status: Status, code: ModelErrorCode, phrase: str, hint: str) -> Fault:
    return Fault(what, (status,), code, f"{phrase} ({status.status}): {status.message}.", hint, status.status)


FAULTS = [
    refused("400", Status(400, "unknown field"), "bad_request", "The server at {base} rejected the request", OPTIONS),
    refused(
        "400, the conversation is too long",
        Status(400, TOO_LONG),
        "context_overflow",
        "The conversation is too long for {model}",
        SHORTER,
    ),
    refused("401", Status(401, "no such key"), "authentication", "The server at {base} rejected the key", KEY),
    refused("403", Status(403, "not yours"), "authentication", "The server at {base} rejected the key", KEY),
    refused(
        "404",
        Status(404, "no such model"),
        "not_found",
        "The server at {base} does not know {model}",
        "Check the setting `model`, now `{model}`, and `modelOptions.apiBase`.",
    ),
    refused("408", Status(408, "too late"), "timeout", "The server at {base} took too long", AGAIN),
    refused("413", Status(413, "too big"), "context_overflow", "The conversation is too long for {model}", SHORTER),
    limited("no word of when", None, {}),
    limited("`retry-after: 7`", 7.0, {"retry-after": "7"}),
    limited("`retry-after`: an HTTP date in an hour", 3600.0, {"retry-after": "{date}"}),
    limited("`retry-after-ms: 250`", 0.25, {"retry-after-ms": "250"}),
    limited("`x-ratelimit-reset: 90`", 90.0, {"x-ratelimit-reset": "90"}),
    limited("`x-ratelimit-reset`: a moment in an hour", 3600.0, {"x-ratelimit-reset": "{moment}"}),
    limited(
        "`x-ratelimit-reset-tokens: 6m0s`, none of which remain, and `x-ratelimit-reset-requests: 1s`",
        360.0,
        {
            "x-ratelimit-remaining-tokens": "0",
            "x-ratelimit-reset-tokens": "6m0s",
            "x-ratelimit-remaining-requests": "9",
            "x-ratelimit-reset-requests": "1s",
        },
    ),
    refused("500", Status(500, "boom"), "server_error", "The server at {base} failed", AGAIN),
    refused("502", Status(502, "bad gateway"), "server_error", "The server at {base} failed", AGAIN),
    refused("503", Status(503, "later"), "overloaded", "The server at {base} is overloaded", AGAIN),
    refused(
        "529",
        Status(529, "Overloaded", type="overloaded_error"),
        "overloaded",
        "The server at {base} is overloaded",
        AGAIN,
    ),
    Fault("a reset before the answer", (Drop(),), "interrupted", LOST, AGAIN),
    Fault("a reset in the answer", (HALF, Drop()), "interrupted", LOST, AGAIN),
    Fault(
        "silence before the answer",
        (Wait(),),
        "timeout",
        "The model did not start to answer within 0.3 seconds.",
        SLOW,
        options=QUICK,
    ),
    Fault(
        "silence in the answer",
        (HALF, Wait()),
        "timeout",
        "The model was silent for 0.3 seconds.",
        SLOW,
        options={**QUICK, "firstByteTimeoutSeconds": 60},
    ),
    Fault("an end without an answer", (Truncate(),), "interrupted", TOO_EARLY, AGAIN),
    Fault("an end in the answer", (HALF, Truncate()), "interrupted", TOO_EARLY, AGAIN),
    Fault("an end in an event", (HALF, Bytes(b'data: {"cho'), Truncate()), "interrupted", HALF_EVENT, AGAIN),
    Fault(
        "something else than JSON",
        (HALF, Bytes(b"data: <html>\n\n")),
        "server_error",
        "The server at {base} failed: its stream holds what is no event: <html>.",
        AGAIN,
    ),
    Fault(
        "an error event before the answer",
        (StreamError("overloaded_error", "Overloaded"),),
        "overloaded",
        "The server at {base} is overloaded: Overloaded.",
        AGAIN,
    ),
    Fault(
        "an error event in the answer",
        (HALF, StreamError("api_error", "boom")),
        "server_error",
        "The server at {base} failed: boom.",
        AGAIN,
    ),
]
NO_CERTIFICATE = Fault(
    "a certificate nobody vouches for",
    (),
    "connection",
    "The certificate of the server at {base} is not trusted: certificate verify failed: self-signed certificate.",
    AUTHORITY,
)
NO_SERVER = Fault("a server that is not there", (), "connection", "The server at {base} cannot be reached", ADDRESS)
NO_WAY = Fault(
    "a proxy that refuses",
    (),
    "connection",
    "The proxy does not allow a connection to the server at {base}: 403 Not Today.",
    PROXY,
)
ALL = [*FAULTS, NO_SERVER, NO_CERTIFICATE, NO_WAY]
NAMES: dict[Wire, tuple[str, str]] = {
    "openai": ("openai/gpt-4o", "OPENAI_API_KEY"),
    "responses": ("openai/gpt-5-codex", "OPENAI_API_KEY"),
    "gemini": ("gemini/gemini-2.5-flash", "GEMINI_API_KEY"),
    "anthropic": ("anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
}
