"""The model that plays a script."""

import asyncio
import json
from pathlib import Path

import pytest

from corpus_support import corpus
from model_support.asking import answer, assistant, calls_of, completed, failure, reason_of, request, text_of, usage_of
from placet.core.errors import SettingsError
from placet.core.messages import Tokens
from placet.model.base import CallDelta, CallStarted, Finished, TextDelta, ThoughtDelta
from placet.model.scripted import Error, ScriptedCall, ScriptedModel, ScriptMismatch, Text, Turn, Wait, WaitForFile

SCRIPT = Path(__file__).with_name("script.json")


async def test_a_script_from_a_file_is_played_turn_by_turn():
    model = ScriptedModel.read(SCRIPT)

    first = await answer(model, "change the greeting")
    assert first[0] == ThoughtDelta("It is in hello.py, I think.", "sealed")
    assert text_of(first) == "I read it first."
    assert [(name, json.loads(arguments)) for _, name, arguments in calls_of(first)] == [
        ("read", {"filePath": "hello.py"}),
        ("grep", {"pattern": "Hello"}),
    ]
    assert calls_of(first)[1][0] == "call_grep"
    assert usage_of(first).tokens == Tokens(input=120, output=30, cache_read=7)
    assert reason_of(first) == "tool_calls"

    model.release("go on")
    results = assistant(
        completed("read", {}, "Hello", call_id="a"), completed("grep", {}, "hello.py:1", call_id="call_grep")
    )
    second = await answer(model, request("change the greeting", results))
    assert second == [TextDelta("Changed."), Finished("length")]

    events, error = await failure(model)
    assert events == [TextDelta("And ")]
    assert (error.code, error.status, error.retry_after, error.before_first_delta) == ("rate_limit", 429, 2.0, False)


async def test_a_script_from_python_is_played():
    model = ScriptedModel([Turn([Text("ab", pieces=2), ScriptedCall("read", "not JSON")])])

    assert await answer(model) == [
        TextDelta("a"),
        TextDelta("b"),
        CallStarted("call_1_2", "read"),
        CallDelta("call_1_2", "not JSON"),
        Finished("tool_calls"),
    ]
    assert len(model.requests) == 1


async def test_what_is_not_expected_is_told_with_what_came():
    model = ScriptedModel([Turn([Text("x")], expect="rename")])

    with pytest.raises(ScriptMismatch, match=r"Turn 1 .*'rename'.*\n.*find the bug"):
        await answer(model, "find the bug")


async def test_one_turn_too_many_is_told():
    model = ScriptedModel([Turn([Text("x")])])
    await answer(model)

    with pytest.raises(ScriptMismatch, match="has 1 turns"):
        await answer(model)


async def test_a_wait_holds_the_answer_until_it_is_released():
    model = ScriptedModel([Turn([Text("one"), Wait("go"), Text("two")])])
    stream = model.stream(request("hello"))
    assert await anext(stream) == TextDelta("one")
    rest = asyncio.ensure_future(anext(stream))
    await asyncio.wait([rest], timeout=0.01)
    assert not rest.done()

    model.release("go")

    assert await rest == TextDelta("two")
    await stream.aclose()


async def test_a_file_made_elsewhere_lets_the_answer_go_on(tmp_path: Path):
    model = ScriptedModel([Turn([WaitForFile(tmp_path / "go"), Text("two")])])
    rest = asyncio.ensure_future(answer(model))
    await asyncio.wait([rest], timeout=0.01)
    assert not rest.done()

    (tmp_path / "go").touch()

    assert text_of(await rest) == "two"


async def test_an_error_before_anything_may_be_tried_again():
    _, error = await failure(ScriptedModel([Turn([Error("overloaded")])]))

    assert error.before_first_delta


@corpus(
    ("content", "complaint"),
    [
        ("{", "Expecting"),
        ('{"turns": [{"events": [{"txt": "x"}]}]}', "turns.0.events.0"),
        ('{"turns": [{"events": [{"text": "x", "peices": 2}]}]}', "peices"),
        ('{"turns": [{"events": [{"error": "no such code"}]}]}', "error"),
        ('{"turns": 1}', "turns"),
    ],
)
def test_a_mistake_in_a_script_is_named_with_its_place(tmp_path: Path, content: str, complaint: str):
    script = tmp_path / "script.json"
    script.write_text(content, "utf-8")

    with pytest.raises(SettingsError, match=complaint) as caught:
        ScriptedModel.read(script)

    assert str(script) in str(caught.value)


def test_a_script_that_is_missing_is_named(tmp_path: Path):
    with pytest.raises(SettingsError, match=r"nowhere\.json"):
        ScriptedModel.read(tmp_path / "nowhere.json")
