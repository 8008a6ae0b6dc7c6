"""Requests which a subscription covers, by the direct way: litellm's requests with the same tokens."""

from typing import Any

import pytest

from corpus_support import corpus
from model_support.contract_asks import CONVERSATIONS, TOOLS, ask, in_turn
from model_support.litellm_judge import Sent, compare, litellm_sends, we_send
from placet.core.effort import LEVELS
from placet.model import frames
from placet.model.host import model_table
from placet.model.host.catalog.efforts import levels, with_effort
from placet.model.host.conversations import Conversation

pytestmark = pytest.mark.asyncio(loop_scope="session")

TOKENS = {
    "CHATGPT_API_KEY": "the-token",
    "CHATGPT_ACCOUNT_ID": "acc-1",
    "CHATGPT_ORIGINATOR": "placet",
    "GITHUB_COPILOT_API_KEY": "tid=1;exp=2:sign",
    "GITHUB_COPILOT_API_BASE": "https://api.individual.githubcopilot.com",
}
CHATGPT = ("chatgpt/gpt-5.5", "chatgpt/gpt-5.4", "chatgpt/gpt-5.3-codex", "chatgpt/gpt-5.2", "chatgpt/gpt-6-sol")
COPILOT_CHAT = (
    *("github_copilot/gpt-4o", "github_copilot/gpt-4.1", "github_copilot/gpt-5-mini", "github_copilot/claude-opus-5.5"),
    *("github_copilot/claude-haiku-4.5", "github_copilot/gemini-3.8-flash", "github_copilot/grok-4.7"),
    *("github_copilot/gpt-5.4", "github_copilot/gpt-5.1", "github_copilot/a-new-model"),
)
COPILOT_RESPONSES = ("github_copilot/gpt-5.3-codex", "github_copilot/gpt-5.5")
FAMILIES = (CHATGPT, COPILOT_CHAT, COPILOT_RESPONSES)
MODELS = tuple(name for models in FAMILIES for name in models)
UNSIGNED = [name for name in CONVERSATIONS if name not in {"thinking", "thinking without text"}]

OURS = {
    "session_id": "litellm takes another id for each request; ours is the session's",
    "x-request-id": "names one request",
    "editor-version": "Placet names itself",
    "editor-plugin-version": "Placet names itself",
    "x-initiator": "litellm counts a user's later prompts as the agent's, and the Responses wire has no such header",
    "copilot-vision-request": "litellm sends the header on the chat wire alone",
}
"""Headers in which the requests differ, with the reasons."""

OPTIONS: dict[str, dict[str, Any]] = {
    **{f"effort {effort}": {"reasoning_effort": effort} for effort in ("none", "minimal", "low", "high", "xhigh")},
    "top_p": {"top_p": 0.5},
    "a forced call": {"tool_choice": "required"},
    "a limit": {"max_tokens": 77},
    "a temperature": {"temperature": 0.2},
    "verbosity": {"verbosity": "low"},
    "storage": {"store": True, "service_tier": "priority", "prompt_cache_key": "k"},
}


def compared(sent: Sent) -> Sent:
    headers = {name: value for name, value in sent.headers.items() if name not in OURS}
    return Sent(sent.method, sent.url, headers, sent.body)


async def equal(asked: frames.Ask) -> None:
    compare(compared(we_send(asked, TOKENS)), compared(await litellm_sends(asked, TOKENS)))


@corpus(
    ("conversation", "model"),
    [row for models in (CHATGPT, COPILOT_CHAT, COPILOT_RESPONSES) for row in in_turn(UNSIGNED, models)],
)
async def test_a_conversation_is_asked_as_litellm_asks(model: str, conversation: str):
    await equal(ask(model, conversation))


ALL_AT_ONCE = {name: value for option in reversed(OPTIONS.values()) for name, value in option.items()}


@corpus("model", MODELS)
async def test_options_given_at_once_are_asked_as_litellm_asks(model: str):
    await equal(ask(model, options=ALL_AT_ONCE))


@corpus(
    ("option", "model"),
    [row for models in (CHATGPT, COPILOT_CHAT, COPILOT_RESPONSES) for row in in_turn(OPTIONS, models)],
)
async def test_an_option_is_asked_as_litellm_asks(model: str, option: str):
    await equal(ask(model, options=OPTIONS[option]))


@corpus("provider", ["chatgpt", "github_copilot"])
async def test_every_model_of_the_table_is_asked_as_litellm_asks(provider: str):
    for name in sorted(name for name in model_table.chat_models() if name.partition("/")[0] == provider):
        await equal(ask(name, "parallel calls", temperature=0.3, max_output_tokens=77, tools=TOOLS))


@corpus("model", MODELS)
async def test_an_effort_is_asked_as_litellm_asks(model: str):
    for effort in (*LEVELS, 3000):
        asked = ask(model, effort=effort)
        await equal(with_effort(asked, Conversation().going_on(0, asked.messages)))


@corpus("model", MODELS)
async def test_a_level_that_a_model_is_said_to_have_reaches_the_provider(model: str):
    for level in levels(model, model_table.row(model)) or ():
        asked = ask(model, effort=level)
        body = we_send(with_effort(asked, Conversation().going_on(0, asked.messages)), TOKENS).body
        assert body.get("reasoning_effort", body.get("reasoning")) in (level, {"effort": level}), level
