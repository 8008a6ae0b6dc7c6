from corpus_support import corpus
from placet.permissions.rules import permission_named
from placet.settings import Settings
from placet.tools.framework.builtin import BUILTIN, builtin_tool, implementation, tool_specs
from placet.tools.framework.define import AgentView
from placet.tools.framework.facts import BuiltinSpec
from placet.tools.framework.registry import list_tools, ready_tools

LISTED = [
    "invalid", "question", "bash", "read", "glob", "grep", "list", "edit", "multiedit", "write", "apply_patch", "task",
    "webfetch", "todowrite", "todoread", "remember", "websearch", "codesearch", "skill", "lsp", "batch",
    "plan_enter", "plan_exit",
]  # fmt: skip
FLAGGED = {"batch", "codesearch", "plan_enter", "plan_exit", "websearch"}
ALL = Settings.model_validate({"experimental": {"batch_tool": True, "planMode": True}, "search": {"apiKey": "key"}})


async def names(agent: AgentView, *denied: str) -> list[str]:
    return list(await ready_tools(agent, lambda permission: permission in denied))


def view(**settings: object) -> AgentView:
    return AgentView("build", settings=Settings.model_validate(settings))


async def test_an_agent_has_its_tools_in_alphabetical_order() -> None:
    assert await names(AgentView("build")) == sorted({tool.id for tool in BUILTIN} - FLAGGED)


def test_tools_are_listed_in_the_order_of_the_reference() -> None:
    assert [tool.id for tool in BUILTIN if tool.id in LISTED] == LISTED


async def test_what_a_flag_or_a_key_keeps_back_is_listed_with_the_way_to_it() -> None:
    reasons = {tool.id: tool.reason for tool in await list_tools(AgentView("build"), lambda permission: False)}
    assert {name for name, reason in reasons.items() if reason} == FLAGGED
    assert "experimental.batchTool" in reasons["batch"]
    assert "experimental.planMode" in reasons["plan_exit"]
    assert "EXA_API_KEY" in reasons["websearch"]


async def test_flags_and_a_key_bring_every_tool(tmp_path) -> None:
    agent = AgentView("build", settings=ALL, plan_file=tmp_path / "plan.md")
    assert await names(agent) == sorted(tool.id for tool in BUILTIN)


async def test_a_denied_permission_takes_away_every_tool_it_governs() -> None:
    left = await names(AgentView("plan"), "edit", "bash")
    assert not set(left) & {"apply_patch", "bash", "edit", "multiedit", "write"}
    assert {"glob", "grep", "read"} <= set(left)


async def test_a_tool_is_switched_by_the_settings_whatever_its_flag_says() -> None:
    assert "websearch" in await names(view(tools={"websearch": True}))
    assert "bash" not in await names(view(tools={"bash": False}))
    assert await names(view(tools={"*": False, "read": True})) == ["invalid", "read"]


async def test_the_settings_do_not_switch_on_what_the_rules_deny() -> None:
    assert "websearch" not in await names(view(tools={"websearch": True}), "websearch")


async def test_a_model_trained_on_patches_edits_by_patches() -> None:
    ids = await names(AgentView("build", model="openai/gpt-5.1"))
    assert "apply_patch" in ids
    assert not {"edit", "multiedit", "write"} & set(ids)
    for model in ("openai/gpt-4o", "x/gpt-oss-120b", "anthropic/claude"):
        assert "edit" in await names(AgentView("build", model=model))


async def test_only_what_looks_runs_beside_others(tmp_path) -> None:
    agent = AgentView("build", settings=ALL, plan_file=tmp_path / "plan.md")
    tools = await ready_tools(agent, lambda permission: False)
    alone = {name for name, tool in tools.items() if not tool.concurrent}
    assert alone >= {
        "apply_patch",
        "bash",
        "batch",
        "edit",
        "lsp",
        "plan_enter",
        "plan_exit",
        "question",
        "todowrite",
        "write",
    }
    assert not alone & {"codesearch", "glob", "grep", "read", "skill", "todoread", "webfetch", "websearch"}


@corpus("tool", [tool for tool in BUILTIN if not tool.hidden])
async def test_every_tool_tells_the_model_what_it_does(tool) -> None:
    assert len((await tool.init(AgentView("build"))).description) > 200


def test_only_invalid_is_hidden_from_the_model() -> None:
    assert [tool.id for tool in BUILTIN if tool.hidden] == ["invalid"]


def test_what_changes_files_is_governed_by_one_permission() -> None:
    assert {permission_named(name) for name in ("apply_patch", "edit", "multiedit", "write")} == {"edit"}


async def test_patch_is_another_name_for_apply_patch_in_settings() -> None:
    assert "apply_patch" not in await names(view(tools={"patch": False}))
    assert {permission_named(tool) for tool in ("apply_patch", "edit", "multiedit", "patch", "write")} == {"edit"}


@corpus("spec", tool_specs())
async def test_a_request_names_a_tool_as_the_tools_own_file_does(spec: BuiltinSpec, tmp_path) -> None:
    agent = AgentView("build", settings=ALL, plan_file=tmp_path / "plan.md", subagents=(("general", "Does anything."),))
    listed, own = await builtin_tool(spec).init(agent), await implementation(spec.module).init(agent)
    assert own.id == spec.name
    assert (listed.id, listed.description, listed.schema, listed.concurrent) == (
        own.id,
        own.description,
        own.schema,
        own.concurrent,
    )
