"""Back over random turns and forward again, with the user's typing in between: nothing is lost."""

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_support import examples
from placet.changes.journal.current_files import CurrentFiles
from placet.changes.journal.records import FileRecord, file_record
from placet.changes.journal.revert_plan import Reversal, revert_plan
from placet.core.ports import Document

NAMES = ("a.txt", "b.txt")
LINES = 12
START = {name: "".join(f"{name} {number}\n" for number in range(LINES)) for name in NAMES}
EDIT = st.tuples(st.sampled_from(NAMES), st.integers(0, 5), st.sampled_from(["X", "Y", "Z"]))
TURNS = st.lists(st.lists(EDIT, min_size=1, max_size=3), min_size=1, max_size=5)
TYPED = st.lists(st.tuples(st.sampled_from(NAMES), st.integers(8, 11)), max_size=3)
ANYWHERE = st.lists(st.tuples(st.sampled_from(NAMES), st.integers(0, 11)), min_size=1, max_size=3)
Texts = dict[str, str]


def path(name: str) -> Path:
    return Path("/project") / name


def with_line(text: str, number: int, line: str) -> str:
    lines = text.splitlines(keepends=True)
    lines[number] = f"{line}\n"
    return "".join(lines)


def after_turns(turns: list[list[tuple[str, int, str]]]) -> tuple[list[Texts], list[list[FileRecord]]]:
    """Return the texts before each turn and at the end, and the records of each turn."""
    texts, states, records = dict(START), [dict(START)], []
    for turn in turns:
        own: list[FileRecord] = []
        for name, number, line in turn:
            after = with_line(texts[name], number, line)
            own.append(FileRecord("modify", path(name), texts[name], after))
            texts[name] = after
        records.append(own)
        states.append(dict(texts))
    return states, records


def planned(files: list[FileRecord], texts: Texts) -> Reversal:
    """Return the plan without the records, the newest first."""
    return revert_plan(
        files, CurrentFiles({path(name): Document(path(name), texts[name], "disk") for name in texts}, {})
    )


def carried_out(plan: Reversal, texts: Texts) -> Texts:
    return texts | {edit.path.name: edit.new_text for edit in plan.edits}


@given(TURNS, st.integers(0, 4), TYPED, TYPED)
@settings(max_examples=examples(200), deadline=None)
def test_typing_on_other_lines_is_kept_both_ways(
    turns: list[list[tuple[str, int, str]]], at: int, before: list[tuple[str, int]], between: list[tuple[str, int]]
) -> None:
    at = min(at, len(turns) - 1)
    states, records = after_turns(turns)

    def with_typing(texts: Texts, typed: list[tuple[str, int]], word: str) -> Texts:
        result = dict(texts)
        for name, number in typed:
            result[name] = with_line(result[name], number, word)
        return result

    present = with_typing(states[-1], before, "typed before")
    back = planned([file for own in reversed(records[at:]) for file in reversed(own)], present)
    assert all(verdict.status != "conflict" for verdict in back.verdicts)
    earlier = carried_out(back, present)
    assert earlier == with_typing(states[at], before, "typed before")

    undo = [file_record(edit) for edit in back.edits]
    forth = planned(list(reversed(undo)), with_typing(earlier, between, "typed between"))
    assert carried_out(forth, with_typing(earlier, between, "typed between")) == with_typing(
        present, between, "typed between"
    )


@given(TURNS, st.integers(0, 4), ANYWHERE)
@settings(max_examples=examples(200), deadline=None)
def test_typing_anywhere_is_never_lost_and_forth_gives_the_first_texts(
    turns: list[list[tuple[str, int, str]]], at: int, typed: list[tuple[str, int]]
) -> None:
    at = min(at, len(turns) - 1)
    states, records = after_turns(turns)
    present = dict(states[-1])
    for name, number in typed:
        present[name] = with_line(present[name], number, "typed")
    back = planned([file for own in reversed(records[at:]) for file in reversed(own)], present)
    earlier = carried_out(back, present)
    for name, text in earlier.items():
        assert text.count("typed\n") == present[name].count("typed\n")
    for verdict in back.verdicts:
        if verdict.status == "conflict":
            assert earlier[verdict.file.path.name] == present[verdict.file.path.name]
    forth = planned([file_record(edit) for edit in reversed(back.edits)], earlier)
    assert carried_out(forth, earlier) == present
