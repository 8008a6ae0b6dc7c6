from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from placet.core.ports import ProposedFile
from placet.core.values import replace
from placet.frontends.terminal.hunks.walk import Choice, Walk, begin, decided, edited, keys, read_key
from placet.text.diff import make_hunks

OLD = "a\n1\n2\n3\nb\n1\n2\n3\nc\n"
NEW = "A\n1\n2\n3\nB\n1\n2\n3\nC\n"


def file(name: str, old: str = OLD, new: str = NEW, kind: str = "modify") -> ProposedFile:
    return ProposedFile(Path("/project", name), kind, old, new, make_hunks(old, new))  # type: ignore[arg-type]


def walked(walk: Walk, *pressed: str) -> Walk:
    for line in pressed:
        answer = read_key(line, keys(walk))
        assert answer is not None, line
        walk = decided(walk, *answer)
    return walk


def accepted(walk: Walk) -> list[bool | None]:
    return [walk.choices[index].is_accepted if index in walk.choices else None for index in range(len(walk.parts))]


def test_each_hunk_is_decided_by_y_and_n_and_the_walk_ends_with_the_last() -> None:
    walk = walked(begin([file("a"), file("b", "x\n", "y\n")]), "y", "n", "yes", "n because")
    assert walk.at is None
    assert accepted(walk) == [True, False, True, False]
    assert walk.choices[3] == Choice(is_accepted=False, words="because")


def test_a_and_d_decide_the_rest_of_the_file_and_nothing_of_the_next() -> None:
    walk = walked(begin([file("a"), file("b")]), "n", "a")
    assert accepted(walk) == [False, True, True, None, None, None]
    assert walk.at == 3
    assert accepted(walked(walk, "d no need")) == [False, True, True, False, False, False]


def test_a_leaves_hunks_in_conflict_undecided_and_d_rejects_them() -> None:
    first, second, third = make_hunks(OLD, NEW)
    meeting = replace(file("a"), hunks=(first, replace(second, base_lines=("bee\n",)), third))
    assert accepted(walked(begin([meeting]), "a")) == [True, None, True]
    assert accepted(walked(begin([meeting]), "d")) == [False, False, False]


def test_j_and_k_leave_a_hunk_and_come_back_to_undecided_hunks() -> None:
    walk = walked(begin([file("a")]), "j")
    assert walk.at == 1
    assert walked(walk, "k").at == 0
    walk = walked(walk, "y", "y")
    assert walk.at == 0, "the hunk that was left is asked in the end"
    assert "j" not in keys(walk)
    assert "k" not in keys(walk)


def test_q_leaves_the_rest_undecided() -> None:
    walk = walked(begin([file("a")]), "y", "q")
    assert (walk.at, accepted(walk)) == (None, [True, None, None])
    assert accepted(walked(begin([file("a")]), "q use b")) == [False, None, None]


def test_an_edited_hunk_is_accepted_with_the_text_of_the_user() -> None:
    walk = edited(begin([file("a")]), "mine\n")
    assert walk.choices[0] == Choice(is_accepted=True, edited="mine\n")
    assert walk.at == 1


def test_a_deleted_file_is_one_part_that_cannot_be_edited() -> None:
    walk = begin([file("a", OLD, "", "delete"), file("b", "", "", "create")])
    assert [part.is_whole for part in walk.parts] == [True, True]
    assert keys(walk) == "ynqj"


def test_nothing_but_an_answer_is_an_answer() -> None:
    for line in ("", " ", "yikes", "x", "nn", "e it", "a lot", "j now", "\x1b[A", "ä"):
        assert read_key(line, "ynadqejk?") is None, line
    assert read_key("a", "yn?") is None
    assert read_key(" Y ", "yn") == ("y", "")
    assert read_key("no  that is wrong ", "yn") == ("n", "that is wrong")


@given(st.lists(st.integers(min_value=0, max_value=3), max_size=4), st.data())
def test_any_keys_end_with_every_hunk_decided_unless_the_user_quits(sizes: list[int], data: st.DataObject) -> None:
    files = [file(f"f{number}", OLD[: size * 8], NEW[: size * 8]) for number, size in enumerate(sizes)]
    walk = begin(files)
    for _ in range(200):
        if walk.at is None:
            break
        # Moves alone would never end: the longer the walk, the fewer moves.
        possible = keys(walk).replace("e", "")
        walk = decided(walk, data.draw(st.sampled_from(possible)) if _ < 20 else "y")
        assert walk.at is None or walk.at not in walk.choices
    assert walk.at is None
    assert set(walk.choices) <= set(range(len(walk.parts)))
