"""Patterns of permission rules: OpenCode's wildcards, with additions for paths."""

import re
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from placet.project.paths import real, user_home

PATHS = frozenset(("edit", "edit_protected", "edit_sensitive", "external_directory", "glob", "grep", "list", "read"))
"""Permissions whose patterns are paths: `**/`, `./x`, `~` and absolute patterns have their usual meaning in these."""

Fits = Callable[[str], object]

_ABSOLUTE = re.compile(r"/|[A-Za-z]:/")
_PIECE = re.compile(r"(?P<folders>(?:(?<=/)|^)\*\*+/)|(?P<any>\*+)|(?P<one>\?)|(?P<text>[^*?]+)", re.DOTALL)


class _Wildcard(NamedTuple):
    """Wildcard as two regular expressions: the first tries the shortest text first, the second the longest."""

    shortest: str
    longest: str


_NONE = _Wildcard("", "")
_ANY = _Wildcard(".*?", ".*")
_FOLDERS = _Wildcard("(?:.*?/)??", "(?:.*/)?")


def matches(pattern: str, value: str) -> bool:
    r"""Return whether the whole value fits: `*` is any text, also `/`; `?` is a single character; all else is literal.

    `\` counts as `/`. A pattern with ` *` at the end fits without arguments too: `git *` matches `git`. Case counts,
    but on Windows, and in paths on macOS, whose file systems take `.ENV` for `.env`.
    """
    return compiled(pattern, as_path=False)(with_slashes(value)) is not None


@lru_cache(maxsize=4096)
def compiled(pattern: str, *, as_path: bool) -> Fits:
    """Return the test whether a value, with slashes, fits. In paths `**/` may stand for no folder, and `./x` is `x`."""
    pattern = with_slashes(pattern)
    if as_path:
        pattern = re.sub(r"^(?:\./+)+", "", pattern)
    may_lack_arguments = pattern.endswith(" *")
    body = pattern[:-2] if may_lack_arguments else pattern
    expression = _expression(body, as_path=as_path)
    if may_lack_arguments:
        expression += "(?: .*)?"
    return re.compile(expression, re.DOTALL | (re.IGNORECASE if _ignores_case(as_path) else re.NOFLAG)).fullmatch


def compiled_within(pattern: str, folder: str) -> Fits | None:
    """Return the test whether a name relative to the folder fits an absolute pattern, or None if no name can fit."""
    pattern, base = with_slashes(pattern), folder.rstrip("/")
    if not _ignores_case(as_path=True):  # Otherwise the general way below is correct.
        literal = re.split(r"[*?]", pattern, maxsplit=1)[0]
        if literal.startswith(f"{base}/"):
            return compiled(pattern[len(base) + 1 :], as_path=True)
        if pattern == base:
            return compiled(".", as_path=True)
        if not f"{base}/".startswith(literal):
            return None
    fits = compiled(pattern, as_path=True)
    return lambda name: fits(f"{base}/{name}") or (name == "." and fits(folder))


def _ignores_case(as_path: bool) -> bool:
    """Return whether the usual file systems of this system ignore case; options of programs have a case on macOS."""
    return sys.platform == "win32" or (as_path and sys.platform == "darwin")


def _expression(pattern: str, *, as_path: bool) -> str:
    """Translate the pattern into a regular expression that is matched in time linear in the value's length.

    The first place where the text between two wildcards fits is as good as any later place: the next wildcard takes up
    the rest. So each wildcard but the last is an atomic group with the text behind the wildcard, which no failure
    further on makes the matcher try again, as in the standard library's `fnmatch.translate`.
    """
    decided, wildcard, text = "", _NONE, ""
    rest = ".*" if pattern.endswith("*") else ""  # Never fails: the earlier wildcard counts as the last.
    for piece in _PIECE.finditer(pattern.rstrip("*")):
        match piece.lastgroup:
            case "folders" | "any" as kind:
                decided += f"(?>{wildcard.shortest}{text})" if wildcard.shortest else text
                is_path = kind == "folders" and as_path
                wildcard, text = (_FOLDERS, "") if is_path else (_ANY, "/" if kind == "folders" else "")
            case "one":
                text += "."
            case _:
                text += re.escape(piece[0])
    return decided + wildcard.longest + text + rest


def with_slashes(value: str) -> str:
    return value.replace("\\", "/")


def is_absolute(value: str) -> bool:
    """Return whether a pattern or a name, with slashes, begins at the root of the file system."""
    return _ABSOLUTE.match(value) is not None


def with_home(pattern: str) -> str:
    """Return the pattern with `~` or `$HOME` at the start replaced by the user's home."""
    for name in ("~", "$HOME"):
        rest = pattern.removeprefix(name)
        if rest != pattern and (not rest or rest[0] in "/\\"):
            return user_home().as_posix().rstrip("/") + rest
    return pattern


def literal_folder(pattern: str) -> str:
    """Return the folder at the beginning of a pattern, with a slash at the end: all names before the first wildcard."""
    literal = re.split(r"[*?]", with_slashes(pattern), maxsplit=1)[0]
    return literal[: literal.rfind("/") + 1]


def behind_links(pattern: str) -> str:
    """Return an absolute pattern with the symlinks before its first wildcard followed, or "" if nothing changes."""
    pattern = with_slashes(pattern)
    if not is_absolute(pattern) or "\0" in pattern:
        return ""
    literal = re.split(r"[*?]", pattern, maxsplit=1)[0]
    beginning = literal if literal == pattern else literal_folder(pattern)
    followed = real(Path(beginning)).as_posix()
    if beginning.endswith("/") and not followed.endswith("/"):
        followed += "/"
    return "" if followed == beginning else followed + pattern[len(beginning) :]
