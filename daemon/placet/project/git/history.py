"""Names of all files that a repository ever held, for commands that print contents out of git's history."""

import re
import subprocess
from bisect import bisect_left
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from placet.project.git.query import run_harmless_git
from placet.project.processes.programs import find_program

MOST_NAMES = 20_000
"""Number of names of a history; a longer history is not known."""
_MOST_KEPT = 8
_HEX = re.compile(r"(?:^|\.\.|\^|-g)(?P<id>[0-9a-f]{4,64})(?=$|[~^:@]|\.\.)", re.IGNORECASE)
"""Word, or part of a word, that git may take for the id of an object: gitrevisions(7)."""
_PSEUDO_REFERENCE = re.compile(r"\b(?!HEAD\b)[A-Z_]+_(HEAD|MERGE)\b|\bBISECT_\w+")
"""References such as FETCH_HEAD, which `--all` leaves out."""


@dataclass(frozen=True, slots=True)
class History:
    """Names and commits that all references and reflogs of a repository lead to."""

    names: frozenset[str]
    commits: tuple[str, ...]
    """Ids in their order."""

    def holds(self, word: str) -> bool:
        """Return whether a word that names contents can name only contents of this history."""
        return not _PSEUDO_REFERENCE.search(word) and all(
            self._has(found["id"].lower()) for found in _HEX.finditer(word)
        )

    def _has(self, prefix: str) -> bool:
        at = bisect_left(self.commits, prefix)
        return at < len(self.commits) and self.commits[at].startswith(prefix)


_kept: OrderedDict[tuple[Path, str], History] = OrderedDict()


def history_of(repository: Path) -> History | None:
    """Return the history, or None if git does not list the history in time, or a reference names contents. Starts git.

    The history is kept as long as no reference and no reflog changes.
    """
    tips = printed(repository, "rev-list", "--no-walk=unsorted", "--all", "--reflog")
    kinds = printed(repository, "for-each-ref", "--format=%(objecttype) %(*objecttype)")
    if tips is None or kinds is None or not {"blob", "tree"}.isdisjoint(kinds.split()):
        return None
    if (repository, tips) in _kept:
        return _kept[repository, tips]
    commits = printed(repository, "rev-list", "--all", "--reflog")
    changed = ("--all", "--reflog", "-m", "--root", "--no-renames", "--name-only", "--format=", "-z")
    listed = printed(repository, "-c", "core.quotePath=false", "log", *changed)
    if commits is None or listed is None:
        return None
    names = frozenset(name.strip("\n") for name in listed.split("\0"))
    if len(names) > MOST_NAMES:
        return None
    history = History(names - {""}, tuple(sorted(commits.split())))
    _kept[repository, tips] = history
    if len(_kept) > _MOST_KEPT:
        _kept.popitem(last=False)
    return history


def printed(repository: Path, *arguments: str) -> str | None:
    """Return what git prints about the repository; None if git fails, is missing, or takes too long."""
    program = find_program("git")
    if program is None:
        return None
    try:
        done = run_harmless_git(program, repository, *arguments)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "surrogateescape") if done.returncode == 0 else None
