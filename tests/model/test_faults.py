"""Faults told from status, class names and texts, without litellm."""

import time
from email.utils import formatdate

import pytest

from corpus_support import corpus
from placet.model.host.errors import Asked, describe
from placet.model.host.http_client.failures import (
    ConnectionLost,
    HttpFailure,
    NotTrusted,
    RedirectedAway,
    StoppedByProxy,
    UnfitRequest,
    UnfitResponse,
    Unreachable,
)
from placet.model.host.retry_hints import retry_after_seconds

ASKED = Asked("groq/llama", "groq")


class HTTPStatusError(Exception):
    """Of the shape of httpx's."""

    def __init__(self, status: int, headers: dict[str, str] | None = None) -> None:
        super().__init__(f"status {status}")
        self.response = type("Response", (), {"status_code": status, "headers": headers or {}})()


class APIError(Exception):
    def __init__(self, text: str, status_code: int | None = None) -> None:
        super().__init__(text)
        self.status_code = status_code


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


def code_of(error: Exception, *, streaming: bool = False) -> str:
    return describe(error, ASKED, streaming=streaming).code


def test_the_status_the_server_sent_wins_over_the_one_litellm_maps_it_to():
    fault = describe(caused(APIError("Overloaded", 500), HTTPStatusError(529)), ASKED, streaming=False)

    assert (fault.code, fault.status) == ("overloaded", 529)


@corpus(
    "text",
    [
        "prompt is too long: 210000 tokens > 200000 maximum",
        "This model's maximum context length is 8192 tokens, however you requested 9000",
        "Your input exceeds the context window of this model",
        "The input token count (1100000) exceeds the maximum number of tokens allowed (1048576)",
        "input is too long for requested model",
        "Please reduce the length of the messages",
        "context_length_exceeded",
        "the request exceeds the available context size",
    ],
)
def test_texts_of_an_overflow_are_known_whoever_says_them(text: str):
    assert code_of(APIError(text, 400)) == "context_overflow"


def test_a_too_large_request_by_the_minute_is_a_rate_limit():
    assert code_of(APIError("Request too large: 9000 tokens per minute, limit 6000", 413)) == "rate_limit"
    assert code_of(APIError("Too many tokens, please wait", 429)) == "rate_limit"


class ReadError(Exception):
    """Of the name of httpx's."""


def test_a_lost_connection_is_interrupted_only_once_the_answer_began():
    assert code_of(ReadError("gone"), streaming=True) == "interrupted"
    assert code_of(ReadError("gone"), streaming=False) == "connection"


def test_a_circle_of_causes_ends():
    first, second = APIError("boom", 500), APIError("boom", 500)
    first.__cause__, second.__cause__ = second, first

    assert code_of(first) == "server_error"


def test_an_error_of_no_known_kind_is_the_servers():
    fault = describe(ValueError("what is this"), ASKED, streaming=False)

    assert (fault.code, fault.status) == ("server_error", None)
    assert fault.message == "The provider groq failed: what is this."


@corpus(
    ("text", "detail"),
    [
        ('litellm.BadRequestError: GroqException - {"error": {"message": "no \\"x\\" here."}}', 'no "x" here'),
        (
            'litellm.InternalServerError: AnthropicException - b\'{"message": "it\\\'s gone"}\'. Handle with `x`.',
            "it's gone",
        ),
        ("litellm.APIError: APIError: OpenAIException - plain words", "plain words"),
        ("Cannot connect to host a:1 ssl:<ssl.SSLContext object at 0x7f> [failed]", "Cannot connect to host a:1"),
        ("word " * 200, ("word " * 200)[:300] + "…"),
    ],
)
def test_the_message_holds_what_the_provider_said_and_nothing_of_the_wrapping(text: str, detail: str):
    assert describe(APIError(text, 500), ASKED, streaming=False).message == f"The provider groq failed (500): {detail}."


def test_retry_after_is_read_in_all_its_forms():
    assert retry_after_seconds({"Retry-After": "3"}) == 3
    assert retry_after_seconds({"retry-after-ms": "250", "retry-after": "1"}) == 0.25
    assert retry_after_seconds({"retry-after": formatdate(time.time() + 60, usegmt=True)}) == pytest.approx(60, abs=2)
    assert retry_after_seconds({"retry-after": formatdate(time.time() - 60, usegmt=True)}) == 0
    assert retry_after_seconds({"retry-after": "soon"}) is None
    assert retry_after_seconds({}) is None


def test_retry_after_is_found_on_the_cause():
    fault = describe(caused(APIError("slow", 429), HTTPStatusError(429, {"retry-after": "9"})), ASKED, streaming=False)

    assert fault.retry_after == 9


def test_a_missing_login_is_told_even_when_litellm_calls_it_a_500():
    asked = Asked("azure/x", "azure", missing_variables=("AZURE_API_BASE", "AZURE_API_KEY"))

    fault = describe(APIError("Missing credentials", 500), asked, streaming=False)
    answered = describe(caused(APIError("boom", 500), HTTPStatusError(500)), asked, streaming=False)

    assert (fault.code, fault.status) == ("authentication", None)
    assert "AZURE_API_BASE and AZURE_API_KEY" in fault.hint
    assert answered.code == "server_error"


def test_a_missing_module_is_named():
    error = APIError("No module named 'google.auth'\nTraceback (most recent call last):", 500)

    fault = describe(error, ASKED, streaming=False)

    assert fault.code == "bad_request"
    assert "`google.auth`" in fault.message
    assert "Traceback" not in fault.message


@corpus(
    ("error", "code", "message"),
    [
        (Unreachable("Connection refused"), "connection", "The provider groq cannot be reached: Connection refused."),
        (RedirectedAway("it redirects"), "connection", "The provider groq cannot be reached: it redirects."),
        (NotTrusted("it is old"), "connection", "The certificate of the provider groq is not trusted: it is old."),
        (
            StoppedByProxy("403 No"),
            "connection",
            "The proxy does not allow a connection to the provider groq: 403 No.",
        ),
        (ConnectionLost("a reset"), "connection", "The provider groq cannot be reached: a reset."),
        (UnfitRequest("it is odd"), "bad_request", "The request to the provider groq cannot be sent: it is odd."),
        (UnfitResponse("it is odd"), "server_error", "The provider groq failed: it is odd."),
    ],
)
def test_each_failure_of_the_http_client_is_told_in_words(error: HttpFailure, code: str, message: str):
    fault = describe(error, ASKED, streaming=False)

    assert (fault.code, fault.message, fault.status) == (code, message, None)


@corpus(
    ("provider", "address", "hint"),
    [
        ("ollama_chat", None, "Start Ollama: open its application, or run `ollama serve`."),
        ("ollama", "http://127.0.0.1:11434", "Start Ollama"),
        ("mine", "http://localhost:11434/v1", "Start Ollama"),
        ("lm_studio", None, "`lms server start`"),
        ("mine", "http://[::1]:1234/v1", "`lms server start`"),
        ("mine", "http://127.0.0.1:8080/v1", "Start the server at http://127.0.0.1:8080/v1, or correct `modelOptions"),
        ("ollama_chat", "http://box.example:11434", "Check the network"),
        ("mine", "http://10.0.0.7:11434", "Check the network"),
        ("groq", None, "Check the network"),
        ("mine", "http://[", "Check the network"),
        ("mine", "http://127.0.0.1:port", "Check the network"),
    ],
)
def test_a_server_of_this_machine_that_cannot_be_reached_is_to_be_started(
    provider: str, address: str | None, hint: str
):
    asked = Asked("x/y", provider, address)
    assert hint in describe(Unreachable("Connection refused"), asked, streaming=False).hint
    assert hint in describe(caused(APIError("boom", 500), ConnectionRefusedError()), asked, streaming=False).hint
    assert "Check the network" in describe(RedirectedAway("it redirects"), asked, streaming=False).hint


def test_every_failure_of_the_http_client_has_words():
    told = {Unreachable, RedirectedAway, NotTrusted, StoppedByProxy, ConnectionLost, UnfitRequest, UnfitResponse}
    assert set(HttpFailure.__subclasses__()) == told


def test_a_connection_that_is_lost_in_the_answer_breaks_the_answer_off():
    fault = describe(ConnectionLost("a reset"), ASKED, streaming=True)

    assert fault.code == "interrupted"
    assert fault.message == "The answer of the provider groq broke off: the connection was lost."
