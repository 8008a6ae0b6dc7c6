"""Render a page in a process of its own, which a limit of time or of memory can end. Started by rendering.py.

Standard input holds `base` and `wanted`, each on a line, and then the HTML; standard output gets the text.
"""

import os
import sys

from placet.project.processes.python_child import end_with_parent
from placet.tools.web.page import Format, render

MOST_MEMORY_BYTES = 1 << 30
MOST_CHARACTERS = 10_000_000
FORMATS: dict[str, Format] = {"markdown": "markdown", "text": "text", "html": "html"}


def main() -> None:
    end_with_parent(int(sys.argv[1]))
    _limit_memory()
    base, page_format, html = sys.stdin.buffer.read().decode("utf-8", "surrogatepass").split("\n", 2)
    text = render(html, base, FORMATS[page_format])
    if len(text) > MOST_CHARACTERS:
        text = f"{text[:MOST_CHARACTERS]}\n... ({len(text)} characters in all)"
    sys.stdout.buffer.write(text.encode("utf-8", "surrogatepass"))


def _limit_memory() -> None:
    if os.name != "nt":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY_BYTES, MOST_MEMORY_BYTES))


if __name__ == "__main__":
    main()
