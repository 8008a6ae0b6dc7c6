"""Print rows of text, aligned, for a terminal or a pipe."""

import sys
from collections.abc import Sequence
from datetime import datetime

from rich.table import Table
from rich.text import Text

from placet.core.visible_text import spelled_out
from placet.frontends.terminal.terminal_escape import PipedConsole
from placet.sessions.store.usage import Spent
from placet.sessions.turns.budget import dollars

_WIDTH_OF_A_PIPE = 400
"""Width of a table in a pipe, in columns: a reader of a pipe does not want broken lines."""


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a line per row; a heading that begins with `>` belongs to a column of numbers.

    Headings that are all empty are not shown.
    """
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
    """Return tokens and cost as text; `-` for an unknown cost."""
    if spent is None or not spent.tokens.total:
        return "0", "-" if spent is None or not spent.cost else dollars(spent.cost)
    return f"{spent.tokens.total:,}", dollars(spent.cost) if spent.cost else "-"


def moment(milliseconds: int) -> str:
    """Return the time by this machine's clock, to the minute."""
    return datetime.fromtimestamp(milliseconds / 1000).astimezone().strftime("%Y-%m-%d %H:%M")
