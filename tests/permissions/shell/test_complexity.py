"""The work for a line grows with its length, however the line is made: no scanner is quadratic.

`make bench complexity` has the times.
"""

import tracemalloc
from functools import partial
from itertools import pairwise
from pathlib import Path

from corpus_support import corpus
from placet.permissions.shell import Findings, analyse
from work_support import steps
from work_support.hostile import SHELL_CONSTRUCTS, SHELL_PIECES, filled

NOWHERE = Path("/nowhere")
MOST_WORK = 4_000_000
"""Lines of Python for any line: some hundred times as many as an ordinary line takes."""


MOST_BYTES = 40_000_000
"""Memory for any line: a thousand times the longest line."""


def findings_of(line: str) -> Findings:
    return analyse(line, directory=NOWHERE, home=NOWHERE)


def work(start: str, piece: str, end: str, length: int) -> int:
    findings_of("a")  # The grammar is loaded by the first line.
    return steps(partial(findings_of, filled(start, piece, end, length)))


@corpus("piece", SHELL_PIECES)
def test_a_line_of_three_times_the_length_takes_less_than_six_times_the_work(piece: str) -> None:
    few, many = (work("", piece, "", length) for length in (300, 900))
    assert many < 6 * few


@corpus("piece", ["a <<E;", "env ", "eval "])
def test_the_work_for_what_is_looked_at_again_has_a_limit(piece: str) -> None:
    assert work("", piece, "", 8_000) < MOST_WORK


@corpus(("start", "piece", "end"), SHELL_CONSTRUCTS)
def test_a_construct_of_thousands_of_parts_raises_nothing_and_its_work_grows_with_its_length(
    start: str, piece: str, end: str
) -> None:
    few, many = (work(start, piece, end, length) for length in (1_000, 4_000))
    assert many < 6 * few


@corpus("line", ["tar " + "/" * 20_000, "tar " + "x" * 20_000, "git " + "a" * 20_000, "ls " + "a:" * 10_000])
def test_a_word_of_equal_characters_takes_little_memory(line: str) -> None:
    findings_of("a")
    tracemalloc.start()
    try:
        findings_of(line)
        assert tracemalloc.get_traced_memory()[1] < MOST_BYTES
    finally:
        tracemalloc.stop()


@corpus("line", ["[ " + "a -a " * 1000 + "a ]; a", "a $((" + "1+" * 1000 + "1))", "a; " * 2000])
def test_what_is_too_deep_or_too_complex_is_unproved(line: str) -> None:
    assert findings_of(line).unproved


def test_values_that_double_with_each_assignment_are_unknown_from_the_line_s_own_length_on() -> None:
    doublings = " ".join(f"{after}=${before}${before};" for before, after in pairwise("abcdefghijklmnopqrstuvwxyz"))
    [*_, last] = findings_of(f'a=xxxxxxxxxxxxxxxxxxxx; {doublings} ls "$z"').commands
    assert last.argv is None
    assert work(f"a=x; {doublings} ls ", '"$z" ', "", 2_000) < 6 * work(f"a=x; {doublings} ls ", '"$z" ', "", 1_000)


def test_a_long_text_in_a_here_document_is_no_complexity() -> None:
    body = "a line of (text); with 'signs' | and `more`\n" * 1000
    assert findings_of(f"git apply <<'EOF'\n{body}EOF\n").unproved == ()


def test_reserved_words_in_a_row_are_looked_at_once_each() -> None:
    line = "time " + "then " * 40 + "a x"
    assert "a x" in [command.text for command in findings_of(line).commands]
