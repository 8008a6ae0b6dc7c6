"""The profile of a session's model: chosen, kept, told, and what the model is asked in each profile."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from placet.core.messages import TextPart
from placet.frontends.lsp.handlers.models import find_models
from placet.frontends.lsp.protocol.catalog_messages import ListModels
from placet.model.base import ToolSpec
from placet.model.token_estimate import fixed_tokens, text_tokens
from services_support import TempServices
from time_support import limited
from wire_servers.answers import Answer, Call, Text
from wire_servers.server import RecordedRequest, WireServer

GO = [TextPart(text="In calc.py, make mean() return 0 for an empty list.")]
SIX = {"read", "list", "grep", "edit", "write", "bash"}
MARGIN = 1.15
"""Tokens of Qwen2.5-Coder for a token of the estimate, rounded up: 1,144 and 1,085 for the first request of `small`."""


@pytest.fixture
def services(tmp_path: Path) -> TempServices:
    services = TempServices(tmp_path)
    (services.project / "calc.py").write_text("def mean(xs):\n    return sum(xs) / len(xs)\n")
    return services


def script(request: RecordedRequest) -> Answer:
    """Return a read, and an answer after the read; a title for a request without tools."""
    if not request.body.get("tools"):
        return (Text("A title"),)
    has_read = request.messages[-1]["role"] == "tool"
    return (Text("Looked."),) if has_read else (Call("read", {"filePath": "calc.py"}),)


@pytest_asyncio.fixture
async def server() -> AsyncIterator[WireServer]:
    async with WireServer(script) as server:
        yield server


def local(server: WireServer, name: str = "qwen2.5-coder-7b", **settings: Any) -> dict[str, Any]:
    """Return settings with a model on this server, and with a provider of the same server."""
    return {
        "model": f"mine/{name}",
        "providers": {"mine": {"apiBase": server.openai_base, "key": False}},
        **settings,
    }


def sizes(request: RecordedRequest) -> int:
    """Return the estimate of the tokens of the request."""
    tools = [
        ToolSpec(tool["function"]["name"], tool["function"]["description"], tool["function"]["parameters"])
        for tool in request.body.get("tools", ())
    ]
    return fixed_tokens([], tools) + sum(text_tokens(str(message["content"])) for message in request.messages)


def tools(request: RecordedRequest) -> set[str]:
    return {tool["function"]["name"] for tool in request.body.get("tools", ())}


def notices(services: TempServices) -> list[str]:
    return [
        event.update.message
        for event in services.screen.events
        if event.update.kind == "notice" and event.update.code == "profile"
    ]


async def test_a_small_model_has_six_tools_and_a_first_request_of_at_most_1500_tokens(
    services: TempServices, server: WireServer
) -> None:
    (services.project / "AGENTS.md").write_text("Write tests.\n" * 500)
    async with services.open(**local(server)) as sessions:
        await (await sessions.create()).prompt(GO)

    first = server.requests[0]
    assert tools(first) == SIX
    assert sizes(first) * MARGIN < 1500
    assert "Write tests." not in str(first.messages)
    assert "AGENTS.md" in str(first.messages)


async def test_a_model_in_the_cloud_and_a_large_model_have_all_tools(
    services: TempServices, server: WireServer
) -> None:
    async with services.open(**local(server, "qwen3-coder-30b")) as sessions:
        await (await sessions.create()).prompt(GO)

    assert tools(next(request for request in server.requests if tools(request))) > SIX | {"glob", "task", "webfetch"}
    assert notices(services) == []


async def test_a_short_schema_has_no_words_beside_the_names(services: TempServices, server: WireServer) -> None:
    async with services.open(**local(server)) as sessions:
        await (await sessions.create()).prompt(GO)

    schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in server.requests[0].body["tools"]}
    assert "description" not in json.dumps({name: schema["properties"] for name, schema in schemas.items()})
    assert schemas["edit"]["required"] == ["filePath", "oldString", "newString"]
    assert schemas["bash"] == {
        "type": "object",
        "properties": {"command": {"type": "string"}},
        "required": ["command"],
    }


async def test_each_request_of_a_session_begins_with_the_request_before(
    services: TempServices, server: WireServer
) -> None:
    async with services.open(**local(server)) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        await session.prompt([TextPart(text="And now?")])

    assert len(server.requests) == 4
    for before, after in zip(server.requests, server.requests[1:], strict=False):
        assert json.dumps(after.body["tools"]) == json.dumps(before.body["tools"])
        assert json.dumps(after.messages).startswith(json.dumps(before.messages).removesuffix("]"))


async def test_two_sessions_of_a_project_begin_their_requests_alike(services: TempServices, server: WireServer) -> None:
    async with services.open(**local(server)) as sessions:
        await (await sessions.create()).prompt(GO)
        await (await sessions.create()).prompt([TextPart(text="Another task.")])

    first, second = server.requests[0], server.requests[2]
    assert first.body["tools"] == second.body["tools"]
    assert first.messages[:-1] == second.messages[:-1]


async def test_nothing_is_asked_beside_the_turn_of_a_small_model(services: TempServices, server: WireServer) -> None:
    async with services.open(**local(server)) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        search = session._titles._search
        assert search is not None
        await search

        assert session.info.title == GO[0].text
    assert all(tools(request) for request in server.requests), "a title is asked without tools"


async def test_a_title_is_asked_of_a_model_that_is_not_small(services: TempServices, server: WireServer) -> None:
    async with services.open(**local(server, "qwen3-coder-30b")) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        async with limited(lambda: f"a title instead of {session.info.title}"):
            while session.info.title != "A title":
                await services.screen.wait_for_more()


async def test_the_profile_and_its_reason_are_told_once_and_again_after_a_change(
    services: TempServices, server: WireServer
) -> None:
    async with services.open(**local(server)) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        await session.prompt(GO)
        assert notices(services) == [
            "mine/qwen2.5-coder-7b works in the profile `small`: its name says 7 billion parameters."
        ]
        await session.choices.set_profile("full")
        await session.prompt(GO)
        assert notices(services)[1:] == ["mine/qwen2.5-coder-7b works in the profile `full`: you chose it."]
    first, *_, last = [request for request in server.requests if tools(request)]
    assert tools(last) > SIX
    assert "Call `read` once" in str(first.messages[0]["content"])
    assert "Call `read` once" not in str(last.messages[0]["content"])


async def test_the_choice_is_kept_with_the_session_and_its_forks_and_told_to_other_processes(
    services: TempServices,
) -> None:
    async with services.open() as sessions, TempServices(services.directory).open() as others:
        session = await sessions.create(title="T")
        theirs = await others.load(session.info.id)
        await session.choices.set_profile("small")
        await (await others.load(theirs.info.id)).choices.set_profile(None)
        assert (await sessions.load(session.info.id)).info.profile is None
        await session.choices.set_profile("smallest")
        updates = [event.update for event in services.screen.events if event.update.kind == "profile_update"]
        assert [update.profile for update in updates] == ["small", None, "smallest"]
        assert (await sessions.fork(session.info.id)).info.profile == "smallest"
    async with services.open() as sessions:
        assert (await sessions.load(session.info.id)).info.profile == "smallest"


async def test_the_profile_of_a_model_outweighs_the_profile_of_all_models(
    services: TempServices, server: WireServer
) -> None:
    settings = local(server, profile="full")
    settings["providers"]["mine"]["models"] = {"qwen2.5-coder-7b": {"profile": "small"}}
    async with services.open(**settings) as sessions:
        await (await sessions.create()).prompt(GO)

    assert tools(server.requests[0]) == SIX
    assert notices(services) == ["mine/qwen2.5-coder-7b works in the profile `small`: your settings say so."]


async def test_a_prompt_of_your_own_agent_stays_in_every_profile(services: TempServices, server: WireServer) -> None:
    agent = {"build": {"prompt": "You are a pirate."}}
    async with services.open(**local(server, agent=agent)) as sessions:
        await (await sessions.create()).prompt(GO)

    assert str(server.requests[0].messages[0]["content"]).startswith("You are a pirate.")


async def test_a_judge_on_the_server_of_a_small_model_leaves_the_question_to_the_user(
    services: TempServices,
) -> None:
    def answers(request: RecordedRequest) -> Answer:
        if not request.body.get("tools"):
            return (Text("allow: harmless"),)
        has_run = request.messages[-1]["role"] == "tool"
        return (Text("Done."),) if has_run else (Call("bash", {"command": "make things"}),)

    async with WireServer(answers) as server:
        settings = local(server, judge={"enabled": True, "model": "mine/qwen2.5-coder-7b"})
        async with services.open(**settings) as sessions:
            await (await sessions.create()).prompt(GO)

        assert [request.permission for request in services.user.asked] == ["bash"]
        assert all(tools(request) for request in server.requests)


async def test_the_list_of_models_names_the_profile_of_a_small_model_and_its_reason(
    services: TempServices, server: WireServer
) -> None:
    settings = local(server)
    settings["providers"]["mine"]["models"] = {"qwen2.5-coder-7b": {}, "other": {"profile": "smallest"}, "plain": {}}
    async with services.open(**settings) as sessions:
        listed = await find_models(sessions, settings["model"], ListModels(provider="mine"))

    profiles = {model.id.partition("/")[2]: (model.profile, model.profile_reason) for model in listed.models}
    assert profiles == {
        "qwen2.5-coder-7b": ("small", "its name says 7 billion parameters"),
        "other": ("smallest", "your settings say so"),
        "plain": (None, None),
    }
