"""Rows of text, aligned, for a terminal or a pipe."""

import sys
from collections.abc import Sequence
from datetime import datetime

from rich.table import Table
from rich.text import Text

from placet.frontends.terminal.harmless import PipedConsole
from placet.sessions.budget import dollars
from placet.sessions.usage import Spent
from placet.visible_text import spelled_out

_WIDTH_OF_A_PIPE = 400
"""Columns: whoever reads a pipe does not want lines broken."""


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A line a row; a heading that begins with `>` is of a column of numbers. Without headings, none is shown."""
    table = Table(box=None, pad_edge=False, show_header=any(headings), header_style="dim")
    for heading in headings:
        last = heading is headings[-1]
        table.add_column(
            heading.removeprefix(">"),
            justify="right" if heading.startswith(">") else "left",
            no_wrap=True,
            overflow="ellipsis" if last else "fold",
        )
    for row in rows:
        table.add_row(*(Text(spelled_out(cell)) for cell in row))
    PipedConsole(highlight=False, width=None if sys.stdout.isatty() else _WIDTH_OF_A_PIPE).print(table)


def spent_cells(spent: Spent | None) -> tuple[str, str]:
    """Tokens and cost; `-` for a cost that is not known."""
    if spent is None or not spent.tokens.total:
        return "0", "-" if spent is None or not spent.cost else dollars(spent.cost)
    return f"{spent.tokens.total:,}", dollars(spent.cost) if spent.cost else "-"


def moment(milliseconds: int) -> str:
    """By this machine's clock, to the minute."""
    return datetime.fromtimestamp(milliseconds / 1000).astimezone().strftime("%Y-%m-%d %H:%M")
