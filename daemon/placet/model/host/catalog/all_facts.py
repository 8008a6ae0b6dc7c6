"""Facts of a model from everywhere: the user's settings, a server on this machine, and litellm's table."""

from collections.abc import Mapping

from msgspec.structs import replace

from placet.model import frames
from placet.model.host.catalog import model_facts
from placet.model.host.catalog.local_servers import LocalModels, address_of
from placet.settings.provider_kinds import LOCAL


async def all_facts(
    local: LocalModels, environment: Mapping[str, str], asked: frames.Prepare | frames.Ask
) -> frames.ModelFacts:
    """Return the facts of the model: the settings outweigh the model's server, and the server outweighs the table.

    After an answer the server tells what it serves: a smaller size than the settings' counts then. A server of no
    known kind is asked only for a model whose size is unknown.
    """
    model, provider = asked.model, asked.provider
    known = model_facts.facts(model) if provider is None else model_facts.own(provider, model)
    kind, _, name = (model if provider is None else provider.wire_name(model)).partition("/")
    address = asked.api_base or (provider.api_base if provider is not None else None)
    if kind != LOCAL and address_of(kind, environment) is None and (address is None or known.context_size is not None):
        return known
    is_asked = isinstance(asked, frames.Ask)
    served = await local.facts(kind, name, address, is_asked=is_asked)
    facts = model_facts.over(served, known) if provider is None else model_facts.own(provider, model, served)
    served_size = served.context_size if served is not None else None
    if is_asked and served is not None and served_size and served_size < (facts.context_size or 0):
        return replace(facts, context_size=served_size, context_source=served.context_source)
    return facts
