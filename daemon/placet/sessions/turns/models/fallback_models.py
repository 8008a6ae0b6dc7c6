"""The models of `fallbackModels`, opened, which also answer hidden agents when a hidden agent's own model fails."""

import logging
from collections.abc import Awaitable, Callable

from placet.agent.turn.fallback import FallbackChain
from placet.core.errors import ModelError, SettingsError
from placet.model.base import Model
from placet.model.hosted import BUILT_IN_PREFIX
from placet.model.select import ready_model
from placet.sessions.services.services import Services

logger = logging.getLogger(__name__)


async def fallback_models(services: Services) -> list[Model]:
    """Return the usable fallback models; unusable models are logged."""
    models: list[Model] = []
    for name in services.settings.fallback_models:
        try:
            models.append(await ready_model(name, services.settings, services.host))
        except SettingsError as error:
            logger.warning("The fallback model %s cannot be used: %s", name, error)
    return models


async def writers(services: Services) -> list[Model]:
    """Return the fallback models that can write summaries, names or descriptions, so not the built-in model."""
    return [model for model in await fallback_models(services) if not model.id.startswith(BUILT_IN_PREFIX)]


async def ask_with_fallback(services: Services, model: Model, ask: Callable[[Model], Awaitable[str]]) -> str:
    """Return the model's answer, or the next fallback model's answer after a final failure.

    Raises the error of the last model's `ask`.
    """
    fallback_chain = FallbackChain(())
    while True:
        try:
            return await ask(model)
        except ModelError as error:
            if not fallback_chain.fallback_models:
                fallback_chain = FallbackChain(await writers(services))
            substitute = fallback_chain.after(error, model, was_seen=False)
            if substitute is None:
                raise
            logger.info("%s answers instead of %s: %s", substitute.id, model.id, error)
            model = substitute
