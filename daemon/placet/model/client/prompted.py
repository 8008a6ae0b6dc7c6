"""Tool calls for a model without a form for calls: the system prompt gives a form, and the reader is strict. Pure.

The form is a fence named `tool_call`, alone on its lines, with one JSON object inside. JSON has no line ends within
strings, so the closing fence is unmistakable; any other text in a fence is a call which fails, and the model gets the
reason.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any, cast

from msgspec import Struct

from placet.core.json.shallow import loads
from placet.core.messages import JsonObject, new_id
from placet.model.base import CallDelta, CallStarted, Finished, ModelEvent, TextDelta, ToolSpec

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


class CallReader(Struct):
    """Reads the text of one answer piece by piece: text goes on at once, except a possible beginning of a fence."""

    _line: str = ""
    """Rest of the unfinished line which was not given out."""
    _given: bool = False
    """True if a part of the unfinished line was given out, so the line opens no fence."""
    _block: list[str] | None = None
    """Lines of the open block."""
    _held: str = ""
    """Line ends which come out only if text follows."""
    _calls: int = 0
    _is_over: bool = False
    """True after text followed a call: neither this text nor anything later counts."""

    def take(self, text: str) -> Iterator[ModelEvent]:
        """Yield the events for the next piece of text."""
        for piece in text.splitlines(keepends=True):
            self._line += piece
            if self._line.endswith("\n"):
                yield from self._take_line(self._line[:-1])
                self._line, self._given = "", False
            elif self._block is None and (self._given or not _OPEN.startswith(self._line[: len(_OPEN)])):
                yield from self._say(self._line)
                self._line, self._given = "", True

    def finish(self, reason: str) -> Iterator[ModelEvent]:
        """Yield the events at the end of the answer: a whole last block may lack its closing fence."""
        if self._line:
            yield from self._take_line(self._line, ends=False)
        if self._block is not None:
            yield from self._call("\n".join(self._block), is_closed=False, is_cut_off=reason == "length")
        ended = reason in {"stop", "tool_calls"}
        yield Finished(("tool_calls" if self._calls else "stop") if ended else reason)

    def _take_line(self, line: str, *, ends: bool = True) -> Iterator[ModelEvent]:
        stripped = line.rstrip()
        if self._block is not None:
            if stripped == _CLOSE:
                yield from self._call("\n".join(self._block))
                self._block = None
            else:
                self._block.append(line)
        elif stripped == _OPEN and not self._given and not self._is_over:
            self._block, self._held = [], ""
        else:
            yield from self._say(line + ("\n" if ends else ""))

    def _say(self, text: str) -> Iterator[ModelEvent]:
        """Yield text, unless the model made calls: text after a call tells of a result which the model has not seen."""
        if self._calls:
            self._is_over = self._is_over or bool(text.strip())
            return
        text = self._held + text
        body = text.rstrip("\r\n")
        self._held = text[len(body) :]
        if body:
            yield TextDelta(body)

    def _call(self, text: str, *, is_closed: bool = True, is_cut_off: bool = False) -> Iterator[ModelEvent]:
        self._calls += 1
        call_id = new_id("call")
        if is_cut_off and not is_closed:
            # By the unfinished JSON the loop sees that the answer was too long.
            yield from (CallStarted(call_id, NOT_A_CALL), CallDelta(call_id, text or "{"))
            return
        try:
            name, arguments = _read(text)
        except ValueError as error:
            problem = {"tool": "tool_call", "error": f"{error} A call is written exactly so:\n{FORM}"}
            yield from (CallStarted(call_id, NOT_A_CALL), CallDelta(call_id, json.dumps(problem)))
            return
        yield from (CallStarted(call_id, name), CallDelta(call_id, json.dumps(arguments, ensure_ascii=False)))


def _read(text: str) -> tuple[str, JsonObject]:
    """Return the name and the arguments. Raises ValueError in words for the model."""
    try:
        value: Any = loads(text)
    except ValueError as error:
        raise ValueError(f"The block is not valid JSON: {error}.") from None
    if not isinstance(value, dict):
        raise ValueError("The block is not a JSON object.")  # noqa: TRY004 - mistakes of one kind
    written = cast("JsonObject", value)
    name, arguments = written.get("name"), written.get("arguments", {})
    if not isinstance(name, str) or not name:
        raise ValueError("`name` is not the name of a tool.")
    if not isinstance(arguments, dict):
        raise ValueError("`arguments` is not a JSON object.")  # noqa: TRY004
    if others := sorted(written.keys() - {"name", "arguments"}):
        raise ValueError(f"There are other keys than `name` and `arguments`: {', '.join(others)}.")
    return name, cast("JsonObject", arguments)
