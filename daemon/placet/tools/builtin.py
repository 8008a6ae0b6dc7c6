"""Built-in tools as a request needs them: name, description and schema stand here and in schemas.json.

A tool's own module, with all that the tool does, is imported by the first call: no start pays for a tool that the model
never calls. `make docs` writes schemas.json from the modules.
"""

import importlib
import json
import os
from collections.abc import Awaitable, Callable
from functools import cache, partial
from pathlib import Path
from typing import TypedDict

from placet.core.executor import in_thread
from placet.core.messages import JsonObject
from placet.project.protected_names import MEMORY
from placet.project.skills import Skill, find_skills
from placet.tools.framework.define import AgentView, ReadyTool, Run, Tool, ToolContext, ToolResult
from placet.tools.texts import text_for

SCHEMAS = Path(__file__).with_name("schemas.json")
"""File with the schema of every tool, and whether calls of the tool may run side by side."""

HAS_SANDBOXES = os.name != "nt"
"""Whether systems of this kind have a sandbox for commands."""

MODULES = {"list": "listing"}
"""Modules of the tools whose module is not named like the tool."""


class _Spec(TypedDict):
    concurrent: bool
    schema: JsonObject


Describe = Callable[[AgentView], Awaitable[str]]


@cache
def _specs() -> dict[str, _Spec]:
    return json.loads(SCHEMAS.read_text("utf-8"))


@cache
def implementation(id: str) -> Tool:
    """Import the module of a built-in tool, and return the tool with its implementation. Blocks."""
    return importlib.import_module(f"placet.tools.{MODULES.get(id, id)}").TOOL


def _tool(
    id: str,
    describe: Describe | None = None,
    *,
    leave_out: Callable[[AgentView], frozenset[str]] = lambda _: frozenset(),
    lacks: Callable[[AgentView], str] = lambda _: "",
    hidden: bool = False,
) -> Tool:
    """Return the tool; `describe` is for a description that depends on the agent, and `leave_out` for arguments that
    the agent does not have.
    """

    async def run_for(agent: AgentView) -> Run:
        return await (await in_thread(implementation, id)).run_for(agent)

    async def ready(agent: AgentView) -> ReadyTool:
        loaded: list[Run] = []

        async def execute(arguments: JsonObject, context: ToolContext) -> ToolResult:
            if not loaded:
                loaded.append(await run_for(agent))
            return await loaded[0](arguments, context)

        description = text_for(id) if describe is None else await describe(agent)
        spec = _specs()[id]
        schema = _without(spec["schema"], leave_out(agent))
        return ReadyTool(id, description, schema, spec["concurrent"], execute, hidden)

    return Tool(id, ready, run_for, lacks, hidden)


def _without(schema: JsonObject, arguments: frozenset[str]) -> JsonObject:
    """Return the schema without the arguments, none of which the schema requires."""
    if not arguments:
        return schema
    properties = {name: value for name, value in schema["properties"].items() if name not in arguments}
    return {**schema, "properties": properties}


def _left_out_of_bash(agent: AgentView) -> frozenset[str]:
    if not _may_be_contained(agent):
        return frozenset(("outside", "files"))
    return frozenset() if agent.settings.sandbox.leaving == "ask" else frozenset(("outside",))


def _may_be_contained(agent: AgentView) -> bool:
    return HAS_SANDBOXES and agent.settings.sandbox.mode != "off"


def _lacks_batch(agent: AgentView) -> str:
    return "" if agent.settings.experimental.batch_tool else "Set `experimental.batchTool` to true to have it."


def _lacks_search(agent: AgentView) -> str:
    if agent.settings.search.api_key is not None:
        return ""
    return "Set EXA_API_KEY, or switch it on in the setting `tools`, to have it."


def _lacks_memory(agent: AgentView) -> str:
    if agent.judge("edit", MEMORY) == "deny":
        return f"The permission rules of the agent `{agent.name}` deny `edit` of {MEMORY}."
    return ""


def _lacks_plan_mode(agent: AgentView) -> str:
    if not agent.settings.experimental.plan_mode:
        return "Set `experimental.planMode` to true to have it."
    return "" if agent.plan_file is not None else "There is no place for the plan file."


async def describe_bash(agent: AgentView) -> str:
    """Return the description of `bash`, with the name of the shell, and with the sandbox if a command may be inside."""
    from placet.tools.shell.program import for_shell

    parts = [for_shell(text_for("bash"))]
    if _may_be_contained(agent):
        parts.append(text_for("bash_sandbox"))
        if agent.settings.sandbox.leaving == "ask":
            parts.append(text_for("bash_outside"))
    return "\n\n".join(parts)


async def describe_task(agent: AgentView) -> str:
    """Return the description of `task`, with the subagents that the agent may give work to."""
    return text_for("task").replace(
        "{agents}", "\n".join(f"- `{name}`: {description}" for name, description in agent.subagents)
    )


async def describe_plan_exit(agent: AgentView) -> str:
    """Return the description of `plan_exit`, with the file of the session's plan."""
    return f"{text_for('plan_exit')}\n\nThe plan file of this session: {agent.plan_file}"


async def describe_skill(agent: AgentView) -> str:
    """Return the description of `skill`, with the skills that the agent may load."""
    skills = await skills_of(agent)
    if not skills:
        return f"{text_for('skill')}\n\nThere are no skills at the moment."
    listed = "\n".join(("Skills:", "", *(f"- **{name}**: {skill.description}" for name, skill in skills.items())))
    return f"{text_for('skill')}\n\n{listed}"


async def skills_of(agent: AgentView) -> dict[str, Skill]:
    """Return the skills that the agent may load, by name in alphabetical order."""
    every_skill = await in_thread(partial(find_skills, agent.skill_directories, vouches=agent.vouches))
    return {name: skill for name, skill in sorted(every_skill.items()) if agent.judge("skill", name) != "deny"}


BUILTIN: tuple[Tool, ...] = (
    _tool("invalid", hidden=True),
    _tool("question"),
    _tool("bash", describe_bash, leave_out=_left_out_of_bash),
    _tool("read"),
    _tool("glob"),
    _tool("grep"),
    _tool("list"),
    _tool("edit"),
    _tool("multiedit"),
    _tool("write"),
    _tool("apply_patch"),
    _tool("task", describe_task),
    _tool("webfetch"),
    _tool("todowrite"),
    _tool("todoread"),
    _tool("remember", lacks=_lacks_memory),
    _tool("websearch", lacks=_lacks_search),
    _tool("codesearch", lacks=_lacks_search),
    _tool("skill", describe_skill),
    _tool("lsp"),
    _tool("batch", lacks=_lacks_batch),
    _tool("plan_enter", lacks=_lacks_plan_mode),
    _tool("plan_exit", describe_plan_exit, lacks=_lacks_plan_mode),
)
