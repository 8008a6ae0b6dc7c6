"""Providers of the user's settings: the ask in litellm's names, and the login, whose key belongs to the provider alone.

A provider of the user's own never gets the key of a known provider by accident: the key comes from the reference in the
settings, or from the variable with the provider's own name.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

from placet.model import frames
from placet.model.host.errors import Asked
from placet.model.host.providers.table import PROVIDERS
from placet.model.host.redaction import remember
from placet.settings.provider_keys import variables_of
from placet.settings.substitution import Unresolved, replaced

_VARIABLES = re.compile(r"\{env:([^{}]+)\}")
_FOREIGN_KEYS = frozenset(variable for provider in PROVIDERS.values() for variable in provider.key_variables)


@dataclass(frozen=True, slots=True)
class Login:
    """Login of one request to a provider of the settings."""

    key: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    variables: tuple[str, ...] = ()
    """Variables which may hold the key; empty for a provider without a key, and for a key in a file."""
    is_needed: bool = False
    """True if the settings name the key, so that a request without the key is a mistake."""
    fault: str = ""
    """Reason for which a reference cannot be replaced."""


def on_wire(ask: frames.Ask) -> frames.Ask:
    """Return the ask with litellm's name of the model and the provider's address; the same ask for other providers."""
    if (provider := ask.provider) is None:
        return ask
    return msgspec.structs.replace(
        ask, model=provider.wire_name(ask.model), api_base=_address(provider) or ask.api_base
    )


def login(provider: frames.Provider, environment: Mapping[str, str]) -> Login:
    """Return the login of the provider. Blocks while reading a file."""
    variables = _variables(provider)
    key, fault, headers = None, "", dict[str, str]()
    try:
        headers = {name.lower(): _secret(text, environment) for name, text in provider.headers.items()}
        if provider.key is None:
            key = next((environment[name] for name in variables if environment.get(name)), None)
        elif variables and not environment.get(variables[0]):
            key = None
        else:
            key = _secret(provider.key, environment)
    except Unresolved as wrong:
        fault = wrong.problem
    return Login(key, headers, variables, provider.key is not None, fault)


def asked(ask: frames.Ask, provider: frames.Provider, login: Login) -> Asked:
    """Return the asked model and provider, for the words of a fault."""
    return Asked(
        ask.model,
        provider.name,
        ask.api_base,
        login.variables if login.key is None else (),
        login.variables[0] if login.key is not None and login.variables else None,
        f"providers.{provider.name}",
        login.fault,
    )


def _variables(provider: frames.Provider) -> tuple[str, ...]:
    if provider.is_keyless:
        return ()
    if provider.key is not None:
        return tuple(_VARIABLES.findall(provider.key))
    if (known := PROVIDERS.get(provider.name)) is not None:
        return known.key_variables
    return tuple(name for name in variables_of(provider.name) if name not in _FOREIGN_KEYS)


def _secret(text: str, environment: Mapping[str, str]) -> str:
    """Return the text with its references replaced, and keep the result out of the host's output."""
    value = replaced(text, environment)
    if value != text:
        remember(value)
        for name in _VARIABLES.findall(text):
            remember(environment[name])
    return value


def _address(provider: frames.Provider) -> str | None:
    if provider.api_base is not None and provider.kind == "anthropic":
        return provider.api_base.removesuffix("/v1")  # The wire's path begins with the version.
    return provider.api_base
