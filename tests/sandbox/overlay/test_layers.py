"""Layers are private to a command, and leave nothing behind, whatever the command does to its directories."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from overlay_support.bubblewrap import can_overlay, under_overlay
from placet.sandbox.overlay.layers import (
    OverlayMount,
    mounts_below,
    new_layer,
    outermost,
    reason_against,
    remove_left_layers,
)

pytestmark = pytest.mark.skipif(not can_overlay(), reason="needs bubblewrap with overlays")


async def works(_: Sequence[OverlayMount]) -> str:
    return ""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return tmp_path / "data" / "layers"


def test_a_layer_has_an_empty_upper_directory_for_each_outermost_root(root: Path, base: Path) -> None:
    (root / "inner").mkdir()
    other = root.parent / "other"
    other.mkdir(mode=0o750)
    with new_layer(base, [root / "inner", other, root]) as layer:
        assert [mount.lower for mount in layer.mounts] == [other, root]
        assert all(not any(mount.upper.iterdir()) for mount in layer.mounts)
        assert layer.mounts[0].upper.stat().st_mode & 0o777 == 0o750
    assert list(base.iterdir()) == []


def test_a_root_behind_a_symlink_is_laid_over_where_it_really_is(root: Path) -> None:
    link = root.parent / "link"
    link.symlink_to(root)
    assert outermost([link, root]) == [root]


def test_a_layer_goes_whatever_the_command_did_to_it(root: Path, base: Path) -> None:
    with new_layer(base, [root]) as layer:
        line = "mkdir -p a/b/c && echo x > a/b/c/d && chmod 0 a/b/c/d a/b/c a/b a"
        assert under_overlay(layer.mounts, line, root).returncode == 0
        assert (layer.mounts[0].upper / "a").exists()
    assert list(base.iterdir()) == []
    assert list(root.iterdir()) == []


def test_layers_of_killed_processes_are_removed_and_those_of_living_ones_kept(root: Path, base: Path) -> None:
    script = (
        "import sys\nfrom pathlib import Path\nfrom placet.sandbox.overlay.layers import new_layer\n"
        "with new_layer(Path(sys.argv[1]), [Path(sys.argv[2])]) as layer:\n"
        "    print(layer.directory, flush=True)\n    sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(base), str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        directory = Path(process.stdout.readline().strip())
        assert remove_left_layers(base) == []
        assert directory.is_dir()
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    with new_layer(base, [root]) as living:
        assert remove_left_layers(base) == [directory]
        assert living.mounts[0].upper.is_dir()


def test_nothing_is_left_where_no_layer_ever_was(base: Path) -> None:
    assert remove_left_layers(base) == []


async def test_an_overlay_works_where_the_trial_works(root: Path, base: Path) -> None:
    async def trial(mounts: Sequence[OverlayMount]) -> str:
        return under_overlay(mounts, "touch made && test -e made", root).stderr

    assert await reason_against(base, [root], trial) == ""
    assert list(root.iterdir()) == list(base.iterdir()) == []


async def test_the_reason_of_a_trial_that_fails_is_told(root: Path, base: Path) -> None:
    async def fails(_: Sequence[OverlayMount]) -> str:
        return "overlayfs is not here"

    assert await reason_against(base, [root], fails) == "overlayfs is not here"


async def test_a_root_that_holds_the_layers_is_told(root: Path) -> None:
    assert "data directory" in await reason_against(root / "data", [root], works)
    assert "data directory" in await reason_against(root, [root / "project"], works)


def test_a_mount_inside_a_root_is_found(root: Path, tmp_path: Path) -> None:
    inner = root / "mounted here"
    inner.mkdir()
    script = (
        "import sys\nfrom pathlib import Path\nfrom placet.sandbox.overlay.layers import mounts_below\n"
        "print(*mounts_below(Path(sys.argv[1])))"
    )
    command = f'mount -t tmpfs none "{inner}" && exec "{sys.executable}" -c "$1" "{root}"'
    words = ["unshare", "--mount", "--map-root-user", "bash", "-c", command, "bash", script]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(inner)
    assert mounts_below(root) == []
