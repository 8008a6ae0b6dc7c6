"""Tools of many MCP servers: the model finds them by `tool_search`, once they would take too much of its context."""

import json
from pathlib import Path
from typing import Any

import pytest

from corpus_support import corpus
from mcp_support import odd
from placet.agent.turn.tool_search import ranked
from placet.core.messages import TextPart, ToolPart
from placet.model.base import ModelRequest
from placet.sessions.registry import Sessions
from placet.sessions.session import Session
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import ReadyTool, ToolResult
from services_support import TempServices

GO = [TextPart(text="Go on.")]
MANY: dict[str, Any] = {f"s{number}": odd("many", permission="allow") for number in range(20)}
NO_TITLE: dict[str, Any] = {"agent": {"title": {"disable": True}}}
SEARCH = {"call": "tool_search", "arguments": {"query": "delete an invoice in s7", "limit": 2}}
DELETE = {"call": "s7_delete_invoice", "arguments": {"field0": "a"}}
DONE = {"text": "Done."}


async def connected(sessions: Sessions) -> None:
    mcp = sessions.extensions.mcp
    mcp.begin()
    for server in mcp.servers:
        await server.tried()
        assert server.state == "connected", server.problem


def requests(session: Session) -> list[ModelRequest]:
    [model] = session.models.values()
    return model.requests  # type: ignore[attr-defined]


def names(request: ModelRequest) -> list[str]:
    return [tool.name for tool in request.tools]


def size(request: ModelRequest) -> int:
    return len(json.dumps([[tool.name, tool.description, tool.parameters] for tool in request.tools]).encode())


def outputs(session: Session) -> list[str]:
    parts = [part for message in session.messages for part in message.parts if isinstance(part, ToolPart)]
    return [getattr(part.state, "output", "") or getattr(part.state, "error", "") for part in parts]


async def test_of_400_tools_the_searched_tool_is_offered_with_the_next_step_and_called(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    script = services.script([SEARCH], [DELETE], [DONE])
    async with services.open(script, mcp=MANY, **NO_TITLE) as sessions:
        session = await sessions.create(title="t")
        await connected(sessions)
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        first, second, third = requests(session)
        assert size(first) < 30_000
        assert not any(name.startswith("s7_") for name in names(first))
        [search] = [tool for tool in first.tools if tool.name == "tool_search"]
        assert "s7 (20)" in search.description
        assert names(second)[-2] == "s7_delete_invoice"
        assert second.tools[:-2] == first.tools, "nothing changes before the tools that were found"
        assert third.tools == second.tools
        assert outputs(session)[1] == 'delete_invoice {"field0": "a"}'


async def test_found_tools_stay_after_a_compaction_and_for_the_session_read_again(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    script = services.script([SEARCH], [{"text": "Word. " * 6000}], [{"text": "A summary."}], [DONE])
    async with services.open(script, mcp=MANY, **NO_TITLE) as sessions:
        session = await sessions.create(title="t")
        await connected(sessions)
        await session.prompt(GO)
        await session.compact()
        await session.prompt(GO)
        assert names(requests(session)[-1])[-2] == "s7_delete_invoice"
        id = session.info.id
    async with services.open(services.script([DONE]), mcp=MANY, **NO_TITLE) as sessions:
        session = await sessions.load(id)
        await connected(sessions)
        await session.prompt(GO)
        assert names(requests(session)[-1])[-2] == "s7_delete_invoice"


async def test_a_tool_that_was_not_searched_for_can_be_called_and_is_offered_then(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    script = services.script([DELETE], [{"call": "s7_nonsense"}], [DONE])
    async with services.open(script, mcp=MANY, **NO_TITLE) as sessions:
        session = await sessions.create(title="t")
        await connected(sessions)
        await session.prompt(GO)
        first, second = outputs(session)
        assert first == 'delete_invoice {"field0": "a"}'
        assert names(requests(session)[1])[-1] == "s7_delete_invoice"
        assert "There is no tool `s7_nonsense`" in second
        assert "Further tools are found by `tool_search`." in second
        assert "s7_delete_invoice" not in second


@pytest.mark.parametrize(
    ("settings", "searches"),
    [
        ({"toolBudget": 1}, False),
        ({"toolBudget": 0}, True),
        ({}, False),
    ],
)
async def test_few_tools_are_all_offered_unless_the_budget_is_smaller(
    tmp_path: Path, settings: dict[str, Any], searches: bool
) -> None:
    services = TempServices(tmp_path)
    async with services.open(services.script([DONE]), mcp={"s7": odd("many"), **settings}, **NO_TITLE) as sessions:
        session = await sessions.create(title="t")
        await connected(sessions)
        await session.prompt(GO)
        offered = names(requests(session)[0])
        assert ("tool_search" in offered) is searches
        assert ("s7_delete_invoice" in offered) is not searches
        assert "read_mcp_resource" in offered


async def test_where_the_rules_deny_the_search_all_tools_are_offered(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    settings = {"mcp": {"s7": odd("many"), "toolBudget": 0}, "permission": {"tool_search": "deny"}, **NO_TITLE}
    async with services.open(services.script([DONE]), **settings) as sessions:
        session = await sessions.create(title="t")
        await connected(sessions)
        await session.prompt(GO)
        assert "s7_delete_invoice" in names(requests(session)[0])


async def _no_run(arguments: dict[str, Any], context: ToolContext) -> ToolResult:
    raise AssertionError


def tool(id: str, description: str) -> ReadyTool:
    return ReadyTool(id, description, {}, False, _no_run, server="a")


TOOLS = [
    tool("log_note", "Note an alert of the pager."),
    tool("pager_alert", "Wake somebody up."),
    tool("hub_mergeBranch", "Join two lines of work."),
    tool("hub_createIssue", "Create an issue in a repository."),
    tool("hub_list_issues", "List the issues of a repository."),
    tool("mail_send", "Send a message, for example about an issue."),
    tool("größe_messen", "Misst die Größe."),
]


@corpus(
    ("query", "best"),
    [
        ("create issue", "hub_createIssue"),
        ("list issues", "hub_list_issues"),
        ("messages", "mail_send"),
        ("Größe", "größe_messen"),
        ("pager alert", "pager_alert"),
        ("branch", "hub_mergeBranch"),
        ("mail_send hub create issue repository", "mail_send"),
    ],
)
def test_a_search_ranks_by_rare_words_and_names_first(query: str, best: str) -> None:
    assert ranked(query, TOOLS)[0].id == best


def test_a_search_without_a_common_word_finds_nothing() -> None:
    assert ranked("kubernetes", TOOLS) == []
    assert ranked("?!", TOOLS) == []
