from pathlib import Path

from corpus_support import corpus
from placet.core.ports import FileEditKind, HunkComment, PermissionAnswer, ProposedChange, ProposedFile
from placet.permissions.feedback import LONGEST_LINE, MOST_LINES, feedback_on
from placet.text.diff import make_hunks

FILE = Path("/project/a.py")


def change(old: str, new: str, kind: FileEditKind = "modify") -> ProposedChange:
    return ProposedChange("chg_1", (ProposedFile(FILE, kind, old, new, make_hunks(old, new), name="a.py"),))


TWO = change("a\nb\nc\n", "A\nb\nC\n")


@corpus(
    ("answer", "hunk", "fate"),
    [
        (PermissionAnswer("once"), 1, "accepted"),
        (PermissionAnswer("always"), None, "accepted"),
        (PermissionAnswer("reject"), 1, "refused"),
        (PermissionAnswer("reject"), None, "refused"),
        (PermissionAnswer("once", hunks={FILE: frozenset({1})}), 1, "accepted"),
        (PermissionAnswer("once", hunks={FILE: frozenset({1})}), 2, "refused"),
        (PermissionAnswer("once", hunks={FILE: frozenset({1})}), None, "accepted in part"),
        (PermissionAnswer("once", hunks={}), None, "refused"),
        (PermissionAnswer("once", edited={FILE: "mine\n"}), 2, "replaced by the user's own text"),
    ],
)
def test_a_comment_tells_what_became_of_what_it_is_about(answer: PermissionAnswer, hunk: int | None, fate: str) -> None:
    commented = PermissionAnswer(
        answer.outcome, hunks=answer.hunks, edited=answer.edited, comments=(HunkComment(FILE, "hm", hunk),)
    )
    assert f"a.py ({fate}):" in feedback_on(TWO, commented).text


def test_the_screen_has_each_word_with_what_it_is_about() -> None:
    comments = (HunkComment(FILE, "louder", 2), HunkComment(FILE, "and a test"), HunkComment(Path("/other"), "?"))
    data = feedback_on(TWO, PermissionAnswer("once", feedback="fine", comments=comments)).data
    hunk = {"id": 2, "oldStart": 2, "oldLines": ["c\n"], "newStart": 2, "newLines": ["C\n"]}
    uri = FILE.as_uri()
    assert data == ({"text": "fine"}, {"text": "louder", "uri": uri, "hunk": hunk}, {"text": "and a test", "uri": uri})


def test_a_part_of_a_delete_is_not_accepted() -> None:
    answer = PermissionAnswer("once", hunks={FILE: frozenset()}, comments=(HunkComment(FILE, "keep it", 1),))
    assert "(refused)" in feedback_on(change("a\n", "", "delete"), answer).text


def test_an_empty_file_is_accepted_or_refused_as_a_whole() -> None:
    empty = change("", "", "create")
    comment = (HunkComment(FILE, "hm"),)
    assert "(accepted)" in feedback_on(empty, PermissionAnswer("once", comments=comment)).text
    assert "(refused)" in feedback_on(empty, PermissionAnswer("once", hunks={}, comments=comment)).text


def test_a_long_hunk_is_told_shortly() -> None:
    long = change("", "".join(f"{'x' * 300}{number}\n" for number in range(100)), "create")
    text = feedback_on(long, PermissionAnswer("once", comments=(HunkComment(FILE, "long", 1),))).text
    assert len(text) < (MOST_LINES + 3) * (LONGEST_LINE + 20)
    assert f"… and {101 - MOST_LINES} more lines" in text


def test_the_word_of_the_whole_comes_first_and_nothing_is_nothing() -> None:
    answer = PermissionAnswer("once", feedback="fine", comments=(HunkComment(FILE, "hm"),))
    assert feedback_on(TWO, answer).text.startswith("fine\n")
    assert feedback_on(TWO, PermissionAnswer("reject")).text == ""
    assert feedback_on(None, PermissionAnswer("reject", comments=(HunkComment(FILE, "hm"),))).text == ""
