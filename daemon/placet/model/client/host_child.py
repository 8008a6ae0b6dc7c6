"""Start of the model host's process.

This module imports little: `placet run` spawns the host before everything else is imported, so that both load side by
side.
"""

import contextlib
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, Self

from msgspec import Struct

from placet.auth import secret_handoff
from placet.project.processes.child import ManagedChild, python_command
from placet.project.processes.environment import Secrets, secrets_in, without_secrets

_READ_AHEAD_BYTES = 1 << 20


class HostSpec(Struct, frozen=True):
    """Start values of a host."""

    environment: Mapping[str, str]
    secrets: Secrets
    """Variables which the host gets apart from the environment, because other processes can read an environment."""
    key_file: Path | None = None
    """Path of the key store's file (keys.py)."""
    local_models: Path | None = None
    """Path of the directory with the files of local models."""
    log: Path | None = None
    """Path of the file for the host's stderr; None: the daemon's stderr."""

    @classmethod
    def of(
        cls,
        environment: Mapping[str, str],
        key_file: Path | None,
        log: Path | None,
        local_models: Path | None = None,
    ) -> Self:
        """Return the start values of a host for an environment with secrets."""
        return cls(without_secrets(environment), secrets_in(environment), key_file, local_models, log)


async def start_host(spec: HostSpec) -> ManagedChild:
    """Start the process and hand the secrets over; returns before the host is ready. Raises OSError."""
    paths = ("" if path is None else str(path) for path in (spec.key_file, spec.local_models))
    with _opened(spec.log) as log_file:
        child = await ManagedChild.start_python(
            python_command("placet.model.host", *paths, directory=sys.prefix, environment=spec.environment),
            log=log_file,
            read_ahead_bytes=_READ_AHEAD_BYTES,
        )
    child.stdin.write(secret_handoff.packed(spec.secrets))
    return child


def _opened(log: Path | None) -> contextlib.AbstractContextManager[BinaryIO | None]:
    if log is None:
        return contextlib.nullcontext()
    log.parent.mkdir(parents=True, exist_ok=True)
    return log.open("ab")


class EarlyHost:
    """Host spawned ahead of the ModelHost, by a guess that a model of the host answers.

    Owned by the command which made the guess: the command ends a host that no ModelHost took over.
    """

    def __init__(self, spec: HostSpec, child: ManagedChild) -> None:
        self._spec = spec
        self._child: ManagedChild | None = child

    def take(self, spec: HostSpec) -> ManagedChild | None:
        """Return the process to the first caller with the same start values; None for everyone else."""
        if spec != self._spec:
            return None
        child, self._child = self._child, None
        return child

    async def end(self) -> None:
        """End the process unless a ModelHost has taken the process over. A host without calls has nothing to save."""
        if self._child is not None:
            await self._child.end()
            self._child = None
