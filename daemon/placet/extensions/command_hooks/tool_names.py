"""Tools and arguments in the names of Claude Code, for which the matchers and scripts of hooks are written. Pure."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from placet.core.messages import JsonObject
from placet.extensions.mcp.offers.names import prefix

_NAMES: dict[str, tuple[str, ...]] = {
    "apply_patch": ("apply_patch", "Edit", "MultiEdit", "Write"),
    "bash": ("Bash",),
    "edit": ("Edit",),
    "glob": ("Glob",),
    "grep": ("Grep",),
    "list": ("LS",),
    "lsp": ("LSP",),
    "multiedit": ("MultiEdit", "Edit"),
    "plan_enter": ("EnterPlanMode",),
    "plan_exit": ("ExitPlanMode",),
    "question": ("AskUserQuestion",),
    "read": ("Read",),
    "skill": ("Skill",),
    "task": ("Task", "Agent"),
    "todoread": ("TodoRead",),
    "todowrite": ("TodoWrite",),
    "webfetch": ("WebFetch",),
    "websearch": ("WebSearch",),
    "write": ("Write",),
}
"""Names of Claude Code for each tool; the first stands in the input of a hook."""
_ARGUMENTS: dict[str, dict[str, str]] = {
    "bash": {"background": "run_in_background"},
    "grep": {"include": "glob"},
}
"""Names of arguments that differ by more than the spelling."""
_PATHS = ("file_path", "path")
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
_CAPITAL = re.compile(r"(?<=[a-z0-9])([A-Z])")


class HookTool(Struct, frozen=True):
    """Tool call in the names of Claude Code."""

    names: tuple[str, ...]
    """Names for matchers: the first is `tool_name` in the input, the last is Placet's own."""
    input: JsonObject


def hook_tool(tool: str, arguments: JsonObject, directory: Path, servers: Iterable[str]) -> HookTool:
    """Return the call as a hook sees the call; paths are absolute, and `servers` are the names of the MCP servers."""
    names = _NAMES.get(tool) or _mcp_name(tool, servers)
    given: JsonObject = {_for_hook(tool, name): value for name, value in arguments.items()}
    if tool == "apply_patch" and isinstance(patch := given.get("patch_text"), str):
        files = [str(directory / name.strip()) for name in _PATCHED.findall(patch)]
        given = {**given, "file_path": files[0] if files else "", "file_paths": files}
    for name in _PATHS:
        if isinstance(path := given.get(name), str) and path and "\0" not in path:
            given[name] = str(directory / path)
    return HookTool(tuple(dict.fromkeys((*names, tool))), given)


def arguments_from(tool: str, updated: JsonObject, arguments: JsonObject) -> JsonObject:
    """Return the arguments of a hook's changed input: Placet's spelling as the call had the name, or as tools have."""
    spelled = {_for_hook(tool, name): name for name in arguments}
    own = {hook_name: name for name, hook_name in _ARGUMENTS.get(tool, {}).items()}
    added = ("file_path", "file_paths") if tool == "apply_patch" else ()
    return {
        spelled.get(name) or own.get(name) or (_camel(name) if tool in _NAMES else name): value
        for name, value in updated.items()
        if name not in added
    }


def response_of(tool: str, call: HookTool, title: str, output: str, metadata: Mapping[str, Any]) -> JsonObject:
    """Return the result of a call as a hook sees the result."""
    response: JsonObject = {"success": True, "title": title, "output": output, "metadata": dict(metadata)}
    if tool == "bash":
        response |= {"stdout": output, "stderr": "", "interrupted": False}
    if "file_path" in call.input:
        response["filePath"] = call.input["file_path"]
    return response


def _mcp_name(tool: str, servers: Iterable[str]) -> tuple[str, ...]:
    """Return the name of an MCP tool; of two servers whose names begin alike the longer name counts."""
    known = sorted((name for name in servers if tool.startswith(prefix(name))), key=len, reverse=True)
    if not known:
        return ()
    name = tool.removeprefix(prefix(known[0]))
    bundle, colon, server = known[0].partition(":")
    return (f"mcp__plugin_{bundle}_{server}__{name}" if colon else f"mcp__{known[0]}__{name}",)


def _for_hook(tool: str, name: str) -> str:
    if tool not in _NAMES:
        return name
    return _ARGUMENTS.get(tool, {}).get(name) or _CAPITAL.sub(lambda capital: f"_{capital[1].lower()}", name)


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
