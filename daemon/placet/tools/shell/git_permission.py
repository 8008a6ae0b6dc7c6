"""Permission of a git command in a repository that itself names programs for git to run.

The question has a pattern of its own, with a digest of the programs. So a rule such as `git *` does not vouch for the
programs, "always" remembers the programs until the programs change, and a rule `repository: *` allows the programs
everywhere. A repository whose config git does not list is asked about each time, with the reason.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from placet.permissions.shell import Findings
from placet.permissions.shell.programs.git_options import git_words
from placet.project.git.configured_programs import (
    RepositoryPrograms,
    UnreadConfig,
    repository_directory,
    repository_programs,
)
from placet.project.paths import is_directory, real

_MOST_NAMES = 4


@dataclass(frozen=True, slots=True)
class RepositoryPatterns:
    """Patterns to ask about beside a command line that runs git."""

    of_programs: tuple[str, ...] = ()
    """A pattern for each repository that makes git run programs; "always" may grant the pattern."""
    of_doubts: tuple[str, ...] = ()
    """A pattern for each repository with unread config, for which "always" would grant any program."""


def repository_patterns(findings: Findings, directory: Path) -> RepositoryPatterns:
    """Return a pattern for each repository in which a command of git would run the repository's programs, or may.

    Looks at the disk, and asks git, but only where the line runs git.
    """
    commands = frozenset(filter(None, (_git_command(command.words) for command in findings.commands)))
    if not commands:
        return RepositoryPatterns()
    places = dict.fromkeys(real(place) for place in (directory, *findings.paths) if is_directory(place))
    repositories = dict.fromkeys(filter(None, map(repository_directory, places)))
    programs: dict[str, None] = {}
    doubts: dict[str, None] = {}
    for repository in repositories:
        match repository_programs(repository, commands):
            case RepositoryPrograms(names, digest):
                programs[f"repository: its own configuration may run {_listed(names)} ({digest})"] = None
            case UnreadConfig(reason):
                doubts[f"repository: its own configuration cannot be read ({reason})"] = None
            case None:
                pass
    return RepositoryPatterns(tuple(programs), tuple(doubts))


def _git_command(words: Sequence[str]) -> str:
    """Return the command of git in a command line; empty for another program."""
    is_git = words and words[0].rpartition("/")[2] in ("git", "git.exe")
    return next(iter(git_words(words)), "git") if is_git else ""


def _listed(names: Iterable[str]) -> str:
    shown = list(names)
    more = f" and {len(shown) - _MOST_NAMES} more" if len(shown) > _MOST_NAMES else ""
    return f"{', '.join(shown[:_MOST_NAMES])}{more}"
