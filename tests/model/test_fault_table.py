"""What the user sees of each fault of model_support/fault_table.py; docs/MODEL-FAULTS.md is made of the same table."""

import email.utils
import time
from pathlib import Path

import pytest

from corpus_support import corpus
from model_support.asking import failure, text_of
from model_support.fault_table import FAULTS, NAMES, NO_CERTIFICATE, NO_SERVER, NO_WAY, Fault
from placet.core.values import replace
from placet.model.client.host import HostedModel, ModelHost
from placet.settings import Settings
from scripts.protocol.model_faults import model_faults_page
from wire_servers.answers import Answer, Status
from wire_servers.certificates import self_signed
from wire_servers.proxy import Proxy
from wire_servers.server import Wire, WireServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

DOCUMENT = Path(__file__).parents[2] / "docs" / "MODEL-FAULTS.md"


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
    assert error.hint == fault.hint.format(base=base, model=name, key=key)
    assert error.retry_after == (None if fault.retry_after is None else pytest.approx(fault.retry_after, abs=20))


@corpus("wire", NAMES)
@corpus("fault", FAULTS, server=WireServer)
async def test_what_the_user_sees_of_a_providers_fault(host: ModelHost, server: WireServer, wire: Wire, fault: Fault):
    server.play([timely(fault.answer)])
    base = server.base(wire)

    await check(host, base, wire, fault)

    assert len(server.requests) == 1, "litellm must not ask again by itself"


@corpus("wire", NAMES)
async def test_what_the_user_sees_when_no_server_is_there(host: ModelHost, wire: Wire):
    async with WireServer() as gone:
        base = gone.base(wire)

    await check(host, base, wire, NO_SERVER)


@corpus("wire", NAMES)
async def test_what_the_user_sees_of_an_untrusted_certificate(host: ModelHost, wire: Wire, tmp_path: Path):
    async with WireServer(tls=self_signed(tmp_path)[0]) as server:
        base = server.base(wire)
        await check(host, base, wire, NO_CERTIFICATE)

    assert server.requests == []


async def test_what_the_user_sees_of_a_proxy_that_refuses(tmp_path: Path):
    async with Proxy() as proxy, WireServer(tls=self_signed(tmp_path)[0]) as server:
        proxy.refuses = True
        host = ModelHost(environment={"HTTPS_PROXY": proxy.address, **{key: "none" for _, key in NAMES.values()}})
        for wire, base in (("openai", server.openai_base), ("anthropic", server.anthropic_base)):
            await check(host, base, wire, NO_WAY)
        await host.close()


async def test_the_document_is_not_stale():
    assert DOCUMENT.read_text("utf-8") == model_faults_page(), "make docs"
