"""Signing in to a provider, by a plugin's login, with a subscription or by the key.

The result is stored, and shown to nobody.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from placet.auth.keys import KeyStore, SignIn, variable_named
from placet.auth.login import Login, LoginPrompt, Step
from placet.auth.stored_key import StoredKey
from placet.auth.subscriptions.names import provider_named
from placet.core.errors import PlacetError, RequestError
from placet.core.executor import in_own_thread, in_thread
from placet.model.host.http_client.token_requests import TokenRequests
from placet.project.processes.process_secrets import hide_memory, whole_environment
from placet.sessions.services.config import Config
from placet.sessions.services.plugins import logins
from placet.sessions.services.subscription_login import subscription_logins

CODE = LoginPrompt(key="code", message="The code that the page shows", secret=True)


class SignInCancelled(PlacetError):
    """Error for a login in which the user has put away a question."""


class Person(Protocol):
    """Person at the login."""

    async def show(self, step: Step) -> None:
        """Open the address of the step, if any, and show the step's instructions."""
        ...

    async def answer(self, asked: LoginPrompt) -> str:
        """Return the person's answer. Raises SignInCancelled."""
        ...


@dataclass(frozen=True, slots=True)
class Logins:
    """Logins of the user's plugins, then logins with a subscription."""

    all: Sequence[Login]
    problems: Sequence[str]
    """Problems in words for the user."""

    def to(self, provider: str) -> list[Login]:
        """Return the logins to the provider in the order of their numbers."""
        return [login for login in self.all if login.method.provider == provider]


@asynccontextmanager
async def all_logins(config: Config, roots: Sequence[Path]) -> AsyncGenerator[Logins]:
    """Yield all logins; the plugins of projects are left out, because a plugin may keep a key given to the plugin."""
    environment = await in_thread(whole_environment)
    async with logins(config, roots) as of_plugins:
        with_subscription = subscription_logins(environment, TokenRequests(environment))
        yield Logins((*of_plugins.all, *with_subscription), of_plugins.problems)


async def sign_in(
    config: Config, roots: Sequence[Path], store: KeyStore, person: Person, provider: str, number: int | None = None
) -> StoredKey:
    """Sign in by the login of that number (from 1 on; else the first), or by the key if the provider has no login.

    Raises LoginFailed, SignInCancelled, RequestError for an unknown number, SettingsError.
    """
    provider = provider_named(provider)
    asks_for_key = key_prompt(provider)
    hide_memory()
    async with all_logins(config, roots) as known:
        ways = known.to(provider)
        if not ways and number in (None, 1):
            step, way = Step(key=await person.answer(asks_for_key)), None
        elif 1 <= (place := number or 1) <= len(ways):
            way = ways[place - 1]
            step = await signed_in(way, person)
        else:
            raise RequestError(f"{provider} has no sign-in method {number}.")
    return await in_own_thread(keep, store, provider, step, way)


async def signed_in(way: Login, person: Person) -> Step:
    """Return the `key` or the `tokens` of the login. Raises LoginFailed, SignInCancelled, SettingsError."""
    inputs = {prompt.key: await person.answer(prompt) for prompt in way.method.prompts}
    if way.method.is_key:
        return Step(key=await person.answer(key_prompt(way.method.provider)))
    step = await way.begin(inputs)
    if step.key is None and step.tokens is None:
        await person.show(step)
        code = (await person.answer(CODE)).strip() if step.wants_code else None
        step = await way.end(code)
    return step


def key_prompt(provider: str) -> LoginPrompt:
    """Return the prompt for the key. Raises SettingsError for an unknown provider, or if a key is not enough."""
    return LoginPrompt(key="key", message=variable_named(provider), secret=True)


def keep(store: KeyStore, provider: str, step: Step, way: Login | None = None) -> StoredKey:
    """Store the result of a login, or the key from the user. Blocks; raises SettingsError."""
    variable = variable_named(provider)
    if step.tokens is not None and way is not None:
        sign_in = SignIn(provider, way.plugin, step.tokens.expires, step.account)
        place = store.keep_sign_in(variable, sign_in, step.tokens.model_dump())
        return StoredKey(variable, place, sign_in)
    return StoredKey(variable, store.keep(variable, step.key or ""))
