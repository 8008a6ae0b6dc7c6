"""Check the models for `placet doctor`: whether a key is known, and whether a server answers."""

import asyncio
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from placet.auth.subscriptions.names import SUBSCRIPTIONS
from placet.core.errors import ModelError, PlacetError
from placet.core.messages import TextPart, UserMessage
from placet.frontends.terminal.doctor.findings import Finding, problem
from placet.model.base import Finished, ModelRequest
from placet.model.client.providers import prepare_order, provider_of, wire_name
from placet.model.client.request_size import larger_context
from placet.model.host.catalog.all_facts import all_facts
from placet.model.host.catalog.local_servers import LocalModels, address_of, is_loopback
from placet.model.host.catalog.served_sizes import memory_bytes
from placet.model.host.engine.serving import LocalEngine
from placet.model.hosted import is_inside
from placet.model.local.catalog import model_of, size_text
from placet.model.local.engines import HOW_TO_INSTALL, find_engine, needed_bytes, planned_size
from placet.model.local.files import LocalFiles
from placet.model.local.offer import OFFER
from placet.model.select import is_hosted, ready_model
from placet.project.processes.environment import is_secret_name
from placet.sessions.bootstrap import open_host
from placet.sessions.services.config import Config
from placet.sessions.services.login import login_of
from placet.sessions.services.plugins import renewing
from placet.sessions.turns.models.profile import profile_by_settings
from placet.settings import Locations, ProviderSettings, Settings
from placet.settings.profile import Profile
from placet.settings.provider_keys import variables_of

_ANSWER_SECONDS = 90.0
_CONNECT_SECONDS = 1.0
_LEAST_CONTEXT: dict[Profile, int] = {"full": 16_000, "small": 4_000, "smallest": 2_000}
"""Sizes of a context in tokens that hold the first request of the profile twice."""


async def model_checks(
    settings: Settings, locations: Locations, environment: Mapping[str, str], *, online: bool
) -> list[Finding]:
    """Return findings about the models of the settings, and about local model servers."""
    names = dict.fromkeys(
        name for name in (settings.model, settings.small_model, *settings.fallback_models) if name is not None
    )
    findings = [await _login(name, settings, locations, environment) for name in names]
    findings += [finding for name in settings.providers for finding in _own_provider(name, settings)]
    findings += [finding for name in names for finding in _inside(name, settings, locations, environment)]
    servers = LocalModels(environment, inside=LocalEngine(locations.local_models, environment))
    findings += [await _context(name, settings, servers, environment) for name in names if is_hosted(name)]
    local = await servers.offered()
    for server in dict.fromkeys(model.server for model in local):
        models = [model.name for model in local if model.server == server]
        findings.append(Finding("local server", "fine", f"{server}: {', '.join(models[:5])}{_more(len(models) - 5)}"))
    findings += [await _reachable(name, settings, environment) for name in names if is_hosted(name)]
    if online:
        findings.append(await _asked(settings, locations))
    elif is_hosted(settings.model):
        findings.append(
            Finding(
                "answer",
                "note",
                f"{settings.model} was not tested",
                "`placet doctor --online` sends the model a short request.",
            )
        )
    return [finding for finding in findings if finding.told]


def _more(count: int) -> str:
    return f" and {count} more" if count > 0 else ""


async def _login(name: str, settings: Settings, locations: Locations, environment: Mapping[str, str]) -> Finding:
    login = await login_of(name, settings, locations.keys, environment)
    about = "model" if name == settings.model else "other model"
    match login.key:
        case "missing":
            provider, variable = name.partition("/")[0], (login.variables or ("",))[0]
            stored = provider if variable in variables_of(provider) else variable
            advice = f"Run `placet auth set {stored}`, or set {variable} in the environment."
            if provider in SUBSCRIPTIONS:
                advice = f"Sign in: `placet auth login {provider}`."
            if "/" not in name:
                advice = "Write the model as provider/name, for example openai/gpt-4o."
            return problem(about, f"{name}: there is no key", f"{advice} {OFFER}")
        case "not_needed" if login.lacks_model:
            return Finding(about, "note", f"{name}: no key is needed", OFFER)
        case "not_needed":
            return Finding(about, "fine", f"{name}: no key is needed")
        case _:
            return Finding(about, "fine", f"{name}: the key is in the {login.key}")


async def _context(name: str, settings: Settings, servers: LocalModels, environment: Mapping[str, str]) -> Finding:
    """Say the size of the model's context and who set the size; a small context is a problem."""
    prepare = prepare_order(name, settings)
    kind = wire_name(name, prepare.provider).partition("/")[0]
    facts = await all_facts(servers, environment, prepare)
    if facts.context_size is None:
        told = f"{name}: the size is not known, so Placet cannot sum up before the context is full"
        return Finding("context", "note", told, "Set `contextSize` for the model (docs/MODELS.md).")
    told = f"{name}: {facts.context_size:,} tokens, {facts.context_source}"
    used = profile_by_settings(name, facts.context_size, None, settings)
    if used.profile != "full":
        told += f"; profile {used.profile}, as {used.reason}"
    least = _LEAST_CONTEXT[used.profile]
    if facts.context_size < least:
        return problem("context", f"{told}; work needs about {least:,}", f"{larger_context(kind)}.")
    return Finding("context", "fine", told)


def _inside(name: str, settings: Settings, locations: Locations, environment: Mapping[str, str]) -> Iterator[Finding]:
    """Yield findings about a model that Placet itself runs: the file, the engine, and the memory."""
    provider = provider_of(name, settings)
    if not is_inside(name, provider and provider.kind) or (model := model_of(name)) is None:
        return
    file, engine = LocalFiles(locations.local_models, environment).find(model), find_engine(environment)
    if file is None:
        advice = f"`placet models pull {model.name}` fetches the file ({size_text(model.size_bytes)}, {model.license})."
        yield problem("local model", f"{name}: the file is not on this machine", advice)
    else:
        memory = size_text(needed_bytes(model, planned_size(model, memory_bytes())))
        yield Finding("local model", "fine", f"{file.path} ({file.program}); about {memory} of memory while it runs")
    if engine is None:
        yield problem("engine", f"{name}: there is no engine for local models", HOW_TO_INSTALL)
    else:
        yield Finding("engine", "fine", engine.path or engine.name)


def _own_provider(name: str, settings: Settings) -> Iterator[Finding]:
    """Yield findings about a provider of the settings; the loading of the settings reports mistakes in the table."""
    provider = settings.providers[name]
    address = provider.api_base
    if address is not None and address.startswith("http://") and not is_loopback(address) and provider.key is not False:
        yield Finding(
            "provider",
            "note",
            f"{name}: the key and the conversation go to {address} unencrypted",
            "Use an https:// address, or set `key` to false if the server needs no key.",
        )
    for variable in (variable for variable in _variables(provider) if not is_secret_name(variable)):
        yield Finding(
            "provider",
            "note",
            f"{name}: commands of the agent can read the variable {variable}",
            "Rename the variable so that its name ends with _API_KEY or _TOKEN: Placet keeps such variables back.",
        )


def _variables(provider: ProviderSettings) -> list[str]:
    """Return the variables to which the key and the headers of the provider refer."""
    texts = (provider.key or "", *provider.headers.values())
    return list(dict.fromkeys(name for text in texts for name in re.findall(r"\{env:([^{}]+)\}", text)))


async def _reachable(name: str, settings: Settings, environment: Mapping[str, str]) -> Finding:
    """Check that a server listens at a model's address on this machine; no other address is contacted."""
    provider = name.partition("/")[0]
    is_set = provider == settings.model.partition("/")[0]
    own = settings.providers.get(provider)
    set_address = settings.model_options.api_base if is_set else None
    address = (own.api_base if own is not None else None) or set_address or address_of(provider, environment)
    if address is None or not is_loopback(address):
        return Finding("reachable", "fine", "")
    if await _listens(address):
        return Finding("reachable", "fine", f"{address} for {name}")
    return problem(
        "reachable", f"No server listens at {address} for {name}", "Start the server, or choose another `model`."
    )


async def _listens(address: str) -> bool:
    """Return whether the server answers a GET; any answer counts."""
    import httpx2

    try:
        async with (
            asyncio.timeout(_CONNECT_SECONDS),
            httpx2.AsyncClient(trust_env=False, timeout=_CONNECT_SECONDS) as client,
            client.stream("GET", f"{address.rstrip('/')}/models"),
        ):
            return True
    except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError, OSError, ValueError):
        return False


async def _asked(settings: Settings, locations: Locations) -> Finding:
    """Send a tiny request, as a turn would, but without the tools."""
    host = await open_host(settings, locations, renewing(lambda: Config(settings, locations), (Path.cwd(),)))
    prompt = UserMessage(parts=(TextPart(text="Say only: ok"),))
    request = ModelRequest((), (prompt,), (), "doctor", max_output_tokens=None)
    try:
        async with asyncio.timeout(_ANSWER_SECONDS):
            model = await ready_model(settings.model, settings, host)
            events = [event async for event in model.stream(request)]
        if isinstance(events[-1], Finished):
            return Finding("answer", "fine", f"{settings.model} answers")
        return problem("answer", f"the answer of {settings.model} broke off", "Try again in a moment.")
    except ModelError as error:
        return problem("answer", error.message, error.hint)
    except PlacetError as error:
        return problem("answer", str(error), error.hint or "Correct the setting `model`.")
    except TimeoutError:
        return problem(
            "answer", f"{settings.model} did not answer within {_ANSWER_SECONDS:g} seconds", "Try again later."
        )
    finally:
        await host.close()
