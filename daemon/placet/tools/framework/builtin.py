"""Built-in tools as a request needs them, made of specs.json.

A tool's own file, with all that the tool does, is imported by the first call: no start pays for a tool that the model
never calls. `make docs` writes specs.json from the files in placet/tools.
"""

import importlib
from functools import cache, partial
from pathlib import Path
from typing import Any

import msgspec

from placet.core.executor import in_thread
from placet.core.messages import JsonObject
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import AgentView, ReadyTool, Run, Tool, ToolResult
from placet.tools.framework.description import description
from placet.tools.framework.facts import BuiltinSpec, lacks

SPECS = Path(__file__).parents[1] / "specs.json"
"""File with the spec of every built-in tool, in the order of the list of tools."""


@cache
def tool_specs() -> tuple[BuiltinSpec, ...]:
    """Return the specs of the built-in tools. Blocks for the first call."""
    return msgspec.json.decode(SPECS.read_bytes(), type=tuple[BuiltinSpec, ...])


@cache
def implementation(module: str) -> Tool:
    """Import the file of a built-in tool, and return the tool with its implementation. Blocks."""
    return importlib.import_module(module).TOOL


def builtin_tool(spec: BuiltinSpec) -> Tool:
    """Return the tool of the spec, whose file is imported by the first call."""

    async def run_for(agent: AgentView) -> Run:
        return await (await in_thread(implementation, spec.module)).run_for(agent)

    async def ready(agent: AgentView) -> ReadyTool:
        loaded: list[Run] = []

        async def execute(arguments: JsonObject, context: ToolContext) -> ToolResult:
            if not loaded:
                loaded.append(await run_for(agent))
            return await loaded[0](arguments, context)

        text = await (_function(spec.describe)(agent) if spec.describe else description(spec.name, agent))
        left_out: frozenset[str] = _function(spec.leave_out)(agent) if spec.leave_out else frozenset()
        schema = _without(spec.schema, left_out)
        return ReadyTool(spec.name, text, schema, spec.concurrent, execute, spec.hidden)

    return Tool(spec.name, ready, run_for, partial(lacks, spec), spec.hidden)


@cache
def _function(reference: str) -> Any:
    module, _, name = reference.partition(":")
    return getattr(importlib.import_module(module), name)


def _without(schema: JsonObject, arguments: frozenset[str]) -> JsonObject:
    """Return the schema without the arguments, none of which the schema requires."""
    if not arguments:
        return schema
    properties = {name: value for name, value in schema["properties"].items() if name not in arguments}
    return {**schema, "properties": properties}


BUILTIN: tuple[Tool, ...] = tuple(map(builtin_tool, tool_specs()))
