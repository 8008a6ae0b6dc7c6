"""Tool calls for a model without a form for calls: the system prompt gives a form. Pure.

The form is a fence named `tool_call`, alone on its lines, with one JSON object inside. JSON has no line ends within
strings, so the closing fence is unmistakable. Calls in other forms are read too (call_reader.py).
"""

import json
from collections.abc import Sequence

from placet.core.messages import JsonObject
from placet.model.base import ToolSpec

_OPEN = "```tool_call"
_CLOSE = "```"
FORM = '```tool_call\n{"name": "TOOL", "arguments": {…}}\n```'
NOT_A_CALL = "invalid"
"""Name of the tool for a call in bad form; the call fails, with the reason."""


def instructions(tools: Sequence[ToolSpec]) -> str:
    """Return the text for the system prompt: the form, and the tools."""
    listed = "\n\n".join(
        f"## {tool.name}\n{tool.description}\nArguments (JSON Schema): "
        + json.dumps(tool.parameters, ensure_ascii=False, separators=(",", ":"))
        for tool in tools
    )
    return (
        "# How to call tools\n"
        "To call a tool, write exactly this, each fence alone on its line, and nothing after it:\n\n"
        f"{FORM}\n\n"
        "The object has these two keys and no others, and is valid JSON: line ends within strings are \\n. "
        "You may write several such blocks one after the other. After them stop: the results come with the next "
        "message, as `Result of NAME`. Never write a result yourself. "
        "When you have nothing to call, just answer.\n\n"
        f"# Tools\n{listed}"
    )


def written_call(name: str, arguments: JsonObject) -> str:
    """Return a call in the form in which the model would have written the call."""
    return f"{_OPEN}\n{json.dumps({'name': name, 'arguments': arguments}, ensure_ascii=False)}\n{_CLOSE}"


def told_result(name: str, result: str) -> str:
    """Return a result in the form for the model."""
    return f"Result of {name}:\n{result}"
