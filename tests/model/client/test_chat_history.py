"""The chat form that is kept from request to request is the one that is made anew."""

from hypothesis import given
from hypothesis import strategies as st

from model_support.asking import assistant, completed, user
from model_support.chat import chat_messages
from placet.core.messages import AssistantMessage, Message, ToolCompleted, ToolPart
from placet.model.client.conversations import ChatHistory

SYSTEM = ("You are a test.",)

ids = st.sampled_from(["call_0", "call_0_2", "call 0", "b"])
calls = st.builds(lambda call_id, text: completed("read", {"x": 1}, text, call_id=call_id), ids, st.text(max_size=3))
answers = st.lists(calls, max_size=3).map(lambda parts: assistant("step", *parts, model="m"))
prompts = st.text(max_size=4).map(user)
messages = st.one_of(answers, prompts)


def cleared(message: Message) -> Message:
    """As a pruned message: new values, with shorter results."""
    if not isinstance(message, AssistantMessage):
        return message.model_copy(update={"stop_reason": "end_turn"})
    parts = [
        part.model_copy(update={"state": part.state.model_copy(update={"output": "cleared"})})
        if isinstance(part, ToolPart) and isinstance(part.state, ToolCompleted)
        else part
        for part in message.parts
    ]
    return message.model_copy(update={"parts": tuple(parts)})


@st.composite
def conversations(draw: st.DrawFn) -> list[list[Message]]:
    """Requests of one conversation: it grows, is steered, pruned and cut at either end."""
    conversation: list[Message] = []
    requests: list[list[Message]] = []
    for _ in range(draw(st.integers(1, 6))):
        match draw(st.sampled_from(["grow", "grow", "prune", "compact", "take back"])):
            case "grow":
                conversation = [*conversation, *draw(st.lists(messages, max_size=4))]
            case "prune" if conversation:
                place = draw(st.integers(0, len(conversation) - 1))
                conversation = [*conversation[:place], cleared(conversation[place]), *conversation[place + 1 :]]
            case "compact":
                conversation = [user("summary"), *conversation[draw(st.integers(0, len(conversation))) :]]
            case _:
                conversation = conversation[: draw(st.integers(0, len(conversation)))]
        requests.append(conversation)
    return requests


@given(conversations())
def test_what_is_kept_is_what_would_be_made_anew(requests: list[list[Message]]):
    history = ChatHistory(SYSTEM, model="m")

    for conversation in requests:
        assert history.chat(conversation) == chat_messages(SYSTEM, conversation, model="m")


def test_what_was_said_before_is_the_same_objects():
    first = [user("hi"), assistant("step", completed("read", {}, "x", call_id="a")), user("more")]
    history = ChatHistory(SYSTEM, model="m")
    before = history.chat(first)

    after = history.chat([*first, assistant("step", completed("read", {}, "y", call_id="a"))])

    assert [id(message) for message in after[: len(before)]] == [id(message) for message in before]


def test_a_message_replaced_by_one_that_says_the_same_keeps_its_objects():
    prompt = user("hi")
    history = ChatHistory(SYSTEM, model="m")
    before = history.chat([prompt])

    after = history.chat([prompt.model_copy(update={"stop_reason": "end_turn"})])

    assert after[1] is before[1]


def test_a_call_gets_its_own_id_back_when_the_one_before_it_is_gone():
    first, second = (assistant("step", completed("read", {}, text, call_id="call_0")) for text in "xy")
    history = ChatHistory(SYSTEM, model="m")
    history.chat([first, second])

    _, calls, result = history.chat([second])

    assert calls["tool_calls"][0]["id"] == result["tool_call_id"] == "call_0"
