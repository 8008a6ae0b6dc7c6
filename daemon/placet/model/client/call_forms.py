"""Forms in which models write tool calls as text, and the calls in such a text. Pure.

Placet's own form is the fence `tool_call` (prompted.py). Small models write calls as they learnt to, also where their
server offers native calls: JSON alone or in a fence, `<tool_call>` (Hermes, Qwen), `<function=NAME>` (Llama, Qwen).
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, cast

from msgspec import Struct, field

from placet.core.json.shallow import refuse_deep
from placet.core.messages import JsonObject
from placet.model.base import ToolSpec

Form = Literal["fence", "json_fence", "tag", "function", "json"]
"""`json_fence` and `json` may be other text as well; calls alone are written in the other forms."""
_NAMES = ("name", "tool", "tool_name", "function")
_ARGUMENTS = ("arguments", "parameters", "args", "input")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([\w-]*)[ \t]*")
_FENCES: Mapping[str, Form] = {"tool_call": "fence", "json": "json_fence", "": "json_fence"}
_CLOSES: Mapping[Form, str] = {"tag": "</tool_call>", "function": "</function>"}
_OPENS = ("```", "~~~", "<tool_call>", "<function=")
_FUNCTION = re.compile(r"<function=([^<>\s]+)\s*>(.*?)(?:</function>|\Z)", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=([^<>\s]+)\s*>(.*?)(?:</parameter>|(?=<parameter=)|\Z)", re.DOTALL)
_STRING = r'"(?:\\.|[^"\\])*"' + r"|'(?:\\.|[^'\\])*'"
_MENDED = re.compile(rf"({_STRING})|,(?=\s*[}}\]])|\b(True|False|None)\b", re.DOTALL)
_WORDS = {"True": "true", "False": "false", "None": "null"}
_BRACKETS = re.compile(r"""\\.|["'{}\[\]]""")
_DECODER = json.JSONDecoder(strict=False)


class WrittenCall(Struct, frozen=True):
    name: str
    arguments: JsonObject


class Block(Struct):
    """Lines of an answer in which a call may stand; the block takes its lines one by one, the opening line first."""

    form: Form
    fence: str = ""
    """Marks that close a fence."""
    lines: list[str] = field(default_factory=list[str])
    is_closed: bool = False
    """True once the last line has ended the block."""
    _depth: int = 0
    """Number of open brackets of JSON without a fence."""
    _quote: str = ""
    """Mark that ends the open string of JSON without a fence."""

    def take(self, line: str) -> None:
        self.lines.append(line)
        if self.fence:
            self.is_closed = len(self.lines) > 1 and closes_fence(line, self.fence)
        elif (close := _CLOSES.get(self.form)) is not None:
            self.is_closed = close in line
        else:
            self._count_brackets(line)
            self.is_closed = self._depth <= 0

    def _count_brackets(self, line: str) -> None:
        for match in _BRACKETS.finditer(line):
            mark = match[0]
            if self._quote:
                self._quote = "" if mark == self._quote else self._quote
            elif mark in "\"'":
                self._quote = mark
            else:
                self._depth += (mark in "{[") - (mark in "}]")

    @property
    def text(self) -> str:
        """Return the text of the block without what opens and closes the block."""
        if self.fence:
            return "\n".join(self.lines[1 : -1 if self.is_closed else None])
        text = "\n".join(self.lines).strip()
        close = _CLOSES.get(self.form, "")
        text = text[: text.rindex(close) + len(close)] if close and close in text else text
        return re.sub("</?tool_call>", "\n", text).strip() if self.form == "tag" else text

    @property
    def is_for_calls(self) -> bool:
        """Return whether only calls are written in this form."""
        return self.form in ("fence", "tag", "function")


def block_of(line: str) -> Block | None:
    """Return the block that the line opens, which has not taken the line yet; None for a line of other text."""
    text = line.strip()
    if (fence := _FENCE.fullmatch(line.rstrip())) is not None:
        form = _FENCES.get(fence[2].casefold())
        return None if form is None else Block(form, fence[1])
    if text.startswith("<tool_call>"):
        return Block("tag")
    if text.startswith("<function="):
        return Block("function")
    return Block("json") if text.startswith(("{", "[{")) or text == "[" else None


def may_open(beginning: str) -> bool:
    """Return whether a line that begins so may open a block."""
    text = beginning.lstrip()
    return not text or text[0] in "{[" or any(text.startswith(open_) or open_.startswith(text) for open_ in _OPENS)


def quoting_fence(line: str) -> str:
    """Return the marks of a fence of other text that the line opens, or an empty text."""
    fence = _FENCE.match(line)
    return fence[1] if fence is not None and "`" not in line[fence.end() :] else ""


def calls_in(block: Block, tools: Sequence[ToolSpec]) -> list[WrittenCall]:
    """Return the calls in the block; no call where the block is other text.

    Raises ValueError, in words for the model, for what looks like a call and cannot be read.
    """
    text, offered = block.text, {tool.name.casefold(): tool for tool in tools}
    if "<function=" in text and block.is_for_calls:
        return [_function_call(match) for match in _FUNCTION.finditer(text)]
    try:
        values = list(_values(text))
    except ValueError as error:
        if block.is_for_calls or names_a_tool(text, tools):
            raise ValueError(f"The block is not valid JSON: {error}.") from None
        return []
    if block.is_for_calls:
        return [_call(value) for value in values] or [_call(None)]
    if not values or not all(_is_call_of(value, offered) for value in values):
        return []
    calls = [_call(value) for value in values]
    for call in calls:
        _refuse_missing(call, offered[call.name.casefold()])
    return calls


def _function_call(match: re.Match[str]) -> WrittenCall:
    arguments: JsonObject = {}
    for name, value in _PARAMETER.findall(match[2]):
        text = value.removeprefix("\n").removesuffix("\n")
        try:
            read = json.loads(text)
        except ValueError:
            read = text
        # A text argument that happens to be a number stays a text for the tool to judge.
        arguments[name] = read if isinstance(read, bool | int | list | dict) else text
    if not arguments and match[2].strip():
        return WrittenCall(match[1], _call({"name": match[1], "arguments": match[2].strip()}).arguments)
    return WrittenCall(match[1], arguments)


def _values(text: str) -> Iterator[Any]:
    """Yield the JSON values that stand one behind the other, and the items of a list. Raises ValueError."""
    try:
        yield from _decoded(text)
    except ValueError as error:
        mended = _MENDED.sub(_mended, text)
        for attempt in (mended, f"{mended}}}"):  # Small models forget the last brace.
            try:
                values = list(_decoded(attempt))
            except ValueError:
                continue
            yield from values
            return
        raise error from None


def _decoded(text: str) -> list[Any]:
    values: list[Any] = []
    at = 0
    while (rest := text[at:].lstrip(" \t\r\n,;")) != "":
        try:
            value, end = _DECODER.raw_decode(rest)
        except RecursionError:
            raise ValueError("it is nested too deep") from None
        refuse_deep(value)
        at = len(text) - len(rest) + end
        values += cast("list[Any]", value) if isinstance(value, list) else [value]
    return values


def _mended(match: re.Match[str]) -> str:
    """Return JSON for what Python writes otherwise: single quotes, names of constants, a comma before the end."""
    if (string := match[1]) is None:
        return _WORDS.get(match[2] or "", "")
    if string.startswith('"'):
        return string
    import ast  # Few models write Python for JSON.

    try:
        return json.dumps(ast.literal_eval(string.replace("\n", "\\n")), ensure_ascii=False)
    except (ValueError, SyntaxError):
        return string


def _fields(value: Any) -> JsonObject | None:
    """Return the object that holds the name and the arguments; OpenAI's form has both below `function`."""
    if not isinstance(value, dict):
        return None
    fields = cast("JsonObject", value)
    inner = fields.get("function")
    return cast("JsonObject", inner) if isinstance(inner, dict) else fields


def _name(fields: JsonObject) -> str:
    return next((name for key in _NAMES if isinstance(name := fields.get(key), str)), "")


def _is_call_of(value: Any, offered: Mapping[str, ToolSpec]) -> bool:
    fields = _fields(value)
    return fields is not None and _name(fields).casefold() in offered and any(key in fields for key in _ARGUMENTS)


def names_a_tool(text: str, tools: Sequence[ToolSpec]) -> bool:
    """Return whether the text, which need not be whole JSON, begins as a call of a tool."""
    named = re.match(rf"""[\s\[{{]*["'](?:{"|".join(_NAMES)})["']\s*:\s*["']([^"']+)["']""", text)
    has_arguments = re.search(rf"""["'](?:{"|".join(_ARGUMENTS)})["']\s*:""", text) is not None
    return named is not None and has_arguments and named[1].casefold() in {tool.name.casefold() for tool in tools}


def _call(value: Any) -> WrittenCall:
    """Return the call. Raises ValueError in words for the model."""
    fields = _fields(value)
    if fields is None:
        raise ValueError("The block is not a JSON object.")
    if not (name := _name(fields)):
        raise ValueError("`name` is not the name of a tool.")
    arguments: Any = next((fields[key] for key in _ARGUMENTS if key in fields), {})
    if isinstance(arguments, str):
        try:
            [arguments] = _values(arguments)
        except ValueError:
            arguments = None
    if not isinstance(arguments, dict):
        raise ValueError("`arguments` is not a JSON object.")  # noqa: TRY004 - mistakes of one kind
    return WrittenCall(name, cast("JsonObject", arguments))


def _refuse_missing(call: WrittenCall, tool: ToolSpec) -> None:
    """Raise ValueError if the call lacks arguments that the tool needs; a name may be written in another case."""
    given = {_plain(name) for name in call.arguments}
    if missing := [name for name in tool.parameters.get("required", ()) if _plain(name) not in given]:
        raise ValueError(f"The call of `{tool.name}` has no `{missing[0]}`.")


def _plain(name: str) -> str:
    return name.replace("_", "").casefold()


def closes_fence(line: str, fence: str) -> bool:
    """Return whether the line closes the fence with these marks."""
    text = line.strip()
    return len(text) >= len(fence) and set(text) == {fence[0]}
