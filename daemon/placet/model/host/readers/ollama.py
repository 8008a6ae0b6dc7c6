"""Reader of Ollama's own stream, a line of JSON for each piece: https://docs.ollama.com/api/chat."""

from typing import Any

import msgspec

from placet.model import frames
from placet.model.host.readers.stream import StreamReader, fault_of


class _Function(msgspec.Struct):
    name: str | None = None
    arguments: str | dict[str, Any] | None = None


class _Call(msgspec.Struct):
    id: str | None = None
    function: _Function | None = None


class _Message(msgspec.Struct):
    content: str | None = None
    thinking: str | None = None
    tool_calls: list[_Call] | None = None


class _Chunk(msgspec.Struct):
    message: _Message | None = None
    done: bool = False
    done_reason: str | None = None
    prompt_eval_count: int = 0
    eval_count: int = 0
    error: Any = None


_decode = msgspec.json.Decoder(_Chunk).decode


class OllamaReader(StreamReader):
    media_type = "x-ndjson"

    def __init__(self) -> None:
        super().__init__()
        self._calls = 0
        """Number of calls so far: each call comes whole, and a server may give no id."""

    def read_event(self, data: bytes) -> None:
        chunk = _decode(data)
        if chunk.error:
            raise fault_of(chunk.error)
        if chunk.message is not None:
            self._read_message(chunk.message)
        if chunk.done:
            self.usage = frames.Usage(input=chunk.prompt_eval_count, output=chunk.eval_count)
            self.reason = chunk.done_reason or "stop"
            self.complete = True

    def _read_message(self, message: _Message) -> None:
        if message.thinking:
            self.out.thought(message.thinking)
        if message.content:
            self.out.text(message.content)
        for call in message.tool_calls or ():
            function = call.function or _Function()
            arguments = function.arguments
            if not isinstance(arguments, str):
                arguments = msgspec.json.encode(arguments or {}).decode()
            self.out.put(self.calls.feed(self._calls, call.id, function.name, arguments))
            self._calls += 1
