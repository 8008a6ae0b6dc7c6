"""Login to a provider by a plugin of the user's own (`auth`), and renewal of the keys.

The plugin's process is started for the login alone.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from pydantic import ValidationError

from placet.auth.login import LoginFailed, LoginMethod, Step
from placet.core.errors import PlacetError
from placet.core.executor import in_thread
from placet.core.messages import JsonObject, Value
from placet.core.values import replace
from placet.extensions.plugins.loading import Loaded, bring_to_life
from placet.extensions.plugins.process import ExtensionProcess
from placet.extensions.plugins.sources import Owner, gather
from placet.model.host.redaction import redact
from placet.settings import PluginSettings

LOGIN_SECONDS = 600.0
"""Time for the user to come back from the plugin's address."""

T = TypeVar("T", bound=Value)


class _Ways(Value):
    ways: tuple[LoginMethod, ...] = ()
    renews: tuple[str, ...] = ()
    """The providers whose keys it can renew."""


@dataclass(frozen=True, slots=True)
class PluginLogin:
    """Login method of a plugin."""

    plugin: str
    """Name of the plugin."""
    source: str
    method: LoginMethod
    _key: str
    _process: ExtensionProcess

    async def begin(self, inputs: Mapping[str, str]) -> Step:
        """Begin the login with the user's inputs. Raises LoginFailed."""
        return await self._step({"step": "begin", "method": self.method.method, "inputs": dict(inputs)}, inputs)

    async def end(self, code: str | None) -> Step:
        """End the login, with the code shown to the user where the method wants a code. Raises LoginFailed."""
        return await self._step({"step": "end", "code": code}, {} if code is None else {"code": code})

    async def _step(self, order: JsonObject, entered: Mapping[str, str]) -> Step:
        try:
            step = _read(Step, await _asked(self._process, self._key, order))
        except PlacetError as error:
            raise LoginFailed(
                _without(entered, f"The plugin `{self.plugin}` ({self.source}) failed: {error}")
            ) from None
        if step.failed is not None:
            raise LoginFailed(_without(entered, f"{self.method.label}: {step.failed}"))
        return step


@dataclass(frozen=True, slots=True)
class Renewal:
    """Renewal of one provider's keys by a plugin."""

    provider: str
    plugin: str
    _key: str
    _process: ExtensionProcess

    async def renew(self, tokens: JsonObject) -> JsonObject:
        """Return the new tokens; `refresh` and every other value not given anew stays. Raises LoginFailed."""
        secret = {name: value for name, value in tokens.items() if isinstance(value, str)}
        stays = {name: value for name, value in tokens.items() if name not in ("access", "expires")}
        order = {"step": "renew", "provider": self.provider, "tokens": tokens}
        try:
            answer = await _asked(self._process, self._key, order)
            step = _read(Step, {**answer, "tokens": {**stays, **answer["tokens"]}} if "tokens" in answer else answer)
        except PlacetError as error:
            raise LoginFailed(_without(secret, f"the plugin `{self.plugin}` failed: {error}")) from None
        if step.tokens is None:
            why = step.failed or "its `renew` gave no tokens"
            raise LoginFailed(_without(secret, f"the plugin `{self.plugin}` says: {why}"))
        return step.tokens.model_dump()


@asynccontextmanager
async def plugin_logins(
    owner: Owner, settings: PluginSettings, log: Path, *, only: str | None = None
) -> AsyncGenerator["PluginLogins"]:
    """Yield the login methods of the owner's plugins, or of the plugin named `only`; `log` gets the plugins' output."""
    bundle = await in_thread(gather, owner)
    if only is not None:
        bundle = replace(bundle, entries=tuple(entry for entry in bundle.entries if entry.name == only))
    life = await bring_to_life(bundle, {}, load_seconds=settings.load_seconds, log=log, on_end=lambda: None)
    logins: list[PluginLogin] = []
    renewals: list[Renewal] = []
    problems = list(life.problems)
    try:
        for loaded in life.loaded:
            if "auth" in loaded.hooks and life.process is not None:
                try:
                    ways, renews = await _ways(loaded, life.process)
                    logins += ways
                    renewals += renews
                except PlacetError as error:
                    problems.append(f"{loaded.entry.source}: its hook `auth` failed: {error}")
        yield PluginLogins(tuple(logins), tuple(problems), tuple(renewals))
    finally:
        await life.end()


@dataclass(frozen=True, slots=True)
class PluginLogins:
    all: Sequence[PluginLogin]
    problems: Sequence[str]
    """Problems in words for the user."""
    renewals: Sequence[Renewal] = ()

    def to(self, provider: str) -> list[PluginLogin]:
        return [login for login in self.all if login.method.provider == provider]

    def renewal_for(self, provider: str, plugin: str) -> Renewal:
        """Return the renewal of this provider by this plugin. Raises LoginFailed."""
        for renewal in self.renewals:
            if (renewal.provider, renewal.plugin) == (provider, plugin):
                return renewal
        raise LoginFailed(" ".join([f"the plugin `{plugin}`, which refreshes the sign-in, is gone.", *self.problems]))


async def _ways(loaded: Loaded, process: ExtensionProcess) -> tuple[list[PluginLogin], list[Renewal]]:
    key, name, source = loaded.entry.key, loaded.entry.name, loaded.entry.source
    answer = _read(_Ways, await _asked(process, key, {"step": "ways"}))
    ways = [PluginLogin(name, source, way, key, process) for way in answer.ways]
    return ways, [Renewal(provider, name, key, process) for provider in answer.renews]


async def _asked(process: ExtensionProcess, key: str, order: JsonObject) -> Any:
    try:
        async with asyncio.timeout(LOGIN_SECONDS):
            return await process.request({"do": "login", "key": key, **order})
    except TimeoutError as error:
        raise LoginFailed(f"it took longer than {LOGIN_SECONDS:g} seconds") from error


def _read(kind: type[T], answer: Any) -> T:
    try:
        return kind.model_validate(answer)
    except ValidationError as error:
        issue = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, issue["loc"]))
        raise LoginFailed(f"its hook `auth` says what cannot be used: {where}: {issue['msg']}") from None


def _without(entered: Mapping[str, str], text: str) -> str:
    for value in entered.values():
        if value:
            text = text.replace(value, "…").replace(quote(value, safe=""), "…")
    return redact(text)
