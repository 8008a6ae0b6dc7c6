"""What is asked before a command of git runs in a repository that itself names programs for git to run.

The question has a pattern of its own, with a digest of what would run. So a rule such as `git *` does not vouch for the
programs, "always" remembers them until they change, and a rule `repository: *` allows them everywhere.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from placet.permissions.shell import Findings
from placet.project.paths import real
from placet.project.repository_programs import RepositoryPrograms, repository_of, repository_programs

_MOST_NAMES = 4
_GLOBAL_OPTION = re.compile(r"-[Cc] \S+ |--?\S+ ")


def repository_patterns(findings: Findings, directory: Path) -> list[str]:
    """Return a pattern for each repository in which a command of git would run the repository's programs.

    Looks at the disk, and asks git, but only where the line runs git.
    """
    commands = frozenset(filter(None, (_git_command(command.text) for command in findings.commands)))
    if not commands:
        return []
    places = dict.fromkeys(real(place) for place in (directory, *findings.paths) if place.is_dir())
    repositories = dict.fromkeys(filter(None, map(repository_of, places)))
    found = (repository_programs(repository, commands) for repository in repositories)
    return list(dict.fromkeys(_pattern(programs) for programs in found if programs is not None))


def _git_command(text: str) -> str:
    """Return the command of git that a command line calls; empty where it calls no git."""
    program, _, rest = text.partition(" ")
    if program.rpartition("/")[2] not in ("git", "git.exe"):
        return ""
    while option := _GLOBAL_OPTION.match(rest):
        rest = rest[option.end() :]
    return rest.partition(" ")[0] or "git"


def _pattern(programs: RepositoryPrograms) -> str:
    return f"repository: its own configuration runs {_listed(programs.names)} ({programs.digest})"


def _listed(names: Iterable[str]) -> str:
    shown = list(names)
    more = f" and {len(shown) - _MOST_NAMES} more" if len(shown) > _MOST_NAMES else ""
    return f"{', '.join(shown[:_MOST_NAMES])}{more}"
