"""Every line gets its findings in about the same little time, however it is made: no scanner is quadratic."""

from functools import partial
from pathlib import Path

import pytest

from placet.permissions.shell import Findings, analyse
from placet.permissions.shell.analyzer import LONGEST
from time_support import cpu_seconds, yardstick_seconds

NOWHERE = Path("/nowhere")
LENGTHS = (4_000, 16_000, LONGEST)
MOST_YARDSTICKS = 250
"""A yardstick is some millisecond of CPU time, and an ordinary line takes one."""
PIECES = (
    *(
        "{a,",
        "{a..b}",
        "a{b,c}d",
        "a ",
        "a;",
        "a\n",
        "a && ",
        "a | ",
        "| ",
        "a || ",
        "(",
        "((a",
        "{ ",
        "$(",
        '"$(',
        "`",
    ),
    *("a `b` ", "<(", "case a in b) ", "if a; then ", "eval ", "time ", "time { ", "env ", "xargs ", "then ", "fi "),
    *("coproc ", "! ", "[ -a ", "[[ a && ", "a -a ", "$((1+", "1+", "${x:-", "${x}", "$x", "$'", "'a'", '"a"', "a\\\n"),
    *(
        "<<E ",
        "a <<E;",
        "a <<E\n",
        "<<<a ",
        ">a ",
        "f() { a; };",
        "a;f() ",
        "x=1 ",
        "x=(",
        "a=([0]=1 ",
        "a[b]=",
        "${a[",
    ),
    *(
        "declare x=1 ",
        "unset x ",
        "cd a;",
        "cd a || ",
        "(cd a);",
        "\u00e9",
        "$[",
        "<(a) ",
        "|",
        "&",
        "$(a $(b)) ",
        "a* ",
    ),
    *(
        "sh -c ",
        "find . -exec a ; ",
        "find -delete ",
        "test -a ",
        "printf %s ",
        '"${x:=`b`}"',
        "a # b\n",
        "trap a ",
        "git -c a=b ",
    ),
)


def findings_of(line: str) -> Findings:
    return analyse(line, directory=NOWHERE, home=NOWHERE)


def filled(start: str, piece: str, end: str, length: int) -> str:
    return start + piece * ((length - len(start) - len(end)) // len(piece)) + end


@pytest.mark.parametrize("piece", PIECES)
def test_a_hostile_line_takes_little_time_whatever_its_length(piece: str) -> None:
    findings_of("a")  # The grammar is loaded by the first line.
    for length in LENGTHS:
        line = filled("", piece, "", length)
        least = min(cpu_seconds(partial(findings_of, line)) for _ in range(2))
        assert least < MOST_YARDSTICKS * yardstick_seconds(), (length, least)


@pytest.mark.parametrize(
    ("start", "piece", "end"),
    [
        ("echo ", "{a,", ""),
        ("[ ", "a -a ", "a ]"),
        ("echo $((", "1+", "1))"),
        ('echo "', "${x} ", '"'),
        ("[ ", "! ", "x ]"),
    ],
)
def test_a_construct_of_thousands_of_parts_raises_nothing_and_takes_little_time(
    start: str, piece: str, end: str
) -> None:
    findings_of("a")
    for length in (2_000, *LENGTHS):
        line = filled(start, piece, end, length)
        least = min(cpu_seconds(partial(findings_of, line)) for _ in range(2))
        assert least < MOST_YARDSTICKS * yardstick_seconds(), length


@pytest.mark.parametrize("line", ["[ " + "a -a " * 1000 + "a ]; a", "a $((" + "1+" * 1000 + "1))", "a; " * 2000])
def test_what_is_too_deep_or_too_complex_is_unproved(line: str) -> None:
    assert findings_of(line).unproved


def test_a_long_text_in_a_here_document_is_no_complexity() -> None:
    body = "a line of (text); with 'signs' | and `more`\n" * 1000
    assert findings_of(f"git apply <<'EOF'\n{body}EOF\n").unproved == ()


def test_reserved_words_in_a_row_are_looked_at_once_each() -> None:
    line = "time " + "then " * 40 + "a x"
    assert "a x" in [command.text for command in findings_of(line).commands]
