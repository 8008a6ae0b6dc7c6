"""Reader of the calls that a model writes as text, in the forms of call_forms.py. Pure."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import takewhile

from msgspec import Struct, field

from placet.core.ids import new_id
from placet.core.messages import AssistantMessage, Message, TextPart, ToolCompleted, ToolFailed, ToolPart
from placet.model.base import CallDelta, CallStarted, Finished, ModelEvent, TextDelta, ToolSpec
from placet.model.client.call_forms import (
    Block,
    WrittenCall,
    block_of,
    calls_in,
    closes_fence,
    may_open,
    names_a_tool,
    quoting_fence,
)
from placet.model.client.prompted import FORM, NOT_A_CALL

MOST_LINES = 2000
"""Length of the longest block of JSON that may be a call."""
HEAD_CHARACTERS = 300
"""Characters of such a block in which the name of a tool begins."""
_NAMED = re.compile(r"""["'](?:name|tool|tool_name|function)["']""")
_LINE_NUMBER = re.compile(r"^[ \t]*\d+(?:: |\||\t)", re.MULTILINE)

Quotes = Callable[[str], bool]
"""Function that returns whether a text stands in the conversation already, as the user's words or a tool's result."""


class CallReader(Struct):
    """Reads the text of one answer piece by piece: text goes on at once, except what may be the beginning of a call."""

    tools: tuple[ToolSpec, ...] = ()
    quotes: Quotes = lambda _: False
    has_called: bool = False
    """True in a turn with calls: JSON is then a call only at the end of the answer, as text follows on an example."""
    _line: str = ""
    """Rest of the unfinished line which was not given out."""
    _given: bool = False
    """True if a part of the unfinished line was given out, so the line opens no block."""
    _block: Block | None = None
    """Open block."""
    _fence: str = ""
    """Marks of the open fence of other text."""
    _held: list[str] = field(default_factory=list[str])
    """Line ends which come out only if text follows."""
    _waiting: list[WrittenCall] = field(default_factory=list[WrittenCall])
    """Calls which count if the answer ends with their blocks."""
    _waiting_text: str = ""
    """Text of these blocks, and between the blocks."""
    calls: int = 0
    """Number of the calls read."""
    _is_over: bool = False
    """True after text followed a call: neither this text nor anything later counts."""

    def take(self, text: str) -> Iterator[ModelEvent]:
        """Yield the events for the next piece of text."""
        for piece in text.splitlines(keepends=True):
            self._line += piece
            if self._line.endswith("\n"):
                yield from self._take_line(self._line[:-1])
                self._line, self._given = "", False
            elif self._block is None and (self._given or not self._may_matter(self._line)):
                yield from self._say(self._line)
                self._line, self._given = "", True

    def _may_matter(self, beginning: str) -> bool:
        """Return whether a line that begins so may open a block, or close the open fence."""
        return beginning.lstrip()[:1] in ("", self._fence[0]) if self._fence else may_open(beginning)

    def finish(self, reason: str) -> Iterator[ModelEvent]:
        """Yield the events at the end of the answer: a whole last block may lack its end."""
        if self._line:
            yield from self._take_line(self._line, ends=False)
        if self._block is not None:
            yield from self._end_block(self._block, is_cut_off=reason == "length")
        yield from self._emit(self._waiting)
        ended = reason in {"stop", "tool_calls"}
        yield Finished("tool_calls" if self.calls and ended else reason)

    def _take_line(self, line: str, *, ends: bool = True) -> Iterator[ModelEvent]:
        end = "\n" if ends else ""
        if self._fence:
            self._fence = "" if closes_fence(line, self._fence) else self._fence
            yield from self._say(line + end)
        elif (block := self._block) is not None or (block := self._opened(line)) is not None:
            yield from self._go_on(block, line)
        else:
            self._fence = "" if self._given else quoting_fence(line)
            yield from self._say(line + end)

    def _opened(self, line: str) -> Block | None:
        return None if self._given or self._is_over else block_of(line)

    def _go_on(self, block: Block, line: str) -> Iterator[ModelEvent]:
        self._block = block
        block.take(line)
        if block.is_closed:
            yield from self._end_block(block)
        elif not block.is_for_calls and _is_hopeless(block):
            yield from self._release(block)

    def _release(self, block: Block) -> Iterator[ModelEvent]:
        """Yield the block as text; a fence that is still open is a fence of other text."""
        self._block, self._fence = None, "" if block.is_closed else block.fence
        yield from self._say(_written(block))

    def _end_block(self, block: Block, *, is_cut_off: bool = False) -> Iterator[ModelEvent]:
        self._block = None
        if self.quotes(block.text):
            yield from self._release(block)
            return
        if is_cut_off and (block.is_for_calls or names_a_tool(block.text, self.tools)):
            # By the unfinished JSON the loop sees that the answer was too long.
            yield from self._start(NOT_A_CALL, block.text or "{")
            return
        try:
            calls = calls_in(block, self.tools)
        except ValueError as error:
            problem = {"tool": "tool_call", "error": f"{error} A call is written exactly so:\n{FORM}"}
            yield from self._start(NOT_A_CALL, json.dumps(problem))
            return
        if not calls:
            yield from self._release(block)
        elif self.has_called and not block.is_for_calls and not self.calls:
            self._waiting += calls
            self._waiting_text += _written(block)
        else:
            self._held = []
            yield from self._emit(calls)

    def _emit(self, calls: Sequence[WrittenCall]) -> Iterator[ModelEvent]:
        for call in calls:
            yield from self._start(call.name, json.dumps(call.arguments, ensure_ascii=False))

    def _start(self, name: str, arguments: str) -> Iterator[ModelEvent]:
        self.calls += 1
        call_id = new_id("call")
        yield from (CallStarted(call_id, name), CallDelta(call_id, arguments))

    def _say(self, text: str) -> Iterator[ModelEvent]:
        """Yield text, unless the model made calls: text after a call tells of a result which the model has not seen."""
        if self.calls:
            self._is_over = self._is_over or bool(text.strip())
            return
        if self._waiting:
            self._waiting_text += text
            if not text.strip():
                return
            text, self._waiting_text, self._waiting = self._waiting_text, "", []
        if body := text.rstrip("\r\n"):
            yield TextDelta("".join((*self._held, body)))
            self._held = []
        self._held.append(text[len(body) :])


def _is_hopeless(block: Block) -> bool:
    """Return whether an open block of JSON is no call."""
    head = "\n".join(block.lines[:20])
    return len(block.lines) > MOST_LINES or (len(head) > HEAD_CHARACTERS and not _NAMED.search(head))


def _written(block: Block) -> str:
    return "".join(f"{line}\n" for line in block.lines)


def quotes_of(messages: Sequence[Message]) -> Quotes:
    """Return the function that finds a text, apart from its spaces, among the user's words and the tools' results."""
    said: list[str] = []

    def quotes(text: str) -> bool:
        if not said:
            said.extend(_without_spaces(shown) for shown in _shown(messages))
        return bool(needle := _without_spaces(text)) and any(needle in shown for shown in said)

    return quotes


def has_called(messages: Sequence[Message]) -> bool:
    """Return whether the model has called a tool since the user's last words."""
    turn = takewhile(lambda message: isinstance(message, AssistantMessage), reversed(messages))
    return any(isinstance(part, ToolPart) for message in turn for part in message.parts)


def _shown(messages: Sequence[Message]) -> Iterator[str]:
    yield ""
    for message in messages:
        for part in message.parts:
            text = ""
            if isinstance(part, ToolPart):
                match part.state:
                    case ToolCompleted(output=text) | ToolFailed(error=text):
                        pass
                    case _:
                        continue
            elif isinstance(part, TextPart) and not isinstance(message, AssistantMessage):
                text = part.text
            yield text
            if "\n" in text:
                yield _LINE_NUMBER.sub("", text)


def _without_spaces(text: str) -> str:
    return "".join(text.split())
