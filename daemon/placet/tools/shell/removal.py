"""What a line removes for good: undo covers a file of the project, but no file that git ignores, and no repository."""

import itertools
import os
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from placet.permissions.shell import Findings
from placet.permissions.shell.findings import Listing
from placet.permissions.shell.inspection import has_option
from placet.permissions.shell.words import plain_word
from placet.project.git.configured_programs import repository_directory
from placet.project.git.query import run_harmless_git_in
from placet.project.git.repository import make_empty_repository
from placet.project.paths import Resolver, Workspace, is_directory, real
from placet.project.processes.programs import find_program

LISTING_SECONDS = 5.0
"""Time in which find lists what a line removes, for all commands of the line together."""
MOST_ENTRIES = 50_000
"""Number of entries below the removed directories that are looked at for repositories."""
_REGROWN = frozenset(
    (
        *("__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".nyc_output", "htmlcov"),
        *("coverage", ".coverage", ".parcel-cache", ".turbo", ".cache", ".eslintcache", ".tsbuildinfo", ".DS_Store"),
    )
)
"""Names of caches and reports that tools make anew, so that the loss is none."""


def removal_reason(named: Sequence[Path], findings: Findings, workspace: Workspace) -> str:
    """Return why a removal by the line is asked, or "". `named` are the real paths that the line removes by name.

    A command that gets the names only when the command runs may remove every file below the command's directory.
    Looks at the disk, and starts find and git.
    """
    removals = [(command, listing) for command in findings.commands for listing in command.removals]
    unnamed = [(command, Path(listing.directory)) for command, listing in removals if not listing.arguments]
    if any(has_option([*map(plain_word, command.words)], "rR", ("recursive",)) for command, _ in unnamed):
        return "Which folders it removes shows only when it runs"
    end = time.monotonic() + LISTING_SECONDS
    listings = [listing for _, listing in removals if listing.arguments]
    try:
        listed = [path for listing in listings for path in _listed(listing, end - time.monotonic())]
        reason = _reason((*named, *listed), workspace)
        return reason or _reason_for_unnamed([directory for _, directory in unnamed], workspace)
    except (OSError, subprocess.SubprocessError):
        return "Which files it removes could not be listed"


def _reason(removed: Sequence[Path], workspace: Workspace) -> str:
    if any(root.is_relative_to(path) for path in removed for root in workspace.real_roots):
        return "It removes a folder of the project as a whole"
    lost = _lost(removed, workspace)
    return "" if lost is None else f"It removes {_named(lost, workspace)}"


def _reason_for_unnamed(directories: Sequence[Path], workspace: Workspace) -> str:
    inside = (directory for directory in directories if _is_lasting(directory) and workspace.contains(directory))
    lost = next(_ignored_below(inside, workspace), None)
    if lost is None:
        return ""
    return f"Which files it removes shows only when it runs, and may be {_named(lost, workspace)}"


def _named(lost: Path, workspace: Workspace) -> str:
    name = workspace.relative_of_real(lost)
    return f"`{name}`, which {'' if '.git' in lost.parts else 'git ignores and '}undo does not cover"


def _lost(removed: Iterable[Path], workspace: Workspace) -> Path | None:
    """Return a path among the removed paths, or below, that undo does not bring back; None if undo brings back all."""
    inside = [path for path in removed if any(path.is_relative_to(root) for root in workspace.real_roots)]
    lasting = [path for path in inside if _is_lasting(path) and os.path.lexists(path)]
    directories = [path for path in lasting if is_directory(path) and not os.path.islink(path)]  # noqa: PTH114
    lost = itertools.chain(
        (path for path in lasting if ".git" in path.parts),
        _ignored((path for path in lasting if path not in workspace.real_roots), workspace),
        _repositories_below(directories),
        _ignored_below(directories, workspace),
    )
    return next(lost, None)


def _is_lasting(path: Path) -> bool:
    return _REGROWN.isdisjoint(path.parts) and path.suffix != ".pyc"


def _listed(listing: Listing, seconds: float) -> list[Path]:
    """Return the real paths that find prints; none in a directory that the line itself makes first. Raises OSError, and
    TimeoutExpired without time.

    The arguments are proved to print paths alone, so the call needs no question.
    """
    if not is_directory(Path(listing.directory)):
        return []
    if seconds <= 0:
        raise subprocess.TimeoutExpired(listing.arguments, seconds)
    if (program := find_program("find")) is None:
        raise FileNotFoundError("find")
    done = subprocess.run(
        [program, *listing.arguments],
        cwd=listing.directory,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=seconds,
        check=False,
    )
    separator = b"\0" if "-print0" in listing.arguments else b"\n"
    resolver = Resolver()
    paths = (Path(listing.directory, os.fsdecode(name)) for name in done.stdout.split(separator) if name)
    return [real(path) if path.name == ".." else resolver.real(path.parent) / path.name for path in paths]


def _ignored(paths: Iterable[Path], workspace: Workspace) -> Iterator[Path]:
    """Yield the paths that git ignores. Starts git once for each repository."""
    by_repository: dict[Path | None, list[Path]] = {}
    repository_of = cache(repository_directory)
    for path in paths:
        by_repository.setdefault(repository_of(path.parent), []).append(path)
    for repository, inside in by_repository.items():
        names = b"\0".join(map(os.fsencode, inside))
        yield from _answered(inside[0].parent, repository, workspace, ("check-ignore", "-z", "--stdin"), names)


def _ignored_below(directories: Iterable[Path], workspace: Workspace) -> Iterator[Path]:
    """Yield the files below the directories that git ignores, but no caches. Starts git for each directory."""
    arguments = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard")
    for directory in directories:
        yield from filter(_is_lasting, _answered(directory, repository_directory(directory), workspace, arguments))


def _answered(
    directory: Path, repository: Path | None, workspace: Workspace, arguments: Sequence[str], text: bytes = b""
) -> Iterator[Path]:
    """Yield the paths that git prints in the directory. Raises OSError and SubprocessError.

    Without a repository, the ignore files from the root of the project down to the directory count.
    """
    if (program := find_program("git")) is None:
        raise FileNotFoundError("git")
    with tempfile.TemporaryDirectory(prefix="placet-") as scratch:
        places: tuple[str, ...] = ()
        if repository is None:
            root = next(root for root in workspace.real_roots if directory.is_relative_to(root))
            places = (f"--git-dir={make_empty_repository(Path(scratch, 'git'))}", f"--work-tree={root}")
        checked = run_harmless_git_in(directory, program, *places, *arguments, text=text)
    if checked.returncode not in (0, 1):
        raise subprocess.SubprocessError(checked.stderr)
    yield from (directory / os.fsdecode(name) for name in checked.stdout.split(b"\0") if name)


def _repositories_below(directories: Iterable[Path]) -> Iterator[Path]:
    """Yield the `.git` entries below the directories. Raises OSError if there are too many entries to look at."""
    left = MOST_ENTRIES
    for directory in directories:
        for place, inner, files in os.walk(directory):
            left -= len(inner) + len(files)
            if left < 0:
                raise OSError("too many entries")
            if ".git" in inner or ".git" in files:
                yield Path(place, ".git")
            inner[:] = [name for name in inner if name not in _REGROWN]
