"""Detection of loops: a turn's calls and their results show when the model is going in circles. Pure."""

import json
from collections import deque
from collections.abc import Iterable, Sequence
from hashlib import blake2b

from msgspec import Struct

from placet.core.json.shallow import loads
from placet.core.messages import Message, Part, TextPart, ToolCompleted, ToolFailed, ToolPart, UserMessage

ROUNDS = 3
"""Number of repetitions which make a cycle a loop."""
LONGEST_CYCLE = 4
"""Maximum length of a cycle, in calls."""
MOST_WITHOUT_NEWS = 10
"""Number of calls in a row without a new result which count as a loop."""
_REMEMBERED = max(ROUNDS * LONGEST_CYCLE, MOST_WITHOUT_NEWS)


class LoopCall(Struct, frozen=True):
    """Call as the detection of loops sees the call: two calls with the same tool and arguments are equal."""

    tool: str
    arguments: bytes
    """Digest of the arguments, so that nothing large is kept."""

    @classmethod
    def of(cls, tool: str, raw: str) -> "LoopCall":
        """Return the call with the arguments as written by the model; the order of an object's keys does not count."""
        try:
            written = json.dumps(loads(raw or "{}"), sort_keys=True)
        except ValueError:
            written = raw
        return cls(tool, _digest(written))


class Loop(Struct, frozen=True):
    calls: tuple[LoopCall, ...]
    """Calls of a cycle, once each; or the calls which brought nothing new."""
    is_cycle: bool

    @property
    def tools(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(call.tool for call in self.calls))

    def __str__(self) -> str:
        """Return a phrase which describes the loop, and continues the words "the agent makes"."""
        tools = ", ".join(f"`{tool}`" for tool in self.tools)
        if not self.is_cycle:
            return f"{len(self.calls)} calls in a row that bring nothing new ({tools})"
        if len(self.calls) == 1:
            return f"the same call of {tools} {ROUNDS} times in a row"
        return f"the same {len(self.calls)} calls ({tools}) {ROUNDS} times over"


class LoopWatch:
    """Watch over the calls of a turn, told of every call before and after the run.

    The watch holds little, however long the turn. A subagent's watch begins with the calls of earlier subagents of the
    same turn, so that a loop spread over several subagents is seen too. Subagents which work side by side do not count
    for each other.
    """

    def __init__(self, before: Iterable[LoopCall] = ()) -> None:
        self._recent: deque[LoopCall] = deque(before, maxlen=_REMEMBERED)
        self._own: deque[LoopCall] = deque(maxlen=_REMEMBERED)
        self._delegated: deque[LoopCall] = deque(maxlen=_REMEMBERED)
        """Calls of subagents which have ended."""
        self._results: set[bytes] = set()
        self._without_news = 0
        self._approved: set[LoopCall] = set()
        self._silence_approved = False

    def calls(self, call: LoopCall) -> Loop | None:
        """Note a call which the model wants. Return the loop which the call closes, or None if no loop or approved."""
        stalled = self._without_news >= MOST_WITHOUT_NEWS and not self._silence_approved
        before = tuple(self._recent)[-MOST_WITHOUT_NEWS:]
        self._recent.append(call)
        self._own.append(call)
        cycle = _cycle(tuple(self._recent))
        if cycle and not self._approved.issuperset(cycle):
            return Loop(cycle, is_cycle=True)
        return Loop(before, is_cycle=False) if stalled and call not in self._approved else None

    def results(self, call: LoopCall, result: ToolCompleted | ToolFailed) -> None:
        """Note the result of the call. A known failure is nothing new, whichever arguments the call had."""
        news = _digest(
            f"{call.tool} failed: {result.error}"
            if isinstance(result, ToolFailed)
            else f"{call.tool} {call.arguments.hex()} gave: {result.output}"
        )
        if news not in self._results:
            self._results.add(news)
            self._without_news, self._silence_approved = 0, False
        elif call not in self._approved:
            self._without_news += 1

    def approve(self, loop: Loop) -> None:
        """Note the user's approval of the loop: this loop is not reported again."""
        self._approved.update(loop.calls if loop.is_cycle else ())
        self._silence_approved = self._silence_approved or not loop.is_cycle
        self._without_news = 0

    def begin_anew(self) -> None:
        """Forget everything done before, because the user has said something."""
        self.__init__()

    def for_subagent(self) -> "LoopWatch":
        """Return a watch for a subagent which begins to work for this turn."""
        return LoopWatch(self._delegated)

    def take_in(self, subagents: "LoopWatch") -> None:
        """Take in the watch of a subagent which has ended."""
        self._delegated += (*subagents._delegated, *subagents._own)


def watch_since_the_user(messages: Sequence[Message], above: LoopWatch | None = None) -> LoopWatch:
    """Return a watch which knows the calls since the user's last words; Placet's own turns are no such words.

    `above`: the watch of the turn for which a subagent works.
    """
    watch = above.for_subagent() if above is not None else LoopWatch()
    for part in _parts_since_the_user(messages):
        if isinstance(part, ToolPart) and isinstance(part.state, ToolCompleted | ToolFailed):
            call = LoopCall.of(part.tool, json.dumps(part.state.input))
            watch.calls(call)
            watch.results(call, part.state)
    return watch


def _parts_since_the_user(messages: Sequence[Message]) -> Iterable[Part]:
    spoken = (at for at in range(len(messages) - 1, -1, -1) if _is_the_users(messages[at]))
    return (part for message in messages[next(spoken, 0) :] for part in message.parts)


def _is_the_users(message: Message) -> bool:
    return isinstance(message, UserMessage) and not all(
        isinstance(part, TextPart) and part.synthetic for part in message.parts
    )


def _cycle(calls: tuple[LoopCall, ...]) -> tuple[LoopCall, ...]:
    """Return the shortest cycle which ends the calls ROUNDS times over, or an empty tuple."""
    for length in range(1, LONGEST_CYCLE + 1):
        last = calls[-ROUNDS * length :]
        if len(last) == ROUNDS * length and last == last[:length] * ROUNDS:
            return last[:length]
    return ()


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
