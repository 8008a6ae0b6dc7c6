"""Bodies put together from what litellm was told and what became of the rest before."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placet.model.host.conversations import Conversation
from placet.model.host.rounds import NotInRounds, Splice

JsonObject = dict[str, Any]


def said(role: str, text: str) -> JsonObject:
    return {"role": role, "content": text}


def translated(messages: list[JsonObject]) -> bytes:
    """As a provider has it: consecutive messages of one side are merged, as Anthropic wants them."""
    merged: list[JsonObject] = []
    for message in messages:
        role = "assistant" if message["role"] == "assistant" else "user"
        if merged and merged[-1]["role"] == role:
            merged[-1]["content"].append(message["content"])
        else:
            merged.append({"role": role, "content": [message["content"]]})
    return json.dumps({"model": "m", "messages": merged, "tools": []}).encode()


def spliced(conversation: Conversation) -> tuple[bytes, int]:
    """The body, and how many messages the provider's translation was made of."""
    told = [one for one in conversation.rounds if one.rendered is None]
    splice = Splice(conversation.rounds, told, told)
    asked = [*conversation.opening, *(message for one in told for message in one.messages)]
    return splice.body(translated([message.message() for message in asked])), len(asked)


roles = st.sampled_from(["user", "assistant", "tool"])
words = st.builds(said, roles, st.text(max_size=3))


@given(st.lists(st.tuples(st.integers(0, 12), st.lists(words, max_size=6)), max_size=6))
def test_a_spliced_body_is_that_of_the_whole_conversation(requests: list[tuple[int, list[JsonObject]]]):
    opening = [said("system", "be"), said("user", "hi")]
    conversation = Conversation().going_on(0, opening)
    for kept, new in requests:
        kept = max(len(opening), min(kept, len(conversation.messages)))
        conversation = conversation.going_on(kept, new)
        whole = [message.message() for message in conversation.messages]

        body, _ = spliced(conversation)

        assert json.loads(body) == json.loads(translated(whole))


def test_only_the_opening_and_new_rounds_are_translated():
    first, *later = ([said("assistant", "call"), said("tool", f"result {number}")] for number in range(3))
    conversation = Conversation().going_on(0, [said("user", "hi"), *first])
    spliced(conversation)

    conversation = conversation.going_on(3, [one for step in later for one in step])

    assert spliced(conversation)[1] == 5
    assert spliced(conversation)[1] == 1


def test_rounds_after_a_changed_one_are_still_known():
    steps = [[said("assistant", f"call {number}"), said("tool", "result")] for number in range(9)]
    conversation = Conversation().going_on(0, [said("user", "hi"), *(one for step in steps for one in step)])
    spliced(conversation)
    changed = [said("assistant", "call 0"), said("tool", "cleared")]

    conversation = conversation.going_on(1, [*changed, *(one for step in steps[1:] for one in step)])

    assert spliced(conversation)[1] == 3


@pytest.mark.parametrize("body", [b"[]", b"{}", b'{"messages": [{"content": "x"}]}', b'{"messages": []}', b"{"])
def test_a_body_of_another_kind_is_told(body: bytes):
    conversation = Conversation().going_on(0, [said("user", "hi"), said("assistant", "x"), said("user", "y")])

    with pytest.raises(NotInRounds):
        Splice(conversation.rounds, conversation.rounds, conversation.rounds).body(body)

    assert conversation.rounds[0].rendered is None
