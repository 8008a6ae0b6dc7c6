"""A staged file without the steps of later turns is the file that the earlier turns alone have staged."""

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_support import corpus, examples
from placet.changes.journal.on_behalf_of import TurnRef
from placet.changes.propose.proposal import propose
from placet.changes.review.earlier_share import without_steps
from placet.changes.review.staged_file import UndecidedFile, overlaid, stacked
from placet.core.ports import Document, FileEditKind
from placet.core.values import replace
from placet.text.plan import PlannedFile

PATH = Path("/project/a.txt")
TEXT = "".join(f"line {number}\n" for number in range(12))
CHANGES = st.lists(st.tuples(st.integers(0, 11), st.sampled_from(["X", "Y", "line 3", ""])), min_size=1, max_size=8)


def staged(changes: list[tuple[int, str]]) -> UndecidedFile | None:
    """Return the file after a turn for each change of a line; a change to nothing deletes the file, if it can."""
    document, file = Document(PATH, TEXT, "disk"), None
    for turn, (line, new) in enumerate(changes):
        seen = None if file is None else overlaid(file, document, "a.txt")
        current = document if seen is None else seen.document
        if current is None:
            planned = PlannedFile("create", PATH, None, TEXT.replace(f"line {line}\n", f"{new}\n"))
        elif new:
            lines = current.text.splitlines(keepends=True)
            lines[line % len(lines)] = f"{new}\n"
            planned = PlannedFile("modify", PATH, current.text, "".join(lines))
        else:
            planned = PlannedFile("delete", PATH, current.text, None)
        places = (TurnRef("ses", f"turn{turn}", f"msg{turn}"),)
        file = stacked(file, seen, propose(planned, current, "a.txt"), places)
    return file


@given(CHANGES, st.integers(0, 8))
@settings(max_examples=examples(300), deadline=None)
def test_without_the_steps_of_later_turns_a_file_is_as_the_earlier_turns_staged_it(
    changes: list[tuple[int, str]], kept: int
) -> None:
    edits = [change for change in changes[:-1] if change[1]] + changes[-1:]  # Only the last turn may delete.
    file = staged(edits)
    if file is None or len(file.steps) < len(edits):
        return  # An edit took back all edits before, and the set forgot the file in between.
    earlier = without_steps(file, lambda step: int(step.places[0].turn_id[4:]) >= kept, ())
    assert earlier == (staged(edits[:kept]) if kept else None)


def call(
    file: UndecidedFile | None, document: Document | None, planned: PlannedFile, turn: int
) -> UndecidedFile | None:
    seen = None if file is None else overlaid(file, document, "a.txt")
    current = document if seen is None else seen.document
    places = (TurnRef("ses", f"turn{turn}", f"msg{turn}"),)
    return stacked(file, seen, propose(planned, current, "a.txt"), places)


@corpus("first", ["create", "modify", "rename"])
@corpus("later", [("rename",), ("delete",), ("rename", "delete")])
def test_a_later_rename_or_delete_leaves_the_file_where_the_earlier_turn_had_it(
    first: str, later: tuple[FileEditKind, ...]
) -> None:
    document = None if first == "create" else Document(PATH, TEXT, "disk")
    plans = {
        "create": PlannedFile("create", PATH, None, "new\n"),
        "modify": PlannedFile("modify", PATH, TEXT, f"{TEXT}more\n"),
        "rename": PlannedFile("rename", PATH, TEXT, f"{TEXT}more\n", PATH.with_name("b.txt")),
    }
    earlier = call(None, document, plans[first], 0)
    assert earlier is not None
    file: UndecidedFile | None = earlier
    for turn, kind in enumerate(later, start=1):
        assert file is not None
        new_path = PATH.with_name(f"{turn}.txt") if kind == "rename" else None
        new_text = None if kind == "delete" else file.text
        file = call(file, document, PlannedFile(kind, file.place, file.text, new_text, new_path), turn)
    if file is None:
        assert (first, later[-1]) == ("create", "delete")  # A file that is created and deleted is no file of the set.
    else:
        assert without_steps(file, lambda step: step.places[0].turn_id != "turn0", ()) == earlier


def test_a_step_in_the_middle_leaves_the_steps_after_it() -> None:
    file = staged([(1, "ONE"), (5, "FIVE"), (9, "NINE")])
    assert file is not None
    rest = without_steps(file, lambda step: step.places[0].turn_id == "turn1", ())
    assert rest is not None
    assert rest.text == TEXT.replace("line 1\n", "ONE\n").replace("line 9\n", "NINE\n")
    assert [step.places[0].turn_id for step in rest.steps] == ["turn0", "turn2"]


def test_without_the_first_step_the_later_steps_stand_on_the_base() -> None:
    file = staged([(1, "ONE"), (5, "FIVE")])
    assert file is not None
    rest = without_steps(file, lambda step: step.places[0].turn_id == "turn0", ())
    assert rest is not None
    assert (rest.base_text, rest.text) == (TEXT, TEXT.replace("line 5\n", "FIVE\n"))


def test_a_delete_stays_a_delete_without_an_earlier_step() -> None:
    file = staged([(1, "ONE"), (5, "")])
    assert file is not None
    rest = without_steps(file, lambda step: step.places[0].turn_id == "turn0", ())
    assert rest is not None
    assert (rest.kind, [step.places[0].turn_id for step in rest.steps]) == ("delete", ["turn1"])


def test_a_step_whose_removal_leaves_no_difference_leaves_no_file() -> None:
    file = staged([(1, "ONE"), (5, "FIVE"), (1, "line 1")])
    assert file is not None
    assert file.text == TEXT.replace("line 5\n", "FIVE\n")
    assert without_steps(file, lambda step: step.places[0].turn_id == "turn1", ()) is None


def test_an_unreviewed_file_forgets_the_changes_that_are_undone() -> None:
    file = staged([(1, "ONE"), (5, "FIVE")])
    assert file is not None
    unreviewed = replace(file, state="unreviewed", changes=("chg_1", "chg_2"))
    rest = without_steps(unreviewed, lambda step: step.places[0].turn_id == "turn1", {"chg_2"})
    assert rest is not None
    assert (rest.changes, rest.state) == (("chg_1",), "unreviewed")
    assert without_steps(unreviewed, lambda step: False, {"chg_2"}) == unreviewed
