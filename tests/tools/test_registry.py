from placet.tools.define import AgentView
from placet.tools.registry import BUILTIN, ready_tools


async def names(agent: AgentView, *denied: str) -> list[str]:
    return list(await ready_tools(agent, lambda permission: permission in denied))


async def test_an_agent_has_all_tools_in_alphabetical_order() -> None:
    assert await names(AgentView("build")) == ["apply_patch", "bash", "edit", "glob", "grep", "read", "write"]
    assert len(BUILTIN) == 7


async def test_a_denied_permission_takes_away_every_tool_it_governs() -> None:
    assert await names(AgentView("plan"), "edit", "bash") == ["glob", "grep", "read"]


async def test_a_model_trained_on_patches_edits_by_patches() -> None:
    assert await names(AgentView("build", model="openai/gpt-5.1")) == ["apply_patch", "bash", "glob", "grep", "read"]
    for model in ("openai/gpt-4o", "x/gpt-oss-120b", "anthropic/claude"):
        assert "edit" in await names(AgentView("build", model=model))


async def test_only_what_looks_runs_beside_others() -> None:
    tools = await ready_tools(AgentView("build"), lambda permission: False)
    assert [name for name, tool in tools.items() if tool.concurrent] == ["glob", "grep", "read"]


async def test_every_tool_tells_the_model_what_it_does() -> None:
    for tool in (await ready_tools(AgentView("build"), lambda permission: False)).values():
        assert len(tool.description) > 200
