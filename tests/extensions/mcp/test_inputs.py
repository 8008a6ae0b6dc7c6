"""Values that the user gives for `${input:ID}` before a server starts."""

import asyncio
import json
import logging
from collections.abc import Sequence
from pathlib import Path

import pytest

from extension_support import Workshop
from mcp_support import Held, Json, Notes, held, odd, read
from placet.core.errors import NobodyToAsk, RequestError, ToolError
from placet.core.messages import TextPart
from placet.core.ports import Question
from placet.extensions.mcp.server_services import ServerServices
from placet.extensions.mcp.servers import McpServers
from placet.worktrees.create import create_worktree
from services_support import TempServices
from tools_support.workbench import Workbench
from worktree_support import Repository
from worktree_support.fixtures import repository as repository

TOKEN = {"type": "promptString", "id": "token", "description": "API token", "password": True}
REGION = {"type": "pickString", "id": "region", "options": ["eu", {"label": "America", "value": "us"}], "default": "eu"}
NAME = {"type": "promptString", "id": "name", "default": "Ada"}
PASSWORD = 'pass"word\\5e7c'


def asking(kind: str = "plain", notes: Notes | None = None, given: str = "${input:token}", *inputs: Json) -> Json:
    """The settings of a server that gets the value in the variable GIVEN."""
    return odd(kind, notes, env={"GIVEN": given}, inputs=list(inputs or [TOKEN]))


class User:
    """A user with an answer for each question; None declines all, an error is raised."""

    def __init__(self, answers: dict[str, str] | Exception | None) -> None:
        self.answers = answers
        self.asked: list[Question] = []
        self.told: list[str] = []

    async def ask(self, questions: Sequence[Question]) -> list[list[str]] | None:
        self.asked += questions
        if isinstance(self.answers, Exception):
            raise self.answers
        if self.answers is None:
            return None
        found = [[word for key, word in self.answers.items() if key in question.question] for question in questions]
        assert all(found), questions
        return found

    async def prompts(self, mcp: Held) -> None:
        await mcp.servers.started(600, self.told.append, ask=self.ask)


async def test_a_server_starts_with_the_values_and_the_user_is_asked_once(bench: Workbench, notes: Notes) -> None:
    user = User({"API token": PASSWORD, "region": "America"})
    server = asking("plain", notes, "${input:token} ${input:region} $HOME ${env:HOME}", TOKEN, REGION)
    async with held(bench, odd=server) as mcp:
        await mcp.until(lambda: mcp.server().state == "needs_input")
        assert mcp.server().problem == (
            "The MCP server odd needs values from you: token, region. Give values with `placet mcp input odd`."
        )
        assert notes.lines == []
        await user.prompts(mcp)
        assert mcp.server().state == "connected"
        await notes.until("given ")
        assert f"given {PASSWORD} us $HOME ${{env:HOME}}" in notes.lines
        token, region = user.asked
        assert token.question.startswith("The MCP server odd asks for: API token\nPlacet gives the value to `")
        assert (token.secret, token.options, region.secret, region.custom) == (True, (), False, False)
        assert [(option.label, option.description) for option in region.options] == [
            ("eu", "The default."),
            ("America", ""),
        ]
        await user.prompts(mcp)
    async with held(bench, odd=server) as mcp:
        await mcp.connected()
        await user.prompts(mcp)
    assert len(user.asked) == 2
    assert user.told == ["MCP servers that need values from you: odd.", *user.told[1:]]
    kept = bench.root.parent / "config" / "mcp-auth.json"
    assert kept.stat().st_mode & 0o777 == 0o600


async def test_a_declined_question_comes_again_only_when_the_user_wants(bench: Workbench, notes: Notes) -> None:
    user = User(None)
    async with held(bench, odd=asking("plain", notes)) as mcp:
        await mcp.until(lambda: mcp.server().state == "needs_input")
        await user.prompts(mcp)
        await user.prompts(mcp)
        assert len(user.asked) == 1
        assert mcp.server().state == "needs_input"
        assert user.told[-1].startswith("Missing MCP servers: odd: The MCP server odd needs a value from you: token.")
        assert not await mcp.servers.enter_inputs("odd", user.ask)
        assert (len(user.asked), mcp.server().state) == (2, "needs_input")
        for value in ("first", "second"):
            user.answers = {"API token": value}
            assert await mcp.servers.enter_inputs("odd", user.ask)
            assert mcp.server().state == "connected"
        await notes.until("given second")
    assert notes.count("given first") == 1


async def test_no_prompt_waits_for_a_server_whose_values_the_user_is_being_asked_for(bench: Workbench) -> None:
    answer, is_asked = asyncio.Event(), asyncio.Event()

    async def ask(questions: Sequence[Question]) -> None:
        is_asked.set()
        await answer.wait()

    told: list[str] = []
    around = ServerServices((bench.root,), bench.root.parent / "config" / "mcp-auth.json", begin_after_seconds=9000)
    servers = McpServers(read({"odd": asking()}), around)
    servers.begin()
    first = asyncio.create_task(servers.started(600, told.append, ask=ask))
    await is_asked.wait()
    await servers.started(600, told.append, ask=ask)
    answer.set()
    await first
    await servers.close()
    asked, missing = told
    assert asked == "MCP servers that need values from you: odd."
    assert missing.startswith("Missing MCP servers: odd: The MCP server odd needs a value from you: token.")


async def test_without_a_user_the_server_is_left_out_and_asked_about_when_a_user_comes(bench: Workbench) -> None:
    user = User(NobodyToAsk("Nobody is here."))
    async with held(bench, odd=asking()) as mcp:
        await user.prompts(mcp)
        await user.prompts(mcp)
        assert mcp.server().state == "needs_input"
        assert sum("need" in text for text in user.told) == 2, "the need and the missing server are told once"
        user.answers = {"API token": "value"}
        await user.prompts(mcp)
        assert mcp.server().state == "connected"


async def test_a_stopped_turn_is_no_answer(bench: Workbench) -> None:
    is_asked = asyncio.Event()

    async def wait(questions: Sequence[Question]) -> list[list[str]] | None:
        is_asked.set()
        await asyncio.Event().wait()
        raise AssertionError

    user = User({"API token": "value"})
    async with held(bench, odd=asking()) as mcp:
        turn = asyncio.create_task(mcp.servers.started(600, user.told.append, ask=wait))
        await is_asked.wait()
        await mcp.servers.started(0, user.told.append, ask=user.ask)
        assert user.asked == [], "another session does not ask at the same time"
        turn.cancel()
        await asyncio.gather(turn, return_exceptions=True)
        await user.prompts(mcp)
        assert len(user.asked) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"command": ["/nowhere/else"]},
        {"args": ["more"]},
        {"env": {"GIVEN": "${input:token}", "TO": "elsewhere"}},
        {"cwd": "/"},
        {"inputs": [{**TOKEN, "description": "API token!"}]},
    ],
)
async def test_a_changed_server_gets_no_value_of_before(bench: Workbench, changed: Json) -> None:
    user = User({"API token": "value"})
    async with held(bench, odd=asking()) as mcp:
        await user.prompts(mcp)
        await mcp.connected()
        mcp.servers.follow(read({"odd": {**asking(), **changed}}))
        await mcp.until(lambda: mcp.server().state == "needs_input")
        mcp.servers.follow(read({"odd": asking()}))
        await mcp.connected()
    assert len(user.asked) == 1


async def test_a_value_belongs_to_one_project(bench: Workbench, tmp_path: Path) -> None:
    user = User({"API token": "value"})
    async with held(bench, odd=asking()) as mcp:
        await user.prompts(mcp)
        await mcp.connected()
    (tmp_path / "other").mkdir()
    tokens = bench.root.parent / "config" / "mcp-auth.json"
    for folder, state in ((bench.root, "waiting"), (tmp_path / "other", "needs_input")):
        servers = McpServers(read({"odd": asking()}), ServerServices((folder,), tokens))
        await servers.look_for_inputs()
        assert servers.find("odd").state == state


async def test_a_worktree_of_placet_has_the_values_of_its_project_and_another_worktree_has_none(
    repository: Repository,
) -> None:
    worktree = (await create_worktree(repository.home, repository.top, "one")).worktree
    foreign = repository.home.parent / "foreign"
    repository.git("worktree", "add", "--quiet", str(foreign))
    tokens = repository.home.parent / "mcp-auth.json"

    def servers(folder: Path) -> McpServers:
        return McpServers(read({"odd": asking()}), ServerServices((folder,), tokens, repository.home))

    own = servers(repository.top)
    await own.enter_inputs("odd", User({"API token": "value"}).ask)
    await own.close()
    for folder, state in ((worktree.path, "waiting"), (foreign, "needs_input")):
        others = servers(folder)
        await others.look_for_inputs()
        assert others.find("odd").state == state


async def test_a_value_is_no_reference(bench: Workbench, notes: Notes) -> None:
    user = User({"name": "${input:token} {env:HOME}", "API token": PASSWORD})
    async with held(bench, odd=asking("plain", notes, "${input:name}/${input:token}", NAME, TOKEN)) as mcp:
        await user.prompts(mcp)
        await notes.until("given ")
    assert f"given ${{input:token}} {{env:HOME}}/{PASSWORD}" in notes.lines


async def test_servers_with_the_same_input_share_a_question_that_names_all_places(bench: Workbench) -> None:
    far = {
        "url": "http://127.0.0.1:9/mcp",
        "headers": {"X": "${input:token}"},
        "inputs": [TOKEN],
        "timeoutSeconds": 600,
    }
    user = User({"API token": "value"})
    async with held(bench, odd=asking(), far=far) as mcp:
        await mcp.servers.started(0, user.told.append, ask=user.ask)
        [question] = user.asked
        assert question.question.startswith(
            "The MCP servers odd and far ask for: API token\nPlacet gives the value to `"
        )
        assert question.question.endswith(" and to http://127.0.0.1:9/mcp.")
        await mcp.connected()


async def test_the_default_is_proposed_and_values_that_make_no_address_start_nothing(bench: Workbench) -> None:
    far = {"url": "${input:url}/mcp", "inputs": [{"id": "url", "default": "ftp://a"}]}
    user = User({"url": "ftp://a"})
    async with held(bench, odd=asking("plain", None, "${input:name}", NAME), far=far) as mcp:
        user.answers = {"asks for: url": "ftp://a", "asks for: name": "Ada"}
        await user.prompts(mcp)
        assert mcp.server().state == "connected"
        assert mcp.server("far").state == "needs_input"
        assert "make no address that begins with http:// or https://" in mcp.server("far").problem
    assert [[option.label for option in question.options] for question in user.asked] == [["Ada"], ["ftp://a"]]
    assert "to ${input:url}/mcp." in user.asked[1].question


async def test_values_given_elsewhere_start_the_server(bench: Workbench) -> None:
    async with held(bench, odd=asking()) as mcp:
        await mcp.until(lambda: mcp.server().state == "needs_input")
        mcp.servers.reload_inputs()
        async with held(bench, odd=asking()) as elsewhere:
            await elsewhere.servers.enter_inputs("odd", User({"API token": "value"}).ask)
        mcp.servers.reload_inputs()
        await mcp.connected()


async def test_a_session_takes_values_that_another_process_has_kept(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    async with workshop.work([{"text": "Done."}], mcp={"odd": asking()}) as work:
        mcp = work.sessions.extensions.mcp
        while mcp.find("odd").state != "needs_input":
            await mcp.changed()
        around = ServerServices((workshop.project,), workshop.locations.mcp_tokens)
        elsewhere = McpServers(read({"odd": asking()}), around)
        await elsewhere.enter_inputs("odd", User({"API token": "value"}).ask)
        await elsewhere.close()
        while mcp.find("odd").state != "connected":
            await mcp.changed()


async def test_signing_out_deletes_the_values(bench: Workbench) -> None:
    async with held(bench, odd=asking()) as mcp:
        await mcp.servers.enter_inputs("odd", User({"API token": "value"}).ask)
        assert await mcp.servers.sign_out("odd")
        assert mcp.server().state == "disconnected"
        assert (await mcp.servers.connect("odd")).state == "needs_input"


async def test_a_server_without_inputs_asks_for_no_values(bench: Workbench) -> None:
    async with held(bench, odd=odd("plain")) as mcp:
        with pytest.raises(RequestError, match="The MCP server odd asks for no values"):
            await mcp.servers.enter_inputs("odd", User(None).ask)


async def test_the_words_of_a_question_are_made_harmless(bench: Workbench) -> None:
    user = User(None)
    described = {"id": "x", "description": "A\nThe MCP server good asks for: B\x1b[2J" + "y" * 9000}
    async with held(bench, odd=asking("plain", None, "${input:x}", described)) as mcp:
        await user.prompts(mcp)
    first, second = user.asked[0].question.split("\n")
    assert first.startswith("The MCP server odd asks for: A The MCP server good asks for: B [2J")
    assert second.startswith("Placet gives the value to ")
    assert len(first) < 600


# ---------------------------------------------------------------- a password stays with the server


async def test_a_password_is_taken_out_of_all_words_of_the_server(
    bench: Workbench, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    servers = {"odd": asking("leaks"), "wrong": asking("refuses")}
    async with held(bench, **servers) as mcp:
        await User({"API token": PASSWORD}).prompts(mcp)
        await mcp.connected()
        tools = await mcp.servers.tools()
        result = await mcp.run("odd_do")
        assert json.loads(result.output)["GIVEN"] == "${input:token}"
        with pytest.raises(ToolError) as refused:
            await mcp.run("odd_ask")
        assert "no rights for ${input:token}" in str(refused.value)
        wrong = mcp.server("wrong").problem
        assert wrong.endswith("x${inp"), wrong
        told = [tool.id for tool in tools] + [tool.description for tool in mcp.server().offered.tools]
        told += [str(refused.value), wrong, result.output]
        told += [mcp.server().instructions, caplog.text]
    assert "said what is no message" in caplog.text
    assert "odd says: " in caplog.text
    assert not any("5e7c" in text for text in told), told


async def test_a_password_is_neither_in_events_nor_in_the_store_nor_in_a_tools_environment(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    services = TempServices(tmp_path)
    asked: list[Question] = []

    async def answer(session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        asked.extend(questions)
        return [[PASSWORD]]

    services.user.ask = answer  # type: ignore[method-assign]
    calls: list[Json] = [{"call": "odd_do"}, {"call": "bash", "arguments": {"command": "env", "description": "x"}}]
    script = services.script(calls, [{"text": "Done."}])
    settings = {"mcp": {"odd": asking("leaks", None), "waitSeconds": 600}, "agent": {"title": {"disable": True}}}
    async with services.open(script, **settings) as sessions:
        session = await sessions.create(title="t")
        assert (await session.prompt([TextPart(text="Go on.")])).stop_reason == "end_turn"
        assert [question.secret for question in asked] == [True]
        events = [event.model_dump_json() for event in services.screen.events]
        messages = [message.model_dump_json() for message in session.messages]
    assert any("${input:token}" in event for event in events), "the server's leak has come so far"
    holding = [file for file in tmp_path.rglob("*") if file.is_file() and b"5e7c" in file.read_bytes()]
    assert holding == [services.locations.mcp_tokens]
    assert not any("5e7c" in text for text in (*events, *messages, caplog.text))
