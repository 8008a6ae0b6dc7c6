"""Each fault of the model's wire through a whole session: the turn ends, says why, and the next one works."""

import os
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from types import MappingProxyType

import pytest
import pytest_asyncio

from language_server_support.no_features import NoFeatures
from model_support.asking import answer
from model_support.turn_faults import CASES, CHUNK, DONE, PATIENT, WAIT_SECONDS, Case
from placet.core.events import Retry
from placet.core.messages import AssistantMessage, StopReason, TextPart, ToolFailed, ToolPart
from placet.core.ports import Ports
from placet.core.values import replace
from placet.model.client.host import ModelHost
from placet.project.files.disk import DiskDocuments
from placet.sessions.bootstrap import open_sessions
from placet.sessions.registry import Sessions
from placet.sessions.session import Session
from placet.settings import Settings
from services_support import TempServices
from time_support import limited
from wire_servers.answers import Text, Usage, Wait
from wire_servers.server import Wire, WireServer

pytestmark = pytest.mark.asyncio(loop_scope="module")

NAMES: dict[Wire, str] = {
    "openai": "openai/gpt-4o",
    "anthropic": "anthropic/claude-sonnet-4-5",
    "responses": "openai/gpt-5-codex",
    "gemini": "gemini/gemini-2.5-flash",
}
KEYS = {"OPENAI_API_KEY": "one", "ANTHROPIC_API_KEY": "another", "GEMINI_API_KEY": "a third"}


class Provider:
    """A provider's server, and sessions that ask it over one wire."""

    def __init__(self, directory: Path, wire: Wire, host: ModelHost) -> None:
        self.services = TempServices(directory)
        (self.services.project / "a.txt").write_text("one\n")
        self.wire: Wire = wire
        self._host = host

    async def open(self, wait: float = WAIT_SECONDS, impatient: str = "") -> Sessions:
        settings = self._settings(wait, {impatient: 0.5} if impatient else {})
        ports = Ports(DiskDocuments(), NoFeatures(), self.services.user, self.services.screen)
        return await open_sessions(ports, (self.services.project,), settings, self.services.locations, self._host)

    async def be_patient(self, sessions: Sessions, session: Session) -> None:
        """As if the user had raised the limits in the settings."""
        current = sessions._services.current
        current.config = replace(current.config, settings=self._settings(WAIT_SECONDS))
        await session.choices.set_model(NAMES[self.wire])

    def _settings(self, wait: float, limits: Mapping[str, float] = MappingProxyType({})) -> Settings:
        options = {"apiBase": self.server.base(self.wire), "maxRetryWaitSeconds": wait, **PATIENT, **limits}
        return Settings.model_validate({"model": NAMES[self.wire], "modelOptions": options})

    async def prompt(self, session: Session) -> tuple[StopReason, str]:
        async with limited(lambda: f"the end of the turn; the last events were {self.services.screen.events[-3:]}"):
            result = await session.prompt([TextPart(text="Go.")])
        if result.stop_reason != "error":
            assert result.error is None
            return result.stop_reason, ""
        assert result.error is not None
        assert result.error.message
        assert result.error.hint
        return result.stop_reason, result.error.code


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def host() -> AsyncIterator[ModelHost]:
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    host = ModelHost(environment=environment | KEYS)
    # Its first answers take longer than the silence that is a fault for some.
    async with WireServer() as server:
        for wire, name in NAMES.items():
            server.play([DONE])
            settings = Settings.model_validate({"modelOptions": {"apiBase": server.base(wire)}})
            await answer(host.model(name, settings))
    yield host
    await host.close()


@pytest_asyncio.fixture(loop_scope="module", params=list(NAMES))
async def provider(request: pytest.FixtureRequest, host: ModelHost, tmp_path: Path) -> AsyncIterator[Provider]:
    provider = Provider(tmp_path, request.param, host)
    async with WireServer() as provider.server:
        yield provider


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.what)
async def test_a_fault_ends_the_turn_as_documented_and_the_next_prompt_works(provider: Provider, case: Case):
    if provider.wire == "gemini" and case.cuts_arguments:
        pytest.skip("Gemini sends the arguments of a call as a whole object")
    provider.server.play([*case.answers, (*DONE, Usage())])
    sessions = await provider.open(case.wait, case.impatient)
    session = await sessions.create(title="Faults")

    assert await provider.prompt(session) == (case.stop, case.code)

    assert len(provider.server.requests) == case.requests
    _every_call_has_one_result(session)
    retries = [event.update for event in provider.services.screen.events if isinstance(event.update, Retry)]
    assert len(retries) == case.retries, retries

    if case.stop == "error":
        if case.impatient:
            await provider.be_patient(sessions, session)
        provider.server.play([DONE])
        assert await provider.prompt(session) == ("end_turn", "")
    await session.close()
    await sessions._services.database.close()


async def test_an_answer_that_repeats_itself_keeps_what_was_said_and_stops_the_provider(provider: Provider):
    provider.server.play([(Text(CHUNK * 20_000, pieces=2_000), Wait())])
    sessions = await provider.open()
    session = await sessions.create(title="Faults")

    ended = await provider.prompt(session)
    assert ended == ("error", "repetition"), session.messages[-1].error

    answer = session.messages[-1]
    assert isinstance(answer, AssistantMessage)
    assert answer.error is not None
    (part,) = answer.parts
    assert isinstance(part, TextPart)
    # How much more has come by the stop is the machine's matter: the server waits for the stop behind its last word.
    assert 4000 <= len(part.text) <= len(CHUNK) * 20_000
    async with limited(lambda: "the end of the provider's connection"):
        await provider.server.requests[0].disconnected.wait()
    await session.close()
    await sessions._services.database.close()


def _every_call_has_one_result(session: Session) -> None:
    for message in session.messages:
        calls = [part for part in message.parts if isinstance(part, ToolPart)]
        assert all(isinstance(part.state, ToolFailed) for part in calls)
        assert len({part.call_id for part in calls}) == len(calls)
