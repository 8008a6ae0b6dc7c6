"""Tasks of a fleet as lines of JSON."""

import json
from pathlib import Path

import pytest

from corpus_support import corpus
from placet.core.errors import RequestError
from placet.fleet.fleet import store_tasks, stored_tasks
from placet.fleet.results import FleetOutput
from placet.fleet.tasks import read_tasks

ONE = b'{"id": "one", "prompt": "x"}\n'


@corpus(
    ("content", "words"),
    [
        (ONE + b'\n{"id": "two", "prompt": ', r"tasks\.jsonl:3: Invalid JSON: .* at column 24"),
        (ONE + b'\n{"id": "ONE", "prompt": "x"}', r"tasks\.jsonl:3: a second task has the id ONE; .* on line 1"),
        (ONE + b'{"id": "two", "prompt": "\xff"}', r"tasks\.jsonl:2: the text is not UTF-8"),
        (ONE + b'{"id": "two", "prompt": "x", "chek": ""}', r"tasks\.jsonl:2: `chek`: "),
        (b"\n", "has no task"),
    ],
)
def test_a_wrong_line_is_named_with_its_mistake(tmp_path: Path, content: bytes, words: str) -> None:
    file = tmp_path / "tasks.jsonl"
    file.write_bytes(content)
    with pytest.raises(RequestError, match=words):
        read_tasks(file)


def test_a_missing_file_is_named_once(tmp_path: Path) -> None:
    file = tmp_path / "tasks.jsonl"
    with pytest.raises(RequestError) as error:
        read_tasks(file)
    assert str(error.value) == f"{file} cannot be read: No such file or directory"


def test_a_byte_order_mark_and_the_line_ends_of_windows_are_allowed(tmp_path: Path) -> None:
    file = tmp_path / "tasks.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + ONE.replace(b"\n", b"\r\n"))
    assert [task.id for task in read_tasks(file)] == ["one"]


def test_a_line_ends_at_no_other_separator_of_unicode(tmp_path: Path) -> None:
    file = tmp_path / "tasks.jsonl"
    prompt = "one\u2028two\u0085three\x0c"
    file.write_text(json.dumps({"id": "one", "prompt": prompt}, ensure_ascii=False) + "\n", "utf-8")
    output = FleetOutput(str(tmp_path / "out"))
    store_tasks(output, read_tasks(file))
    assert [task.prompt for task in stored_tasks(output)] == [prompt]
