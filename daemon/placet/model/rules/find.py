"""Search for a name or a text: one search, more searches when a result is cut off, and a list by file."""

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from placet.model.rules.intents import Find
from placet.model.rules.outputs import Hit, parse_grep
from placet.model.rules.script import NotDone, Results, RulesCall, Script, Step
from placet.text.counted import counted

MOST_SEARCHES = 20
"""Limit of searches. A search shows about a hundred lines; after this limit the rest is left out, with a note."""

LONGEST_GLOB = 100_000
"""Limit of a glob: Linux takes no argument of a command longer than 128 KiB."""

LONGEST_LINE = 160

_DEFINES = (
    r"\b(?:def|class|function|interface|enum|type|const|let|var|func|fn|struct|trait)\s+{name}\b|^{name}\s*(?::[^=]+)?="
)


@dataclass(frozen=True, slots=True)
class Found:
    """Hits of a search, from any number of calls."""

    hits: tuple[Hit, ...]
    every_line: bool
    every_file: bool
    notes: tuple[str, ...] = ()
    """Notes of the search about left-out places."""

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(hit.path for hit in self.hits))


def find(intent: Find) -> Script:
    """Answer a list of `path:line`, grouped by file, with the definitions marked."""
    matches = yield from search(word_pattern(intent.name, called=intent.calls_only), intent.path)
    if isinstance(matches, str):
        raise NotDone(f"The search failed: {matches}")
    defines = _definition(intent.name)
    hits = [hit for hit in matches.hits if not (intent.calls_only and defines.search(hit.text))]
    where = f" in `{intent.path}`" if intent.path else " in this project"
    subject = f"Calls of `{intent.name}`" if intent.calls_only else f"`{intent.name}`"
    if not hits:
        nothing = f"{subject}: nothing found{where} (ignored files and binaries are not searched; case counts)."
        return "\n\n".join([nothing, *matches.notes])
    paths = dict.fromkeys(hit.path for hit in hits)
    heading = f"{subject}: {counted(len(hits), 'line')} in {counted(len(paths), 'file')}{where}."
    groups = [_group(path, [hit for hit in hits if hit.path == path], defines) for path in paths]
    if not matches.every_line:
        groups.append("There are more than these; narrow the search with ` in PATH`.")
    return "\n\n".join([heading, *groups, *matches.notes])


def search(pattern: str, path: str = "", *, most: int = MOST_SEARCHES) -> Generator[Step, Results, Found | str]:
    """Return all hits of a regular expression, in as many searches as needed; an error as text.

    Each further search leaves out the files seen so far. So the search finds every file, in up to `most` searches, but
    perhaps not every line of a file.
    """
    arguments = {"pattern": pattern, **({"path": path} if path else {})}
    hits: list[Hit] = []
    seen: dict[str, str] = {}  # Each file as a glob, made once: all this is played again for every step.
    notes: dict[str, None] = {}
    every_line = True
    for _ in range(most):
        include = "!/{" + ",".join(seen.values()) + "}"
        if len(include) > LONGEST_GLOB:
            break
        [result] = yield Step((RulesCall("grep", {**arguments, **({"include": include} if seen else {})}),))
        if not result.ok:
            return result.text
        page = parse_grep(result.text)
        new = [hit for hit in page.hits if hit.path not in seen]
        hits += new
        seen |= {file: _as_glob(file, path) for file in dict.fromkeys(hit.path for hit in new)}
        notes.update(dict.fromkeys(page.notes))
        if page.complete:
            return Found(tuple(hits), every_line, every_file=True, notes=tuple(notes))
        every_line = False
        if not new:
            break
    return Found(tuple(hits), every_line=False, every_file=False, notes=tuple(notes))


def word_pattern(text: str, *, called: bool = False) -> str:
    """Return a regular expression for `text`: a name (`a`, `a.b`) as a whole word, any other text literally."""
    edge = r"\b" if re.fullmatch(r"\w+(?:\.\w+)*", text) else ""
    return f"{edge}{_escaped(text)}{edge}" + (r"\s*\(" if called else "")


def _escaped(text: str) -> str:
    """Escape the text for ripgrep: only special characters, as ripgrep refuses escapes of other characters."""
    return re.sub(r"[\\.+*?()|\[\]{}^$]", r"\\\g<0>", text)


def _as_glob(file: str, below: str) -> str:
    """Return a glob for this file only, relative to the start of the search."""
    start = f"{PurePath(below).as_posix()}/" if below else ""
    # In brackets rather than behind a backslash, which on Windows is no escape.
    return re.sub(r"[\\*?\[\]{},]", r"[\g<0>]", PurePath(file).as_posix().removeprefix(start))


def _definition(name: str) -> re.Pattern[str]:
    return re.compile(_DEFINES.replace("{name}", re.escape(name.rpartition(".")[2])))


def _group(path: str, hits: Sequence[Hit], defines: re.Pattern[str]) -> str:
    rows = [
        f"- `{path}:{hit.line}` {_code(hit.text)}{' (definition)' if defines.search(hit.text) else ''}" for hit in hits
    ]
    return "\n".join([f"**{path}**", *rows])


def _code(text: str) -> str:
    line = text.strip()
    if len(line) > LONGEST_LINE:
        line = line[: LONGEST_LINE - 1] + "…"
    fence = "``" if "`" in line else "`"
    padding = " " if fence == "``" else ""
    return f"{fence}{padding}{line}{padding}{fence}"
