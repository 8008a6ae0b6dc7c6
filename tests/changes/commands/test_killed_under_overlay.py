"""A daemon killed around a command under an overlay leaves no half-landed change, no layer and no mount."""

import subprocess
import sys
from pathlib import Path

import pytest

from fork_support import start_module
from overlay_support.bubblewrap import can_overlay, words
from overlay_support.killed import mounts
from placet.sandbox.overlay.layers import new_layer

pytestmark = pytest.mark.skipif(not can_overlay(), reason="needs bubblewrap with overlays")


@pytest.mark.parametrize("points", [10, pytest.param(50, marks=pytest.mark.long)])
async def test_a_daemon_killed_at_any_point_leaves_no_half_landed_change_and_no_mount(
    tmp_path: Path, points: int
) -> None:
    runs = await start_module("overlay_support.killed", str(tmp_path), str(points))
    told, said = await runs.communicate()
    assert runs.returncode == 0, said.decode()
    rows = [line.split("\t") for line in told.decode().splitlines()]
    assert len(rows) == points
    assert [row for row in rows if row[2] != "ok"] == []
    assert len({row[1] for row in rows}) > 4  # Kinds of calls.


def test_a_command_of_a_killed_daemon_dies_with_its_mounts(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    with new_layer(tmp_path / "layers", [root]) as layer:
        # The daemon: it starts the command, and passes the end of the pipe on. It ends by SIGKILL.
        script = "import os, signal, subprocess, sys\nsubprocess.Popen(sys.argv[1:])\nsys.stdin.read(1)\n"
        script += "os.kill(os.getpid(), signal.SIGKILL)\n"
        command = words(layer.mounts, "echo x > made; echo started; exec sleep 1000", root)
        with subprocess.Popen(
            [sys.executable, "-c", script, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as daemon:
            assert daemon.stdin is not None
            assert daemon.stdout is not None
            assert daemon.stdout.readline() == "started\n"
            assert mounts(tmp_path) != []
            daemon.stdin.write("x")
            daemon.stdin.flush()
            assert daemon.stdout.read() == ""  # Everything that held the pipe has ended.
    assert mounts(tmp_path) == []
    assert list(root.iterdir()) == []
