from hypothesis import given
from hypothesis import strategies as st

from placet.agent.context.transcript_text import message_texts, newest_half, shortened, within
from placet.core.messages import AssistantMessage, FilePart, TextPart, ToolCompleted, ToolFailed, ToolPart, UserMessage


def test_a_conversation_is_told_with_its_calls_and_without_its_media():
    image = FilePart(uri="data:image/png;base64,AAAA", mime="image/png", name="a.png")
    done = ToolCompleted(
        input={"filePath": "a.py"}, title="", output="print(1)\n", attachments=(image,), start=1, end=2
    )
    failed = ToolFailed(input={"command": "make"}, error="exit code 2", start=1, end=2)
    messages = [
        UserMessage(parts=(TextPart(text="Fix it."), image)),
        AssistantMessage(
            parent_id="msg_1",
            parts=(
                TextPart(text="I look."),
                ToolPart(call_id="1", tool="read", state=done),
                ToolPart(call_id="2", tool="bash", state=failed),
            ),
        ),
        AssistantMessage(parent_id="msg_1"),
    ]

    assert message_texts(messages) == [
        "[User]\nFix it.\n(Attached: a.png, image/png)",
        '[Agent]\nI look.\n(Called read with {"filePath": "a.py"})\n(It gave: print(1))\n(Attached: a.png, image/png)\n'
        '(Called bash with {"command": "make"})\n(It failed: exit code 2)',
    ]


def test_a_long_result_keeps_its_beginning_and_its_end():
    text = shortened("a" * 3000 + "b" * 3000, 2000)

    assert text.startswith("a" * 1200 + "\n[")
    assert text.endswith("]\n" + "b" * 800)
    assert "4000 characters left out" in text
    assert shortened("a" * 2000, 2000) == "a" * 2000


@given(st.lists(st.text(min_size=1), min_size=1), st.integers(0, 200))
def test_halving_comes_to_an_end_and_keeps_the_newest(texts, characters):
    half = newest_half(texts)
    assert sum(map(len, half)) <= max(sum(map(len, texts)) // 2 + 1, len(texts[-1]))
    assert texts[-1].endswith(half[-1])
    assert sum(map(len, within(texts, characters))) <= characters
