import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from language_server_support.no_features import NoFeatures
from placet.agent.commands.front_end_commands import commands_in
from placet.core.errors import ModelError
from placet.core.messages import TextPart
from placet.core.ports import Documents, FeatureAnswer, Ports, SessionLanguages, StagedPaths
from placet.languages.syntax_features import SyntaxFeatures
from placet.model.client.host import ModelHost
from placet.model.frames import ModelFacts, Models
from placet.project import file_list
from placet.project.files.disk import DiskDocuments
from placet.sessions.bootstrap import open_sessions
from placet.sessions.prompts import completion
from placet.sessions.prompts.completion import Offer, Offers
from placet.sessions.registry import Sessions
from placet.settings import Settings
from services_support import TempServices

SOURCE = """class Box:
    def open(self):
        return 1


def unpack(box):
    return box.open()
"""


class SyntaxAlone(SyntaxFeatures):
    """Features of an editor in which tree-sitter alone knows the code."""

    def over(self, documents: Documents, session_id: str, staged: StagedPaths) -> "SyntaxAlone":
        return self


class Asked:
    """A prompt being written in a project with a few files, where tree-sitter knows the code."""

    def __init__(self, sessions: Sessions) -> None:
        self.sessions = sessions

    async def at(self, text: str, **more: Any) -> Offers:
        before, _, after = text.partition("|")
        return await self.sessions.completion.complete(before + after, len(before), **more)

    async def offers(self, text: str, **more: Any) -> Sequence[Offer]:
        return (await self.at(text, **more)).offers

    async def labels(self, text: str, **more: Any) -> list[str]:
        return [one.label for one in await self.offers(text, **more)]

    async def texts(self, text: str) -> list[str]:
        return [one.text for one in await self.offers(text)]


@asynccontextmanager
async def opened(
    services: TempServices, roots: Sequence[Path], features: SessionLanguages, model: str = "builtin/rules"
) -> AsyncGenerator[Asked, None]:
    ports = Ports(DiskDocuments(), features, services.user, services.screen)
    settings = Settings.model_validate({"model": model})
    sessions = await open_sessions(ports, tuple(roots), settings, services.locations, ModelHost())
    yield Asked(sessions)
    await sessions.close()


@pytest.fixture
def services(tmp_path: Path) -> TempServices:
    made = TempServices(tmp_path)
    for name in ("src/box.py", "src/label.py", "my notes/plan.md", "docs/guide.md"):
        (made.project / name).parent.mkdir(exist_ok=True)
        (made.project / name).write_text(SOURCE if name == "src/box.py" else "words\n", "utf-8")
    return made


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, the files are listed in time."""
    monkeypatch.setattr(file_list, "FIRST_SECONDS", 60)


@pytest_asyncio.fixture
async def asked(services: TempServices, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Asked]:
    monkeypatch.setattr(completion, "OUTLINE_SECONDS", 60)
    monkeypatch.setattr(completion, "SYMBOL_SECONDS", 60)
    model = services.script([{"call": "read", "arguments": {"filePath": "docs/guide.md"}}], [{"text": "Read."}])
    features = SyntaxAlone(DiskDocuments(), [services.project])
    async with opened(services, [services.project], features, model) as made:
        yield made


async def test_files_and_directories_are_offered_as_mentions(asked: Asked) -> None:
    assert await asked.texts("see @box|") == ["@src/box.py"]
    assert (await asked.texts("see @src|"))[:2] == ["@src/", "@src/box.py"]
    assert await asked.texts("see @plan.md|") == ['@"my notes/plan.md"']
    assert {one.kind for one in await asked.offers("@src|")} == {"directory", "file"}


async def test_an_offer_replaces_all_that_is_written_of_the_mention(asked: Asked) -> None:
    found = await asked.at("see @bo|x.py.")

    assert (found.start, found.end, found.is_incomplete) == (4, len("see @box.py"), True)


async def test_with_nothing_written_open_files_come_first_then_words_then_the_top_of_the_project(
    asked: Asked, services: TempServices
) -> None:
    labels = await asked.labels("@|", open_paths=[services.project / "src/label.py"])

    assert labels[0] == "src/label.py"
    assert labels.index("diagnostics") < labels.index("general") < labels.index("src/")


async def test_files_that_the_session_has_read_come_before_others(asked: Asked) -> None:
    session = await asked.sessions.create()
    assert (await asked.labels("@|", session_id=session.info.id))[0] != "docs/guide.md"

    await session.prompt([TextPart(text="go")])

    first, *_ = await asked.offers("@|", session_id=session.info.id)
    assert (first.label, first.detail) == ("docs/guide.md", "read in this session")
    assert (await asked.labels("@|", session_id="ses_of_another"))[0] != "docs/guide.md"


async def test_an_open_file_outside_of_the_project_is_not_offered(asked: Asked, tmp_path: Path) -> None:
    assert "elsewhere.py" not in " ".join(await asked.labels("@elsewhere|", open_paths=[tmp_path / "elsewhere.py"]))


async def test_behind_a_file_its_symbols_are_offered_with_their_lines(asked: Asked) -> None:
    found = [(one.label, one.text, one.detail) for one in await asked.offers("see @src/box.py#|")]

    assert found == [
        ("Box", "@src/box.py#L1-3", "lines 1-3"),
        ("Box.open", "@src/box.py#L2-3", "lines 2-3"),
        ("unpack", "@src/box.py#L6-7", "lines 6-7"),
    ]
    assert (await asked.labels("see @src/box.py#op|"))[0] == "Box.open"
    assert await asked.texts("see @src/box.py#L6-7|") == []


async def test_names_of_the_code_are_offered_when_asked_for_or_when_no_file_fits(asked: Asked) -> None:
    [asked_for] = await asked.offers("see @symbol:unp|")
    [fallback] = await asked.offers("see @unpack|")

    assert (asked_for.label, asked_for.text, asked_for.detail) == ("unpack", "@symbol:unpack", "src/box.py:6")
    assert fallback == asked_for
    assert await asked.labels("see @symbol:|") == []


async def test_agents_and_diagnostics_are_offered_by_their_names(asked: Asked) -> None:
    [agent] = [one for one in await asked.offers("@gener|") if one.kind == "agent"]
    [diagnostics] = await asked.offers("@diagn|")

    assert (agent.text, diagnostics.text) == ("@general", "@diagnostics")
    assert await asked.texts("@diagnostics:box|") == ["@diagnostics:src/box.py"]
    assert "title" not in await asked.labels("@|")  # Hidden agents stay hidden.


async def test_a_file_named_like_a_word_of_ours_can_be_mentioned(asked: Asked, services: TempServices) -> None:
    (services.project / "diagnostics").write_text("", "utf-8")

    assert {one.kind: one.text for one in await asked.offers("@diagnostics|")} == {
        "diagnostics": "@diagnostics",
        "file": "@./diagnostics",
    }


async def test_commands_are_offered_at_the_start_of_a_prompt_alone(asked: Asked) -> None:
    prompts = ["/init", "/remember", "/review"]
    assert await asked.labels("/|") == sorted([f"/{one.name}" for one in commands_in("editor")] + prompts)
    assert await asked.texts("/rev|") == ["/review "]
    assert [one.runs for one in await asked.offers("/|") if one.label in ("/init", "/undo")] == [False, True]
    assert (await asked.texts("/mod|")) == ["/model "]
    assert (await asked.texts("/mod| x")) == ["/model"]
    assert (await asked.labels("/comp|"))[0] == "/compact"
    assert await asked.labels("do /comp|") == []
    assert not (await asked.at("/|")).is_incomplete


async def test_who_can_be_chosen_is_offered_behind_the_command(asked: Asked) -> None:
    assert await asked.texts("/agent |") == ["build", "plan"]
    assert await asked.texts("/agent pl|") == ["plan"]


async def test_models_are_offered_behind_the_command_also_without_the_model_host(
    asked: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = asked.sessions.settings.model
    host = asked.sessions._services.host

    async def told(*, query: str, limit: int, named: Sequence[str], **_: object) -> Models:
        names = [name for name in ("openai/gpt-5", "anthropic/claude-sonnet-4-5") if query in name]
        facts = [ModelFacts(name=name, context_size=200_000) for name in names]
        return Models(number=1, models=facts, total=len(facts))

    async def fails(**_: Any) -> Models:
        raise ModelError("host_died", "The model host is gone.")

    async def never(**_: Any) -> Models:
        await asyncio.Event().wait()
        raise AssertionError

    for absent in (fails, never):
        monkeypatch.setattr(host, "models", absent)
        assert await asked.texts("/model |") == [model, "builtin/rules"]
    monkeypatch.setattr(host, "models", told)
    (first, *_, last) = await asked.offers("/model |")
    assert (first.text, first.detail) == (model, "the default")
    assert (last.text, last.detail) == ("anthropic/claude-sonnet-4-5", "200k tokens")
    assert (await asked.texts("/model gpt|"))[0] == "openai/gpt-5"


async def test_sessions_are_offered_by_their_titles_and_written_by_their_ids(asked: Asked) -> None:
    greeting = await asked.sessions.create(title="Make the greeting louder")
    here = await asked.sessions.create(title="Here")
    offers = await asked.offers("/sessions |", session_id=here.info.id)
    assert [(one.label, one.text) for one in offers] == [("Make the greeting louder", greeting.info.id)]
    assert await asked.labels("/sessions greet|") == ["Make the greeting louder"]
    assert await asked.labels("/undo x|") == []
    assert await asked.texts("/undo |") == []


async def test_prose_has_no_offers(asked: Asked) -> None:
    assert await asked.at("write to me@box|") == Offers()


async def test_a_file_that_two_folders_have_is_offered_by_its_whole_path_the_second_time(tmp_path: Path) -> None:
    services, other = TempServices(tmp_path), tmp_path / "other"
    other.mkdir()
    for file in (services.project / "same.py", other / "same.py", other / "own.py"):
        file.write_text("", "utf-8")
    async with opened(services, [services.project, other], NoFeatures()) as asked:
        assert await asked.texts("@same|") == ["@same.py", f"@{(other / 'same.py').as_posix()}"]
        assert await asked.texts("@own|") == ["@own.py"]
        assert (await asked.labels("@|", open_paths=[other / "own.py"])).count("own.py") == 1


class Slow(NoFeatures):
    """Servers that give up when their time is over."""

    async def request(self, method: str, params: Any, *, timeout_seconds: float = 5.0) -> FeatureAnswer:
        assert timeout_seconds <= 1
        return FeatureAnswer("timeout")


@pytest.mark.parametrize("text", ["@src/box.py#|", "@symbol:Box|", "@nowhere|"])
async def test_servers_that_do_not_answer_in_time_only_leave_their_symbols_out(
    services: TempServices, text: str
) -> None:
    async with opened(services, [services.project], Slow()) as asked:
        found = await asked.at(text)

    assert found.offers == ()
    assert found.is_incomplete
