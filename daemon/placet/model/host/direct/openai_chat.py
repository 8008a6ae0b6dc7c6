"""Wire of OpenAI's chat-completions API, and of the providers with the same API.

https://platform.openai.com/docs/api-reference/chat/create
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from placet.model.host.direct.wire import Endpoint, WireRequest, path_below
from placet.model.host.errors import NotDirect
from placet.model.host.prompt import ProviderPrompt
from placet.model.host.providers.chat_model import ChatModel, expect
from placet.model.host.providers.chat_parameters import COMMON, EXTENSIONS, Parameters
from placet.model.host.providers.table import Provider
from placet.model.host.readers.openai_chat import OpenAiChatReader
from placet.model.quirks import REASONING_ITEMS

_encode = msgspec.json.Encoder().encode


class OpenAiChat:
    """Chat-completions wire of one provider: placet.model.host.direct.wire.Wire."""

    def __init__(self, provider: Provider) -> None:
        self._provider = provider

    def request(self, parameters: Mapping[str, Any], prompt: ProviderPrompt, endpoint: Endpoint) -> WireRequest:
        model = ChatModel(endpoint.model, prompt.entry, endpoint.base)
        headers = {"content-type": "application/json", **endpoint.headers}
        if endpoint.key is not None:
            headers["authorization"] = f"Bearer {endpoint.key}"
        body = self._parameters(parameters, model)
        return WireRequest(
            path_below(endpoint.base, "/chat/completions"), headers, self._joined(body, self._messages(prompt, model))
        )

    def reader(self) -> OpenAiChatReader:
        return OpenAiChatReader()

    def _parameters(self, parameters: Mapping[str, Any], model: ChatModel) -> Parameters:
        """Return all of the body but the messages."""
        provider = self._provider
        taken = {name: value for name, value in parameters.items() if name not in provider.drops}
        known = (COMMON | EXTENSIONS | provider.takes) - provider.unknown
        if unknown := taken.keys() - known:
            raise NotDirect(f"the parameter `{min(unknown)}`")
        extra = expect(taken.pop("extra_body", {}), dict, "extra_body")
        provider.change(taken, model)
        if "tools" in taken:
            taken["tools"] = provider.tools(taken["tools"], model)
        elif not provider.passes_on:
            taken.pop("tool_choice", None)
        streaming = {"stream": True} | ({"stream_options": {"include_usage": True}} if provider.tells_usage else {})
        return {"model": model.name, **streaming, **taken, **{key: extra[key] for key in extra if key != "model"}}

    def _messages(self, prompt: ProviderPrompt, model: ChatModel) -> bytes:
        change = self._provider.message

        def render(message: dict[str, Any]) -> bytes:
            changed = change(message, model)
            changed.pop(REASONING_ITEMS, None)
            return _encode({key: value for key, value in changed.items() if value is not None})

        return b",".join([prompt.rendered(cached, render) for cached in prompt.messages])

    @staticmethod
    def _joined(parameters: Parameters, messages: bytes) -> bytes:
        """Return the body; the messages are bytes already, and only the parameters are encoded anew."""
        return b"".join((b'{"messages":[', messages, b"],", memoryview(_encode(parameters))[1:]))
