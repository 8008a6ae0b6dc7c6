"""Providers of the user's own, and changes to the known providers: `providers.NAME`."""

import re
from collections.abc import Mapping
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field

from placet.core.effort import Level
from placet.core.spelling import nearest
from placet.settings.model_options import RequestOptions
from placet.settings.profile import ProfileChoice
from placet.settings.section import Section

_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]*")
_TAKEN = ("builtin", "scripted")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+")
_REFERENCE = re.compile(r"\{(?:env:\w+|file:[^{}]+)\}")
_HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_NEEDS_ADDRESS = frozenset(("litellm_proxy", "azure", "azure_ai", "custom_openai", "openai_like"))
"""Kinds without a usual address."""


class WrongProvider(ValueError):
    """Raised for a mistake in the table; `path` holds the keys below `providers` that lead to the mistake."""

    def __init__(self, path: tuple[str, ...], problem: str) -> None:
        super().__init__(problem)
        self.path = path
        self.problem = problem


def _address(value: str | None) -> str | None:
    if value is None:
        return None
    try:
        parts = urlsplit(value)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        is_address = False
    if not is_address:
        raise ValueError("expected an address that begins with http:// or https://")
    return value.rstrip("/")


def _key(value: object) -> object:
    """Return the reference to the key. The message of the error must not hold the value, which may be a key."""
    if value is None or value is False:
        return value
    if isinstance(value, str):
        if _REFERENCE.fullmatch(value):
            return value
        if _VARIABLE.fullmatch(value):
            return f"{{env:{value}}}"
    raise ValueError(
        "expected false or a reference: `{env:NAME}` for a variable or a stored key, or `{file:PATH}`; a key itself"
        " does not belong here: `placet auth set` stores keys"
    )


def _headers(value: dict[str, str]) -> dict[str, str]:
    for name, text in value.items():
        if not _HEADER_NAME.fullmatch(name):
            raise ValueError(f"{name!r} is not the name of a header")
        if not text.isprintable():
            raise ValueError(f"the value of the header `{name}` is not one line of text")
    return value


class OfferedModel(Section):
    """A model of a provider, and what Placet cannot know of the model otherwise. Unset values come from the provider's
    list of models, else from litellm's table.
    """

    context_size: int | None = Field(default=None, ge=1)
    """Size of the context in tokens."""
    output_limit: int | None = Field(default=None, ge=1)
    """Largest answer in tokens."""
    vision: bool | None = None
    """The model takes images."""
    documents: bool | None = None
    """The model takes PDF files."""
    tools: bool | None = None
    """The model has native tool calls."""
    efforts: tuple[Level, ...] | None = None
    """Levels of thinking that the model has."""
    profile: ProfileChoice | None = None
    """How much is asked of the model; the setting `profile`, if not set."""
    input_price: float | None = Field(default=None, ge=0)
    """Price of a million input tokens in US dollars."""
    output_price: float | None = Field(default=None, ge=0)
    """Price of a million output tokens in US dollars."""
    cache_read_price: float | None = Field(default=None, ge=0)
    """Price of a million input tokens from the provider's cache, in US dollars; `inputPrice`, if not set."""
    cache_write_price: float | None = Field(default=None, ge=0)
    """Price of a million input tokens into the provider's cache, in US dollars; `inputPrice`, if not set."""


class ProviderSettings(Section):
    """A provider of your own, or your changes to a known provider of the same name: docs/MODELS.md."""

    kind: str | None = None
    """Wire of the provider: `openai` (chat completions), `openai-responses`, `anthropic`, `gemini`, or the name of any
    other provider of litellm. If not set, the name itself, or `openai` for a name that litellm does not know.
    """
    api_base: Annotated[str | None, AfterValidator(_address)] = None
    """Address of the server; the usual address of the kind, if not set."""
    key: Annotated[str | Literal[False] | None, BeforeValidator(_key)] = Field(default=None, repr=False)
    """Reference to the key: `{env:NAME}` for an environment variable or a key of `placet auth`, `{file:PATH}` for a
    file. If not set, `NAME_API_KEY` with the provider's name. false: the provider gets no key.
    """
    headers: Annotated[dict[str, str], AfterValidator(_headers)] = Field(default_factory=dict[str, str], repr=False)
    """Headers of each request; a value can hold `{env:NAME}` and `{file:PATH}`."""
    models: dict[str, OfferedModel] = Field(default_factory=dict[str, OfferedModel])
    """Models by name, beside the models that the provider lists itself."""
    model_options: RequestOptions = RequestOptions()
    """Options for the models of the provider, over the same options in `modelOptions`."""


def checked(table: Mapping[str, ProviderSettings]) -> dict[str, ProviderSettings]:
    """Return the table, each provider with its kind. Raises WrongProvider."""
    return {name: _with_kind(name, provider) for name, provider in table.items()}


def _with_kind(name: str, provider: ProviderSettings) -> ProviderSettings:
    from placet.settings.provider_kinds import KINDS, LOCAL, PROVIDERS, RESPONSES  # Most users have no table.

    if not _NAME.fullmatch(name):
        raise WrongProvider((name,), "expected a name of small letters, digits, `_`, `-` and `.`")
    if name in _TAKEN:
        raise WrongProvider((name,), "this name belongs to Placet's own models")
    if name == LOCAL and provider.kind is None and provider.api_base is None:
        return provider.model_copy(update={"kind": LOCAL})  # Sizes and options of the models that Placet runs.
    kind = provider.kind or (name if name in PROVIDERS else "openai")
    if kind not in KINDS:
        near = nearest(kind, KINDS)
        hint = f"; did you mean `{near}`?" if near else "; `openai` suits most servers"
        raise WrongProvider((name, "kind"), f"there is no such kind{hint}")
    if name in PROVIDERS and kind not in (name, RESPONSES if name == "openai" else name):
        raise WrongProvider(
            (name, "kind"), f"{name} is a provider already, and has its own kind; give your provider another name"
        )
    if provider.api_base is None and name not in PROVIDERS and (provider.kind is None or kind in _NEEDS_ADDRESS):
        raise WrongProvider((name,), "a provider of your own needs `apiBase`, the address of the server")
    return provider.model_copy(update={"kind": kind})
