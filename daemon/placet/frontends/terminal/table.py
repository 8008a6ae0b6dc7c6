"""Print rows of text, aligned, for a terminal or a pipe.

rich draws the table at a terminal. A pipe, which is often read by a script, gets the same lines without the import of
rich's tables and styles.
"""

import sys
from collections.abc import Iterator, Sequence
from datetime import datetime

from rich.cells import cell_len, set_cell_size

from placet.auth.subscriptions.names import is_covered
from placet.core.visible_text import spelled_out
from placet.frontends.terminal.output import say_text
from placet.sessions.store.usage import Spent, dollars

_WIDTH_OF_A_PIPE = 400
"""Width of a table in a pipe, in columns: a reader of a pipe does not want broken lines."""


def print_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a line per row; a heading that begins with `>` belongs to a column of numbers.

    Headings that are all empty are not shown.
    """
    if sys.stdout.isatty():
        _draw_table(headings, rows)
    else:
        say_text("\n".join(plain_lines(headings, rows)))


def plain_lines(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Return the lines of the table without styles; the last column ends at the width of a pipe."""
    shown = [[heading.removeprefix(">") for heading in headings]] if any(headings) else []
    shown += [[spelled_out(cell) for cell in row] for row in rows]
    if not shown:
        return
    widths = [max(map(cell_len, column)) for column in zip(*shown, strict=True)]
    widths[-1] = min(widths[-1], max(1, _WIDTH_OF_A_PIPE - sum(width + 2 for width in widths[:-1])))
    for cells in shown:
        padded = [
            f"{' ' * (width - cell_len(cell))}{cell}" if heading.startswith(">") else _fitted(cell, width)
            for heading, cell, width in zip(headings, cells, widths, strict=True)
        ]
        yield "  ".join(padded).rstrip()


def _fitted(cell: str, width: int) -> str:
    return set_cell_size(cell, width) if cell_len(cell) <= width else shortened_end(cell, width)


def shortened_end(text: str, width: int) -> str:
    """Return the text, cut at its end to at most `width` columns of the terminal."""
    return text if cell_len(text) <= width else f"{set_cell_size(text, width - 1)}…"


def _draw_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.table import Table
    from rich.text import Text

    from placet.frontends.terminal.terminal_escape import PipedConsole

    console = PipedConsole(highlight=False)
    shown = [
        [heading.removeprefix(">") for heading in headings],
        *([spelled_out(cell) for cell in row] for row in rows),
    ]
    widths = [max(map(cell_len, column)) for column in zip(*shown, strict=True)]
    table = Table(box=None, pad_edge=False, show_header=any(headings), header_style="dim")
    for place, heading in enumerate(headings):
        last = place == len(headings) - 1
        table.add_column(
            heading.removeprefix(">"),
            justify="right" if heading.startswith(">") else "left",
            no_wrap=True,
            overflow="ellipsis" if last else "fold",
            # Only the last column shrinks: an id that is cut is of no use.
            min_width=None if last else widths[place],
            max_width=max(1, console.width - sum(width + 2 for width in widths[:-1])) if last else None,
        )
    for row in rows:
        table.add_row(*(Text(spelled_out(cell)) for cell in row))
    console.print(table)


def spent_cells(spent: Spent | None, model: str = "") -> tuple[str, str]:
    """Return tokens and cost as text."""
    return "0" if spent is None else f"{spent.tokens.total:,}", cost_cell(spent, model)


def cost_cell(spent: Spent | None, model: str = "") -> str:
    """Return the cost as text: `covered` for a model that a subscription covers, `-` for an unknown cost."""
    if spent is not None and spent.cost:
        return dollars(spent.cost)
    return "covered" if spent is not None and spent.tokens.total and is_covered(model) else "-"


def moment(milliseconds: int) -> str:
    """Return the time by this machine's clock, to the minute."""
    return datetime.fromtimestamp(milliseconds / 1000).astimezone().strftime("%Y-%m-%d %H:%M")
