"""Wires of the servers that fill a hole in a text. Pure.

The interfaces: `/infill` of llama.cpp's server (https://github.com/ggml-org/llama.cpp/tree/master/tools/server),
`/api/generate` of Ollama (https://docs.ollama.com/api/generate), `/fim/completions` of Mistral
(https://docs.mistral.ai/api/endpoint/fim), and `/completions` of OpenAI's kind, which DeepSeek's beta has too
(https://api-docs.deepseek.com/api/create-completion).
"""

from collections.abc import Mapping
from typing import Any, assert_never

import msgspec

from placet.model import frames
from placet.model.host.direct.wire import Endpoint, WireRequest, path_below
from placet.model.host.prompt import ProviderPrompt
from placet.model.host.readers.openai_chat import usage_of
from placet.model.host.readers.stream import StreamReader, fault_of

KEEP_ALIVE = "30m"
"""Time for which Ollama keeps the model in memory, as for a turn: the first suggestion after a pause is quick."""


class FillWire:
    """Wire of one hole: placet.model.host.direct.wire.Wire. `is_raw`: Ollama gets the control tokens of the model."""

    def __init__(self, fill: frames.Fill, *, is_raw: bool = False) -> None:
        self._fill = fill
        self._is_raw = is_raw

    def request(self, parameters: Mapping[str, Any], prompt: ProviderPrompt, endpoint: Endpoint) -> WireRequest:
        """Return the streaming request; `prompt` is empty, as the hole holds the text."""
        fill, most = self._fill, parameters.get("max_tokens")
        temperature = parameters.get("temperature", 0)
        match fill.interface:
            case "infill":
                path, body = "/infill", _infill(fill, most, temperature)
            case "ollama":
                options = {"num_predict": most, "temperature": temperature, "num_ctx": parameters.get("num_ctx")}
                path, body = "/api/generate", self._of_ollama(endpoint.model, _given(options))
            case "mistral":
                path, body = "/fim/completions", _of_mistral(fill, endpoint.model, most, temperature)
            case "completions":
                path, body = "/completions", _completions(fill, endpoint.model, most, temperature)
            case _:
                assert_never(fill.interface)
        headers = {"content-type": "application/json", **endpoint.headers}
        if endpoint.key is not None:
            headers["authorization"] = f"Bearer {endpoint.key}"
        return WireRequest(_url(endpoint.base, path), headers, msgspec.json.encode(_given(body)))

    def reader(self) -> "FillReader":
        return FillReader("x-ndjson" if self._fill.interface == "ollama" else "event-stream")

    def _of_ollama(self, model: str, options: dict[str, Any]) -> dict[str, Any]:
        fill = self._fill
        if fill.stops:
            options["stop"] = fill.stops
        texts: dict[str, Any] = {"prompt": fill.prefix, "suffix": fill.suffix}
        if self._is_raw:
            texts = {"prompt": fill.prompt, "raw": True}
        return {"model": model, **texts, "stream": True, "options": options, "keep_alive": KEEP_ALIVE}


def _infill(fill: frames.Fill, most: int | None, temperature: float) -> dict[str, Any]:
    """Return the body for llama.cpp, whose server puts the control tokens in."""
    before, newline, line = fill.prefix.rpartition("\n")
    return {
        "input_prefix": before + newline,
        "input_suffix": fill.suffix,
        "input_extra": [{"filename": path, "text": text} for path, text in fill.files],
        # The text behind the middle token: the beginning of the cursor's line.
        "prompt": line,
        "n_predict": most,
        "temperature": temperature,
        "stop": fill.stops or None,
        "stream": True,
        "cache_prompt": True,
    }


def _of_mistral(fill: frames.Fill, model: str, most: int | None, temperature: float) -> dict[str, Any]:
    return {
        "model": model,
        "prompt": fill.prefix,
        "suffix": fill.suffix,
        "max_tokens": most,
        "temperature": temperature,
        "stop": fill.stops or None,
        "stream": True,
    }


def _completions(fill: frames.Fill, model: str, most: int | None, temperature: float) -> dict[str, Any]:
    """Return the body; a server that knows no suffix, such as vLLM, gets the control tokens in the prompt."""
    texts = {"prompt": fill.prompt} if fill.prompt else {"prompt": fill.prefix, "suffix": fill.suffix}
    return {
        "model": model,
        **texts,
        "max_tokens": most,
        "temperature": temperature,
        "stop": fill.stops[:4] or None,  # OpenAI's interface takes four.
        "stream": True,
    }


def _given(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _url(base: str, path: str) -> str:
    """Return the address of the path; the servers' own paths stand beside `/v1`, not below."""
    if path in ("/infill", "/api/generate"):
        address, mark, query = base.partition("?")
        return f"{address.rstrip('/').removesuffix('/v1')}{path}{mark}{query}"
    return path_below(base, path)


class _Delta(msgspec.Struct):
    content: str | list[dict[str, Any]] | None = None


class _Choice(msgspec.Struct):
    text: str | None = None
    delta: _Delta | None = None
    finish_reason: str | None = None


class _Event(msgspec.Struct):
    """Event of any of the interfaces."""

    content: str = ""
    stop: bool = False
    stop_type: str = ""
    response: str = ""
    done: bool = False
    done_reason: str | None = None
    choices: list[_Choice] = []
    usage: dict[str, Any] | None = None
    error: Any = None


_decode = msgspec.json.Decoder(_Event).decode


class FillReader(StreamReader):
    """Reader of the text that fills one hole, on all interfaces."""

    def __init__(self, media_type: str) -> None:
        super().__init__()
        self.media_type = media_type

    def read_event(self, data: bytes) -> None:
        if data == b"[DONE]":
            self.complete = True
            return
        event = _decode(data)
        if event.error:
            raise fault_of(event.error)
        if event.usage is not None:
            self.usage = usage_of(event.usage)
        for text in (event.content, event.response, *(_text_of(choice) for choice in event.choices)):
            if text:
                self.out.text(text)
        self.reason = next((choice.finish_reason for choice in event.choices if choice.finish_reason), self.reason)
        if event.stop:
            self.reason, self.complete = "length" if event.stop_type == "limit" else "stop", True
        if event.done:
            self.reason, self.complete = event.done_reason or "stop", True


def _text_of(choice: _Choice) -> str:
    content = choice.delta.content if choice.delta is not None else None
    if isinstance(content, list):
        return "".join(text for piece in content if isinstance(text := piece.get("text"), str))
    return (choice.text or "") + (content or "")
