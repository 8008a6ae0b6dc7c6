"""Refusals of the sandbox, taken out of the output of a command and judged by the containment.

Neither bubblewrap nor Landlock tells anybody what it has refused. The lines of errors name paths and hosts; only a path
or a host that the containment refuses is reported, never a line because of its words.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from msgspec import Struct

from placet.sandbox.containment import Containment
from placet.sandbox.domains import Domains, UnfitHost, parse_host
from placet.sandbox.places import is_in
from placet.sandbox.protections import REPLACED, Protections

MOST_REFUSALS = 10
_MOST_LINES = 400
_FILE_ERROR = re.compile(
    r"read-only file system|permission denied|operation not permitted|device or resource busy|"
    r"invalid cross-device link|\b(?:EROFS|EACCES|EPERM|EBUSY|EXDEV)\b",
    re.IGNORECASE,
)
_RENAME_ERROR = re.compile(r"cross-device link|\bEXDEV\b", re.IGNORECASE)
HOW_TO_RENAME = (
    "Inside the sandbox a directory of the project cannot be renamed, only copied and removed, as `mv` does. In place "
    "of `git mv OLD NEW`: `mv OLD NEW && git add -A -- OLD NEW`."
)
"""Sentence for a command under an overlay: overlayfs without privileges renames no directory of the lower layer."""
_HOST_ERROR = re.compile(
    r"could not resolve|name or service not known|temporary failure in name resolution|network is unreachable|"
    r"nodename nor servname|getaddrinfo|\b(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH)\b|failed to lookup address|"
    r"no such host|connection refused",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"['\"`‘“]([^'\"`’”\n]+)['\"`’”]")
_WORD = re.compile(r"[^\s'\"`‘’“”,;()\[\]<>]+")
_HOST = re.compile(
    r"(?:\w+://)?(?:[^\s/@'\"]*@)?(?<![\w.-])((?:[a-z0-9_-]+\.)+[a-z]{2,}|\d+\.\d+\.\d+\.\d+)(?![\w.-]*\w)"
    r"(?::(\d+))?(?:/[^\s'\"]*)?"
)
"""Host in small letters, as programs print hosts: `requests.exceptions.ConnectionError` is a name in a program."""
_SPEAKER = re.compile(r"\s*(?:\w+\.)*[\w./-]+: (?:line )?(?:\d+: )?")
"""Beginning of a line that names who speaks: `/bin/sh: 1: `, `/usr/bin/touch: `, `socket.gaierror: `."""
_NO_HOSTS = frozenset(
    ("py", "js", "ts", "go", "rs", "c", "h", "json", "toml", "lock", "txt", "md", "sh", "cfg", "html")
)
"""Ends of file names that look like the ends of hosts."""


class Refusal(Struct, frozen=True):
    """Access that the containment refuses, and which a command seems to have tried."""

    kind: Literal["read", "write", "connect"]
    target: str
    """Path, or HOST or HOST:PORT."""
    reason: str

    @property
    def sentence(self) -> str:
        verb = {"read": "read", "write": "write to", "connect": "connect to"}[self.kind]
        return f"{verb} {self.target} ({self.reason})"


def find_refusals(
    output: str, containment: Containment, protections: Protections, directory: Path
) -> tuple[Refusal, ...]:
    """Return the refusals that the end of an output tells of, without repetitions. Looks at the disk."""
    refusals: dict[tuple[str, str], Refusal] = {}
    for line in output.splitlines()[-_MOST_LINES:]:
        for refusal in _in_line(line, containment, protections, directory):
            refusals.setdefault((refusal.kind, refusal.target), refusal)
        if len(refusals) >= MOST_REFUSALS:
            break
    return tuple(refusals.values())[:MOST_REFUSALS]


def has_failed_rename(output: str) -> bool:
    """Return whether the end of an output tells of a rename between two mounts, and not of a hard link."""
    told = (line for line in output.splitlines()[-_MOST_LINES:] if "hard link" not in line.lower())
    return any(map(_RENAME_ERROR.search, told))


def _in_line(line: str, containment: Containment, protections: Protections, directory: Path) -> Iterator[Refusal]:
    speaker = _SPEAKER.match(line)
    told = line if speaker is None else line[speaker.end() :]
    if _FILE_ERROR.search(line):
        # In `./build.sh: Permission denied` the beginning of the line is the refused file itself.
        for path in [*_paths(told, directory, protections)] or [*_paths(line, directory, protections)]:
            refusal = _judged(path, containment, protections)
            if refusal is not None:
                yield refusal
    if containment.network != "allow" and _HOST_ERROR.search(line):
        for match in _HOST.finditer(told):
            host, port = match[1].lower(), match[2]
            if host.rpartition(".")[2] not in _NO_HOSTS and not _is_allowed(host, int(port or 443), containment):
                yield Refusal("connect", f"{host}:{port}" if port else host, "not allowed")


def _is_allowed(host: str, port: int, containment: Containment) -> bool:
    """Return whether a host is in reach: this machine's own always, and a host of the list through the proxy."""
    try:
        parsed = parse_host(host)
    except UnfitHost:
        return True
    in_list = containment.network == "ask" and Domains.read(containment.domains).judge(parsed, port) == "allow"
    return parsed.is_loopback or in_list


def _paths(line: str, directory: Path, protections: Protections) -> Iterator[Path]:
    """Yield the paths that a line may name: quoted texts, and words with a slash or of an existing file.

    A command may have gone into another directory, so the end of a protected path is taken for the path.
    """
    texts = [*_QUOTED.findall(line), *(word.rstrip(":.") for word in _WORD.findall(line))]
    for text in dict.fromkeys(texts):
        if not text or "\0" in text or "://" in text or len(text) > 4096:
            continue
        yield from (path for path in protections.protected if "/" in text and str(path).endswith(f"/{text}"))
        if "/" in text or text.startswith(".") or os.path.lexists(directory / text):
            yield Path(
                os.path.normpath(directory / Path(text).expanduser() if text.startswith("~/") else directory / text)
            )


def _judged(path: Path, containment: Containment, protections: Protections) -> Refusal | None:
    """Return the refusal of the containment for a path, or None if the error has another cause."""
    if is_in(path, (*protections.masked_directories, *protections.masked_files)):
        return Refusal("read", str(path), "kept from commands")
    if is_in(path, REPLACED) and not is_in(path, (*containment.writable, *protections.shown)):
        return None
    if is_in(path, protections.protected):
        return Refusal("write", str(path), "other programs run or obey the file")
    if path in protections.pins:
        return Refusal("write", str(path), "holds protected or hidden files, which keep their places")
    if is_in(path, (*containment.writable, *protections.outer_git)):
        return None
    return Refusal("write", str(path), "outside the project") if _could_write(path) else None


def _could_write(path: Path) -> bool:
    """Return whether the user could write the path or make the path, if no sandbox were there."""
    existing = next((place for place in (path, *path.parents) if os.path.exists(place)), None)  # noqa: PTH110
    return existing is not None and (existing == path or existing == path.parent) and os.access(existing, os.W_OK)
