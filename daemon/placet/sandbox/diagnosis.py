"""Diagnosis of the sandbox on this machine: the backend in words, the facts of the system, and the user's next step."""

import os
import platform
import shlex
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from placet.project.paths import is_file
from placet.sandbox.fallbacks.landlock import landlock_abi
from placet.sandbox.preflight import Backend

_SWITCHES = {
    "max": Path("/proc/sys/user/max_user_namespaces"),
    "clone": Path("/proc/sys/kernel/unprivileged_userns_clone"),
    "apparmor": Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"),
}
"""Settings of the kernel for namespaces of users; a kernel without a setting has no file for the setting."""
_CONTAINERS = {"/.dockerenv": "Docker", "/run/.containerenv": "Podman"}
_INSTALL = {
    "debian": "sudo apt install bubblewrap",
    "ubuntu": "sudo apt install bubblewrap",
    "fedora": "sudo dnf install bubblewrap",
    "rhel": "sudo dnf install bubblewrap",
    "arch": "sudo pacman -S bubblewrap",
    "suse": "sudo zypper install bubblewrap",
    "alpine": "sudo apk add bubblewrap",
    "nixos": "nix-env -iA nixos.bubblewrap",
}
"""Command that installs bubblewrap, by distribution."""
_PROFILE = "bwrap-userns-restrict"
_LOAD_PROFILE = (
    "sudo apt install bubblewrap apparmor-profiles && "
    f"sudo ln -s /usr/share/apparmor/extra-profiles/{_PROFILE} /etc/apparmor.d/ && "
    f"sudo apparmor_parser -r /etc/apparmor.d/{_PROFILE}"
)


class System(Struct, frozen=True):
    """Facts of the system that decide which sandbox works."""

    kernel: str
    landlock_abi: int = 0
    user: int = 0
    container: str = ""
    """Kind of the container in which Placet runs, or ""."""
    namespaces: str = ""
    """Name of the limit on namespaces of users, one of the kernel's switches; "" where no limit is known."""
    distribution: tuple[str, ...] = ()
    """Name of the distribution, and the names of the distributions like it."""


def read_system() -> System:
    """Return the facts of this system. Blocks."""
    switches = {name: _text(path).strip() for name, path in _SWITCHES.items()}
    return System(
        platform.release(),
        landlock_abi(),
        os.geteuid() if hasattr(os, "geteuid") else 0,
        next((kind for file, kind in _CONTAINERS.items() if is_file(Path(file))), _container_variable()),
        _limit(switches),
        _distribution(_text(Path("/etc/os-release"))),
    )


def summary(backend: Backend) -> str:
    """Return a line about the backend: the name, the version, the level, and the reason for a lower level."""
    if backend.level == "none":
        return f"none: {backend.reason}"
    name = f"{backend.name} {backend.version}".strip()
    return f"{name}, {backend.level}: {backend.reason}" if backend.reason else f"{name}, {backend.level}"


def namespaces_in_words(system: System) -> str:
    """Return whether the system allows namespaces of users, in a clause."""
    match system.namespaces:
        case "max":
            return "off (user.max_user_namespaces is 0)"
        case "clone":
            return "off for plain users (kernel.unprivileged_userns_clone is 0)"
        case "apparmor":
            return "restricted by AppArmor (kernel.apparmor_restrict_unprivileged_userns is 1)"
        case _:
            return "no limit is known"


def next_step(backend: Backend, system: System) -> str:
    """Return a sentence with the command by which the user gets the full sandbox, or ""."""
    if backend.level == "full":
        return ""
    if platform.system() != "Linux":
        return "`placet docs platforms` says what holds commands on this system."
    match system.namespaces:
        case "max":
            return "Run `sudo sysctl user.max_user_namespaces=15000`."
        case "clone":
            return "Run `sudo sysctl kernel.unprivileged_userns_clone=1`."
        case "apparmor":
            return f"Let bubblewrap through AppArmor: `{_LOAD_PROFILE}`."
        case _:
            pass
    if backend.bubblewrap is None and "not installed" in backend.reason:
        commands = (_INSTALL[name] for name in system.distribution if name in _INSTALL)
        command = next(commands, "")
        return f"Run `{command}`." if command else "Install the package bubblewrap of your system."
    if system.container:
        return (
            f"Placet runs in {system.container}: start the container with `--security-opt seccomp=unconfined "
            "--security-opt systempaths=unconfined`, or set `sandbox.mode` to `off` if the container is your sandbox."
        )
    return "Run `placet sandbox test` and look at the rows that fail."


def advice(backend: Backend, system: System) -> str:
    """Return the notice for a user whose machine has no whole sandbox, with the next step; "" for the full sandbox."""
    match backend.level:
        case "full":
            return ""
        case "partial":
            lack = "The sandbox holds commands only in part"
            effect = "Placet asks about commands that a whole sandbox would run unasked."
        case "none":
            lack = "Commands run without a sandbox"
            effect = "An allowed command has your own rights, and Placet asks about the others."
    # The clauses behind the first name the gaps of the sandbox, which depend on the agent.
    reason = backend.reason.partition(";")[0]
    return f"{lack}: {reason}. {effect} {next_step(backend, system)} `placet doctor` says more."


def _container_variable() -> str:
    """Return the kind of container that systemd names to programs, or ""."""
    return os.environ.get("container", "")  # noqa: SIM112 - systemd.exec(5) writes the name in small letters


def _limit(switches: Mapping[str, str]) -> str:
    if switches["max"] == "0":
        return "max"
    if switches["clone"] == "0":
        return "clone"
    return "apparmor" if switches["apparmor"] == "1" else ""


def _distribution(os_release: str) -> tuple[str, ...]:
    """Return the values of ID and ID_LIKE. os-release(5)."""
    values: dict[str, str] = {}
    for line in os_release.splitlines():
        name, _, value = line.partition("=")
        if name in ("ID", "ID_LIKE"):
            values[name] = " ".join(shlex.split(value))
    return (*values.get("ID", "").split(), *values.get("ID_LIKE", "").split())


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
