"""Tools of the profile `small`: six tools, each with a line of description and its usual arguments. Pure."""

from collections.abc import Mapping

from placet.core.messages import JsonObject
from placet.core.values import replace
from placet.tools.framework.define import ReadyTool

_ARGUMENTS = {
    "read": ("filePath", "offset", "limit"),
    "list": ("path",),
    "grep": ("pattern", "path", "include"),
    "edit": ("filePath", "oldString", "newString"),
    "write": ("filePath", "content"),
    "bash": ("command",),
    "apply_patch": ("patchText",),
}
_TEXTS = {
    "read": "Read a file. Lines come as `N: text`; the number is not part of the file.",
    "list": "List the files below a directory.",
    "grep": "Find lines in files by a regular expression.",
    "edit": "Replace `oldString`, copied exactly from a file that you have read, by `newString`.",
    "write": "Write a whole new file, or a whole file that you have read.",
    "bash": "Run a command, for example the tests.",
}
_TAKEN_AWAY = frozenset(("description", "title", "default"))


def small_tools(tools: Mapping[str, ReadyTool]) -> dict[str, ReadyTool]:
    """Return the tools for a small model, and the hidden tools.

    `apply_patch` stays with its own text for a model that has no other tool for changes. A call may give arguments
    that are not in the short schema: the tool takes them as always.
    """
    chosen: dict[str, ReadyTool] = {}
    for name, tool in tools.items():
        if tool.hidden:
            chosen[name] = tool
        elif name == "task":  # A command of the user may open the turn with the call.
            chosen[name] = replace(tool, hidden=True)
        elif name in _TEXTS:
            chosen[name] = replace(tool, description=_TEXTS[name], schema=_short_schema(tool))
        elif name == "apply_patch" and "edit" not in tools:
            chosen[name] = replace(tool, schema=_short_schema(tool))
    return chosen


def _short_schema(tool: ReadyTool) -> JsonObject:
    properties: JsonObject = tool.schema["properties"]
    return {
        "type": "object",
        "properties": {
            name: {key: part for key, part in properties[name].items() if key not in _TAKEN_AWAY}
            for name in _ARGUMENTS[tool.id]
            if name in properties
        },
        # A command needs its line: the whole schema also has calls without, which read a job.
        "required": ["command"] if tool.id == "bash" else tool.schema.get("required", []),
    }
