"""Examination of the sandbox for a project: the limits of commands, what the disk adds, and what works here."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from placet.core.executor import in_thread
from placet.core.values import replace
from placet.sandbox.containment import CommandSandbox, Containment, Host, containment_of
from placet.sandbox.listings import ALL_READABLE, Listings, ReadingRules
from placet.sandbox.offer import command_sandbox
from placet.sandbox.overlay.layers import reason_against
from placet.sandbox.preflight import Backend
from placet.sandbox.protections import Protections, look_at
from placet.sandbox.sandbox import Sandbox
from placet.settings.models import SandboxSettings

_MOST_FILES = 20_000
"""Number of files that are looked at for hard links."""
_LINKED_STORES = frozenset((".git", "node_modules", ".venv", "venv"))
"""Directories in which package managers and git link files by design."""


class Examination(Struct, frozen=True):
    """State of the sandbox for a project at one moment."""

    backend: Backend
    containment: Containment
    protections: Protections
    offered: CommandSandbox
    """Sandbox that commands are offered; without a meaning where no sandbox works."""
    problems: tuple[str, ...]
    """Problems of the settings, a sentence each."""
    against_overlays: str
    """Reason why changes by commands are not proposed, in a clause, or ""."""

    @property
    def hidden_sockets(self) -> tuple[Path, ...]:
        return tuple(path for path in self.protections.masked_files if path.is_socket())


async def examine(
    sandbox: Sandbox,
    host: Host,
    settings: SandboxSettings,
    roots: Sequence[Path],
    *,
    only_reads: bool = False,
    reading: ReadingRules | None = ALL_READABLE,
) -> Examination:
    """Return the state of the sandbox for commands in the roots; `reading` is as for `offer` of the sandboxes."""
    containment, problems = await in_thread(lambda: containment_of(settings, roots, host, only_reads=only_reads))
    backend = await sandbox.backend(containment)
    if reading is not None and backend.level == "full":
        containment = replace(containment, reading=reading)
    protections = await in_thread(look_at, containment, Listings(), host.home, host.programs)
    if settings.overlay == "off":
        against = "the setting `sandbox.overlay` is off"
    elif containment.only_reads:
        against = "the agent writes nowhere"
    elif backend.bubblewrap is None:
        against = "no sandbox works here"
    else:
        against = await reason_against(
            host.locations.layers,
            containment.roots,
            lambda mounts: sandbox.reason_against_overlays(mounts, containment),
        )
    offered = command_sandbox(
        settings, containment, protections, backend, proposes=not against, asks_about_all=reading is None
    )
    return Examination(backend, containment, protections, offered, problems, against)


def hard_links(roots: Sequence[Path]) -> int:
    """Return the number of files in the roots with further names, up to a bounded number of files. Blocks.

    A write through such a name reaches the file wherever the file's other names are.
    """
    linked = 0
    for number, entry in enumerate(_files(roots)):
        if number >= _MOST_FILES:
            break
        try:
            linked += entry.stat(follow_symlinks=False).st_nlink > 1
        except OSError:
            continue
    return linked


def _files(roots: Sequence[Path]) -> Iterator[os.DirEntry[str]]:
    waiting = [str(root) for root in roots]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        if entry.name not in _LINKED_STORES:
                            waiting.append(entry.path)
                    elif entry.is_file(follow_symlinks=False):
                        yield entry
        except OSError:
            continue


def containment_as_data(examination: Examination) -> Mapping[str, object]:
    """Return the limits in the form of JSON."""
    limits, protections = examination.containment, examination.protections
    return {
        "roots": _texts(limits.roots),
        "writable": _texts(limits.writable),
        "protected": _texts(protections.protected),
        "unreadable": _texts((*protections.masked_directories, *protections.masked_files)),
        "hidden": [str(file.path) for file in protections.hidden],
        "readable": _texts(limits.readable),
        "network": limits.network,
        "domains": list(limits.domains),
        "sockets": _texts(limits.sockets),
        "sharesCaches": limits.shares_caches,
        "proposes": not examination.against_overlays,
        "againstProposals": examination.against_overlays,
    }


def _texts(paths: Sequence[Path]) -> list[str]:
    return [str(path) for path in paths]
