"""Model of the host that fills a hole in a text, and the interface by which its server is asked."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Literal

from placet.model import base, frames
from placet.model.client.host import ModelHost
from placet.model.client.providers import engine_of, options_of, provider_of, wire_name
from placet.model.client.timeouts import Timeouts
from placet.model.fill import FillRequest
from placet.settings import Settings
from placet.settings.provider_kinds import LOCAL

Interface = frames.FillInterface | Literal["chat"]

_BY_KIND: dict[str, frames.FillInterface] = {
    "ollama": "ollama",
    "ollama_chat": "ollama",
    "llamafile": "infill",
    LOCAL: "infill",
    "codestral": "mistral",
    "deepseek": "completions",
    "text-completion-codestral": "mistral",
}
_TOKENS_IN_PROMPT = frozenset({"hosted_vllm", "lm_studio", "openai", "custom_openai"})
"""Kinds of servers with `/completions`, where a model with a known format gets its control tokens in the prompt."""
_NO_SUFFIX = frozenset({"hosted_vllm", "lm_studio"})
FILL_SECONDS = 20.0
"""Longest silence of a server that fills a hole; a later suggestion is of no use."""


def interface_of(model: str, settings: Settings, *, has_format: bool) -> Interface:
    """Return the interface by which the model is asked: the setting's, or the interface of the provider's kind.

    `has_format`: the control tokens of the model are known.
    """
    provider = provider_of(model, settings)
    kind, _, name = wire_name(model, provider).partition("/")
    if (interface := _BY_KIND.get(kind)) is not None:
        return interface
    if kind == "mistral" and "codestral" in name:
        return "mistral"
    is_own = kind in _NO_SUFFIX or (provider is not None and provider.api_base is not None)
    is_own = is_own or options_of(model, settings).api_base is not None
    return "completions" if kind in _TOKENS_IN_PROMPT and is_own and has_format else "chat"


class HostedFill:
    """Model of the host for one configuration: placet.model.fill.FillModel."""

    is_chat = False

    def __init__(self, host: ModelHost, name: str, settings: Settings, interface: frames.FillInterface) -> None:
        self._host = host
        self._name = name
        self._interface: frames.FillInterface = interface
        self._options = options_of(name, settings)
        self._provider = provider_of(name, settings)
        self._engine = engine_of(settings)
        if interface == "ollama":
            host.model(name, settings)  # The host learns the size of the context, as for a turn.

    @property
    def id(self) -> str:
        return self._name

    async def fill(self, request: FillRequest) -> AsyncGenerator[base.TextDelta | base.Finished, None]:
        ask = frames.Ask(
            0,
            self._name,
            [],
            api_base=self._options.api_base,
            temperature=0.0,
            max_output_tokens=request.most_tokens,
            connect_timeout_seconds=self._options.connect_timeout_seconds,
            provider=self._provider,
            context_size=self._context_size,
            fill=self._fill(request),
            engine=self._engine,
        )
        async with aclosing(self._host.ask(ask, None, Timeouts(FILL_SECONDS, FILL_SECONDS))) as batches:
            async for batch in batches:
                for piece in batch:
                    match piece:
                        case frames.Text(text):
                            yield base.TextDelta(text)
                        case frames.Finish(reason):
                            yield base.Finished(reason)
                        case _:
                            pass

    @property
    def _context_size(self) -> int | None:
        """Return the size that a turn asks of Ollama, as another size would load the model anew."""
        facts = self._host.facts(self._name)
        return facts.context_size if facts is not None else None

    def _fill(self, request: FillRequest) -> frames.Fill:
        places_tokens = self._interface in ("infill", "mistral")
        has_suffix = self._interface == "completions" and wire_name(self._name, self._provider).startswith("deepseek/")
        return frames.Fill(
            self._interface,
            request.prefix,
            request.suffix,
            "" if places_tokens or has_suffix else request.prompt,
            list(request.files),
            list(request.stops),
        )
