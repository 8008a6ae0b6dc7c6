"""What the lines of a review stand for, and how hunks become an answer."""

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from lsprotocol.types import CodeAction, Position, Range

from changes_support.answers import answering
from placet.core.ports import PermissionAnswer, PermissionRequest, ProposedChange, ProposedFile
from placet.core.values import replace
from placet.frontends.lsp.asks.review_document import Review, diff_of, lines_of
from placet.text.diff import make_hunks

ONE, TWO = Path("/project/a.py"), Path("/project/b.py")
OLD = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\n"
NEW = OLD.replace("two", "zwei").replace("four", "vier").replace("eleven", "elf\nzwoelf")


def file_of(path: Path, old: str, new: str) -> ProposedFile:
    return ProposedFile(path, "modify", old, new, make_hunks(old, new))


CHANGE = ProposedChange("chg_1", (file_of(ONE, OLD, NEW), file_of(TWO, "x\n", "y\n")))
REQUEST = PermissionRequest(
    id="per_1",
    session_id="ses_1",
    message_id="msg_1",
    call_id="call_1",
    tool="edit",
    origin=(),
    permission="edit",
    title="Edit",
    patterns=(),
    always=(),
    rule="",
    change=CHANGE,
)


def at(review: Review, text: str) -> list[CodeAction]:
    line = diff_of(review.change).split("\n").index(text)
    return review.actions(Range(Position(line, 0), Position(line, 0)))


def places(action: CodeAction) -> Any:
    assert action.command is not None
    assert action.command.arguments is not None
    return action.command.arguments[1:]


def test_the_permissions_of_a_new_file_stand_above_its_name() -> None:
    created = replace(file_of(TWO, "", "x\n"), kind="create", mode=0o755)
    change = ProposedChange("chg_1", (created,))
    assert diff_of(change).splitlines()[:2] == ["new file mode 100755", "--- /dev/null"]
    assert len(lines_of(change)) == len(diff_of(change).splitlines())


def test_a_changed_line_is_its_hunk_and_any_other_all_of_its_group() -> None:
    review = Review(REQUEST, CHANGE)
    keep, drop, rest, _ = at(review, "+vier")
    assert [places(keep), places(drop)] == [["keep", [[0, 2]]], ["drop", [[0, 2]]]]
    assert keep.title == "Placet: Accept this hunk"
    assert rest.title == "Placet: Accept all 4 remaining"
    assert places(at(review, " three")[0]) == ["keep", [[0, 1], [0, 2], [0, 3]]]
    assert places(at(review, "+zwoelf")[0]) == ["keep", [[0, 3]]]
    assert places(at(review, "--- a/project/a.py")[0]) == ["keep", [[0, 1], [0, 2], [0, 3]]]
    assert places(at(review, "+y")[0]) == ["keep", [[1, 1]]]


def test_the_answer_comes_with_the_last_decision() -> None:
    review = Review(REQUEST, CHANGE)
    assert review.decide([(0, 1)], keep=True) is None
    assert review.decide([(0, 1)], keep=False) is None, "a decision may be changed"
    assert review.decide([(0, 2), (0, 3), (7, 7)], keep=True) is None
    assert review.decide([(1, 1)], keep=False) == answering({ONE: {2, 3}, TWO: set()})(REQUEST)


def test_all_kept_is_allowed_and_all_dropped_is_rejected() -> None:
    assert (review := Review(REQUEST, CHANGE)).decide(review.open, keep=True) == PermissionAnswer("once")
    assert (review := Review(REQUEST, CHANGE)).decide(review.open, keep=False) == PermissionAnswer("reject")


TEXTS = st.lists(st.sampled_from(["a\n", "b\n", "-c\n", "@@ d\n"]), max_size=30).map("".join)


@given(TEXTS, TEXTS)
def test_every_hunk_can_be_reached_by_a_line_of_its_own(old: str, new: str) -> None:
    change = replace(CHANGE, files=(file_of(ONE, old, new),))
    lines = lines_of(change)
    assert len(lines) == diff_of(change).count("\n")
    alone = {place for one in lines if len(one) == 1 for place in one}
    assert alone == {(0, hunk.id) for hunk in change.files[0].hunks}
