"""Route of an ask by the direct way: the wire, and the endpoint of the provider. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from placet.model import frames
from placet.model.host import model_table
from placet.model.host.catalog.local_servers import address_of
from placet.model.host.direct import own_providers
from placet.model.host.direct.openai_chat import OpenAiChat
from placet.model.host.direct.wire import Endpoint, Wire
from placet.model.host.errors import Asked, NotDirect
from placet.model.host.providers.chat_parameters import gpt_version
from placet.model.host.providers.table import PROVIDERS, Provider

_PATH = "/chat/completions"
_KNOWN_BY_MODEL = {"openai", "anthropic"}
_NO_KEY = "none"
"""Key for a server of the user's own: the server may want no key, but litellm wants a key for the server."""
_OPENAI_HOST = "api.openai.com"
_LOGIN_HEADERS = {"authorization", "x-api-key", "api-key", "x-goog-api-key"}
"""Headers with which a user logs in without a key."""
_LITELLM_SETTINGS = (
    *("USE_LITELLM_PROXY", "LITELLM_ANTHROPIC_DISABLE_URL_SUFFIX", "LITELLM_REASONING_AUTO_SUMMARY"),
    *("LITELLM_HTTP2", "DISABLE_AIOHTTP_TRANSPORT", "CHATGPT_DEFAULT_INSTRUCTIONS"),
)
"""Variables which change litellm's requests, send the requests elsewhere, or choose another HTTP client."""


@dataclass(frozen=True, slots=True)
class Route:
    """Way of one ask to its provider."""

    wire: Wire
    endpoint: Endpoint
    asked: Asked
    """Asked model and provider, for the words of a fault."""
    environment: Mapping[str, str] = field(repr=False)


def route(ask: frames.Ask, environment: Mapping[str, str]) -> Route:
    """Return the route of the ask. Raises NotDirect for a provider without a direct wire."""
    if setting := _first_of(_LITELLM_SETTINGS, environment):
        raise NotDirect(f"the environment sets `{setting}`")
    name, model = _provider_and_model(ask.model)
    provider = PROVIDERS.get(name)
    if provider is None:
        raise NotDirect(f"the provider {name or 'of the model'} has no direct wire")
    if ask.provider is not None:
        return _own_route(ask, ask.provider, provider, model, environment)
    key, missing = _key(provider, environment)
    address = ask.api_base or address_of(name, environment)
    base = _base(provider, address, environment)
    conventional = f"{name.upper()}_API_KEY"
    asked = Asked(ask.model, name, address, missing, conventional if conventional in environment else None)
    endpoint = Endpoint(
        name,
        provider.name_on_wire(model),
        base,
        _NO_KEY if missing and ask.api_base else key,
        _headers(provider, ask, environment),
        needs_key=bool(missing) and not ask.api_base,
    )
    return Route(_wire(ask, endpoint, provider), endpoint, asked, environment)


def _own_route(
    ask: frames.Ask, own: frames.Provider, provider: Provider, model: str, environment: Mapping[str, str]
) -> Route:
    """Return the route to a provider of the user's settings, which gets its own key alone."""
    name, login = ask.model.partition("/")[0], own_providers.login(own, environment)
    is_changed = own.name == name
    address = ask.api_base or (address_of(name, environment) if is_changed else None)
    base = _base(provider, address, environment if is_changed else {})
    key = login.key
    if key is None and not own.is_keyless and not login.headers.keys() & _LOGIN_HEADERS:
        key = provider.usual_key or (_NO_KEY if ask.api_base and provider.needed_variables else None)
    headers = {**_headers(provider, ask, environment), **login.headers}
    is_expected = login.is_needed or (bool(provider.needed_variables) and not ask.api_base)
    needs_key = login.key is None and not own.is_keyless and is_expected
    endpoint = Endpoint(name, provider.name_on_wire(model), base, key, headers, needs_key=needs_key, is_own=True)
    return Route(_wire(ask, endpoint, provider), endpoint, own_providers.asked(ask, own, login), environment)


def is_for_responses(ask: frames.Ask, environment: Mapping[str, str]) -> bool:
    """Return whether the ask goes over OpenAI's Responses API, directly or through litellm."""
    name, model = _provider_and_model(ask.model)
    if (provider := PROVIDERS.get(name)) is None or name not in ("openai", "chatgpt", "github_copilot"):
        return False
    try:
        base = _base(provider, ask.api_base or address_of(name, environment), environment)
    except NotDirect:
        return False
    return _is_for_responses(ask, name, provider.name_on_wire(model), base)


def _wire(ask: frames.Ask, endpoint: Endpoint, provider: Provider) -> Wire:
    # A process asks few kinds of providers: the wires which nothing needs are not loaded.
    match endpoint.provider:
        case "anthropic":
            from placet.model.host.direct.anthropic_messages import AnthropicMessages

            return AnthropicMessages()
        case "gemini":
            from placet.model.host.direct.gemini import Gemini

            return Gemini()
        case name if name in frames.OLLAMA:
            from placet.model.host.direct.ollama import Ollama

            return Ollama()
        case name if not _is_for_responses(ask, name, endpoint.model, endpoint.base):
            return OpenAiChat(provider)
        case "chatgpt":
            from placet.model.host.direct.openai_responses import OpenAiResponses
            from placet.model.host.direct.responses_options import for_chatgpt

            return OpenAiResponses(for_chatgpt)
        case "openai" | "github_copilot":
            from placet.model.host.direct.openai_responses import OpenAiResponses

            return OpenAiResponses()
        case name:
            raise NotDirect(f"the provider {name} is asked over the Responses API")


def _provider_and_model(name: str) -> tuple[str, str]:
    """Return the provider and the name on the wire; a name without a provider is looked up in litellm's table.

    litellm knows the models of few providers by such names.
    """
    prefix, slash, rest = name.partition("/")
    if slash:
        return prefix, rest
    provider = model_table.provider_of(name)
    return (provider, name) if provider in _KNOWN_BY_MODEL else ("", name)


def _is_for_responses(ask: frames.Ask, provider: str, model: str, base: str) -> bool:
    """Return whether the model is asked over OpenAI's Responses wire, as litellm decides.

    OpenAI takes tools for GPT 5.4 and later over the chat wire only if the model does not reason. A server of another
    maker may know the chat wire only.
    """
    if ask.provider is not None and ask.api_base:
        return model.startswith("responses/")  # The kind in the settings decides.
    if provider == "chatgpt" or model.startswith("responses/") or model_table.row(ask.model).get("mode") == "responses":
        return True
    if provider != "openai" or gpt_version(model) < (5, 4) or not ask.tools:
        return False
    effort = ask.options.get("reasoning_effort")
    reasons = effort != "none" or model_table.row(ask.model).get("supports_none_reasoning_effort") is False
    return reasons and (effort is not None or _is_openai(base))


def _is_openai(base: str) -> bool:
    host = urlsplit(base).hostname or ""
    return host == _OPENAI_HOST or host.endswith(f".{_OPENAI_HOST}")


def _key(provider: Provider, environment: Mapping[str, str]) -> tuple[str | None, tuple[str, ...]]:
    """Return the key, and the variables which should hold the key and do not."""
    if variable := _first_of(provider.key_variables, environment):
        return environment[variable], ()
    return provider.usual_key, provider.needed_variables


def _base(provider: Provider, address: str | None, environment: Mapping[str, str]) -> str:
    variable = _first_of(provider.base_variables, environment)
    base = address or (environment[variable] if variable else provider.base)
    if not base:
        raise NotDirect("the provider has no address")
    path, mark, query = base.partition("?")
    path = path.rstrip("/")
    return (path if path.endswith((provider.base_end, _PATH)) else path + provider.base_end) + mark + query


def _headers(provider: Provider, ask: frames.Ask, environment: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of the provider and of the ask by lower-case name; the headers of the ask count."""
    replaced = {
        name: environment[variable] for name, variable in provider.header_variables.items() if environment.get(variable)
    }
    return {**provider.headers(), **replaced, **{name.lower(): value for name, value in ask.headers.items()}}


def _first_of(variables: tuple[str, ...], environment: Mapping[str, str]) -> str | None:
    """Return the first of the variables with a value."""
    return next((variable for variable in variables if environment.get(variable)), None)
