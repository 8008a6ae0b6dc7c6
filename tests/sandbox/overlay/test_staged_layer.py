"""Staged files lie between a root and the layer of a command, and the difference is read against both."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from overlay_support.bubblewrap import PLAIN_USER, can_overlay, given_to_plain_user, under_overlay, words
from overlay_support.manifest import manifest
from placet.core.values import replace
from placet.sandbox.overlay.harvest import put_through, sort_layer
from placet.sandbox.overlay.layers import Layer, OverlayMount, new_layer
from placet.sandbox.overlay.staged_layer import StagedEntry, lay_staged
from placet.sandbox.overlay.upper import UpperLayer, read_upper

pytestmark = pytest.mark.skipif(not can_overlay(), reason="needs bubblewrap with overlays")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    for name in ("a.py", "b.py", "package/one.py", "package/deep/two.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{name}\n")
    (root / "package").chmod(0o750)
    return root


def entries(root: Path) -> list[StagedEntry]:
    return [
        StagedEntry(root / "a.py", b"staged\n", 0o755),
        StagedEntry(root / "package/one.py", None),
        StagedEntry(root / "new/deep/n.py", b"new\n"),
    ]


def laid(layer: Layer, entries: Sequence[StagedEntry]) -> Layer:
    mounts, failed = lay_staged(layer.mounts, entries)
    assert failed == []
    return replace(layer, mounts=mounts)


def difference(tmp_path: Path, root: Path, line: str) -> UpperLayer:
    with new_layer(tmp_path / "layers", [root]) as layer:
        layer = laid(layer, entries(root))
        before = manifest(root, with_times=True)
        done = under_overlay(layer.mounts, line, root)
        assert (done.returncode, done.stderr) == (0, "")
        assert manifest(root, with_times=True) == before
        return read_upper(layer.mounts[0])


def test_the_command_sees_the_staged_files_with_the_permissions_of_their_directories(
    tmp_path: Path, root: Path
) -> None:
    with new_layer(tmp_path / "layers", [root]) as layer:
        line = "find . -type f -printf '%P %m\\n' | sort; stat -c %a package; cat a.py new/deep/n.py"
        done = under_overlay(laid(layer, entries(root)).mounts, line, root)
    assert done.stdout.splitlines() == [
        *("a.py 755", "b.py 644", "new/deep/n.py 644", "package/deep/two.py 644", "750", "staged", "new"),
    ]


def test_the_command_sees_staged_links_and_bytes(tmp_path: Path, root: Path) -> None:
    staged = [
        StagedEntry(root / "a.py", b"no/where \xff", is_link=True),
        StagedEntry(root / "b.py", b"\0\xff", 0o755),
    ]
    (root / "a.py").unlink()
    (root / "a.py").symlink_to("package/one.py")
    with new_layer(tmp_path / "layers", [root]) as layer:
        done = under_overlay(laid(layer, staged).mounts, "readlink a.py | od -An -tx1; od -An -tx1 b.py", root)
    assert done.stdout.split() == [*(b"no/where \xff\n".hex(" ").split()), "00", "ff"]
    assert (root / "package/one.py").read_text() == "package/one.py\n"


ROWS: dict[str, tuple[str, UpperLayer]] = {
    "nothing": ("cat a.py new/deep/n.py > /dev/null", UpperLayer()),
    "a change of a staged file": ("echo x >> a.py", UpperLayer({"a.py": 0o100755})),
    "a deletion of a staged file that is on no disk": (
        "rm new/deep/n.py",
        UpperLayer(deleted=["new/deep/n.py"], made_directories={"new": 0o755, "new/deep": 0o755}),
    ),
    "a deletion of a staged change": ("rm a.py", UpperLayer(deleted=["a.py"])),
    "a file in the place of a deleted file": (
        "echo x > package/one.py",
        UpperLayer({"package/one.py": 0o100644}),
    ),
    "a directory's deletion leaves out a file that was deleted before": (
        "rm -r package",
        UpperLayer(deleted=["package/deep/two.py"], deleted_directories=["package/deep", "package"]),
    ),
    "a staged directory's deletion": (
        "rm -r new",
        UpperLayer(deleted=["new/deep/n.py"], deleted_directories=["new/deep", "new"]),
    ),
    "a staged directory anew": (
        "rm -r new; mkdir new; echo x > new/m.py",
        UpperLayer({"new/m.py": 0o100644}, ["new/deep/n.py"], {"new": 0o755}, {}, ["new/deep"]),
    ),
    "a rename onto a staged file": ("mv b.py a.py", UpperLayer({"a.py": 0o100644}, ["b.py"])),
    "permissions of a directory that holds staged files": (
        "chmod 700 package",
        UpperLayer(directory_modes={"package": (0o750, 0o700)}),
    ),
}


@pytest.mark.parametrize(("line", "expected"), ROWS.values(), ids=ROWS.keys())
def test_the_difference_is_compared_with_the_staged_files(
    tmp_path: Path, root: Path, line: str, expected: UpperLayer
) -> None:
    assert difference(tmp_path, root, line) == expected


async def test_an_ignored_file_goes_to_the_disk_and_an_ignored_staged_file_does_not(tmp_path: Path, root: Path) -> None:
    (root / ".gitignore").write_text("*.log\nold/\n")
    staged = [StagedEntry(root / "a.log", b"staged\n"), StagedEntry(root / "new/b.py", b"b\n")]
    with new_layer(tmp_path / "layers", [root]) as layer:
        layer = laid(layer, staged)
        under_overlay(layer.mounts, "echo x >> a.log; echo x > new/x.log; rm new/b.py", root)
        harvest = await sort_layer(layer.mounts[0], read_upper(layer.mounts[0]), tmp_path / "scratch", lambda _: False)
        put_through(harvest)
    assert harvest.failures == {}
    assert (harvest.written, harvest.deleted) == (["a.log"], ["new/b.py"])
    assert [path.name for path in (root / "new").iterdir()] == ["x.log"], "no whiteout reaches the project"
    assert not (root / "a.log").exists()


def test_a_file_outside_of_the_roots_is_said_not_to_be_seen(tmp_path: Path, root: Path) -> None:
    with new_layer(tmp_path / "layers", [root]) as layer:
        mounts, failed = lay_staged(layer.mounts, [StagedEntry(tmp_path / "x.py", b"x\n")])
    assert failed == [tmp_path / "x.py"]
    assert mounts[0].staged is None


def test_a_file_that_cannot_be_laid_is_said_not_to_be_seen(tmp_path: Path, root: Path) -> None:
    below_a_file = [StagedEntry(root / "a.py", b"x\n"), StagedEntry(root / "a.py/b.py", b"x\n")]
    with new_layer(tmp_path / "layers", [root]) as layer:
        assert lay_staged(layer.mounts, below_a_file)[1] == [root / "a.py/b.py"]


@pytest.mark.skipif(os.geteuid() != 0, reason="becomes a plain user from root")
def test_a_plain_user_lays_and_sees_the_same(tmp_path: Path, root: Path) -> None:
    with new_layer(tmp_path / "layers", [root]) as layer:
        program = given_to_plain_user(tmp_path)
        _lay_as_plain_user(layer.mounts[0])
        mounts = (replace(layer.mounts[0], staged=layer.mounts[0].work.with_name("staged")),)
        line = "cat a.py; ls; echo x >> a.py; echo x > b.py; rm package/one.py"
        command = [*PLAIN_USER, *words(mounts, line, root, program)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.split() == ["staged", "a.py", "package"]
        assert read_upper(mounts[0]) == UpperLayer({"a.py": 0o100644, "b.py": 0o100644}, ["package/one.py"])


def _lay_as_plain_user(mount: OverlayMount) -> None:
    """Lay the layer in a child that gives up the rights of root: Python itself may lie where only root reads."""
    child = os.fork()
    if child == 0:
        failed = True
        try:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            staged = [StagedEntry(mount.lower / "a.py", b"staged\n"), StagedEntry(mount.lower / "b.py", None)]
            failed = bool(lay_staged([mount], staged)[1])
        finally:
            os._exit(failed)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
