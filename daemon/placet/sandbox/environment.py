"""Variables of a contained command: temporary files, caches of build tools, and no address of the host's services."""

from collections.abc import Mapping
from pathlib import Path

from placet.project.processes.programs import with_users_path

MARKER = "PLACET_SANDBOX"
"""Variable by which tests and scripts know that they run in the sandbox; the value names the backend."""
_OF_THE_HOST = frozenset(
    (
        *("DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "GPG_AGENT_INFO", "NVIM", "NVIM_LISTEN_ADDRESS", "SESSION_MANAGER"),
        *("TMUX", "TMUX_PANE", "STY", "VSCODE_IPC_HOOK_CLI", "VSCODE_GIT_IPC_HANDLE", "WAYLAND_DISPLAY", "XAUTHORITY"),
        *("XDG_RUNTIME_DIR", "DOCKER_HOST", "SSH_AUTH_SOCK"),
    )
)
"""Variables that lead to sockets which are out of reach."""
_GIT_ACROSS_MOUNTS = {"GIT_DISCOVERY_ACROSS_FILESYSTEM": "1"}
"""Variable by which git finds the repository of a folder that is a mount of its own, as each folder is here: git(1)."""
_CACHES = {
    "XDG_CACHE_HOME": "xdg",
    "npm_config_cache": "npm",
    "UV_CACHE_DIR": "uv",
    "PIP_CACHE_DIR": "pip",
    "GOCACHE": "go-build",
    "YARN_CACHE_FOLDER": "yarn",
}
_NO_LOOK_FOR_NEWS = {"npm_config_update_notifier": "false", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
"""Variables that keep build tools from a look for newer versions of their own: `npm test` would ask for a host."""
_BROWSERS = ("PLAYWRIGHT_BROWSERS_PATH", ".cache/ms-playwright")
"""Variable and directory of installed programs that lie among the user's caches, and are only read."""
_SHARED = (
    *(".cache", ".npm", ".cargo/registry", ".cargo/git", "go/pkg/mod", ".gradle/caches", ".m2/repository"),
    *(".local/share/pnpm/store", ".yarn/berry"),
)


def contained_environment(
    environment: Mapping[str, str], backend: str, temporary: Path, caches: Path | None, home: Path, agent: Path | None
) -> dict[str, str]:
    """Return the variables for a command, from the variables for a command without a sandbox.

    `caches` holds the project's caches; None leaves the user's. `agent` is the socket of the ssh-agent in reach.
    """
    variables = {name: value for name, value in with_users_path(environment).items() if name not in _OF_THE_HOST}
    variables = {**_NO_LOOK_FOR_NEWS, **variables, MARKER: backend, "TMPDIR": str(temporary), **_GIT_ACROSS_MOUNTS}
    variables |= {name: str(temporary) for name in ("TMP", "TEMP") if name in environment}
    if agent is not None:
        variables["SSH_AUTH_SOCK"] = str(agent)
    if caches is not None:
        variables |= {name: str(caches / directory) for name, directory in _CACHES.items()}
        browsers, place = _BROWSERS
        variables.setdefault(browsers, str(home / place))
    return variables


def with_git_setting(environment: Mapping[str, str], name: str, value: str) -> dict[str, str]:
    """Return the variables with a further setting for git: git-config(1), GIT_CONFIG_COUNT."""
    given = environment.get("GIT_CONFIG_COUNT", "0")
    number = int(given) if given.isdecimal() else 0
    return {
        **environment,
        "GIT_CONFIG_COUNT": str(number + 1),
        f"GIT_CONFIG_KEY_{number}": name,
        f"GIT_CONFIG_VALUE_{number}": value,
    }


def private_cache_directories(caches: Path) -> tuple[Path, ...]:
    """Return the directories to make for the caches of a project."""
    return tuple(caches / directory for directory in _CACHES.values())


def shared_cache_directories(home: Path) -> tuple[Path, ...]:
    """Return the user's own caches of build tools, as far as they are there. Looks at the disk."""
    return tuple(path for name in _SHARED if (path := home / name).is_dir() and not path.is_symlink())
