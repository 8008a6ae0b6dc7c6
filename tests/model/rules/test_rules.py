"""Whole turns of builtin/rules over real files, with the real tools."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from changes_support.answers import answering
from corpus_support import corpus
from placet.core.messages import FilePart, TextPart, UserMessage
from placet.core.ports import PermissionAnswer, PermissionRequest
from placet.model.base import CallDelta, Finished, ModelRequest, TextDelta
from placet.model.rules import BuiltinRules
from placet.model.rules.rules import SIGNATURE
from rules_loop.loop import Played, play

REJECTED = PermissionAnswer("reject", feedback="leave it")


def project_in(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    write(
        root,
        {
            "src/signer.py": (
                "def sign(value):\n    return want(value)\n\n\ndef want(value):\n    return value  # want more\n"
            ),
            "src/use.py": "from signer import want\n\nprint(want(1), wanted)\n",
            "docs/api.rst": "want\n====\n",
        },
    )
    return root


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return project_in(tmp_path)


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def read(root: Path, name: str) -> str:
    return (root / name).read_bytes().decode()


def signed_once(played: Played) -> bool:
    return played.said.count(SIGNATURE) == 1 and played.answer.endswith(f"{SIGNATURE}\n")


# ---------------------------------------------------------------- done, or not


@corpus(
    ("prompt", "is_done"),
    [
        ("find want", True),
        ("find nothing_of_this_name", True),
        ("find want in nowhere", False),
        ("outline src/use.py", True),
        ("outline src/none.py", False),
        ("outline docs/api.rst", False),
        ("rename want to ensure", True),
        ("rename absent to ensure", False),
        ("rename want to want", False),
        ("rename want to class", False),
        ("replace want by ensure in src/use.py", True),
        ("replace absent by ensure in src/use.py", False),
        ("fix docs/api.rst", False),
        ("run the tests", False),
        ("rename", False),
        ("write me a poem", False),
    ],
)
async def test_only_what_was_done_ends_as_done(prompt: str, is_done: bool, tmp_path: Path) -> None:
    assert (await play(prompt, project_in(tmp_path))).is_done is is_done


async def test_a_rename_that_leaves_the_name_somewhere_is_not_done(project: Path) -> None:
    def first_hunk_only(request: PermissionRequest) -> PermissionAnswer:
        assert request.change is not None
        return answering({request.change.files[0].path: frozenset({1})})(request)

    assert not (await play("rename want to ensure", project, decide=first_hunk_only)).is_done


async def test_a_rejected_change_is_not_done(project: Path) -> None:
    assert not (await play("rename want to ensure", project, decide=lambda _: REJECTED)).is_done


# ---------------------------------------------------------------- find


async def test_find_lists_places_by_file_and_marks_the_definition(project: Path) -> None:
    played = await play("where is `want` used?", project)
    assert "`want`: 6 lines in 3 files in this project." in played.answer
    assert "- `src/signer.py:5` `def want(value):` (definition)" in played.answer
    assert "- `src/use.py:3` `print(want(1), wanted)`" in played.answer
    assert signed_once(played)


async def test_who_calls_leaves_the_definition_out(project: Path) -> None:
    played = await play("who calls want", project)
    assert "src/signer.py:2" in played.answer
    assert "src/use.py:3" in played.answer
    assert "src/signer.py:5" not in played.answer
    assert "docs" not in played.answer


async def test_find_takes_text_literally(project: Path) -> None:
    assert "1 line in 1 file" in (await play('find "want(1), w"', project)).answer
    assert "nothing found" in (await play('find "w.nt"', project)).answer


async def test_find_stays_below_a_path(project: Path) -> None:
    assert "1 line in 1 file in `docs`" in (await play("find want in docs", project)).answer


async def test_find_goes_on_where_a_search_was_cut_off(tmp_path: Path) -> None:
    root = tmp_path / "wide"
    write(root, {f"sub/a{{{number}}},[x].py": "needle\n" * 30 for number in range(9)})
    played = await play("find needle", root)
    assert "in 9 files" in played.answer
    assert played.tools() == ["grep"] * 3
    assert "There are more than these" in played.answer
    below = await play("find needle in ./sub/", root)
    assert "in 9 files" in below.answer


async def test_a_search_that_fails_is_told(project: Path) -> None:
    assert "The search failed: There is no file or directory" in (await play("find want in nowhere", project)).answer


# ---------------------------------------------------------------- outline


async def test_outline_shows_definitions_with_their_lines(project: Path) -> None:
    played = await play("explain src/signer.py", project)
    assert "`src/signer.py`: python, 6 lines, 2 functions." in played.answer
    assert "- function `want` — `src/signer.py:5`" in played.answer
    assert played.tools() == ["read"]
    assert signed_once(played)


async def test_a_file_is_found_by_its_name_alone(project: Path) -> None:
    assert "`src/use.py`: python" in (await play("outline use.py", project)).answer


async def test_a_name_that_several_files_bear_is_asked_back(project: Path) -> None:
    write(project, {"other/use.py": ""})
    answer = (await play("outline use.py", project)).answer
    assert "- `src/use.py`" in answer
    assert "- `other/use.py`" in answer


async def test_an_attached_file_is_this_file(project: Path) -> None:
    attached = FilePart(uri=(project / "src/use.py").as_uri())
    assert "python, 3 lines" in (await play("explain this file", project, parts=(attached,))).answer


async def test_a_long_file_is_read_to_its_end(project: Path) -> None:
    write(project, {"long.py": "x = 1\n" * 4500 + "def last(): ...\n"})
    played = await play("outline long.py", project)
    assert "`long.py:4501`" in played.answer
    assert played.tools() == ["read"] * 3


async def test_a_directory_or_unknown_language_is_told(project: Path) -> None:
    assert "It is a directory, with `signer.py`, `use.py`" in (await play("outline src/", project)).answer
    assert "I have no grammar" in (await play("outline docs/api.rst", project)).answer
    assert "There is no file" in (await play("outline gone.py", project)).answer


# ---------------------------------------------------------------- rename


async def test_rename_changes_whole_words_in_all_files_as_one_change(project: Path) -> None:
    played = await play("Rename want() to `ensure`, please", project)
    assert read(project, "src/signer.py") == (
        "def sign(value):\n    return ensure(value)\n\n\ndef ensure(value):\n    return value  # ensure more\n"
    )
    assert read(project, "src/use.py") == "from signer import ensure\n\nprint(ensure(1), wanted)\n"
    assert read(project, "docs/api.rst") == "ensure\n====\n"
    assert played.tools().count("apply_patch") == 1
    assert len(played.asked) == 1
    assert "6 lines in 3 files, as one change" in played.said
    assert "the old name is nowhere left" in played.answer
    assert "Changed src/use.py (+2 -2)." in played.answer
    assert signed_once(played)


async def test_rename_reads_its_files_side_by_side(project: Path) -> None:
    played = await play("rename want to ensure", project)
    reads = [message for message in played.messages[1:] if any(call_of(part) == "read" for part in message.parts)]
    assert len(reads) == 1
    assert played.tools().count("read") == 3


def call_of(part: object) -> str:
    return getattr(part, "tool", "")


async def test_rename_stays_below_a_path(project: Path) -> None:
    await play("rename want to ensure in src", project)
    assert "ensure" in read(project, "src/use.py")
    assert read(project, "docs/api.rst") == "want\n====\n"


async def test_rename_reaches_the_end_of_a_long_file(project: Path) -> None:
    text = "".join(f"line {number}\r\n" for number in range(4400)) + "want\r\nx\r\n" * 3
    write(project, {"long.txt": text})
    played = await play("rename want to ensure", project)
    assert read(project, "long.txt") == text.replace("want", "ensure")
    assert "nowhere left" in played.answer


async def test_rename_finds_every_file_where_searches_are_cut_off(tmp_path: Path) -> None:
    root = tmp_path / "wide"
    write(root, {f"m{number}.py": "needle\n" * 40 for number in range(12)})
    played = await play("rename needle to pin", root)
    assert {read(root, f"m{number}.py") for number in range(12)} == {"pin\n" * 40}
    assert len(played.asked) == 1
    assert "480 lines in 12 files" in played.said


async def test_a_refused_hunk_is_told_with_where_the_name_still_stands(project: Path) -> None:
    def first_hunk_only(request: PermissionRequest) -> PermissionAnswer:
        assert request.change is not None
        return answering({request.change.files[0].path: frozenset({1})})(request)

    played = await play("rename want to ensure", project, decide=first_hunk_only)
    assert "not everywhere. It still stands at:" in played.answer
    assert "the user refused the change to this file" in played.answer


async def test_a_rejected_rename_changes_nothing_and_says_so(project: Path) -> None:
    before = read(project, "src/use.py")
    played = await play("rename want to ensure", project, decide=lambda _: REJECTED)
    assert read(project, "src/use.py") == before
    assert "was not renamed; no file was changed" in played.answer
    assert "leave it" in played.answer


async def test_a_taken_name_is_pointed_out_before_the_change_is_proposed(project: Path) -> None:
    played = await play("rename want to sign", project)
    before_the_question = played.said.partition("Changed ")[0]
    assert "**Name clash:** `sign` already exists at `src/signer.py:1`" in before_the_question


async def test_longer_names_that_hold_the_name_are_pointed_out(project: Path) -> None:
    assert "**Longer names stay:** `wanted`." in (await play("rename want to ensure", project)).said


async def test_a_file_that_bears_the_name_is_pointed_out(project: Path) -> None:
    played = await play("rename signer to maker", project)
    assert "**File names stay:** `src/signer.py`" in played.said


@corpus(
    ("prompt", "answer"),
    [
        ("rename want to 2want", "`2want` is not a single identifier"),
        ("rename want to a.b", "`a.b` is not a single identifier"),
        ("rename want to want", "are the same"),
        ("rename want to class", "`class` is a reserved word in python"),
        ("rename nowhere_at_all to x", "does not occur as a whole word"),
    ],
    project=project_in,
)
async def test_a_rename_that_cannot_be_is_answered_without_a_question(project: Path, prompt: str, answer: str) -> None:
    played = await play(prompt, project)
    assert answer in played.answer
    assert not played.asked
    assert "apply_patch" not in played.tools()
    assert signed_once(played)


async def test_what_cannot_be_read_whole_is_left_out_and_told(project: Path) -> None:
    write(project, {"min.js": "want; " + "x" * 3000 + "\nwant()\n", "latin.txt": "want\n"})
    (project / "latin.txt").write_bytes(b"want \xe9\n")
    played = await play("rename want to ensure", project)
    assert read(project, "min.js").endswith("x\nensure()\n")
    assert read(project, "min.js").startswith("want; x")
    assert "**Left out:** `min.js:1` is too long a line" in played.answer
    assert "**Left out:** `latin.txt` cannot be read" in played.answer


# ---------------------------------------------------------------- replace


async def test_replace_changes_every_occurrence_in_one_file(project: Path) -> None:
    played = await play("replace `want(` with `ensure(` in use.py", project)
    assert read(project, "src/use.py") == "from signer import want\n\nprint(ensure(1), wanted)\n"
    assert "stood once in `src/use.py`" in played.answer
    assert "Changed src/use.py (+1 -1)." in played.answer
    assert signed_once(played)


async def test_replace_of_what_is_not_there_is_answered_without_a_question(project: Path) -> None:
    played = await play("replace WANT by x in src/use.py", project)
    assert "does not occur in `src/use.py` as written (it does in another case)" in played.answer
    assert not played.asked


# ---------------------------------------------------------------- fix


@pytest.fixture
def with_ruff(monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("ruff") is None:
        monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)


@pytest.mark.usefixtures("with_ruff")
async def test_fix_proposes_the_linters_fixes_and_tells_what_is_left(project: Path) -> None:
    text = 'import os\nimport sys\n\n\ndef f():\n    x = 1\n    return f"a"\n\n\nprint(sys)\n'
    write(project, {"a b.py": text, "ruff.toml": "fix = true\nshow-fixes = true\noutput-format = 'full'\n"})
    played = await play("fix `a b.py`", project)
    assert read(project, "a b.py") == text.replace("import os\n", "").replace('f"a"', '"a"')
    assert played.tools() == ["read", "bash", "apply_patch"]
    assert [request.permission for request in played.asked] == ["bash", "edit"]
    assert "F401 `os` imported but unused (line 1)" in played.answer
    assert "Left, without a safe fix:\n\n- F841" in played.answer
    assert signed_once(played)


@pytest.mark.usefixtures("with_ruff")
async def test_fix_lint_proposes_the_linters_fixes_for_every_file_of_the_project(project: Path) -> None:
    write(project, {"a.py": "import os\n", "b c.py": "import sys\nx = 1\n", "clean.py": "x = 1\n"})
    played = await play("fix lint", project)
    assert (read(project, "a.py"), read(project, "b c.py")) == ("", "x = 1\n")
    assert played.tools().count("apply_patch") == 2
    assert "F401" in played.answer
    assert "ruff has no fix to offer in this project" in (await play("fix lint", project)).answer


@pytest.mark.usefixtures("with_ruff")
async def test_a_project_that_lets_ruff_write_on_every_check_is_not_written_to(project: Path) -> None:
    write(project, {"a.py": "import os\n", "ruff.toml": "fix = true\nunsafe-fixes = true\n"})

    def no_edit(request: PermissionRequest) -> PermissionAnswer:
        return REJECTED if request.permission == "edit" else PermissionAnswer("once")

    played = await play("fix a.py", project, decide=no_edit)
    assert read(project, "a.py") == "import os\n"
    assert "`a.py` was not changed" in played.answer


@pytest.mark.usefixtures("with_ruff")
async def test_fix_of_a_clean_file_changes_nothing(project: Path) -> None:
    played = await play("fix src/signer.py", project)
    assert "ruff has no fix to offer" in played.answer
    assert "apply_patch" not in played.tools()


async def test_fix_knows_its_limits(project: Path) -> None:
    assert "only one linter" in (await play("fix docs/api.rst", project)).answer
    assert "ruff was not run" in (await play("fix src/use.py", project, decide=lambda _: REJECTED)).answer


# ---------------------------------------------------------------- tests


async def test_tests_that_pass_are_summed_up(project: Path) -> None:
    write(project, {"Makefile": "test: all\n\t@echo 'test result: ok. 2 passed'\nall:\n"})
    played = await play("run the tests", project)
    assert "`make test`: the tests **passed**: test result: ok. 2 passed" in played.answer
    assert signed_once(played)


async def test_tests_that_fail_are_told_with_the_end_of_their_output(project: Path) -> None:
    write(project, {"package.json": json.dumps({"scripts": {"test": "echo first; exit 3"}})})
    played = await play("do the tests pass?", project)
    assert "`npm test`: **failed** with exit code" in played.answer
    assert "first" in played.answer


async def test_pytest_is_found_by_its_files_and_run_in_the_projects_environment(project: Path) -> None:
    write(project, {"tests/test_a.py": "", ".venv/bin/python": "#!/bin/sh\necho \"$@\"\necho '2 passed in 0.01s'\n"})
    (project / ".venv/bin/python").chmod(0o755)
    played = await play("run pytest in tests/test_a.py", project)
    assert "`.venv/bin/python -m pytest -q tests/test_a.py`: the tests **passed**: 2 passed in 0.01s" in played.answer


async def test_a_project_without_tests_is_told_so(project: Path) -> None:
    assert "I found no tests" in (await play("run the tests", project)).answer
    assert "I found no cargo tests" in (await play("run cargo test", project)).answer


# ---------------------------------------------------------------- the model itself


async def test_anything_else_is_declined_with_how_to_set_a_model(project: Path) -> None:
    played = await play("write me a poem", project)
    for word in ("`model`", "PLACET_MODEL", "ANTHROPIC_API_KEY", "apiBase", "`rename OLD to NEW`"):
        assert word in played.answer
    assert signed_once(played)
    assert not played.calls


async def test_a_tool_the_agent_lacks_is_named(project: Path) -> None:
    played = await play("rename want to ensure", project, without=frozenset({"apply_patch"}))
    assert "This takes the tool `apply_patch`" in played.answer


async def test_the_same_request_gets_the_same_events() -> None:
    message = UserMessage(parts=(TextPart(text="find x"), TextPart(text="find y", synthetic=True)))
    request = ModelRequest((), (message,), (), "ses_1")
    first = [event async for event in BuiltinRules().stream(request)]
    assert first == [event async for event in BuiltinRules().stream(request)]


async def test_a_request_without_a_word_of_the_user_is_declined() -> None:
    events = [event async for event in BuiltinRules().stream(ModelRequest((), (), (), "ses_1"))]
    assert isinstance(events[0], TextDelta)
    assert events[-1] == Finished("content_filter")
    assert not any(isinstance(event, CallDelta) for event in events)
