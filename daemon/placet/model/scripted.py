"""A model that plays a script: turn by turn, the same every time. For tests, demos and trying out clients.

From Python: `ScriptedModel([Turn([Text("Reading."), Call("read", {"filePath": "a.py"})]), Turn([Text("Done.")])])`.
From a file (the setting `model` = `scripted/PATH`): one JSON object, with these events, in any number and order:

    {"context_size": 8000,                   tokens it can take in; not known if left out
     "turns": [
      {"expect": ["rename"],                 each must be in the last message (the prompt, or the tools' results)
       "events": [
        {"thought": "Hm.", "signature": "s"},
        {"text": "I read it first.", "pieces": 3},
        {"call": "read", "arguments": {"filePath": "a.py"}, "id": "call_1"},
        {"usage": {"input": 10, "output": 5}, "cost": 0.001},
        {"pause": 0.5},                      seconds
        {"wait": "go"},                      until ScriptedModel.release("go")
        {"wait_for_file": "/tmp/go"},        until the file exists
        {"error": "rate_limit", "message": "Slow down.", "retry_after": 2, "hint": "Wait."},
        {"finish": "length"}                 otherwise tool_calls or stop
       ]}
    ]}
"""

import asyncio
import itertools
import json
from collections import defaultdict
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Self, assert_never

from pydantic import ConfigDict, Discriminator, Tag, TypeAdapter, ValidationError

from placet.core.errors import ModelError, ModelErrorCode, SettingsError
from placet.core.messages import (
    AssistantMessage,
    JsonObject,
    Message,
    TextPart,
    Tokens,
    ToolCompleted,
    ToolFailed,
    ToolPart,
)
from placet.model import base

_LOOK_FOR_FILE_SECONDS = 0.02
_STRICT = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True)
class Text:
    __pydantic_config__ = _STRICT
    text: str
    pieces: int = 1
    """Number of deltas for the text."""


@dataclass(frozen=True, slots=True)
class Thought:
    __pydantic_config__ = _STRICT
    thought: str
    signature: str | None = None


@dataclass(frozen=True, slots=True)
class ScriptedCall:
    __pydantic_config__ = _STRICT
    call: str
    """Name of the tool."""
    arguments: JsonObject | str = field(default_factory=dict[str, Any])
    """Arguments as an object, or as raw text to try text which is not JSON."""
    id: str | None = None
    pieces: int = 1


@dataclass(frozen=True, slots=True)
class Usage:
    __pydantic_config__ = _STRICT
    usage: Tokens
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Pause:
    __pydantic_config__ = _STRICT
    pause: float
    """Seconds to pause."""


@dataclass(frozen=True, slots=True)
class Wait:
    __pydantic_config__ = _STRICT
    wait: str
    """Name to wait for; the answer goes on after a release of this name."""


@dataclass(frozen=True, slots=True)
class WaitForFile:
    __pydantic_config__ = _STRICT
    wait_for_file: Path


@dataclass(frozen=True, slots=True)
class Error:
    __pydantic_config__ = _STRICT
    error: ModelErrorCode
    message: str = "The script says so."
    hint: str = ""
    status: int | None = None
    retry_after: float | None = None
    """Seconds until a retry."""


@dataclass(frozen=True, slots=True)
class Finish:
    __pydantic_config__ = _STRICT
    finish: str


_KINDS = ("text", "thought", "call", "usage", "pause", "wait", "wait_for_file", "error", "finish")


def _kind(value: Any) -> str | None:
    return next((kind for kind in _KINDS if (kind in value if isinstance(value, dict) else hasattr(value, kind))), None)


Event = Annotated[
    Annotated[Text, Tag("text")]
    | Annotated[Thought, Tag("thought")]
    | Annotated[ScriptedCall, Tag("call")]
    | Annotated[Usage, Tag("usage")]
    | Annotated[Pause, Tag("pause")]
    | Annotated[Wait, Tag("wait")]
    | Annotated[WaitForFile, Tag("wait_for_file")]
    | Annotated[Error, Tag("error")]
    | Annotated[Finish, Tag("finish")],
    Discriminator(_kind),
]


@dataclass(frozen=True, slots=True)
class Turn:
    """Answer of the model to one request."""

    __pydantic_config__ = _STRICT
    events: Sequence[Event]
    expect: Sequence[str] | str = ()
    """Texts which the last message of the request must contain."""


@dataclass(frozen=True, slots=True)
class _Script:
    __pydantic_config__ = _STRICT
    turns: list[Turn]
    context_size: int | None = None


_SCRIPTS = TypeAdapter(_Script)
"""Built once: a session opens its model for every turn."""


class ScriptMismatch(ModelError):
    """Raised when the conversation went another way than the script."""

    def __init__(self, message: str) -> None:
        super().__init__(
            "bad_request",
            message,
            hint="The model is a script (setting `model`): correct the script, or start a new session.",
        )


class ScriptedModel:
    """Plays the turns in order, one for each request of any session: placet.model.base.Model."""

    def __init__(self, turns: Sequence[Turn], *, name: str = "scripted", context_size: int | None = None) -> None:
        self.requests: list[base.ModelRequest] = []
        """Requests to the model, in order."""
        self._turns = tuple(turns)
        self._name = name
        self._context_size = context_size
        self._released: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read the model from a JSON file. Raises SettingsError with the name of the file and the mistake."""
        try:
            script = _SCRIPTS.validate_python(json.loads(path.read_text("utf-8")))
        except ValidationError as error:
            issue = error.errors(include_url=False)[0]
            place = ".".join(map(str, issue["loc"]))
            raise SettingsError(f"the script {path}: {place}: {issue['msg']}") from error
        except (OSError, ValueError) as error:
            raise SettingsError(f"the script {path}: {error}") from error
        return cls(script.turns, name=f"scripted/{path}", context_size=script.context_size)

    @property
    def id(self) -> str:
        return self._name

    @property
    def context_size(self) -> int | None:
        return self._context_size

    def release(self, name: str) -> None:
        """Release every Wait of this name, now and later."""
        self._released[name].set()

    async def stream(self, request: base.ModelRequest) -> AsyncGenerator[base.ModelEvent, None]:
        self.requests.append(request)
        number = len(self.requests)
        if number > len(self._turns):
            raise ScriptMismatch(f"The script has {len(self._turns)} turns and was asked for one more.")
        turn = self._turns[number - 1]
        _check(number, turn, request.messages)
        reason = "tool_calls" if any(isinstance(event, ScriptedCall) for event in turn.events) else "stop"
        call_numbers = itertools.count(1)
        begun = False
        for event in turn.events:
            match event:
                case Text() | Thought() | ScriptedCall():
                    begun = True
                    for part in _deltas(event, f"call_{number}_{next(call_numbers)}"):
                        yield part
                case Usage(tokens, cost):
                    yield base.UsageReport(tokens, cost)
                case Pause(seconds):
                    await asyncio.sleep(seconds)
                case Wait(name):
                    await self._released[name].wait()
                case WaitForFile(path):
                    while not path.exists():  # noqa: ASYNC110 - another process makes the file
                        await asyncio.sleep(_LOOK_FOR_FILE_SECONDS)
                case Error():
                    raise _model_error(event, before_first_delta=not begun)
                case Finish():
                    reason = event.finish
                case _:
                    assert_never(event)
        yield base.Finished(reason)


def _check(number: int, turn: Turn, messages: Sequence[Message]) -> None:
    last = said_last(messages)
    for text in (turn.expect,) if isinstance(turn.expect, str) else turn.expect:
        if text not in last:
            raise ScriptMismatch(f"Turn {number} of the script expects {text!r} in the last message, which is:\n{last}")


def said_last(messages: Sequence[Message]) -> str:
    """Return the text of the last message: a prompt, or the results of the model's own calls."""
    if not messages:
        return ""
    last = messages[-1]
    if isinstance(last, AssistantMessage):
        return "\n".join(_result(part) for part in last.parts if isinstance(part, ToolPart))
    return "\n".join(part.text for part in last.parts if isinstance(part, TextPart))


def _result(part: ToolPart) -> str:
    match part.state:
        case ToolCompleted(output=text) | ToolFailed(error=text):
            return text
        case _:
            return ""


def _deltas(event: Text | Thought | ScriptedCall, call_id: str) -> Iterator[base.ModelEvent]:
    match event:
        case Text():
            yield from map(base.TextDelta, _pieces(event.text, event.pieces))
        case Thought():
            yield base.ThoughtDelta(event.thought, event.signature)
        case ScriptedCall():
            call_id = event.id or call_id
            yield base.CallStarted(call_id, event.call)
            arguments = event.arguments if isinstance(event.arguments, str) else json.dumps(event.arguments)
            yield from (base.CallDelta(call_id, piece) for piece in _pieces(arguments, event.pieces))
        case _:
            assert_never(event)


def _pieces(text: str, count: int) -> Iterator[str]:
    size = max(1, -(-len(text) // max(1, count)))
    return (text[start : start + size] for start in range(0, len(text), size))


def _model_error(event: Error, *, before_first_delta: bool) -> ModelError:
    return ModelError(
        event.error,
        event.message,
        hint=event.hint,
        status=event.status,
        retry_after=event.retry_after,
        before_first_delta=before_first_delta,
    )
