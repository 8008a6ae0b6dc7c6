"""Files that a project's rules import: `@path` in CLAUDE.md and GEMINI.md, as Claude Code and Gemini CLI read them.

https://docs.claude.com/en/docs/claude-code/memory#claude-md-imports
"""

import re
from collections.abc import Iterator
from pathlib import Path

from placet.core.regular_files import read_regular_file
from placet.project.paths import is_file, with_home

IMPORTING = frozenset(("CLAUDE.md", "GEMINI.md"))
MOST_IMPORTS = 20
"""Number of files that a rules file brings in, at any depth."""
_MOST_BYTES = 1_000_000
_CODE = re.compile(r"^(```|~~~).*?^\1[^\n]*$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_IMPORT = re.compile(r"(?<![^\s(])@((?:~/|\.{0,2}/)?[\w.][^\s`)]*)")


def imports(rules: Path) -> list[Path]:
    """Return the files that the rules file imports, and that these files import, each once, in order. Blocks."""
    found = [rules]
    for file in found:  # The list grows meanwhile: an imported file may import others.
        for imported in _imported(file):
            if imported not in found and len(found) <= MOST_IMPORTS:
                found.append(imported)
    return found[1:]


def _imported(file: Path) -> Iterator[Path]:
    """Yield the existing files that the text names; a path is relative to the file, and code is no import."""
    try:
        text = read_regular_file(file, _MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return
    for match in _IMPORT.finditer(_CODE.sub(" ", text)):
        named = file.parent / with_home(match[1].rstrip(".,;:!?"))
        if is_file(named):
            yield named
