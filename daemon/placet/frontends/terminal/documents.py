"""`placet docs [PAGE]`: list the pages of the documentation, or show a page, in the user's pager at a terminal."""

import os
import sys
from contextlib import nullcontext

from placet.core.spelling import nearest
from placet.frontends.terminal.output import complain, say_lines, say_text
from placet.frontends.terminal.shipped import documents


def show(name: str | None) -> int:
    """Print a page, or the names of all pages; return the exit code."""
    pages = documents()
    if name is None:
        say_lines(["Pages, each shown by `placet docs PAGE`:", "", *(f"  {page}" for page in pages)])
        return 0
    page = pages.get(name.lower().removeprefix("docs/").removesuffix(".md"))
    if page is None:
        guess = nearest(name.lower(), pages)
        complain(f"there is no page {name!r}" + (f"; did you mean {guess}?" if guess else "; see `placet docs`"))
        return 2
    text = page.read_text("utf-8")
    if sys.stdout.isatty():
        _show_rendered(text)
    else:
        say_text(text.rstrip("\n"))
    return 0


def _show_rendered(text: str) -> None:
    from rich.markdown import Markdown

    from placet.frontends.terminal.terminal_escape import PipedConsole

    os.environ.setdefault("LESS", "FRX")  # As git does: colours, and no pager for a single screen.
    console = PipedConsole(highlight=False)
    with console.pager(styles=console.color_system is not None) if console.is_terminal else nullcontext():
        console.print(Markdown(text))
