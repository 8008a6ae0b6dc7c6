"""A table in a pipe has the lines that rich draws."""

import io
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.table import Table
from rich.text import Text

from placet.frontends.terminal.table import plain_lines, print_table

CELLS = st.text(st.sampled_from("ab 1,é漢字ー🙂·\u0301"), max_size=30).map(lambda text: text.strip() or "-")
HEADINGS = ("ID", ">COST", "TITLE")


def drawn(headings: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    table = Table(box=None, pad_edge=False, show_header=any(headings))
    for heading in headings:
        last = heading is headings[-1]
        table.add_column(
            heading.removeprefix(">"),
            justify="right" if heading.startswith(">") else "left",
            no_wrap=True,
            overflow="ellipsis" if last else "fold",
        )
    for row in rows:
        table.add_row(*map(Text, row))
    Console(file=(screen := io.StringIO()), width=400, highlight=False).print(table)
    return [line.rstrip() for line in screen.getvalue().splitlines()]


@given(st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=5))
def test_the_lines_of_a_pipe_are_those_of_rich_without_spaces_at_the_end(rows: list[tuple[str, ...]]) -> None:
    assert list(plain_lines(HEADINGS, rows)) == drawn(HEADINGS, rows)


def test_a_table_without_headings_has_rows_alone() -> None:
    rows = [("title", "A session"), ("id", "ses_1")]
    assert list(plain_lines(("", ""), rows)) == ["title  A session", "id     ses_1"] == drawn(("", ""), rows)


def test_a_last_cell_beyond_the_width_of_a_pipe_ends_with_an_ellipsis() -> None:
    rows = [("a", "1", "x" * 500)]
    (_, line) = plain_lines(HEADINGS, rows)
    assert line.startswith("a      1  x")
    assert line.endswith("x…")
    assert len(line) == 400


def test_at_a_narrow_terminal_the_title_shrinks_and_an_id_never(monkeypatch: pytest.MonkeyPatch) -> None:
    class Screen(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdout", screen := Screen())
    monkeypatch.setenv("COLUMNS", "62")
    session_id = "ses_1a21e50233b002BR94ipV5e"
    print_table(("ID", "USED", ">COST", "TITLE"), [(session_id, "2026-11-27 19:04", "$1.00", "A long title of it")])
    assert f"{session_id}  2026-11-27 19:04  $1.00" in screen.getvalue()
    assert "A long title of it" not in screen.getvalue()
    assert screen.getvalue().splitlines()[1].endswith("$1.00  A long …")
