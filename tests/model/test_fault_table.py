"""Each fault a provider or the way to it can have, and what the user sees; docs/MODEL-FAULTS.md is made of this table.

`PYTHONPATH=tests python tests/model/test_fault_table.py` writes the document anew.
"""

import email.utils
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from model_support.asking import failure, text_of
from placet.errors import ModelErrorCode
from placet.model.host import HostedModel, ModelHost
from placet.settings import Settings
from wire_servers.answers import Answer, Bytes, Drop, Status, StreamError, Text, Truncate, Wait
from wire_servers.certificates import self_signed
from wire_servers.proxy import Proxy
from wire_servers.server import Wire, WireServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

DOCUMENT = Path(__file__).parents[2] / "docs" / "MODEL-FAULTS.md"
AGAIN = "Send the prompt again in a moment."
LATER = "Wait a little, then send the prompt again; or check the plan with the provider."
OPTIONS = "Check `model` and `modelOptions`; the model may not know an option or may not support tools."
SHORTER = "Begin a new session, or choose a model that can take in more."
KEY = "Check the key in {key}."
SLOW = "Send the prompt again; or raise `modelOptions.idleTimeoutSeconds` for a model that is that slow."
ADDRESS = "Check the network, and `modelOptions.apiBase` if it is set: is that server running?"
PROXY = "Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY in the environment the editor is started from."
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
    message = "The server at {base} allows no more requests for now (429): slow down."
    answer = (Status(429, "slow down", headers=headers),)
    return Fault(f"429 with {what}", answer, "rate_limit", message, LATER, 429, retry_after)


def refused(what: str, status: Status, code: ModelErrorCode, phrase: str, hint: str) -> Fault:
    return Fault(what, (status,), code, f"{phrase} ({status.status}): {status.message}.", hint, status.status)


FAULTS = [
    refused("400", Status(400, "unknown field"), "bad_request", "The server at {base} refused the request", OPTIONS),
    refused(
        "400, the conversation is too long",
        Status(400, TOO_LONG),
        "context_overflow",
        "The conversation is too long for {model}",
        SHORTER,
    ),
    refused("401", Status(401, "no such key"), "authentication", "The server at {base} refused the key", KEY),
    refused("403", Status(403, "not yours"), "authentication", "The server at {base} refused the key", KEY),
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
        "The model did not begin to answer in 0.3 seconds.",
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
    "The proxy does not let us through to the server at {base}: 403 Not Today.",
    PROXY,
)
ALL = [*FAULTS, NO_SERVER, NO_CERTIFICATE, NO_WAY]
NAMES: dict[Wire, tuple[str, str]] = {
    "openai": ("openai/gpt-4o", "OPENAI_API_KEY"),
    "anthropic": ("anthropic/claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
}


def timely(answer: Answer) -> Answer:
    """The answer with an hour from now for {date} and {moment}."""
    in_an_hour = time.time() + 3600
    date, moment = email.utils.formatdate(in_an_hour, usegmt=True), f"{in_an_hour:.0f}"
    match answer:
        case (Status() as status,):
            headers = {name: value.format(date=date, moment=moment) for name, value in status.headers.items()}
            return (replace(status, headers=headers),)
        case _:
            return answer


async def check(host: ModelHost, base: str, wire: Wire, fault: Fault) -> None:
    name, key = NAMES[wire]
    settings = Settings.model_validate({"modelOptions": {"apiBase": base, **fault.options}})
    model: HostedModel = host.model(name, settings)

    events, error = await failure(model)

    assert text_of(events) == ("half" if fault.begun else "")
    assert (error.code, error.status, error.before_first_delta) == (fault.code, fault.status, not fault.begun)
    expected = fault.message.format(base=base, model=name)
    if fault is NO_SERVER:  # The system's own words follow.
        assert error.message.startswith(expected)
    else:
        assert error.message == expected
    assert error.hint == fault.hint.format(model=name, key=key)
    assert error.retry_after == (None if fault.retry_after is None else pytest.approx(fault.retry_after, abs=20))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.what)
async def test_what_the_user_sees_of_a_providers_fault(host: ModelHost, server: WireServer, wire: Wire, fault: Fault):
    server.play([timely(fault.answer)])
    base = {"openai": server.openai_base, "anthropic": server.anthropic_base}[wire]

    await check(host, base, wire, fault)

    assert len(server.requests) == 1, "litellm must not ask again by itself"


async def test_what_the_user_sees_when_no_server_is_there(host: ModelHost, wire: Wire):
    async with WireServer() as gone:
        base = {"openai": gone.openai_base, "anthropic": gone.anthropic_base}[wire]

    await check(host, base, wire, NO_SERVER)


async def test_what_the_user_sees_of_an_untrusted_certificate(host: ModelHost, wire: Wire, tmp_path: Path):
    async with WireServer(tls=self_signed(tmp_path)[0]) as server:
        base = {"openai": server.openai_base, "anthropic": server.anthropic_base}[wire]
        await check(host, base, wire, NO_CERTIFICATE)

    assert server.requests == []


async def test_what_the_user_sees_of_a_proxy_that_refuses(tmp_path: Path):
    async with Proxy() as proxy, WireServer(tls=self_signed(tmp_path)[0]) as server:
        proxy.refuses = True
        host = ModelHost(environment={"HTTPS_PROXY": proxy.address, **{key: "none" for _, key in NAMES.values()}})
        for wire, base in (("openai", server.openai_base), ("anthropic", server.anthropic_base)):
            await check(host, base, wire, NO_WAY)
        await host.close()


def document() -> str:
    rows = [
        (
            fault.what,
            f"`{fault.code}`" + (", after a part of the answer" if fault.begun else ""),
            _worded(fault.message).rstrip(".") + ".",
            _worded(fault.hint),
            "" if fault.retry_after is None else f"{fault.retry_after:g} s",
        )
        for fault in ALL
    ]
    lines = ["| fault | code | the user sees | and is told | said to wait |", "|---|---|---|---|---|"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return _HEAD + "\n".join(lines) + "\n"


def _worded(text: str) -> str:
    return text.format(base="ADDRESS", model="MODEL", key="VARIABLE").replace("|", "\\|")


_HEAD = """\
# What a fault of the model looks like

Made from the table in tests/model/test_fault_table.py, which is run over the OpenAI and the Anthropic wire against a
local server; write it anew with `PYTHONPATH=tests python tests/model/test_fault_table.py`. ADDRESS is the server's
(`modelOptions.apiBase`), MODEL the setting `model`, VARIABLE the environment variable the key was taken from; without
`apiBase` it says "the provider NAME" for "the server at ADDRESS". Time limits are 0.3 seconds here.

A call that fails before a part of its answer was shown may be made again; "said to wait" is what the provider asks for.

Equal chunks are no fault: 100 of them are an answer like any other. Only a text (or thinking, never a call's arguments)
that ends in the same unit of up to 400 characters, 100 times over and 4,000 characters long, is stopped, with the code
`repetition`; a unit without a letter or digit, as a ruler is, may repeat for ever.

"""


async def test_the_document_is_not_stale():
    assert DOCUMENT.read_text("utf-8") == document()


if __name__ == "__main__":
    DOCUMENT.write_text(document(), "utf-8")
