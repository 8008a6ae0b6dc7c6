"""`agent/models`: the model of the settings and the built-in model, and the model host's facts on the providers'
models.
"""

from typing import Literal

from placet.auth.subscriptions.names import is_covered
from placet.core.errors import ModelError, RequestError, SettingsError
from placet.frontends.lsp.handlers.define import HandlerContext, request
from placet.frontends.lsp.protocol.catalog_messages import (
    CheckModel,
    FavouriteModels,
    ListModels,
    ModelCheck,
    ModelInfo,
    ModelList,
    ProviderListInfo,
    SetFavouriteModel,
)
from placet.model.frames import ModelFacts, Transport
from placet.model.select import BUILT_IN, is_hosted
from placet.sessions.registry import Sessions
from placet.sessions.services.model_marks import ModelMarks
from placet.settings.profile import ProfileInUse


@request("agent/models")
async def list_models(context: HandlerContext, params: ListModels) -> ModelList:
    return await find_models(context.sessions, context.sessions.settings.model, params)


@request("agent/models/check")
async def check(context: HandlerContext, params: CheckModel) -> ModelCheck:
    try:
        await context.sessions.models.check(params.model)
    except ModelError as error:
        return ModelCheck(outcome="failed", code=error.code, message=error.message, hint=error.hint or None)
    return ModelCheck(outcome="answered")


async def find_models(sessions: Sessions, current: str, asked: ListModels) -> ModelList:
    """Return the fitting models; when the host cannot answer, the models known without the host and the reason."""
    ours = [_own_info(name, current) for name in dict.fromkeys((current, BUILT_IN))]
    hosted = [current] if is_hosted(current) else []
    try:
        catalog = await sessions.models.list(
            query=asked.query, limit=asked.limit, named=hosted, refresh=asked.refresh, only=asked.provider
        )
    except ModelError as error:
        local_models = _fitting(ours, asked.query)
        return ModelList(models=tuple(local_models[: asked.limit]), total=len(local_models), missing=str(error))
    listing = catalog.listing
    local_models = _fitting([model for model in ours if model.id not in hosted], asked.query)
    local_models = [model for model in local_models if asked.provider in (None, model.provider)]
    how = sessions.settings.options_of
    models = [
        *local_models,
        *(
            _with_profile(
                _info(facts, current, sessions.models.transport(facts.name), how(facts.name).tools),
                sessions.models.listed_profile(facts),
            )
            for facts in listing.models
        ),
    ]
    marked = [_marked(model, catalog.marks) for model in models]
    marked.sort(key=lambda model: (not model.default, not model.favourite, not model.recent))
    return ModelList(
        models=tuple(marked[: asked.limit]),
        total=len(local_models) + listing.total,
        providers=tuple(
            ProviderListInfo(
                name=provider.name,
                asked=None if provider.asked is None else round(provider.asked * 1000),
                problem=provider.problem or None,
            )
            for provider in listing.lists
        ),
    )


@request("agent/models/setFavourite")
async def set_favourite(context: HandlerContext, params: SetFavouriteModel) -> FavouriteModels:
    try:
        marks = await context.sessions.models.mark(params.model, favourite=params.favourite)
    except SettingsError as error:
        raise RequestError(str(error)) from error
    return FavouriteModels(favourites=marks.favourite)


def _marked(model: ModelInfo, marks: ModelMarks) -> ModelInfo:
    """Return the model with the marks of the user."""
    return model.model_copy(update={"favourite": model.id in marks.favourite, "recent": model.id in marks.recent})


def _with_profile(model: ModelInfo, used: ProfileInUse) -> ModelInfo:
    if used.profile == "full":
        return model
    return model.model_copy(update={"profile": used.profile, "profile_reason": used.reason})


def _own_info(name: str, current: str) -> ModelInfo:
    return ModelInfo(id=name, provider=name.partition("/")[0], default=name == current)


def _fitting(models: list[ModelInfo], query: str) -> list[ModelInfo]:
    words = query.lower().split()
    return [model for model in models if all(word in model.id.lower() for word in words)]


def _info(
    facts: ModelFacts, current: str, transport: Transport | None, asked_how: Literal["auto", "native", "prompted"]
) -> ModelInfo:
    return ModelInfo(
        id=facts.name,
        provider=facts.name.partition("/")[0],
        default=facts.name == current,
        context_size=facts.context_size,
        context_source=facts.context_source or None,
        output_limit=facts.output_limit,
        vision=facts.vision,
        tools=_tools(facts, asked_how),
        input_price=facts.input_price,
        output_price=facts.output_price,
        subscription=is_covered(facts.name) or None,
        transport=transport,
        server=facts.server,
        efforts=None if facts.efforts is None else tuple(facts.efforts),
    )


def _tools(facts: ModelFacts, asked_how: Literal["auto", "native", "prompted"]) -> bool | Literal["prompted"] | None:
    if asked_how == "prompted" or (asked_how == "auto" and facts.tools is False):
        return "prompted"
    return facts.tools
