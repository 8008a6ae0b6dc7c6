"""Containment: everything that a contained command may touch, as a value. Pure; the model never sees or sets it.

Settings, workspace and agent give the containment, `placet sandbox explain` prints the containment, and each backend
turns the containment into arguments.
"""

from pathlib import Path
from typing import Literal

from msgspec import Struct

from placet.settings.models import SandboxSettings

Network = Literal["off", "ask", "allow"]
"""`off`: the loopback of the sandbox alone; `ask`: also hosts that a list or the user allows; `allow`: the host's
network."""


class Containment(Struct, frozen=True):
    """Limits of contained commands. All paths are absolute and real (symlinks resolved)."""

    roots: tuple[Path, ...]
    """Folders of the workspace."""
    writable: tuple[Path, ...]
    """Directories in which commands may write: the roots and the directories of `sandbox.write`, or none."""
    unreadable: tuple[Path, ...] = ()
    """Files and directories of secrets; an entry may be missing on disk."""
    network: Network = "off"
    domains: tuple[str, ...] = ()
    """Hosts open without a question, in the grammar of the setting `sandbox.domains`."""
    sockets: tuple[Path, ...] = ()
    """Unix sockets of the host that stay in reach."""
    shares_caches: bool = False
    """Whether commands write to the user's caches of build tools; otherwise each project has caches of its own."""
    lifted: tuple[Path, ...] = ()
    """Protected paths that the user has opened for this call."""

    @property
    def only_reads(self) -> bool:
        return not self.writable


class CommandSandbox(Struct, frozen=True):
    """Sandbox offered to the commands of a session's agent: the facts by which permissions are decided."""

    settings: SandboxSettings
    containment: Containment
    is_partial: bool = False
    """Whether the backend cannot hold all of the containment (Landlock)."""
    proposes: bool = False
    """Whether an overlay can be laid, so that changes by a command are proposed."""
