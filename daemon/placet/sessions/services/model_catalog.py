"""Models to choose from: the model host's list, with the user's recent and favourite models first."""

import logging
from collections.abc import Sequence

from msgspec import Struct

from placet.core.errors import SettingsError
from placet.core.executor import in_thread
from placet.model import frames
from placet.model.base import Model
from placet.model.client.host import ModelHost
from placet.model.client.providers import all_providers
from placet.model.select import is_hosted, ready_model
from placet.sessions.services.model_marks import ModelMarks, ModelMarkStore
from placet.sessions.services.model_names import refuse_unknown_model
from placet.sessions.services.services import Services
from placet.settings import Locations, Settings

logger = logging.getLogger(__name__)


class Catalog(Struct, frozen=True):
    """Models to choose from."""

    listing: frames.Models
    marks: ModelMarks


async def choose_model(name: str, services: Services) -> Model:
    """Open the model that the user chose, and remember the choice. Raises SettingsError for an impossible name."""
    await refuse_unknown_model(name, services)
    model = await ready_model(name, services.settings, services.host)
    try:
        await in_thread(ModelMarkStore(services.locations.model_marks).choose, name)
    except SettingsError as error:
        logger.warning("The chosen model is not remembered: %s", error)
    return model


async def model_catalog(
    settings: Settings,
    host: ModelHost,
    locations: Locations,
    *,
    query: str = "",
    limit: int = 100,
    named: Sequence[str] = (),
    refresh: bool = False,
    ask_known: bool = False,
    only: str | None = None,
) -> Catalog:
    """Return the fitting models: named models, favourites and recent models first. Raises ModelError.

    Providers of the settings are asked for a list that is older than a day, all known providers only with `ask_known`;
    `refresh` asks in any case.
    """
    marks = await in_thread(ModelMarkStore(locations.model_marks).read)
    asking = "always" if refresh else "stale"
    more = frames.ListModels(
        0,
        providers=all_providers(settings),
        ask=asking,
        ask_known=asking if ask_known or refresh else "never",
        cache=str(locations.model_lists),
        only=only,
    )
    marked = (*named, *(name for name in (*marks.favourite, *marks.recent) if is_hosted(name)))
    first = [name for name in dict.fromkeys(marked) if only is None or name.partition("/")[0] == only]
    return Catalog(await host.models(query=query, limit=limit, named=first, more=more), marks)
