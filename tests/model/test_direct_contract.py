"""Requests of the chat-completions wire by the direct way, which are litellm's requests.

litellm at the locked version is the judge of each request. A difference which is meant stands in this file with its
reason.
"""

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from unittest.mock import patch

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_support import corpus
from model_support.contract_asks import (
    CONVERSATIONS,
    EVERYTHING,
    SYSTEM,
    TOOLS,
    ask,
    asks,
    call,
    in_turn,
    result,
    says,
    text,
)
from model_support.litellm_judge import NothingSent, Sent, compare, litellm_sends, we_send
from placet.auth.keys import variables_of
from placet.auth.subscriptions.names import SUBSCRIPTIONS
from placet.core.values import replace
from placet.model import frames
from placet.model.host import host_environment, model_table
from placet.model.host.direct.openai_chat import OpenAiChat
from placet.model.host.direct.routes import route
from placet.model.host.errors import NotDirect
from placet.model.host.providers.table import PROVIDERS

pytestmark = pytest.mark.asyncio(loop_scope="session")

CHAT = sorted(PROVIDERS.keys() - frames.OLLAMA - SUBSCRIPTIONS - {"anthropic", "gemini"})
BASE = "http://127.0.0.1:9/v1"

KEYS = (
    *(("together_ai", f"TOGETHER{name}") for name in ("_API_KEY", "_AI_API_KEY", "AI_API_KEY", "_AI_TOKEN")),
    *(("fireworks_ai", f"FIREWORKS{name}") for name in ("_API_KEY", "_AI_API_KEY", "AI_API_KEY", "_AI_TOKEN")),
    *(("mistral", "MISTRAL_AZURE_API_KEY"), ("friendliai", "FRIENDLI_TOKEN"), ("custom_openai", "OPENAI_API_KEY")),
    *(("vercel_ai_gateway", "VERCEL_OIDC_TOKEN"), ("zai", "ZAI_API_KEY"), ("minimax", "MINIMAX_API_KEY")),
)
"""Variables which hold keys beside or without the usual variable."""

MODELS = (
    *("openai/gpt-4o", "openai/gpt-5", "openai/gpt-5.1", "openai/o3", "openai/of-my-own", "custom_openai/x"),
    *("openrouter/anthropic/claude-sonnet-4.5", "openrouter/openai/gpt-5", "deepseek/deepseek-chat"),
    *("deepseek/deepseek-reasoner", "groq/openai/gpt-oss-120b", "groq/llama-3.3-70b-versatile"),
    *("mistral/mistral-large-latest", "codestral/codestral-latest", "xai/grok-4", "xai/grok-3-mini", "xai/grok-2"),
    *("together_ai/zai-org/GLM-4.6", "fireworks_ai/glm-5p1-fast", "fireworks_ai/of-my-own"),
    *("cerebras/gpt-oss-120b", "moonshot/kimi-k2.5", "moonshot/moonshot-v1-8k", "zai/glm-4.6", "minimax/MiniMax-M2"),
    *("lm_studio/x", "llamafile/x", "hosted_vllm/x", "litellm_proxy/x", "nvidia_nim/x", "dashscope/qwen3-max"),
    *("modelscope/x", "novita/x", "vercel_ai_gateway/openai/gpt-4o", "github/gpt-4o", "nebius/x", "wandb/x"),
    *(
        "friendliai/x",
        "deepinfra/google/gemini-2.5-pro",
        "volcengine/x",
        "sambanova/x",
        "sambanova/Meta-Llama-3.3-70B-Instruct",
    ),
    *("lambda_ai/x", "docker_model_runner/x"),
)

OPTIONS: dict[str, dict[str, Any]] = {
    **{f"effort {effort}": {"reasoning_effort": effort} for effort in ("none", "minimal", "low", "xhigh", "max")},
    "thinking": {"thinking": {"type": "enabled", "budget_tokens": 3000}},
    "thinking off": {"thinking": {"type": "disabled"}},
    "top_p": {"top_p": 0.9},
    "top_p without thought": {"top_p": 0.9, "temperature": 0.2, "reasoning_effort": "none"},
    "stops": {"stop": ["A", " "]},
    "seed": {"seed": 7},
    "penalties": {"frequency_penalty": 0.1, "presence_penalty": 0.2},
    "a forced call": {"tool_choice": "required"},
    "a named call": {"tool_choice": {"type": "function", "function": {"name": "read"}}},
    "one call": {"tool_choice": "auto", "parallel_tool_calls": False},
    "an object": {"response_format": {"type": "json_object"}},
    "a limit": {"max_tokens": 77},
    "another limit": {"max_completion_tokens": 78},
    "OpenAI's": {"service_tier": "flex", "store": True, "prompt_cache_key": "x", "safety_identifier": "s"},
    "verbosity": {"verbosity": "low"},
    "a user": {"user": "u-1"},
    "sampling": {"top_k": 5, "min_p": 0.1, "repetition_penalty": 1.1},
    "OpenRouter's": {"provider": {"order": ["a"]}, "transforms": [], "models": ["b"], "reasoning": {"effort": "low"}},
    "a template": {"chat_template_kwargs": {"enable_thinking": False}},
    "extra_body": {"extra_body": {"mine": 1, "temperature": 0.9}},
}
ONLY_LITELLM_KNOWS = (
    ({"metadata": {"a": "b"}}, ".*"),
    ({"logit_bias": {"1": 2}}, ".*"),
    ({"num_retries": 3}, ".*"),
    (OPTIONS["an object"], "groq/.*|fireworks_ai/.*"),
    (OPTIONS["a forced call"], "moonshot/.*|fireworks_ai/.*"),
    (OPTIONS["a named call"], "fireworks_ai/.*"),
    (OPTIONS["one call"], "fireworks_ai/.*"),
    (OPTIONS["sampling"], "fireworks_ai/.*"),
    (OPTIONS["OpenRouter's"], "fireworks_ai/.*"),
    (OPTIONS["a template"], "fireworks_ai/.*"),
    (OPTIONS["extra_body"], "fireworks_ai/.*"),
    *((OPTIONS[option], "together_ai/.*|fireworks_ai/of-my-own") for option in OPTIONS if "effort" in option),
    (OPTIONS["top_p without thought"], "together_ai/.*|fireworks_ai/of-my-own"),
    *((OPTIONS[option], "hosted_vllm/.*|fireworks_ai/of-my-own") for option in ("thinking", "thinking off")),
    (
        OPTIONS["a user"],
        "(custom_openai|openrouter|deepseek|groq|together_ai|moonshot|minimax|lm_studio|llamafile|hosted_vllm)/.*"
        "|(dashscope|modelscope|novita|vercel_ai_gateway|github|nebius|wandb|friendliai|lambda_ai|docker_model_runner)/.*",
    ),
)
"""Parameters, and the models for which only litellm knows what becomes of the parameters."""


def environment_of(model: str) -> dict[str, str]:
    provider = model.partition("/")[0]
    address = {"LITELLM_PROXY_API_BASE": BASE} if provider == "litellm_proxy" else {}
    return {f"{provider.upper()}_API_KEY": "the-key", **address}


async def equal(asked: frames.Ask, environment: Mapping[str, str] | None = None) -> None:
    known = environment_of(asked.model) if environment is None else environment
    compare(we_send(asked, known), await litellm_sends(asked, known))


def only_litellm_knows(model: str, options: dict[str, Any]) -> bool:
    return any(options == known and re.fullmatch(models, model) for known, models in ONLY_LITELLM_KNOWS)


MIXTURES = (
    (
        *("effort low", "top_p", "stops", "penalties", "a forced call", "a limit", "OpenAI's", "a user"),
        *("verbosity", "sampling", "OpenRouter's", "a template", "extra_body"),
    ),
    ("top_p without thought", "seed", "a named call", "another limit", "an object"),
    ("thinking", "one call", "top_p", "stops"),
    ("thinking off", "penalties"),
    ("effort none", "stops"),
    *((f"effort {effort}",) for effort in ("minimal", "xhigh", "max")),
)
"""Options which can be given at once; each option stands in one of the mixtures."""


def mixed(model: str, names: Iterable[str]) -> dict[str, Any]:
    """Return the options of the names together, without those which the model leaves to litellm."""
    known = [OPTIONS[name] for name in names if not only_litellm_knows(model, OPTIONS[name])]
    return {name: value for options in known for name, value in options.items()}


async def test_each_option_is_in_a_mixture():
    assert {name for names in MIXTURES for name in names} == OPTIONS.keys()


@corpus(("conversation", "model"), in_turn(CONVERSATIONS, MODELS))
async def test_a_conversation_is_asked_as_litellm_asks(model: str, conversation: str):
    await equal(ask(model, conversation))


@corpus("model", MODELS)
async def test_each_model_is_asked_for_every_kind_of_message_as_litellm_asks(model: str):
    await equal(ask(model, EVERYTHING))


async def test_a_pdf_for_an_unknown_model_of_fireworks_is_left_to_litellm():
    with pytest.raises(NotDirect):
        we_send(ask("fireworks_ai/of-my-own", "a PDF"), environment_of("fireworks_ai/x"))


@corpus("names", MIXTURES)
@corpus("model", MODELS)
async def test_options_are_asked_as_litellm_asks(model: str, names: tuple[str, ...]):
    await equal(ask(model, "unsigned thinking", options=mixed(model, names)))


@corpus("model", MODELS)
async def test_an_option_of_which_only_litellm_knows_is_left_to_litellm(model: str):
    for option in OPTIONS:
        if only_litellm_knows(model, OPTIONS[option]):
            with pytest.raises(NotDirect):
                we_send(ask(model, "unsigned thinking", options=OPTIONS[option]), environment_of(model))


@corpus(("model", "option"), in_turn(MODELS, [option for option in OPTIONS if "call" in option]))
async def test_the_choice_of_a_call_without_tools_is_asked_as_litellm_asks(model: str, option: str):
    if not only_litellm_knows(model, OPTIONS[option]):
        await equal(ask(model, options=OPTIONS[option], tools=[]))


@corpus("options", [known for known, models in ONLY_LITELLM_KNOWS if models == ".*"])
@corpus("model", MODELS)
async def test_a_parameter_of_litellms_own_is_left_to_litellm(model: str, options: dict[str, Any]):
    with pytest.raises(NotDirect, match=f"the parameter `{min(options)}`"):
        we_send(ask(model, options=options), environment_of(model))


@corpus(("temperature", "limit", "cache"), [(1, 100, "auto"), (1.5, 500, "off")])
@corpus("model", MODELS)
async def test_the_temperature_and_the_limit_are_asked_as_litellm_asks(
    model: str, cache: str, temperature: float, limit: int | None
):
    await equal(ask(model, temperature=temperature, max_output_tokens=limit, cache=cache, tools=[]))


def asks_of_the_table(provider: str) -> list[frames.Ask]:
    """Return an ask of each model of the table that is asked over the wire of chat completions."""
    names = {name for name in model_table.chat_models() if name.partition("/")[0] == provider}
    asks = [
        ask(name, "parallel calls", temperature=0.3, max_output_tokens=77)
        for name in sorted({*names, f"{provider}/x"})
        if not re.fullmatch(OF_ANOTHER_KIND, name)
    ]
    return [asked for asked in asks if isinstance(route(asked, environment_of(asked.model)).wire, OpenAiChat)]


def kind(asked: frames.Ask) -> tuple[str, ...]:
    """Return what the model is said to do, and the request without the model's name."""
    row = model_table.row(asked.model)
    abilities = sorted(
        f"{name}={value}" for name, value in row.items() if name.startswith("supports") or name == "mode"
    )
    body = we_send(asked, environment_of(asked.model)).body | {"model": ""}
    return json.dumps(body, sort_keys=True), *abilities


@corpus("provider", CHAT)
async def test_each_kind_of_model_of_the_table_is_asked_as_litellm_asks(provider: str):
    for asked in {kind(asked): asked for asked in asks_of_the_table(provider)}.values():
        await equal(asked)


@pytest.mark.long
@corpus("provider", CHAT)
async def test_every_model_of_the_table_is_asked_as_litellm_asks(provider: str):
    for asked in asks_of_the_table(provider):
        await equal(asked)


@corpus(("with_key", "base"), [(True, "http://127.0.0.1:9"), (False, BASE)])
@corpus("provider", CHAT)
async def test_an_address_is_completed_as_litellm_completes(provider: str, with_key: bool, base: str):
    if (provider, base) != ("docker_model_runner", BASE):  # DIFFERENCES
        await equal(ask(f"{provider}/x", api_base=base), environment_of(f"{provider}/x") if with_key else {})


@corpus("path", ["/v1/chat/completions", "/beta"])
@corpus("provider", ["openai", "minimax", "deepseek", "litellm_proxy"])
async def test_an_address_with_another_path_is_completed_as_litellm_completes(provider: str, path: str):
    await equal(ask(f"{provider}/x", api_base=f"http://127.0.0.1:9{path}"))


@corpus(("provider", "variable"), [(name, variable) for name in CHAT for variable in PROVIDERS[name].base_variables])
async def test_an_address_of_the_environment_counts(provider: str, variable: str):
    await equal(ask(f"{provider}/x"), environment_of(f"{provider}/x") | {variable: "http://127.0.0.1:9/path"})


@corpus(("provider", "variable"), KEYS)
async def test_a_key_of_the_environment_counts(provider: str, variable: str):
    await equal(ask(f"{provider}/x", api_base=BASE), {variable: "another-key"})


async def test_the_key_variables_of_providers_are_those_litellm_looks_for():
    """litellm names the one variable that is missing; ours has to be among what we take for a provider's key."""
    unknown: list[tuple[str, list[str]]] = []
    with patch.dict(os.environ, clear=True):
        host_environment.configure_litellm()
        import litellm  # The import takes seconds, and the collection of the tests need not wait for litellm.

        for provider in sorted({name.partition("/")[0] for name in model_table.chat_models()} - SUBSCRIPTIONS):
            missing = litellm.validate_environment(f"{provider}/x")["missing_keys"]
            if len(missing) == 1 and missing[0].endswith("_API_KEY") and missing[0] not in variables_of(provider):
                unknown.append((provider, missing))

    assert unknown == []


@corpus(("with_key", "address"), [(True, BASE), (True, None), (False, BASE), (False, None)])
@corpus("provider", CHAT)
async def test_the_words_of_a_fault_are_those_of_the_other_way(provider: str, with_key: bool, address: str | None):
    from placet.model.host.compatible.answer import asked as asked_through_litellm

    asked = ask(f"{provider}/x", api_base=address)
    environment = environment_of(asked.model)
    if not with_key:
        del environment[f"{provider.upper()}_API_KEY"]
    with patch.dict(os.environ, environment, clear=True):
        assert route(asked, environment).asked == asked_through_litellm(asked)


@corpus("provider", CHAT)
async def test_a_provider_is_asked_without_a_key_if_litellm_asks_without_a_key(provider: str):
    asked = ask(f"{provider}/x")
    environment = {name: value for name, value in environment_of(asked.model).items() if not name.endswith("_KEY")}
    if route(asked, environment).endpoint.needs_key:
        with pytest.raises(NothingSent, match="MissingKey"):
            await litellm_sends(asked, environment)
    else:
        await equal(asked, environment)


HEADERS = {"X-Mine": "1", "X-Title": "mine", "HTTP-Referer": "https://example.com"}
LOGIN = {"Authorization": "Basic x"}


@corpus(
    ("provider", "with_key", "headers"),
    [
        *((provider, True, HEADERS | LOGIN) for provider in CHAT),
        *((provider, False, HEADERS | LOGIN) for provider in ("openai", "openrouter", "lm_studio", "zai")),
        *(
            (provider, with_key, HEADERS)
            for provider in ("openai", "lm_studio", "novita")
            for with_key in (True, False)
        ),
    ],
)
async def test_headers_are_sent_as_litellm_sends_them(provider: str, with_key: bool, headers: dict[str, str]):
    known = environment_of(f"{provider}/x") if with_key else {}
    await equal(ask(f"{provider}/x", headers=headers, api_base="http://127.0.0.1:9/beta"), known)


async def test_an_organisation_of_the_environment_is_sent_as_litellm_sends_it():
    await equal(ask("openai/gpt-4o"), environment_of("openai/x") | {"OPENAI_ORGANIZATION": "o", "OPENAI_PROJECT": "p"})


async def test_openrouter_is_told_the_site_and_the_name_of_the_environment():
    names = {"OR_SITE_URL": "https://example.com", "OR_APP_NAME": "mine"}
    await equal(ask("openrouter/x"), environment_of("openrouter/x") | names)


@corpus("base", ["https://eu.api.openai.com/v1", "https://openai.com.example/v1", BASE])
@corpus("model", ["openai/gpt-4o", "openai/gpt-5.1"])
async def test_openai_is_known_by_its_host(model: str, base: str):
    await equal(ask(model, api_base=base))


FOREIGN = {"type": "string", "pattern": r"\p{L}+"}
SCHEMA = {
    "type": "object",
    "properties": {
        "pattern": FOREIGN,
        "known": {"type": "string", "pattern": "^[a-z]+$", "default": {"pattern": r"\p{L}+"}},
        "list": {"type": "array", "items": {"anyOf": [FOREIGN, {"type": "null"}]}},
    },
    "$defs": {"a": {"not": FOREIGN}, "b": {"patternProperties": {"^x": FOREIGN}, "pattern": 1}},
}


@corpus("model", ["openai/gpt-4o", "openai/gpt-5.4", "openai/of-my-own", "groq/x"])
@corpus("base", [None, BASE])
async def test_an_expression_that_openai_does_not_know_is_left_out_as_litellm_leaves_it_out(
    model: str, base: str | None
):
    tool = {"type": "function", "function": {"name": "set", "description": "Sets.", "parameters": SCHEMA}}
    await equal(ask(model, api_base=base, tools=[tool]))


@corpus(
    ("schema", "base"),
    [
        ({"type": "object", "anyOf": [{"required": ["a"]}]}, "https://api.openai.com/v1"),
        ({"type": "object", "patternProperties": {r"\p{L}+": {}}}, BASE),
    ],
)
async def test_a_schema_that_openai_refuses_is_left_to_litellm(schema: dict[str, Any], base: str):
    tool = {"type": "function", "function": {"name": "set", "description": "Sets.", "parameters": schema}}
    with pytest.raises(NotDirect):
        we_send(ask("openai/gpt-4o", tools=[tool], api_base=base), environment_of("openai/gpt-4o"))


@corpus("name", ["gpt-4o", "ft:gpt-4o-2024-08-06", "o3"])
async def test_a_name_without_a_provider_is_found_in_the_table(name: str):
    await equal(ask(name), environment_of("openai/x"))


@corpus("model", ["openai/gpt-4o", "openrouter/anthropic/claude-sonnet-4.5", "mistral/mistral-small"])
async def test_a_history_of_hundreds_of_messages_is_asked_as_litellm_asks(model: str):
    steps = [
        message
        for number in range(100)
        for message in (says(f"step {number}", call(f"c{number}")), result(f"c{number}", f"{number} " * 50))
    ]
    asked = msgspec.structs.replace(ask(model), messages=[SYSTEM, asks(), *steps, asks("end")])
    await equal(asked)


WORDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
CONTENT = st.lists(
    st.one_of(
        WORDS.map(text), st.just({"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}})
    ),
    min_size=1,
    max_size=3,
)
ARGUMENTS = st.dictionaries(WORDS, st.one_of(WORDS, st.integers(), st.none()), max_size=3).map(json.dumps)


@st.composite
def steps(draw: st.DrawFn, number: int) -> list[dict[str, Any]]:
    """Return a question, and mostly an answer with any number of calls and their results."""
    calls = [call(f"c{number}_{index}", arguments=draw(ARGUMENTS)) for index in range(draw(st.integers(0, 3)))]
    said = draw(WORDS) if not calls else draw(st.none() | WORDS)
    results = [result(made["id"], draw(WORDS)) for made in calls]
    return [asks(draw(WORDS | CONTENT)), says(said, *calls), *results]


@given(model=st.sampled_from(MODELS), drawn=st.integers(1, 4).flatmap(lambda n: st.tuples(*map(steps, range(n)))))
@settings(max_examples=60)
async def test_any_conversation_is_asked_as_litellm_asks(model: str, drawn: tuple[list[dict[str, Any]], ...]):
    conversation = [SYSTEM, *(message for step in drawn for message in step)]
    await equal(msgspec.structs.replace(ask(model), messages=conversation))


@given(
    model=st.sampled_from(MODELS),
    conversation=st.sampled_from(list(CONVERSATIONS)),
    option=st.sampled_from(list(OPTIONS)),
    temperature=st.sampled_from([None, 0.2, 1, 1.5]),
    limit=st.sampled_from([None, 100]),
    cache=st.sampled_from(["auto", "off"]),
)
@settings(max_examples=150)
async def test_any_option_in_any_conversation_with_any_model_is_asked_as_litellm_asks(
    model: str, conversation: str, option: str, temperature: float | None, limit: int | None, cache: str
):
    if model.startswith("deepseek/"):
        conversation = "unsigned thinking"  # DIFFERENCES
    asked = ask(model, conversation, options=OPTIONS[option], temperature=temperature, cache=cache)
    if "limit" not in option:
        asked = msgspec.structs.replace(asked, max_output_tokens=limit)
    is_pdf = (model, conversation) == ("fireworks_ai/of-my-own", "a PDF")
    if is_pdf or only_litellm_knows(model, OPTIONS[option]):
        with pytest.raises(NotDirect):
            we_send(asked, environment_of(model))
    else:
        await equal(asked)


# ---------------------------------------------------------------- differences which are meant


Change = Callable[[Sent], Sent]


def at(url: str) -> Change:
    return lambda sent: replace(sent, url=url)


def with_header(name: str, value: str | None) -> Change:
    def changed(sent: Sent) -> Sent:
        others = {header: known for header, known in sent.headers.items() if header != name}
        return replace(sent, headers=others | ({name: value} if value is not None else {}))

    return changed


QUERY, SLASH = "http://127.0.0.1:9/v1?version=2", "http://127.0.0.1:9/v1/"
COMPLETE = "http://127.0.0.1:9/v1/chat/completions"
SIMILAR = "fireworks_ai/accounts/fireworks/models/qwen2p5-coder-32b-instruct-64k"
OF_ANOTHER_KIND = (
    ".*(audio|-search-api|multi-agent|openai/container).*|fireworks_ai/.*qwen2p5-coder-32b-instruct-\\d+k.*"
)
"""Models which take other parameters than chat models, and models of DIFFERENCES."""
IMAGE_AND_CALL = [
    *(SYSTEM, asks([text("see"), {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}])),
    *(says("x", call("c1", provider_specific_fields={"thought_signature": "s"})), result("c1"), asks("again")),
]


def without_fields(sent: Sent) -> Sent:
    for message in sent.body["messages"]:
        for made in message.get("tool_calls", ()):
            made.pop("provider_specific_fields", None)
    return sent


def without_filled_thinking(sent: Sent) -> Sent:
    for message in sent.body["messages"]:
        if message.get("reasoning_content") == " ":
            del message["reasoning_content"]
    return sent


def with_tools(sent: Sent) -> Sent:
    return replace(sent, body=sent.body | {"tools": TOOLS})


DIFFERENCES: dict[str, tuple[frames.Ask, dict[str, str], Change]] = {
    "litellm puts the path behind the query of an address": (
        *(ask("openai/x", api_base=QUERY), {}, at("http://127.0.0.1:9/v1/chat/completions?version=2")),
    ),
    **{
        f"litellm doubles the slash at the end of an address of {provider}": (
            *(ask(f"{provider}/x", api_base=SLASH), {}, at(COMPLETE)),
        )
        for provider in ("deepseek", "moonshot", "dashscope", "modelscope")
    },
    **{
        f"litellm doubles /v1 of an address of {provider}": (ask(f"{provider}/x", api_base=SLASH), {}, at(COMPLETE))
        for provider in ("mistral", "minimax", "docker_model_runner")
    },
    **{
        f"litellm appends to a complete address of {provider}": (
            *(ask(f"{provider}/x", api_base=COMPLETE), {}, at(COMPLETE)),
        )
        for provider in ("mistral", "docker_model_runner")
    },
    "litellm sends OpenRouter a key from OR_API_KEY only if another key is known": (
        ask("openrouter/x", api_base=BASE),
        {"OR_API_KEY": "the-key"},
        with_header("authorization", "Bearer the-key"),
    ),
    **{
        f"litellm sends the key of OpenAI to {provider}": (
            *(ask(f"{provider}/x"), {"OPENAI_API_KEY": "the-key"}, with_header("authorization", None)),
        )
        for provider in ("zai", "github", "friendliai")
    },
    "litellm replaces a content type of the user's own for Novita": (
        ask("novita/x", headers={"Content-Type": "application/json; charset=utf-8"}),
        environment_of("novita/x"),
        with_header("content-type", "application/json; charset=utf-8"),
    ),
    "litellm keeps foreign fields of a call for Mistral, which refuses the fields, if there is an image": (
        msgspec.structs.replace(ask("mistral/mistral-large-latest"), messages=IMAGE_AND_CALL),
        environment_of("mistral/x"),
        without_fields,
    ),
    "litellm adds empty thinking for DeepSeek; the daemon sends the thinking of each answer (quirks.py)": (
        ask("deepseek/deepseek-reasoner", options=OPTIONS["thinking"]),
        environment_of("deepseek/x"),
        without_filled_thinking,
    ),
    "litellm guesses from a similar name that a model of Fireworks takes no tools": (
        *(ask(SIMILAR), environment_of(SIMILAR), with_tools),
    ),
}


@corpus("difference", DIFFERENCES)
async def test_a_difference_is_meant(difference: str):
    asked, environment, change = DIFFERENCES[difference]
    theirs = await litellm_sends(asked, environment)

    assert we_send(asked, environment) != theirs
    compare(we_send(asked, environment), change(theirs))
