"""Effort of thinking in the form of each provider: clamped to litellm's table, and asked as litellm asks."""

from typing import Any

import msgspec
import pytest

from corpus_support import corpus
from model_support.contract_asks import CONVERSATIONS, ask, asks, call, result, says
from model_support.litellm_judge import compare, litellm_sends, we_send
from placet.core.effort import LEVELS, Effort
from placet.model import frames
from placet.model.host import model_table
from placet.model.host.catalog.efforts import levels, takes_budget, with_effort
from placet.model.host.conversations import Conversation
from placet.model.host.errors import NotDirect

pytestmark = pytest.mark.asyncio(loop_scope="session")

EFFORTS: tuple[Effort, ...] = (*LEVELS, 0, 3000, 9000, 500_000)
MODELS = (
    *("openai/gpt-4o", "openai/gpt-5", "openai/gpt-5.1", "openai/gpt-5.4", "openai/o3", "openai/gpt-5-codex"),
    *("openai/responses/o3", "openai/gpt-6-sol", "openai/of-my-own"),
    *("anthropic/claude-3-5-sonnet-20241022", "anthropic/claude-sonnet-4-5", "anthropic/claude-opus-4-6"),
    *("anthropic/claude-opus-4-7", "anthropic/claude-opus-5-5"),
    *("gemini/gemini-2.5-pro", "gemini/gemini-2.5-flash", "gemini/gemini-2.5-flash-lite"),
    *("gemini/gemini-3.1-pro-preview", "gemini/gemini-3-flash-preview"),
    *("openrouter/anthropic/claude-sonnet-4.5", "openrouter/openai/gpt-5", "deepseek/deepseek-chat"),
    *("deepseek/deepseek-reasoner", "groq/openai/gpt-oss-120b", "xai/grok-4.3", "cerebras/gpt-oss-120b"),
    *("groq/qwen/qwen3.8-27b", "xai/grok-4.7", "xai/grok-4.20-reasoning"),
    *("moonshot/kimi-k2.6", "moonshot/kimi-k2.7-code"),
    *("moonshot/kimi-k3", "zai/glm-4.6", "volcengine/x", "hosted_vllm/x", "lm_studio/x", "llamafile/x"),
    *("fireworks_ai/kimi-k3", "dashscope/qwen3-max", "minimax/MiniMax-M2"),
)
LEFT_TO_LITELLM = {"mistral/mistral-medium-latest", "together_ai/moonshotai/Kimi-K3"}


def chosen(model: str, effort: Effort, messages: list[dict[str, Any]] | None = None, **more: Any) -> frames.Ask:
    """Return the ask which the host sends for the effort."""
    asked = ask(model, effort=effort, **more)
    if messages is not None:
        asked = msgspec.structs.replace(asked, messages=messages)
    return with_effort(asked, Conversation().going_on(0, asked.messages))


def environment_of(model: str) -> dict[str, str]:
    return {f"{model.partition('/')[0].upper()}_API_KEY": "the-key"}


def body(model: str, effort: Effort, **more: Any) -> dict[str, Any]:
    return we_send(chosen(model, effort, **more), environment_of(model)).body


@corpus("effort", EFFORTS)
@corpus("model", MODELS)
async def test_an_effort_is_asked_as_litellm_asks(model: str, effort: Effort) -> None:
    asked, environment = chosen(model, effort, conversation="plain"), environment_of(model)

    compare(we_send(asked, environment), await litellm_sends(asked, environment))


@corpus("effort", ["high", 3000])
@corpus("model", sorted(LEFT_TO_LITELLM))
async def test_an_effort_which_only_litellm_can_ask_for_is_left_to_litellm(model: str, effort: Effort) -> None:
    asked, environment = chosen(model, effort), environment_of(model)

    with pytest.raises(NotDirect):
        we_send(asked, environment)
    assert (await litellm_sends(asked, environment)).body["model"] == model.partition("/")[2]


@corpus(
    ("model", "effort", "sent"),
    [
        ("openai/gpt-5.1", "none", {"reasoning_effort": "none"}),
        ("openai/gpt-5", "max", {"reasoning_effort": "high"}),
        ("openai/gpt-5", 100, {"reasoning_effort": "minimal"}),
        ("openai/o3", "minimal", {"reasoning_effort": "low"}),
        ("openai/gpt-5-codex", "medium", {"reasoning": {"effort": "medium"}}),
        ("openai/gpt-5.4", "xhigh", {"reasoning": {"effort": "xhigh"}}),
        ("openai/of-my-own", "xhigh", {"reasoning_effort": "xhigh"}),
        ("anthropic/claude-sonnet-4-5", "none", {"thinking": {"type": "disabled"}}),
        (
            "anthropic/claude-sonnet-4-5",
            "high",
            {"thinking": {"type": "enabled", "budget_tokens": 4096}, "max_tokens": 64000},
        ),
        ("anthropic/claude-sonnet-4-5", 100, {"thinking": {"type": "enabled", "budget_tokens": 1024}}),
        (
            "anthropic/claude-sonnet-4-5",
            500_000,
            {"thinking": {"type": "enabled", "budget_tokens": 32000}, "max_tokens": 64000},
        ),
        ("anthropic/claude-opus-4-6", "xhigh", {"output_config": {"effort": "max"}}),
        ("anthropic/claude-opus-4-7", "xhigh", {"output_config": {"effort": "xhigh"}, "max_tokens": 128_000}),
        ("anthropic/claude-opus-4-7", 3000, {"output_config": {"effort": "medium"}}),
        ("anthropic/claude-opus-5-5", "none", {"output_config": {"effort": "low"}}),
        ("openrouter/anthropic/claude-sonnet-4.5", "high", {"reasoning": {"effort": "high"}}),
        ("openrouter/anthropic/claude-sonnet-4.5", 3000, {"reasoning": {"max_tokens": 3000}}),
        ("openrouter/anthropic/claude-sonnet-4.5", "max", {"reasoning": {"effort": "xhigh"}}),
        ("deepseek/deepseek-reasoner", "low", {"thinking": {"type": "enabled"}}),
        ("deepseek/deepseek-reasoner", "none", {"thinking": {"type": "disabled"}}),
        ("zai/glm-4.6", "none", {"thinking": {"type": "disabled"}}),
        ("zai/glm-4.6", "medium", {"thinking": {"type": "enabled"}}),
        ("moonshot/kimi-k3", "xhigh", {"reasoning_effort": "max"}),
        ("moonshot/kimi-k2.6", "none", {"thinking": {"type": "disabled"}, "reasoning_effort": None}),
        ("moonshot/kimi-k2.5", 3000, {"thinking": {"type": "enabled"}, "reasoning_effort": None}),
        ("groq/openai/gpt-oss-120b", "none", {"reasoning_effort": "low"}),
        ("groq/openai/gpt-oss-20b", "max", {"reasoning_effort": "high"}),
        ("groq/qwen/qwen3.8-27b", "none", {"reasoning_effort": "none"}),
        ("groq/qwen/qwen3.8-27b", "medium", {"reasoning_effort": "default"}),
        ("xai/grok-4.3", "none", {"reasoning_effort": "none"}),
        ("xai/grok-4.3-latest", "minimal", {"reasoning_effort": "low"}),
        ("xai/grok-4.3", "xhigh", {"reasoning_effort": "high"}),
        ("xai/grok-4.6", "none", {"reasoning_effort": "low"}),
        ("xai/grok-4.7", "max", {"reasoning_effort": "xhigh"}),
        ("lm_studio/x", "low", {"reasoning_effort": "low"}),
        ("llamafile/x", "low", {"reasoning_effort": "low"}),
        ("ollama_chat/qwen3:8b", "max", {"think": True}),
        ("ollama_chat/qwen3:8b", "none", {"think": False}),
        ("ollama_chat/gpt-oss:20b", "max", {"think": "high"}),
    ],
)
async def test_an_effort_has_the_form_of_its_provider(model: str, effort: Effort, sent: dict[str, Any]) -> None:
    request = body(model, effort)

    assert {name: request.get(name) for name in sent} == sent


@corpus(
    ("model", "own", "sent"),
    [
        ("moonshot/kimi-k2.6", {"mine": 1}, {"mine": 1, "thinking": {"type": "enabled"}}),
        ("moonshot/kimi-k2.6", {"thinking": {"type": "mine"}}, {"thinking": {"type": "mine"}}),
        ("lm_studio/x", {"mine": 1}, {"mine": 1, "reasoning_effort": "high"}),
        ("lm_studio/x", {"mine": 1, "reasoning_effort": "low"}, {"mine": 1, "reasoning_effort": "low"}),
    ],
)
async def test_an_effort_stands_beside_the_users_own_fields_of_the_body(
    model: str, own: dict[str, Any], sent: dict[str, Any]
) -> None:
    asked, environment = chosen(model, "high", options={"extra_body": own}), environment_of(model)

    request = we_send(asked, environment)

    assert {name: request.body.get(name) for name in sent} == sent
    assert request == await litellm_sends(asked, environment)


@corpus(
    ("model", "effort", "thinking"),
    [
        ("gemini-2.5-flash", "none", {"thinkingBudget": 0, "includeThoughts": False}),
        ("gemini-2.5-flash", "high", {"thinkingBudget": 4096, "includeThoughts": True}),
        ("gemini-2.5-pro", "none", {"thinkingBudget": 128, "includeThoughts": True}),
        ("gemini-2.5-pro", 10, {"thinkingBudget": 128, "includeThoughts": True}),
        ("gemini-2.5-pro", 99_999, {"thinkingBudget": 32_768, "includeThoughts": True}),
        ("gemini-2.5-flash-lite", 10, {"thinkingBudget": 512, "includeThoughts": True}),
        ("gemini-3.1-pro-preview", "none", {"thinkingLevel": "low", "includeThoughts": True}),
        ("gemini-3.1-pro-preview", "max", {"thinkingLevel": "high", "includeThoughts": True}),
        ("gemini-3-flash-preview", "none", {"thinkingLevel": "minimal", "includeThoughts": True}),
        ("gemini-3-flash-preview", 3000, {"thinkingLevel": "medium", "includeThoughts": True}),
    ],
)
async def test_gemini_gets_a_budget_or_a_level(model: str, effort: Effort, thinking: dict[str, Any]) -> None:
    assert body(f"gemini/{model}", effort)["generationConfig"]["thinkingConfig"] == thinking


@corpus(
    "model",
    [
        *("openai/gpt-4o", "minimax/MiniMax-M2", "modelscope/x", "moonshot/kimi-k2.7-code", "moonshot/moonshot-v1-8k"),
        *("xai/grok-4.20-reasoning", "xai/grok-4.20-multi-agent", "xai/grok-code-fast-1", "xai/grok-build-0.1"),
    ],
)
async def test_a_model_without_levels_gets_no_effort(model: str) -> None:
    assert chosen(model, "high") == ask(model, effort="high")


async def test_no_effort_changes_no_request() -> None:
    for model in MODELS:
        asked = ask(model)
        assert with_effort(asked, Conversation().going_on(0, asked.messages)) is asked


@corpus("options", [{"reasoning_effort": "low"}, {"thinking": {"type": "disabled"}}, {"reasoning": {}}])
async def test_a_plugins_own_option_outweighs_the_effort(options: dict[str, Any]) -> None:
    asked = chosen("anthropic/claude-sonnet-4-5", "max", options=options)

    assert asked.options == options


async def test_a_limit_of_the_answer_leaves_room_beside_the_thinking() -> None:
    limited = body("anthropic/claude-sonnet-4-5", "max", max_output_tokens=6000)
    small = body("anthropic/claude-sonnet-4-5", "max", max_output_tokens=1000)

    assert (limited["max_tokens"], limited["thinking"]["budget_tokens"]) == (6000, 3000)
    assert (small["max_tokens"], "thinking" in small) == (1000, False)


@corpus("model", ["claude-sonnet-4-5", "claude-opus-4-6"])
async def test_a_model_of_anthropic_which_thinks_takes_no_temperature(model: str) -> None:
    assert "temperature" not in body(f"anthropic/{model}", "high", temperature=0.2)
    assert body(f"anthropic/{model}", "none", temperature=0.2)["temperature"] == 0.2


async def test_calls_made_without_thinking_are_continued_without_a_budget() -> None:
    """Anthropic refuses a budget there; the calls may be another model's, or from before the choice of the effort."""
    plain = [asks(), says(None, call("c1")), result("c1")]
    thought = [asks(), says(None, call("c1"), thinking_blocks=CONVERSATIONS["thinking"][2]["thinking_blocks"])]

    assert "thinking" not in body("anthropic/claude-sonnet-4-5", "high", messages=plain)
    assert "thinking" in body("anthropic/claude-sonnet-4-5", "high", messages=[*thought, result("c1")])
    assert "thinking" in body("anthropic/claude-sonnet-4-5", "high", messages=[*plain, says("Done."), asks("More.")])
    assert "thinking" in body("anthropic/claude-opus-4-6", "high", messages=plain)


async def test_every_model_of_the_table_has_levels_of_the_known_words() -> None:
    for name, row in model_table.chat_models().items():
        known = levels(name, row)
        assert known is not None
        assert known == [level for level in LEVELS if level in known]
        assert isinstance(takes_budget(name, row), bool)
