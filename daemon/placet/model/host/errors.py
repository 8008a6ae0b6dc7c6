"""Description of a failed call for humans: a code by HTTP status, a short message, and a hint.

Reads exceptions by status, class name and text only: litellm maps the same fault to different classes for different
providers, and some faults by their text (BerriAI/litellm#10793).
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from placet.auth.subscriptions.names import SUBSCRIPTIONS
from placet.core.errors import ModelErrorCode
from placet.model.host.redaction import redact
from placet.model.host.retry_hints import retry_after_seconds

# The first name of each set, and RedirectedAway, are failures of placet.model.host.http_client.
_UNREACHABLE = {
    "Unreachable",
    "RedirectedAway",
    "ConnectError",
    "ConnectTimeout",
    "ClientConnectorError",
    "ClientConnectorDNSError",
    "ConnectionError",
}
_BROKEN_OFF = {
    "ConnectionLost",
    "ReadError",
    "RemoteProtocolError",
    "ClientPayloadError",
    "ServerDisconnectedError",
    "BrokenOff",
}
_NOT_TRUSTED = {"NotTrusted", "ClientConnectorCertificateError", "ClientSSLError", "SSLError"}
_STOPPED_BY_PROXY = {"StoppedByProxy", "ClientProxyConnectionError", "ClientHttpProxyError", "ProxyError"}
_START_OLLAMA = "Start Ollama: open its application, or run `ollama serve`."
_STARTS = {
    "ollama": _START_OLLAMA,
    "ollama_chat": _START_OLLAMA,
    "lm_studio": "Start the server of LM Studio: `lms server start`.",
}
"""How to start a server of the user's own, by its provider."""
_REFUSED = re.compile(r"refused|connect call failed|all connection attempts failed|winerror 1225", re.IGNORECASE)
"""Words of asyncio, httpx and Windows for a server that is not there."""
_USUAL_PORTS = {11434: "ollama", 1234: "lm_studio"}
_TOO_LATE = {"TimeoutException", "APITimeoutError", "TimeoutError"}

_TOO_LONG = re.compile(
    r"context.{0,10}(length|window|limit|size)|maximum context|prompt is too long|too many (input )?tokens"
    r"|input is too long|token count.{0,40}exceeds|exceeds? the (maximum|available|model).{0,30}(token|context)"
    r"|reduce the length|request_too_large|context_length_exceeded|maximum prompt length",
    re.IGNORECASE,
)
_PER_TIME = re.compile(r"per (minute|hour|day)|rate.?limit|quota", re.IGNORECASE)
_RESETS_IN = re.compile(r'"resets_in_seconds"\s*:\s*(\d{1,7})')
"""Field of ChatGPT's error for the used-up limit of a plan."""
_OVERLOADED = re.compile(r"overloaded|over capacity|at capacity", re.IGNORECASE)
_NO_MODULE = re.compile(r"No module named '([\w.]+)'")
_QUOTED_MESSAGE = re.compile(r'"message"\s*:\s*("(?:[^"\\]|\\.)*")')
_CLASS_PREFIX = re.compile(r"^\s*(?:[\w.]*(?:Error|Exception|Timeout)(?: Error)?\s*(?::|-)\s*)+")
_NOISE = re.compile(
    r"\s*(?:Handle with `|Original exception:|LiteLLM Retried|Received Model Group|Traceback \("
    r"|ssl:<|: <[A-Z]\w*Error).*",
    re.DOTALL,
)
_OPENSSL_NOISE = re.compile(r"\[SSL: \w+\] | \(_ssl\.c:\d+\)")
_LONGEST_DETAIL = 300
_MOST_CHARACTERS = 10_000


NO_HEADERS: Mapping[str, str] = MappingProxyType({})


class BrokenOff(Exception):
    """Raised when the stream ended before the answer did."""


class HTTPStatusError(Exception):
    """Raised when the provider refuses the request of the direct way; the text is the body of the response."""

    def __init__(self, status_code: int, text: str) -> None:
        super().__init__(text)
        self.status_code = status_code


class NotDirect(Exception):
    """Raised when the direct way does not know a part of the ask or of the answer: litellm takes the ask over.

    The text names the part, for the log of the host.
    """


class MissingKey(Exception):
    """Raised when the provider's key is not in the environment, so the host did not ask the provider."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Asked model and provider, for the words of a fault."""

    model: str
    provider: str
    api_base: str | None = None
    missing_variables: tuple[str, ...] = ()
    """Environment variables in which litellm looks for the provider's key without success."""
    key_variable: str | None = None
    """Name of the variable which held the key."""
    setting: str = ""
    """Setting of the provider, for a provider of the user's settings."""
    broken_reference: str = ""
    """Reason for which a reference in the setting cannot be replaced."""

    @property
    def address_setting(self) -> str:
        return f"{self.setting}.apiBase" if self.setting else "modelOptions.apiBase"

    @property
    def service(self) -> str:
        return f"the server at {self.api_base}" if self.api_base else f"the provider {self.provider or 'of the model'}"


@dataclass(frozen=True, slots=True)
class Fault:
    code: ModelErrorCode
    message: str
    hint: str
    status: int | None = None
    retry_after: float | None = None


def describe(error: BaseException, asked: Asked, *, streaming: bool, headers: Mapping[str, str] = NO_HEADERS) -> Fault:
    """Return the fault behind an exception.

    `streaming`: the provider had begun to answer; `headers` are the headers of the provider's response.
    """
    errors = tuple(_chain(error))
    text = _beginning(error)
    if module := _NO_MODULE.search(text):
        return _missing_module(module[1], asked)
    names = {name for error in errors for name in _names(error)}
    if asked.broken_reference and "MissingKey" in names:
        message = f"The setting `{asked.setting}` cannot be used: {asked.broken_reference}."
        return Fault("authentication", message, "Correct the reference in your settings.")
    if "UnfitRequest" in names:
        message = f"The request to {asked.service} cannot be sent: {text}."
        return Fault("bad_request", message, f"Check the key and `{asked.address_setting}` for stray characters.")
    if not streaming and names & (_NOT_TRUSTED | _STOPPED_BY_PROXY):
        return _obstacle(names, _root_text(errors), asked)
    status = _http_status(errors)
    code = _code(errors, status, text, streaming=streaming)
    if not streaming and code == "server_error" and asked.missing_variables and not _was_answered(errors):
        # litellm gives up in many ways, mostly by a made-up 500, where the login data are missing.
        code, status = "authentication", None
    if code in {"connection", "interrupted", "no_model"} or streaming:
        # No HTTP status belongs to these errors; a status made up by litellm would mislead.
        status = None
    if code == "interrupted" and "BrokenOff" not in names:
        text = "the connection was lost"
    waits = code in {"rate_limit", "overloaded"} or (status is not None and status >= 400)
    retry_after = _retry_after(errors, headers) if waits else None
    if code == "rate_limit" and retry_after is None and (reset := _RESETS_IN.search(text)):
        retry_after = float(reset[1])
    is_refused = code == "connection" and ("ConnectionRefusedError" in names or _REFUSED.search(text) is not None)
    hint = _start_of_own_server(asked) if is_refused else ""
    return Fault(code, _message(code, status, _detail(text), asked), hint or _hint(code, asked), status, retry_after)


def _beginning(error: BaseException) -> str:
    """Return the beginning of the error's text, without secrets; nothing reads the rest of the text.

    Half a secret at the cut would not be recognised as a secret, so the cut leaves out more text behind.
    """
    text = str(error)
    return redact(text) if len(text) <= _MOST_CHARACTERS else redact(text[:_MOST_CHARACTERS])[: _MOST_CHARACTERS // 2]


def _obstacle(names: set[str], text: str, asked: Asked) -> Fault:
    """Return the fault for a proxy or a certificate between the host and the provider."""
    detail = f": {_detail(text)}." if _detail(text) else "."
    if names & _STOPPED_BY_PROXY:
        hint = "Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY in the environment in which the editor is started."
        return Fault("connection", f"The proxy does not allow a connection to {asked.service}{detail}", hint)
    hint = "Set SSL_CERT_FILE to a file with the certificate of its authority (PEM) where the editor is started."
    return Fault("connection", f"The certificate of {asked.service} is not trusted{detail}", hint)


def _root_text(errors: tuple[BaseException, ...]) -> str:
    """Return the text of the error which names the cause itself: litellm wraps this text in many others."""
    telling_names = _NOT_TRUSTED | _STOPPED_BY_PROXY
    root = next((error for error in reversed(errors) if _names(error) & telling_names), errors[0])
    if "ClientHttpProxyError" in _names(root):
        return f"{getattr(root, 'status', '')} {getattr(root, 'message', '')}"
    return _OPENSSL_NOISE.sub("", _beginning(root))


def _missing_module(module: str, asked: Asked) -> Fault:
    message = f"For {asked.service} litellm needs the Python module `{module}`, which is not installed."
    return Fault("bad_request", message, "Install the module into Placet's environment, or choose another provider.")


def _was_answered(errors: tuple[BaseException, ...]) -> bool:
    return any("HTTPStatusError" in _names(error) for error in errors)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield the exception and its causes, outermost first."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = getattr(current, "original_exception", None) or current.__cause__ or current.__context__


def _http_status(errors: tuple[BaseException, ...]) -> int | None:
    """Return the status which the server really sent; litellm's class may hide it (Anthropic's 529 becomes a 500)."""
    for error in errors:
        if "HTTPStatusError" in _names(error):
            return getattr(getattr(error, "response", error), "status_code", None)
    statuses = (getattr(error, "status_code", None) for error in reversed(errors))
    return next((status for status in statuses if isinstance(status, int)), None)


def _code(errors: tuple[BaseException, ...], status: int | None, text: str, *, streaming: bool) -> ModelErrorCode:
    names = {name for error in errors for name in _names(error)}
    if "LLM Provider NOT provided" in text:
        return "no_model"
    if "MissingKey" in names:
        return "authentication"
    if names & _UNREACHABLE:
        return "connection"
    if names & _BROKEN_OFF:
        return "interrupted" if streaming else "connection"
    if "ContextWindowExceededError" in names:
        return "context_overflow"
    if status in {400, 413, 422} and not (status == 413 and _PER_TIME.search(text)) and _TOO_LONG.search(text):
        return "context_overflow"
    match status:
        case 401 | 403:
            return "authentication"
        case 404:
            return "not_found"
        case 408:
            return "timeout"
        case 413:
            return "rate_limit" if _PER_TIME.search(text) else "context_overflow"
        case 429:
            return "rate_limit"
        case 503 | 529:
            return "overloaded"
        case int() if 400 <= status < 500:
            return "bad_request"
        case _:
            if _OVERLOADED.search(text):
                return "overloaded"
            return "timeout" if names & _TOO_LATE else "server_error"


def _names(error: BaseException) -> set[str]:
    return {ancestor.__name__ for ancestor in type(error).__mro__}


def _detail(text: str) -> str:
    """Return the provider's own text, without the wrapping of litellm and of JSON."""
    if quoted := _QUOTED_MESSAGE.search(text):
        try:
            # litellm shows some bodies as Python bytes, where an apostrophe is escaped and JSON knows no such escape.
            text = json.loads(quoted[1].replace("\\'", "'"))
        except ValueError:
            text = quoted[1]
    text = " ".join(_NOISE.sub("", _CLASS_PREFIX.sub("", text)).split()).rstrip(". ")
    return text if len(text) <= _LONGEST_DETAIL else text[:_LONGEST_DETAIL] + "…"


def _message(code: ModelErrorCode, status: int | None, detail: str, asked: Asked) -> str:
    service, model = asked.service, asked.model
    match code:
        case "authentication" if asked.missing_variables and asked.provider in SUBSCRIPTIONS:
            return f"You are not signed in to {asked.provider}."
        case "authentication" if asked.missing_variables:
            return f"There is no key for {service}."
        case "authentication" if asked.provider in SUBSCRIPTIONS:
            phrase = f"{service} rejected the sign-in"
        case "authentication":
            phrase = f"{service} rejected the key"
        case "not_found":
            phrase = f"{service} does not know {model}"
        case "rate_limit":
            phrase = f"{service} accepts no more requests for now"
        case "context_overflow":
            phrase = f"the conversation is too long for {model}"
        case "bad_request":
            phrase = f"{service} rejected the request"
        case "overloaded":
            phrase = f"{service} is overloaded"
        case "timeout":
            phrase = f"{service} took too long"
        case "connection":
            phrase = f"{service} cannot be reached"
        case "interrupted":
            phrase = f"the answer of {service} broke off"
        case "no_model":
            return f"`{model}` names no provider."
        case _:
            phrase = f"{service} failed"
    number = f" ({status})" if status else ""
    return phrase[0].upper() + phrase[1:] + number + (f": {detail}." if detail else ".")


def _start_of_own_server(asked: Asked) -> str:
    """Return how to start the server, by the provider or the usual port; empty unless the server is on this machine."""
    import ipaddress  # Only a fault pays for the imports.
    from urllib.parse import urlsplit

    try:
        address = urlsplit(asked.api_base or "")
        host, port = address.hostname or "", address.port
        is_here = host == "localhost" or (host != "" and ipaddress.ip_address(host).is_loopback)
    except ValueError:
        host, port, is_here = asked.api_base or "", None, False
    if host and not is_here:
        return ""
    kind = asked.provider if asked.provider in _STARTS else _USUAL_PORTS.get(port or 0, "")
    if kind in _STARTS:
        return f"{_STARTS[kind]} Then send the prompt again."
    return f"Start the server at {asked.api_base}, or correct `{asked.address_setting}`." if is_here else ""


def _hint(code: ModelErrorCode, asked: Asked) -> str:
    match code:
        case "authentication" if asked.provider in SUBSCRIPTIONS:
            return f"Sign in again: `placet auth login {asked.provider}`."
        case "rate_limit" if asked.provider in SUBSCRIPTIONS:
            return "Wait until the subscription allows more requests, or choose a model of another provider."
        case "authentication" if asked.missing_variables:
            alternatives = all(variable.endswith("_API_KEY") for variable in asked.missing_variables)
            names = (" or " if alternatives else " and ").join(asked.missing_variables)
            command = f"placet auth set {asked.missing_variables[0]}"
            return (
                f"Run `{command}`, or set {names} in the environment in which the editor is started, and restart the "
                "editor."
            )
        case "authentication":
            return f"Check the key in {asked.key_variable or 'the environment variable of the provider'}."
        case "not_found":
            return f"Check the setting `model`, now `{asked.model}`, and `{asked.address_setting}`."
        case "rate_limit":
            return "Wait a moment, then send the prompt again, or check your plan with the provider."
        case "context_overflow":
            return "Start a new session, or choose a model with a larger context."
        case "bad_request":
            return "Check `model` and `modelOptions`: the model may not support an option or tools."
        case "connection":
            return f"Check the network, and whether the server runs if `{asked.address_setting}` is set."
        case "no_model":
            return "Write the setting `model` as provider/name, for example openai/gpt-4o."
        case _:
            return "Send the prompt again in a moment."


def _retry_after(errors: tuple[BaseException, ...], headers: Mapping[str, str]) -> float | None:
    header_sets: list[Mapping[str, Any] | None] = [headers]
    for error in errors:
        response = getattr(error, "response", None)
        header_sets += [getattr(error, "litellm_response_headers", None), getattr(response, "headers", None)]
    waits = (retry_after_seconds(headers) for headers in header_sets if headers)
    return next((seconds for seconds in waits if seconds is not None), None)
