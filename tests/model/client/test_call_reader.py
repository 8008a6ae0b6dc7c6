"""Calls that models write as text: read, refused, or left as text."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus_support import corpus
from model_support.asking import assistant, calls_of, completed, text_of, user
from placet.model.base import Finished, ModelEvent, ToolSpec
from placet.model.client.call_reader import CallReader, has_called, quotes_of

TEXTS = {"type": "string"}
TOOLS = (
    ToolSpec("read", "", {"type": "object", "properties": {"filePath": TEXTS}, "required": ["filePath"]}),
    ToolSpec(
        "edit",
        "",
        {
            "type": "object",
            "properties": {"filePath": TEXTS, "oldString": TEXTS, "newString": TEXTS},
            "required": ["filePath", "oldString", "newString"],
        },
    ),
    ToolSpec("todoread", "", {"type": "object", "properties": {}}),
)
READ = '{"name": "read", "arguments": {"filePath": "a.py"}}'
EDIT = '{"name": "edit", "arguments": {"filePath": "a.py", "oldString": "x", "newString": "y"}}'
READ_A = ("read", {"filePath": "a.py"})
EDIT_A = ("edit", {"filePath": "a.py", "oldString": "x", "newString": "y"})
QWEN = (
    "<tool_call>\n<function=edit>\n<parameter=filePath>\na.py\n</parameter>\n<parameter=oldString>\nx\n</parameter>\n"
)
QWEN += "<parameter=newString>\ny\n</parameter>\n</function>\n</tool_call>"


def read(*pieces: str, reason: str = "stop", has_called: bool = False) -> list[ModelEvent]:
    reader = CallReader(TOOLS, has_called=has_called)
    return [event for piece in pieces for event in reader.take(piece)] + list(reader.finish(reason))


def told(events: list[ModelEvent]) -> list[tuple[str, object]]:
    return [(name, json.loads(text)) for _, name, text in calls_of(events)]


@corpus(
    ("text", "calls"),
    [
        (READ, [READ_A]),
        (f"  {READ}\n", [READ_A]),
        (f"I look at it first.\n\n{READ}", [READ_A]),
        (f"{READ}\nThis shows the file.", [READ_A]),
        (f"```json\n{READ}\n```", [READ_A]),
        (f"```JSON\n{READ}\n```\n", [READ_A]),
        (f"```\n{READ}\n```", [READ_A]),
        (f"~~~json\n{READ}\n~~~", [READ_A]),
        (f"````json\n{READ}\n````", [READ_A]),
        (f"```json\n{READ}", [READ_A]),
        (f"```tool_call\n{READ}\n```", [READ_A]),
        (f"First:\n```json\n{READ}\n```\n\n```json\n{EDIT}\n```", [READ_A, EDIT_A]),
        (f"```json\n{READ}\n{EDIT}\n```", [READ_A, EDIT_A]),
        (f"```json\n[{READ}, {EDIT}]\n```", [READ_A, EDIT_A]),
        (f"[{READ}]", [READ_A]),
        (f"{READ}\n{EDIT}", [READ_A, EDIT_A]),
        (json.dumps(json.loads(EDIT), indent=2), [EDIT_A]),
        ("[\n  " + READ + ",\n  " + EDIT + "\n]", [READ_A, EDIT_A]),
        (f"<tool_call>\n{READ}\n</tool_call>", [READ_A]),
        (f"<tool_call>{READ}</tool_call>", [READ_A]),
        (f"<tool_call>\n{READ}\n</tool_call>\n<tool_call>\n{EDIT}\n</tool_call>", [READ_A, EDIT_A]),
        (f"<tool_call>{READ}</tool_call><tool_call>{EDIT}</tool_call>", [READ_A, EDIT_A]),
        (f"<tool_call>\n{READ}\n", [READ_A]),
        (f"I will read it.\n<tool_call>\n{READ}\n</tool_call>\nDone.", [READ_A]),
        (QWEN, [EDIT_A]),
        (f"Now the edit.\n{QWEN}\n", [EDIT_A]),
        ("<function=read>\n<parameter=filePath>\na.py\n</parameter>\n</function>", [READ_A]),
        ("<function=read><parameter=filePath>a.py</parameter></function>", [READ_A]),
        ('<function=read>{"filePath": "a.py"}</function>', [READ_A]),
        ("<function=read>\n<parameter=filePath>\na.py", [READ_A]),
        ("<function=todoread>\n</function>", [("todoread", {})]),
        ('{"name": "read", "parameters": {"filePath": "a.py"}}', [READ_A]),
        ('{"name": "read", "arguments": "{\\"filePath\\": \\"a.py\\"}"}', [READ_A]),
        ('{"tool": "read", "args": {"filePath": "a.py"}}', [READ_A]),
        ('{"function": {"name": "read", "arguments": {"filePath": "a.py"}}, "type": "function"}', [READ_A]),
        ('{"id": "1", "name": "read", "arguments": {"filePath": "a.py"}}', [READ_A]),
        ('{"name": "read", "arguments": {"filePath": "a.py",},}', [READ_A]),
        ("{'name': 'read', 'arguments': {'filePath': 'a.py'}}", [READ_A]),
        ("```json\n{'name': 'read', 'arguments': {'filePath': \"a.py\"}}\n```", [READ_A]),
        ('{"name": "read", "arguments": {"filePath": "a.py"}', [READ_A]),
        ('{"name": "Read", "arguments": {"file_path": "a.py"}}', [("Read", {"file_path": "a.py"})]),
        ('{"name": "read", "arguments": {"filePath": "a\nb"}}', [("read", {"filePath": "a\nb"})]),
        ('{"name": "todoread", "arguments": {}}', [("todoread", {})]),
        (
            '{"name": "edit", "arguments": {"filePath": "a", "oldString": "None, }", "newString": "it\'s"}}',
            [("edit", {"filePath": "a", "oldString": "None, }", "newString": "it's"})],
        ),
    ],
)
def test_a_call_is_read_in_the_forms_in_which_models_write_it(text: str, calls: list[tuple[str, object]]) -> None:
    for events in (read(text), read(*text), read(text, has_called=True)) if "\nThis" not in text else (read(text),):
        assert told(events) == calls
        assert events[-1] == Finished("tool_calls")
        assert "{" not in text_of(events)


@corpus(
    "text",
    [
        "Just words, {with braces}.\n",
        '```json\n{"name": "Ada", "age": 36}\n```\n',
        '{"name": "Ada", "arguments": {"for": 1, "against": 2}}',
        '{"name": "read"}',
        '{"filePath": "a.py"}',
        '```json\n{\n  "scripts": {"test": "vitest"},\n  "dependencies": {}\n}\n```\nThis is package.json.',
        "```python\n" + READ + "\n```\n",
        "```text\n<tool_call>\n" + READ + "\n</tool_call>\n```",
        f"Write `{READ}` to read.",
        f"> {READ}",
        "{{ template }}\n",
        "[1, 2, 3]",
        "```\nplain\n```\nand more",
        "```json\n" + json.dumps({"rows": ["x" * 50] * 20}, indent=1) + "\n```\nSo much.",
        "{" * 40,
        "<toolbox>\n</toolbox>",
        "[[" * 3 + "\nx",
    ],
)
def test_other_text_is_shown_as_it_was_written(text: str) -> None:
    for events in (read(text), read(*text)):
        assert told(events) == []
        assert text_of(events) == text.rstrip("\n")
        assert events[-1] == Finished("stop")


@corpus(
    ("text", "words"),
    [
        ("<tool_call>\nread a.py\n</tool_call>", "not valid JSON"),
        ("```tool_call\nread(a.py)\n```", "not valid JSON"),
        ("<tool_call>\n[]\n</tool_call>", "not a JSON object"),
        ('<tool_call>\n{"arguments": {}}\n</tool_call>', "`name`"),
        ('<tool_call>\n{"name": "read", "arguments": 5}\n</tool_call>', "`arguments`"),
        ('```json\n{"name": "edit", "arguments": {"filePath": "a.py", "newString": "y"}}\n```', "no `oldString`"),
        (
            '```json\n{"name": "edit", "arguments": {"filePath": "a.py", "oldString": "say "x""}}\n```',
            "not valid JSON",
        ),
        ('{"name": "read", "arguments": {"filePath": ', "not valid JSON"),
    ],
)
def test_what_looks_like_a_call_and_cannot_be_read_is_told_with_the_right_form(text: str, words: str) -> None:
    events = read(text)
    ((name, arguments),) = told(events)
    assert name == "invalid"
    assert isinstance(arguments, dict)
    assert words in arguments["error"]
    assert "```tool_call" in arguments["error"]
    assert events[-1] == Finished("tool_calls")


@corpus("text", [f"```json\n{READ[:-12]}", READ[:-12], f"<tool_call>\n{READ[:-12]}", f"```tool_call\n{READ[:-12]}"])
def test_a_call_at_which_the_answer_was_cut_off_is_not_whole(text: str) -> None:
    events = read(text, reason="length")
    ((_, name, arguments),) = calls_of(events)
    assert name == "invalid"
    assert not _is_json(arguments)
    assert events[-1] == Finished("length")


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def test_in_a_turn_with_calls_json_with_words_behind_it_is_an_example() -> None:
    text = f"A call looks so:\n```json\n{READ}\n```\nThat is all."
    events = read(text, has_called=True)
    assert (told(events), text_of(events)) == ([], text)
    assert told(read(text)) == [READ_A]


def test_a_turn_has_called_once_a_tool_ran_since_the_users_last_words() -> None:
    called = assistant("I look.", completed("read", {"filePath": "a"}, "text", call_id="1"))
    assert has_called((user("hi"), called))
    assert not has_called((user("hi"), called, user("more")))
    assert not has_called(())


@given(st.sampled_from([READ, EDIT, QWEN, f"<tool_call>{READ}</tool_call>", f"```json\n{READ}\n```"]), st.booleans())
def test_no_text_of_the_user_or_of_a_tool_becomes_a_call(call: str, is_numbered: bool) -> None:
    lines = f"calls.txt\n{call}\nend".split("\n")
    shown = "\n".join(f"{number}: {line}" for number, line in enumerate(lines, 1)) if is_numbered else "\n".join(lines)
    for messages in (
        (user(f"What does this do?\n{call}"),),
        (user("Show it."), assistant("I read.", completed("read", {"filePath": "calls.txt"}, shown, call_id="1"))),
    ):
        reader = CallReader(TOOLS, quotes_of(messages))
        events = [*reader.take(f"It says:\n{call}"), *reader.finish("stop")]
        assert told(events) == []
        assert text_of(events) == f"It says:\n{call}"


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r"), max_size=60), st.integers(1, 9))
def test_whatever_is_written_without_a_tools_name_is_what_is_shown(text: str, size: int) -> None:
    written = "".join(text.split("<"))
    events = read(*(written[at : at + size] for at in range(0, len(written), size)))
    assert told(events) == []
    assert text_of(events).rstrip("\n") == written.rstrip("\n")


@pytest.mark.timeout(60)
@corpus(
    "mark",
    [
        "{",
        "[",
        "`",
        '"',
        "'",
        ",",
        " ",
        "\n",
        "\t",
        "\\",
        "}\n",
        '{"name":',
        "<tool_call>",
        "<function=a>",
        "<parameter=a>",
    ],
)
def test_a_long_text_of_equal_marks_is_read_in_no_time(mark: str) -> None:
    long = mark * 10_000
    for text in (
        long,
        f"{{{long}",
        f"<tool_call>{long}",
        f"<function=a>{long}",
        f"```json\n{long}",
        f"{READ[:-3]}{long}",
    ):
        reader = CallReader(TOOLS, quotes_of((user(long),)))
        for at in range(0, len(text), 4096):
            list(reader.take(text[at : at + 4096]))
        list(reader.finish("stop"))
