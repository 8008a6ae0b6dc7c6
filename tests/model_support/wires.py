"""The wires of the model host: a model of each, and a fact that holds for all of them."""

from collections.abc import Callable

from corpus_support import corpus
from placet.model.client.host import HostedModel, ModelHost
from placet.settings import ModelSettings, Settings
from wire_servers.server import Wire, WireServer

NAMES: dict[Wire, str] = {
    "openai": "openai/gpt-4o",
    "anthropic": "anthropic/claude-sonnet-4-5",
    "responses": "openai/gpt-5-codex",
    "gemini": "gemini/gemini-2.5-flash",
}

OpenModel = Callable[..., HostedModel]


def opener(host: ModelHost, server: WireServer) -> OpenModel:
    """Return a function for a model of the host that asks the scripted server over a wire."""

    def open_model(wire: Wire, **options: object) -> HostedModel:
        base = server.base(wire)
        return host.model(
            NAMES[wire], Settings(model_options=ModelSettings.model_validate({"apiBase": base, **options}))
        )

    return open_model


each_wire = corpus("wire", NAMES, server=WireServer, open_model=opener)
"""Checks a fact once for each wire, with a server of its own; a corpus below it is checked for each wire."""
