"""Providers of the direct way: addresses, keys, and the differences on the chat-completions wire. A table of facts.

The facts are litellm's; tests/model/test_direct_contract.py holds the requests for each row equal to litellm's. Both
ways name Placet where litellm names itself (own_name.py).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from placet.model.host import own_name
from placet.model.host.providers import chat_messages as messages
from placet.model.host.providers import chat_parameters as parameters

_THINKING = frozenset({"reasoning_effort", "thinking"})
_OPENAIS_OWN = frozenset({"prompt_cache_key", "safety_identifier", "service_tier", "store", "verbosity"})
_PENALTIES = frozenset({"frequency_penalty", "presence_penalty"})
_USUAL_DROPS = _THINKING | {"verbosity"}


@dataclass(frozen=True, slots=True)
class Provider:
    """Provider of the direct way; all fields but the addresses and keys belong to the chat-completions wire."""

    base: str
    """Usual address, below which `/chat/completions` stands; empty if the user names the address."""
    base_variables: tuple[str, ...] = ()
    """Environment variables which may hold the address; the first one with a value counts."""
    key_variables: tuple[str, ...] = ()
    """Environment variables which may hold the key; the first one with a value counts."""
    needed_variables: tuple[str, ...] = ()
    """Variables to name when no variable holds the key; empty if the provider is asked without a key too."""
    usual_key: str | None = None
    """Key for a server which wants no key."""
    base_end: str = ""
    """End of each address, for example `/v1`; an address without this end gets the end."""
    name_on_wire: Callable[[str], str] = str
    """Name of a model on the wire from the name which the user wrote."""
    headers: Callable[[], Mapping[str, str]] = dict[str, str]
    """Function that returns the headers of every request, by lower-case name."""
    header_variables: Mapping[str, str] = field(default_factory=dict[str, str])
    """Environment variables which replace a header, by the header's name."""
    takes: frozenset[str] = frozenset()
    """Parameters which the provider takes beyond `chat_parameters.COMMON`."""
    drops: frozenset[str] = _USUAL_DROPS
    """Parameters which no model of the provider gets, though the user may set the parameters for all models."""
    unknown: frozenset[str] = frozenset()
    """Parameters of which only litellm knows what the provider wants."""
    change: parameters.ParametersChange = parameters.unchanged
    message: messages.MessageChange = messages.unchanged
    tools: messages.ToolsChange = messages.same_tools
    effort: Literal["parameter", "extra_body", "thinking"] | None = None
    """Place of the effort in a request: the parameter `reasoning_effort`, the same field of the body for a server for
    which litellm drops the parameter, or the parameter `thinking`. None: the parameter, unless the provider drops it.
    """
    is_switched: bool = False
    """True if the models of the provider only think or do not think."""
    passes_on: bool = False
    """True if the provider passes requests on to other providers, and decides itself what a request may hold."""
    tells_usage: bool = True
    """True if the provider sends the token counts only when asked; litellm does not ask the others."""


def _usual(base: str, name: str, **differences: object) -> Provider:
    """Return the provider with its address in `NAME_API_BASE` and its key in `NAME_API_KEY`."""
    key = f"{name}_API_KEY"
    usual = {"base_variables": (f"{name}_API_BASE",), "key_variables": (key,), "needed_variables": (key,)}
    return Provider(base, **(usual | differences))  # pyright: ignore[reportArgumentType] - the fields of Provider


def _fireworks_name(name: str) -> str:
    """Return the full name of a model or a router: https://docs.fireworks.ai/getting-started/concepts."""
    if name.startswith(("accounts/", "FW-")) or "#" in name:
        return name
    if name.startswith(("routers/", "models/")):
        return f"accounts/fireworks/{name}"
    is_router = (
        name.endswith("-fast") or name in {"firerouter", "auto", "auto-instant"} or name.startswith("firerouter/")
    )
    return f"accounts/fireworks/{'routers' if is_router else 'models'}/{name}"


_OLLAMA = Provider(
    "http://localhost:11434",
    ("OLLAMA_API_BASE",),
    ("OLLAMA_API_KEY",),
    base_end="/v1",
)
_MISTRAL_DROPS = _OPENAIS_OWN | _PENALTIES | {"user"}

PROVIDERS: Mapping[str, Provider] = {
    "gemini": Provider(
        "https://generativelanguage.googleapis.com",
        ("GEMINI_API_BASE",),
        ("GOOGLE_API_KEY", "GEMINI_API_KEY", "PALM_API_KEY"),
        ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
        effort="parameter",
    ),
    "anthropic": Provider(
        "https://api.anthropic.com",
        ("ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL"),
        ("ANTHROPIC_API_KEY",),
        ("ANTHROPIC_API_KEY",),
        effort="parameter",
    ),
    "openai": Provider(
        "https://api.openai.com/v1",
        ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
        ("OPENAI_API_KEY",),
        ("OPENAI_API_KEY",),
        takes=frozenset({"reasoning_effort", "thinking", "verbosity", "user"}),
        drops=frozenset(),
        change=parameters.for_openai,
        message=messages.for_openai,
        tools=messages.tools_for_openai,
    ),
    "custom_openai": Provider(
        "https://api.openai.com/v1",
        ("OPENAI_BASE_URL", "OPENAI_API_BASE"),
        ("OPENAI_API_KEY",),
        change=parameters.use_max_tokens,
        effort="extra_body",
    ),
    "openrouter": _usual(
        "https://openrouter.ai/api/v1",
        "OPENROUTER",
        key_variables=("OPENROUTER_API_KEY", "OR_API_KEY"),
        headers=own_name.for_openrouter,
        header_variables={"http-referer": "OR_SITE_URL", "x-title": "OR_APP_NAME"},
        takes=_THINKING,
        drops=frozenset({"verbosity"}),
        change=parameters.for_openrouter,
        message=messages.for_openrouter,
    ),
    "deepseek": _usual(
        "https://api.deepseek.com/beta",
        "DEEPSEEK",
        takes=_THINKING,
        drops=frozenset({"verbosity"}),
        change=parameters.for_deepseek,
        message=messages.for_deepseek,
        is_switched=True,
    ),
    "groq": _usual(
        "https://api.groq.com/openai/v1",
        "GROQ",
        takes=frozenset({"reasoning_effort"}),
        drops=frozenset({"verbosity", "thinking"}),
        unknown=frozenset({"response_format"}),
        change=parameters.reason_if_known_with_max_tokens,
    ),
    "mistral": Provider(
        "https://api.mistral.ai/v1",
        ("MISTRAL_AZURE_API_BASE",),
        ("MISTRAL_AZURE_API_KEY", "MISTRAL_API_KEY"),
        ("MISTRAL_API_KEY",),
        base_end="/v1",
        takes=_THINKING,
        drops=_MISTRAL_DROPS,
        change=parameters.for_mistral,
        message=messages.for_mistral,
        tools=messages.tools_for_mistral,
        tells_usage=False,
    ),
    "codestral": _usual(
        "https://codestral.mistral.ai/v1",
        "CODESTRAL",
        takes=_THINKING,
        drops=_MISTRAL_DROPS,
        change=parameters.for_mistral,
        message=messages.for_mistral,
        tools=messages.tools_for_mistral,
        tells_usage=False,
    ),
    "xai": _usual(
        "https://api.x.ai/v1",
        "XAI",
        takes=frozenset({"reasoning_effort", "user"}),
        drops=_OPENAIS_OWN | {"thinking"},
        change=parameters.for_xai,
        tools=messages.lenient_tools,
    ),
    "together_ai": _usual(
        "https://api.together.ai/v1",
        "TOGETHER_AI",
        key_variables=("TOGETHER_API_KEY", "TOGETHER_AI_API_KEY", "TOGETHERAI_API_KEY", "TOGETHER_AI_TOKEN"),
        needed_variables=("TOGETHERAI_API_KEY",),
        takes=frozenset({"reasoning_effort"}),
        drops=frozenset({"verbosity", "thinking"}),
        change=parameters.for_together,
        message=messages.without_thinking_blocks,
    ),
    "fireworks_ai": _usual(
        "https://api.fireworks.ai/inference/v1",
        "FIREWORKS",
        key_variables=("FIREWORKS_API_KEY", "FIREWORKS_AI_API_KEY", "FIREWORKSAI_API_KEY", "FIREWORKS_AI_TOKEN"),
        needed_variables=("FIREWORKS_AI_API_KEY",),
        name_on_wire=_fireworks_name,
        takes=_THINKING | {"user"},
        drops=frozenset({"verbosity", "store", "safety_identifier"}),
        unknown=parameters.EXTENSIONS | {"tool_choice", "response_format"},
        change=parameters.for_fireworks,
        message=messages.for_fireworks,
        tools=messages.tools_for_fireworks,
    ),
    "cerebras": _usual(
        "https://api.cerebras.ai/v1",
        "CEREBRAS",
        takes=frozenset({"reasoning_effort", "user"}),
        drops=_OPENAIS_OWN | _PENALTIES | {"thinking", "parallel_tool_calls"},
        change=parameters.reason_if_known_with_max_tokens,
        tells_usage=False,
    ),
    "moonshot": _usual(
        "https://api.moonshot.ai/v1",
        "MOONSHOT",
        takes=frozenset({"reasoning_effort"}),
        drops=frozenset({"verbosity", "thinking"}),
        change=parameters.for_moonshot,
        message=messages.for_moonshot,
    ),
    "zai": _usual(
        "https://api.z.ai/api/paas/v4",
        "ZAI",
        needed_variables=(),
        takes=frozenset({"thinking"}),
        drops=_OPENAIS_OWN
        | _PENALTIES
        | {"seed", "max_completion_tokens", "parallel_tool_calls", "response_format", "reasoning_effort", "user"},
        change=parameters.think_if_known,
        effort="thinking",
        is_switched=True,
    ),
    "minimax": _usual(
        "https://api.minimax.io/v1",
        "MINIMAX",
        needed_variables=(),
        base_end="/v1",
        takes=frozenset({"thinking"}),
        drops=frozenset({"verbosity", "reasoning_effort"}),
        change=parameters.think_if_known,
    ),
    "ollama": _OLLAMA,
    "ollama_chat": _OLLAMA,
    "lm_studio": _usual(
        "http://127.0.0.1:1234/v1", "LM_STUDIO", needed_variables=(), usual_key="fake-api-key", effort="extra_body"
    ),
    "llamafile": _usual(
        "http://127.0.0.1:8080/v1", "LLAMAFILE", needed_variables=(), usual_key="fake-api-key", effort="extra_body"
    ),
    "hosted_vllm": _usual(
        "http://127.0.0.1:8000/v1",
        "HOSTED_VLLM",
        needed_variables=(),
        usual_key="fake-api-key",
        takes=frozenset({"reasoning_effort"}),
        drops=frozenset({"verbosity"}),
        message=messages.without_thinking_blocks,
        tools=messages.tools_for_vllm,
    ),
    "litellm_proxy": _usual(
        "",
        "LITELLM_PROXY",
        needed_variables=(),
        takes=_THINKING | {"verbosity", "user"},
        drops=frozenset(),
        change=parameters.for_litellm_proxy,
        passes_on=True,
    ),
    "nvidia_nim": _usual(
        "https://integrate.api.nvidia.com/v1",
        "NVIDIA_NIM",
        drops=_OPENAIS_OWN | _THINKING | {"user"},
        change=parameters.use_max_tokens,
        tells_usage=False,
    ),
    "dashscope": _usual(
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
        "DASHSCOPE",
        takes=frozenset({"reasoning_effort"}),
        drops=frozenset({"verbosity", "thinking"}),
    ),
    "modelscope": _usual("https://api-inference.modelscope.cn/v1", "MODELSCOPE"),
    "novita": _usual("https://api.novita.ai/v3/openai", "NOVITA", headers=own_name.for_novita),
    "vercel_ai_gateway": _usual(
        "https://ai-gateway.vercel.sh/v1",
        "VERCEL_AI_GATEWAY",
        key_variables=("VERCEL_AI_GATEWAY_API_KEY", "VERCEL_OIDC_TOKEN"),
    ),
    "github": _usual(
        "https://models.inference.ai.azure.com", "GITHUB", needed_variables=(), change=parameters.use_max_tokens
    ),
    "nebius": _usual("https://api.studio.nebius.ai/v1", "NEBIUS", change=parameters.use_max_tokens),
    "wandb": _usual(
        "https://api.inference.wandb.ai/v1",
        "WANDB",
        takes=frozenset({"reasoning_effort"}),
        drops=frozenset({"verbosity", "thinking"}),
        change=parameters.for_wandb,
    ),
    "friendliai": _usual(
        "https://api.friendli.ai/serverless/v1",
        "FRIENDLIAI",
        base_variables=("FRIENDLI_API_BASE",),
        key_variables=("FRIENDLIAI_API_KEY", "FRIENDLI_TOKEN"),
        needed_variables=(),
        change=parameters.use_max_tokens,
    ),
    "deepinfra": _usual(
        "https://api.deepinfra.com/v1/openai",
        "DEEPINFRA",
        takes=frozenset({"reasoning_effort"}),
        drops=_OPENAIS_OWN | {"seed", "user", "tool_choice", "parallel_tool_calls", "thinking"},
        change=parameters.reason_if_known_with_max_tokens,
        tells_usage=False,
    ),
    "volcengine": _usual(
        "https://ark.cn-beijing.volces.com/api/v3",
        "VOLCENGINE",
        takes=frozenset({"thinking"}),
        drops=_OPENAIS_OWN | {"user", "parallel_tool_calls", "response_format", "reasoning_effort"},
        change=parameters.use_max_tokens,
        effort="thinking",
        is_switched=True,
    ),
    "sambanova": _usual(
        "https://api.sambanova.ai/v1",
        "SAMBANOVA",
        needed_variables=(),
        drops=_OPENAIS_OWN | _PENALTIES | _THINKING | {"seed", "user"},
        change=parameters.for_sambanova,
        message=messages.text_only,
    ),
    "lambda_ai": _usual("https://api.lambda.ai/v1", "LAMBDA", needed_variables=(), change=parameters.use_max_tokens),
    "chatgpt": Provider(
        "https://chatgpt.com/backend-api/codex",
        ("CHATGPT_API_BASE", "OPENAI_CHATGPT_API_BASE"),
        ("CHATGPT_API_KEY",),
        ("CHATGPT_API_KEY",),
        effort="parameter",
    ),
    "github_copilot": _usual(
        "https://api.githubcopilot.com",
        "GITHUB_COPILOT",
        takes=frozenset({"reasoning_effort", "thinking", "verbosity", "user"}),
        drops=frozenset(),
        change=parameters.for_copilot,
        message=messages.for_openai,
        tools=messages.tools_for_openai,
    ),
    "docker_model_runner": _usual(
        "http://localhost:22088/engines/llama.cpp",
        "DOCKER_MODEL_RUNNER",
        needed_variables=(),
        usual_key="dummy-key",
        base_end="/v1",
        change=parameters.use_max_tokens,
        message=messages.text_only,
        effort="extra_body",
    ),
}
