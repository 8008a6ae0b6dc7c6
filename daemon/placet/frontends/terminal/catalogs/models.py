"""`placet models`: list the models of all providers, and the reason why a provider could not be asked."""

import shutil
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from placet.auth.subscriptions.names import COVERED, is_covered
from placet.core.errors import ModelError, PlacetError
from placet.frontends.terminal.config import config_loader, config_read_by
from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.output import complain, say, say_json
from placet.frontends.terminal.table import print_table
from placet.model.frames import ModelFacts
from placet.model.local.offer import OFFER
from placet.sessions.bootstrap import open_host
from placet.sessions.services.model_catalog import Catalog, model_catalog
from placet.sessions.services.plugins import config_with_plugins, renewing

_MOST = 10_000
_LEAST_NAME = 24
_COVERED = "covered"
"""Mark in the columns of prices, which a line below the list explains."""
_OTHER_COLUMNS = 2 + 9 + 9 + 9 + 23
"""Width of the mark and of all columns but the names, each with its gap."""


async def models(words: Sequence[str], *, provider: str | None, refresh: bool, as_json: bool) -> ExitCode:
    """Print the models whose names hold all words; a provider that could not be asked is reported on stderr."""
    try:
        loader = await config_loader(Path.cwd())
        config = await config_with_plugins(loader, await config_read_by(loader), complain)
        for problem in config.settings.problems:
            complain(problem)
        host = await open_host(config.settings, config.locations, renewing(lambda: config, (Path.cwd(),)))
        try:
            catalog = await model_catalog(
                config.settings,
                host,
                config.locations,
                query=" ".join(words),
                limit=_MOST,
                refresh=refresh,
                ask_known=True,
                only=provider,
            )
        finally:
            await host.close()
    except ModelError as error:
        complain(error.message)
        return ExitCode.FAILED
    except PlacetError as error:
        complain(str(error))
        return ExitCode.USAGE
    if as_json:
        say_json([_plain(model, catalog) for model in catalog.listing.models])
    elif catalog.listing.models:
        print_table(("  model", ">context", ">$ in", ">$ out", "abilities"), _rows(catalog))
        for model in catalog.listing.models:
            if model.server is not None and model.context_size is not None:
                say(f"{model.name}: {model.context_size:,} tokens, {model.context_source}", to_stderr=True)
        if any(is_covered(model.name) for model in catalog.listing.models):
            say(f"{_COVERED}: {COVERED} that you signed in to; such answers have no price.", to_stderr=True)
    else:
        say(_nothing(words, provider))
    for listed in catalog.listing.lists:
        if listed.problem:
            complain(f"{listed.name}: {listed.problem}{_age(listed.asked)}")
    return ExitCode.DONE


def _rows(catalog: Catalog) -> list[tuple[str, ...]]:
    """Return a row for each model; the prices are of a million tokens."""
    width = max(_LEAST_NAME, shutil.get_terminal_size().columns - _OTHER_COLUMNS) if sys.stdout.isatty() else None
    return [
        (
            f"{_mark(model, catalog)} {_fitted(model.name, width)}",
            _size(model.context_size),
            *_prices(model),
            _abilities(model),
        )
        for model in catalog.listing.models
    ]


def _fitted(name: str, width: int | None) -> str:
    """Return the name, shortened in the middle for a narrow terminal: names differ at both ends."""
    if width is None or len(name) <= width:
        return name
    end = width // 2
    return f"{name[: width - end - 1]}…{name[-end:]}"


def _mark(model: ModelFacts, catalog: Catalog) -> str:
    if model.name in catalog.marks.favourite:
        return "*"
    return "+" if model.name in catalog.marks.recent else " "


def _size(tokens: int | None) -> str:
    if tokens is None:
        return "-"
    return f"{tokens / 1_000_000:.3g}M" if tokens >= 1_000_000 else f"{round(tokens / 1000)}k"


def _prices(model: ModelFacts) -> tuple[str, str]:
    if is_covered(model.name):
        return _COVERED, _COVERED
    prices = (model.input_price, model.output_price)
    return ("-" if prices[0] is None else f"{prices[0]:.4g}", "-" if prices[1] is None else f"{prices[1]:.4g}")


def _abilities(model: ModelFacts) -> str:
    known = {"tools": model.tools, "image": model.vision, "pdf": model.documents, "think": bool(model.efforts)}
    words = [name for name, has in known.items() if has]
    return " ".join([*words, *(["no tools"] if model.tools is False else [])]) or "-"


def _nothing(words: Sequence[str], provider: str | None) -> str:
    if words:
        return f"No model has {' and '.join(f'`{word}`' for word in words)} in its name."
    if provider is not None:
        return f"{provider} offers no model that Placet knows: is its key set (`placet auth set {provider}`)?"
    return f"No models: set a key (`placet auth set anthropic`), or a provider of your own (docs/MODELS.md). {OFFER}"


def _age(asked: float | None) -> str:
    if asked is None:
        return ""
    moment = datetime.fromtimestamp(asked, UTC).astimezone()
    return f"; its models are from {moment:%Y-%m-%d %H:%M}"


def _plain(model: ModelFacts, catalog: Catalog) -> dict[str, object]:
    return {
        "id": model.name,
        "provider": model.name.partition("/")[0],
        "contextSize": model.context_size,
        "contextSource": model.context_source or None,
        "outputLimit": model.output_limit,
        "inputPrice": model.input_price,
        "outputPrice": model.output_price,
        "subscription": is_covered(model.name),
        "tools": model.tools,
        "vision": model.vision,
        "documents": model.documents,
        "efforts": model.efforts,
        "server": model.server,
        "favourite": model.name in catalog.marks.favourite,
        "recent": model.name in catalog.marks.recent,
    }
