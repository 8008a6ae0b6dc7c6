"""Facts of this machine and of this user that the limits of commands depend on."""

import os
from collections.abc import Mapping
from pathlib import Path

from placet.project.paths import user_home
from placet.project.processes.programs import with_users_path
from placet.sandbox.containment import Host
from placet.settings.locations import Locations


def this_host(locations: Locations, environment: Mapping[str, str]) -> Host:
    """Return the facts, with PATH and the ssh-agent as in the environment."""
    socket = environment.get("SSH_AUTH_SOCK")
    return Host(
        home=user_home(),
        locations=locations,
        programs=tuple(
            Path(entry) for entry in with_users_path(environment).get("PATH", os.defpath).split(os.pathsep) if entry
        ),
        agent_socket=Path(socket) if socket else None,
        is_root=hasattr(os, "geteuid") and os.geteuid() == 0,
    )
