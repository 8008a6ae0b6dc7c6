"""Sign-ins in git's configuration: passwords and tokens in addresses and headers, which no output shows to the model.

The values are known from the files of configuration, so an output is cleaned however it was printed, and no other text
is changed.
"""

import base64
import binascii
import os
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote

from placet.core.regular_files import read_regular_file
from placet.project.git.configured_programs import git_directory, repository_directory
from placet.project.paths import user_home
from placet.project.processes.environment import SECRET_SHAPES

HIDDEN = "(sign-in hidden by Placet)"
_MOST_BYTES = 1 << 18
_MOST_ENTRIES = 2_000
"""Number of entries of a folder that are looked at for repositories."""
_SHORTEST = 8
"""Length of the shortest hidden text: a shorter text may stand anywhere by chance."""
_USER_INFO = re.compile(r"\w://([^/\s\"'@:]*)(?::([^/\s\"'@]*))?@")
_TOKEN_AS_USER = re.compile(r"[\w.-]{20,}")
_HEADER = re.compile(r"extraheader\s*=\s*\"?[\w-]+\s*:\s*(?:(?:basic|bearer|token)\s+)?([^\s\"]+)", re.IGNORECASE)
_NAMED = re.compile(
    r"^[ \t]*\w*(?:token|passw(?:or)?d|pass|secret|apikey)\s*=\s*\"?([^\s\"]+)", re.IGNORECASE | re.MULTILINE
)
_SHAPES = re.compile("|".join(SECRET_SHAPES))


def without_sign_ins(text: str, roots: Sequence[Path]) -> str:
    """Return the text without the sign-ins in the configuration of the repositories of the roots, and of the user.

    Looks at the disk.
    """
    secrets = {secret for file in _files(roots) for secret in _sign_ins(file)}
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, HIDDEN)
    return text


def _files(roots: Sequence[Path]) -> Iterator[Path]:
    """Yield the files of configuration: of the roots, of repositories directly in the roots, and of the user."""
    for root in roots:
        repository = repository_directory(root)
        for place in dict.fromkeys((*filter(None, (repository,)), *_repositories_in(root))):
            directory = git_directory(place)
            yield from (directory / "config", directory / "config.worktree")
            yield from (module / "config" for module in _entries(directory / "modules"))
    home = user_home()
    configuration = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    yield from (home / ".gitconfig", home / ".git-credentials", configuration / "git/config")


def _repositories_in(root: Path) -> Iterator[Path]:
    return (place for place in _entries(root) if (place / ".git").exists())


def _entries(directory: Path) -> tuple[Path, ...]:
    """Return the directories in a directory, without hidden ones; kept while no name comes or goes."""
    try:
        return _kept_entries(directory, directory.stat().st_mtime_ns)
    except OSError:
        return ()


@lru_cache(maxsize=64)
def _kept_entries(directory: Path, _changed: int) -> tuple[Path, ...]:
    with os.scandir(directory) as entries:
        listed = [entry for entry, _ in zip(entries, range(_MOST_ENTRIES), strict=False)]
    return tuple(directory / entry.name for entry in listed if entry.is_dir() and not entry.name.startswith("."))


def _sign_ins(file: Path) -> frozenset[str]:
    try:
        status = file.stat()
        return _kept_sign_ins(file, status.st_mtime_ns, status.st_size)
    except OSError:
        return frozenset()


@lru_cache(maxsize=256)
def _kept_sign_ins(file: Path, _changed: int, _size: int) -> frozenset[str]:
    text = read_regular_file(file, _MOST_BYTES).decode("utf-8", "replace")
    return frozenset(secret for secret in _found(text) if len(secret) >= _SHORTEST)


def _found(text: str) -> Iterator[str]:
    for user, password in _USER_INFO.findall(text):
        yield from (password, unquote(password))
        if not password and _TOKEN_AS_USER.fullmatch(user):
            yield user
    for value in (*_HEADER.findall(text), *_NAMED.findall(text)):
        yield value
        try:
            yield base64.b64decode(value, validate=True).decode().partition(":")[2]
        except (binascii.Error, UnicodeDecodeError):
            continue
    yield from (found[0] for found in _SHAPES.finditer(text))
