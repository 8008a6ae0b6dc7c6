"""Programs that a repository makes git run: by the repository's own config, and by hooks.

Each setting counts that is not known to be harmless. A clone brings neither config nor hooks along, so both are the
work of the user's tools, or of a stranger who packed an archive with a `.git` or wrote into the repository. The user's
own config for all repositories does not count. See git-config(1), githooks(5).
"""

import hashlib
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from placet.core.regular_files import UnfitFile, read_regular_file
from placet.project.git.harmless_settings import is_harmless
from placet.project.git.query import GIT_SECONDS, run_harmless_git
from placet.project.paths import exists, is_directory, is_file, real
from placet.project.processes.programs import find_program

_LARGEST_HOOK = 1_000_000
_LONGEST_VALUE = 60
_ELSEWHERE = re.compile(r"alias\..*|include\.path|includeif\..*\.path|core\.hookspath")
"""Settings judged otherwise: git lists the settings of included files, hooks are looked at, and no alias is known."""
_HARMLESS_VALUES = (
    (re.compile(r"core\.fsmonitor"), re.compile(r"|true|false|yes|no|on|off|0|1", re.IGNORECASE)),  # Git's own monitor.
    (re.compile(r"core\.pager|pager\..+"), re.compile(r"|cat|true|false|less( -[\w-]+)*", re.IGNORECASE)),
    (re.compile(r"(commit|tag)\.gpgsign"), re.compile(r".*")),  # Which program signs is another setting.
    (re.compile(r"log\.showsignature"), re.compile(r"false|no|off|0", re.IGNORECASE)),
    (re.compile(r"submodule\..+\.update"), re.compile(r"checkout|rebase|merge|none")),
)
"""Settings that are harmless with some values."""
_HELPER = re.compile(r"[\w+.-]*::")
"""Beginning of an address that git hands to another program: gitremote-helpers(7)."""
_ON_DEMAND = re.compile(r"extensions\.partialclone|remote\..+\.(promisor|partialclonefilter)", re.IGNORECASE)
"""Settings of a partial clone, which fetches objects when a command needs the objects."""
_ALWAYS_RUN = frozenset(("post-index-change", "reference-transaction"))
"""Hooks that any command may run."""
_HOOK = re.compile(
    r"post-index-change|reference-transaction|applypatch-msg|pre-applypatch|post-applypatch|pre-commit|pre-merge-commit"
    r"|prepare-commit-msg|commit-msg|post-commit|pre-rebase|post-checkout|post-merge|pre-push|pre-auto-gc|post-rewrite"
    r"|sendemail-validate"
)
_COMMAND_WITH_HOOKS = re.compile(
    r"am|bisect|checkout|cherry-pick|clone|commit|fetch|gc|merge|pull|push|rebase|revert|switch|worktree"
)
"""Commands that run the other hooks."""


@dataclass(frozen=True, slots=True)
class RepositoryPrograms:
    """Programs that a repository makes git run, and a digest of all of these programs."""

    names: tuple[str, ...]
    """Settings with their values, and names of hooks."""
    digest: str


@dataclass(frozen=True, slots=True)
class UnreadConfig:
    """Answer for a repository whose config git did not list: the repository may make git run any program."""

    reason: str


class _NotListed(Exception):
    """Error when git does not list the config; the text is the reason."""


def repository_directory(directory: Path) -> Path | None:
    """Return the directory in which git finds the repository that a command in `directory` works on. Looks at disk.

    Unlike `placet.project.git.repository.repository_of`, this function also finds a bare repository.
    """
    for place in (directory, *directory.parents):
        if exists(place / ".git") or _is_bare(place):
            return place
    return None


def repository_programs(repository: Path, commands: frozenset[str]) -> RepositoryPrograms | UnreadConfig | None:
    """Return the programs that the repository makes these commands of git run, or None without any. Starts git."""
    try:
        settings = list(_settings(repository))
    except _NotListed as error:
        return UnreadConfig(str(error))
    own = [(name, value) for scope, name, value in settings if scope in ("local", "worktree")]
    programs = [
        (f"{name}={value}", value.encode("utf-8", "surrogateescape"))
        for name, value in own
        if not (_is_harmless(name, value) or (name == "core.worktree" and _leads_back(repository, value)))
    ]
    for hook in _hooks(repository, settings):
        if hook.name in _ALWAYS_RUN or any(map(_COMMAND_WITH_HOOKS.fullmatch, commands)):
            programs.append((f"hook {hook.name}", _content(hook)))
    if not programs:
        return None
    digest = hashlib.sha256()
    for name, content in programs:
        digest.update(f"{name}\0{len(content)}\0".encode("utf-8", "surrogateescape") + content)
    return RepositoryPrograms(tuple(_shown(name) for name, _ in programs), digest.hexdigest()[:16])


def fetches_by_itself(repository: Path) -> bool:
    """Return whether git may fetch missing objects while git only reads, by the repository's own config. Starts git."""
    try:
        settings = list(_settings(repository))
    except _NotListed:
        return True
    return any(_ON_DEMAND.fullmatch(name) for scope, name, _ in settings if scope in ("local", "worktree"))


def signs_commits(repository: Path) -> bool:
    """Return whether git signs each commit by the config in force, the user's own included. Starts git."""
    try:
        settings = list(_settings(repository))
    except _NotListed:
        return False
    values = [value for _, name, value in settings if name == "commit.gpgsign"]
    return bool(values) and values[-1].casefold() in ("", "true", "yes", "on", "1")


def _is_bare(place: Path) -> bool:
    return is_file(place / "HEAD") and is_directory(place / "objects") and is_directory(place / "refs")


def _is_harmless(name: str, value: str) -> bool:
    if any(known.fullmatch(name) and values.fullmatch(value) for known, values in _HARMLESS_VALUES):
        return True
    section, _, rest = name.partition(".")
    is_known = _ELSEWHERE.fullmatch(name) or is_harmless(section, rest.rpartition(".")[2])
    return bool(is_known) and not _HELPER.match(value)


def _leads_back(repository: Path, worktree: str) -> bool:
    """Return whether `core.worktree` names the directory that holds `.git`, as in each submodule. Looks at disk."""
    return real(_own_directory(repository) / worktree) == real(repository)


def _settings(repository: Path) -> Iterator[tuple[str, str, str]]:
    """Yield all settings in force in the repository, included files too: scope, name, value. Raises _NotListed."""
    program = find_program("git")
    if program is None:
        return
    try:
        listed = run_harmless_git(program, repository, "config", "--null", "--show-scope", "--list")
    except OSError as error:
        raise _NotListed(f"git cannot be started: {error.strerror}") from error
    except subprocess.TimeoutExpired as error:
        raise _NotListed(f"git took longer than {GIT_SECONDS:g} seconds") from error
    if listed.returncode != 0:
        message = listed.stderr.decode("utf-8", "replace").strip().partition("\n")[0]
        raise _NotListed(_shown(message) or f"git exited with code {listed.returncode}")
    fields = listed.stdout.decode("utf-8", "surrogateescape").split("\0")
    for scope, entry in zip(fields[::2], fields[1::2], strict=False):
        name, _, value = entry.partition("\n")
        yield scope, name, value


def _hooks(repository: Path, settings: list[tuple[str, str, str]]) -> Iterator[Path]:
    """Yield the active hooks; nothing if the user's own config says where hooks are."""
    places = [(scope, value) for scope, name, value in settings if name == "core.hookspath" and scope != "command"]
    if places and places[-1][0] not in ("local", "worktree"):
        return
    directory = repository / places[-1][1] if places else git_directory(repository) / "hooks"
    try:
        hooks = sorted(directory.iterdir())
    except OSError:
        return
    for hook in hooks:
        if _HOOK.fullmatch(hook.name) and is_file(hook) and os.access(hook, os.X_OK):
            yield hook


def git_directory(repository: Path) -> Path:
    """Return the directory shared by all worktrees of the repository. Looks at disk."""
    directory = _own_directory(repository)
    common = directory / "commondir"
    return directory / _line(common) if is_file(common) else directory


def _own_directory(repository: Path) -> Path:
    """Return the directory of git for this repository or worktree."""
    directory = repository / ".git"
    if not exists(directory):
        return repository
    return repository / _line(directory).removeprefix("gitdir:").strip() if is_file(directory) else directory


def _line(file: Path) -> str:
    return _content(file).decode("utf-8", "surrogateescape").partition("\n")[0].strip()


def _content(file: Path) -> bytes:
    """Return bytes that differ when a file has changed: the file's bytes, or size and time of a too large file."""
    try:
        return read_regular_file(file, _LARGEST_HOOK)
    except UnfitFile:
        status = file.stat()
        return f"{status.st_size} {status.st_mtime_ns}".encode()
    except OSError:
        return b""


def _shown(text: str) -> str:
    """Return the text of a setting or message for a rule: short, on a single line and without a wildcard."""
    plain = re.sub(r"[*?\s]+", " ", text)
    return plain if len(plain) <= _LONGEST_VALUE else f"{plain[:_LONGEST_VALUE]}..."
