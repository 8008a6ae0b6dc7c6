"""Sources of bundles: directories, and git repositories, of which one commit is fetched and never checked out."""

import os
import re
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from threading import Timer
from typing import IO, cast
from urllib.parse import urlsplit

from msgspec import Struct

from placet.core.visible_text import one_line, spelled_out
from placet.extensions.bundles.files import MOST_BYTES, BundleError, Files, read_directory, read_tar
from placet.project.processes.environment import without_secrets
from placet.project.processes.programs import find_program

FETCH_SECONDS = 300.0
_MOST_ARCHIVE_BYTES = 2 * MOST_BYTES
"""Largest size of an archive; the frame of tar comes to the bytes of the files."""
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SHORT_COMMIT = re.compile(r"[0-9a-f]{7,}")
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_REF = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/+-]*")
_SCHEMES = ("https", "http", "ssh", "file")
_SCP = re.compile(r"(?:[\w.-]+@)?[\w.-]+:[^:].*")
"""Address in the form of scp: `git@example.org:team/repository`."""
_HARMLESS = (
    f"core.hooksPath={os.devnull}",
    "core.fsmonitor=false",
    "fetch.recurseSubmodules=false",
    "fetch.fsckObjects=true",
    "gc.auto=0",
    "protocol.ext.allow=never",
)
_NO_CONFIG = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_NO_LAZY_FETCH": "1"}
"""Environment in which no filter and no format of the user's git works on the archive."""


class Source(Struct, frozen=True):
    """Origin of a bundle, as the user names the origin."""

    place: str
    """Directory, or address of a git repository."""
    ref: str = ""
    """Commit, branch or tag; empty for the default branch."""
    is_git: bool = False

    @property
    def is_pinned(self) -> bool:
        """Return whether the source names one state, whoever answers."""
        return bool(_COMMIT.fullmatch(self.ref))


class Fetched(Struct, frozen=True):
    files: Files
    commit: str = ""


def read_source(written: str, directory: Path) -> Source:
    """Return the source for `PATH`, `URL` or `URL@REF`. Raises BundleError."""
    place, at, ref = written.rpartition("@")
    if not at or ("/" not in place and ":" not in place) or not _REF.fullmatch(ref) or _is_login(place, ref):
        place, ref = written, ""
    scheme = urlsplit(place).scheme if "://" in place else ""
    if scheme or (_SCP.fullmatch(place) and not (directory / written).exists() and not _is_drive(place)):
        _refuse_address(place, scheme, ref)
        return Source(place, ref, is_git=True)
    return Source(str((directory / Path(written).expanduser()).resolve()))


def fetch(source: Source) -> Fetched:
    """Return the files of the source. Raises BundleError. Blocks, for a git repository up to minutes."""
    if not source.is_git:
        return Fetched(read_directory(Path(source.place)))
    program = find_program("git")
    if program is None:
        raise BundleError("git is not installed; a bundle from an address needs git.")
    with tempfile.TemporaryDirectory(prefix="placet-bundle-", ignore_cleanup_errors=True) as temporary:
        repository = Path(temporary) / "repository.git"
        git = _Git(program, repository)
        git.run("init", "--quiet", "--bare", "--template=", str(repository))
        fetched = git.fetch(source.place, source.ref)
        commit = git.run("rev-parse", "--verify", "--end-of-options", f"{fetched}^{{commit}}").decode().strip()
        if source.is_pinned and commit != source.ref:
            raise BundleError(f"{_shown(source.place)} gave the commit {commit} for {source.ref}.")
        archive = git.run("archive", "--format=tar", commit, variables=_NO_CONFIG, most_bytes=_MOST_ARCHIVE_BYTES)
        return Fetched(read_tar(archive), commit)


class _Git:
    """Calls of git in a bare repository of their own: no call runs a hook or a filter, or checks a file out."""

    def __init__(self, program: str, repository: Path) -> None:
        self._words = (program, *(word for setting in _HARMLESS for word in ("-c", setting)))
        self._repository = repository
        self._environment = {
            **{name: value for name, value in without_secrets(os.environ).items() if not name.startswith("GIT_DIR")},
            "GIT_DIR": str(repository),
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ALLOW_PROTOCOL": ":".join(_SCHEMES),
        }

    def fetch(self, address: str, ref: str) -> str:
        """Fetch the commit alone, and return its name in the repository.

        A server that gives out no single commits is asked for the branches and tags.
        """
        options = ("fetch", "--quiet", "--no-tags", "--no-write-commit-graph", "--no-recurse-submodules")
        try:
            self.run(*options, "--depth=1", "--end-of-options", address, ref or "HEAD")
        except BundleError as error:
            if not _COMMIT.fullmatch(ref):
                if _SHORT_COMMIT.fullmatch(ref):
                    error.hint = "Name all 40 digits of a commit."
                raise
            self.run(*options, "--end-of-options", address, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*")
            return ref
        return "FETCH_HEAD"

    def run(self, *arguments: str, variables: Mapping[str, str] | None = None, most_bytes: int = 10_000) -> bytes:
        """Return the output of the call. Raises BundleError. Blocks."""
        with (
            tempfile.TemporaryFile() as errors,
            subprocess.Popen(
                (*self._words, *arguments),
                cwd=self._repository.parent,
                env={**self._environment, **(variables or {})},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
            ) as process,
        ):
            limit = Timer(FETCH_SECONDS, process.kill)
            limit.start()
            try:
                return self._output(process, errors, arguments[0], most_bytes)
            finally:
                limit.cancel()
                process.kill()

    @staticmethod
    def _output(process: "subprocess.Popen[bytes]", errors: IO[bytes], action: str, most_bytes: int) -> bytes:
        output = cast("IO[bytes]", process.stdout).read(most_bytes + 1)
        if len(output) > most_bytes:
            raise BundleError(f"The bundle has more than {most_bytes} bytes.")
        if code := process.wait():
            errors.seek(0)
            reason = one_line(errors.read(4000).decode("utf-8", "replace"))
            if code < 0:
                reason = f"it was ended, or took longer than {FETCH_SECONDS:g} seconds"
            raise BundleError(f"git {action} failed: {reason or f'exit code {code}'}")
        return output


def _refuse_address(place: str, scheme: str, ref: str) -> None:
    """Raise BundleError for an address that git must not be given."""
    if place.startswith("-") or not place.isprintable():
        raise BundleError(f"{spelled_out(place)} is no address of a git repository.")
    if scheme and scheme not in _SCHEMES:
        raise BundleError(f"Placet fetches no bundles by {spelled_out(scheme)}; use {', '.join(_SCHEMES)}.")
    if not scheme:
        return
    address = urlsplit(place)
    if scheme in ("http", "https") and address.password:
        raise BundleError("The address holds a password, which would be stored; use a credential helper of git.")
    if scheme == "http" and not _COMMIT.fullmatch(ref) and address.hostname not in _LOOPBACK:
        raise BundleError("Anybody on the way can change what http brings: name the full commit, or use https.")


def _is_login(place: str, ref: str) -> bool:
    """Return whether the `@` stands between a user and a host, as in `ssh://git@example.org`."""
    return "://" in place and "/" not in place.partition("://")[2] and not _COMMIT.fullmatch(ref)


def _is_drive(place: str) -> bool:
    return os.name == "nt" and len(place.partition(":")[0]) == 1


def _shown(place: str) -> str:
    return spelled_out(place)
