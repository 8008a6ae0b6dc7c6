"""The difference read from a layer is the difference that the command made."""

import os
import shutil
import stat
import subprocess
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpus_support import corpus, examples
from overlay_support.bubblewrap import PLAIN_USER, can_overlay, given_to_plain_user, under_overlay, words
from overlay_support.manifest import manifest
from placet.sandbox.overlay.layers import Layer, OverlayMount, new_layer
from placet.sandbox.overlay.staged_layer import UnreadableLayer
from placet.sandbox.overlay.upper import UpperLayer, read_upper, strip_attributes

pytestmark = pytest.mark.skipif(not can_overlay(), reason="needs bubblewrap with overlays")


def make_project(root: Path) -> None:
    for name in ("a.py", "package/one.py", "package/deep/two.py", "other/three.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{name}\n")
    (root / "run.sh").write_text("#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    (root / "link.py").symlink_to("a.py")
    (root / "empty").mkdir()


def difference(tmp_path: Path, line: str) -> UpperLayer:
    root = tmp_path / "root"
    make_project(root)
    with new_layer(tmp_path / "layers", [root]) as layer:
        before = manifest(root, with_times=True)
        done = under_overlay(layer.mounts, line, root)
        assert (done.returncode, done.stderr) == (0, "")
        assert manifest(root, with_times=True) == before
        return read_upper(layer.mounts[0])


ROWS: dict[str, tuple[str, UpperLayer]] = {
    "nothing": ("cat a.py > /dev/null", UpperLayer()),
    "a change": ("echo x >> a.py", UpperLayer({"a.py": 0o100644})),
    "a change in place": ("sed -i s/a/b/ package/one.py", UpperLayer({"package/one.py": 0o100644})),
    "a new file": ("echo x > n.py", UpperLayer({"n.py": 0o100644})),
    "a new file deep down": (
        "mkdir -p x/y && echo x > x/y/n",
        UpperLayer({"x/y/n": 0o100644}, made_directories={"x": 0o755, "x/y": 0o755}),
    ),
    "an empty directory": ("mkdir x", UpperLayer(made_directories={"x": 0o755})),
    "a deletion": ("rm a.py", UpperLayer(deleted=["a.py"])),
    "a deletion of a link": ("rm link.py", UpperLayer(deleted=["link.py"])),
    "a deletion and the same anew": ("rm a.py; echo x > a.py", UpperLayer({"a.py": 0o100644})),
    "made and deleted": ("echo x > n; rm n; mkdir d; rmdir d", UpperLayer()),
    "a directory's deletion": (
        "rm -r package",
        UpperLayer(deleted=["package/deep/two.py", "package/one.py"], deleted_directories=["package/deep", "package"]),
    ),
    "a directory anew": (
        "rm -r package; mkdir package; echo x > package/new.py",
        UpperLayer({"package/new.py": 0o100644}, ["package/deep/two.py", "package/one.py"], {}, {}, ["package/deep"]),
    ),
    "a directory anew with a directory of the same name": (
        "rm -r package; mkdir -p package/deep; echo x > package/deep/new.py",
        UpperLayer({"package/deep/new.py": 0o100644}, ["package/deep/two.py", "package/one.py"]),
    ),
    "a file's rename": ("mv a.py b.py", UpperLayer({"b.py": 0o100644}, ["a.py"])),
    "a directory's rename": (
        "mv other moved",
        UpperLayer({"moved/three.py": 0o100644}, ["other/three.py"], {"moved": 0o755}, {}, ["other"]),
    ),
    "a directory in place of a file": (
        "rm a.py; mkdir a.py; echo x > a.py/x",
        UpperLayer({"a.py/x": 0o100644}, ["a.py"], {"a.py": 0o755}),
    ),
    "a file in place of a directory": (
        "rm -r other; echo x > other",
        UpperLayer({"other": 0o100644}, ["other/three.py"], {}, {}, ["other"]),
    ),
    "a link in place of a directory": (
        "rm -r other; ln -s package other",
        UpperLayer({"other": 0o120777}, ["other/three.py"], {}, {}, ["other"]),
    ),
    "chmod": ("chmod +x a.py", UpperLayer({"a.py": 0o100755})),
    "chmod of a directory": ("chmod 700 package", UpperLayer(directory_modes={"package": (0o755, 0o700)})),
    "a link": ("ln -s /etc/passwd l", UpperLayer({"l": 0o120777})),
    "a hard link": ("ln a.py b.py", UpperLayer({"a.py": 0o100644, "b.py": 0o100644})),
    "a named pipe": ("mkfifo p", UpperLayer({"p": 0o010644})),
    "a name that is not UTF-8": ("echo x > $'\\xff'", UpperLayer({os.fsdecode(b"\xff"): 0o100644})),
    "a closed directory": (
        "mkdir d; echo x > d/x; chmod 0 d/x d",
        UpperLayer({"d/x": 0o100000}, made_directories={"d": 0}),
    ),
    "an empty directory's deletion": ("rmdir empty", UpperLayer(deleted_directories=["empty"])),
    "a new repository": ("mkdir .git; echo x > .git/HEAD", UpperLayer({".git/HEAD": 0o100644}, [], {".git": 0o755})),
}


@corpus(("line", "expected"), ROWS.values())
def test_the_difference_is_what_the_command_did(tmp_path: Path, line: str, expected: UpperLayer) -> None:
    assert difference(tmp_path, line) == expected


def test_sockets_are_read_as_written(tmp_path: Path) -> None:
    line = "/usr/bin/python3 -c \"import socket; socket.socket(socket.AF_UNIX).bind('s')\""
    assert list(map(stat.S_ISSOCK, difference(tmp_path, line).written.values())) == [True]


def test_whiteouts_in_the_form_of_attributes_are_deletions(tmp_path: Path) -> None:
    with _layer_by_hand(tmp_path) as layer:
        upper = layer.mounts[0].upper
        (upper / "package").mkdir(mode=0o755)
        (upper / "package" / "one.py").touch()
        os.setxattr(upper / "package", "user.overlay.opaque", b"x")  # "x": whiteouts in this form lie inside.
        os.setxattr(upper / "package" / "one.py", "user.overlay.whiteout", b"y")
        assert read_upper(layer.mounts[0]) == UpperLayer(deleted=["package/one.py"])


def test_a_redirected_directory_is_an_error_rather_than_a_wrong_difference(tmp_path: Path) -> None:
    with _layer_by_hand(tmp_path) as layer:
        moved = layer.mounts[0].upper / "moved"
        moved.mkdir()
        os.setxattr(moved, "user.overlay.redirect", b"package")
        with pytest.raises(UnreadableLayer, match="stands for a directory of another name"):
            read_upper(layer.mounts[0])


@pytest.mark.parametrize(
    "line", ["mkdir -p $(printf 'd/%.0s' {1..300})", "mkdir -p package/$(printf 'd/%.0s' {1..300})"]
)
def test_directories_too_deep_to_be_read_are_an_error(tmp_path: Path, line: str) -> None:
    with pytest.raises(UnreadableLayer, match="lie within each other"):
        difference(tmp_path, line)


def test_attributes_of_overlayfs_are_stripped_and_those_of_the_user_kept(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    os.setxattr(path, "user.overlay.origin", b"x")
    os.setxattr(path, "user.note", b"x")
    strip_attributes(str(path))
    assert os.listxattr(path) == ["user.note"]


@pytest.mark.skipif(os.geteuid() != 0, reason="becomes a plain user from root")
def test_a_plain_user_makes_the_same_layer(tmp_path: Path) -> None:
    root = tmp_path / "root"
    make_project(root)
    with new_layer(tmp_path / "layers", [root]) as layer:
        program = given_to_plain_user(tmp_path)
        line = "rm -r package && mkdir -m 0 package && rm a.py && echo x >> run.sh && mv other moved"
        command = [*PLAIN_USER, *words(layer.mounts, line, root, program)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert read_upper(layer.mounts[0]) == UpperLayer(
            {"moved/three.py": 0o100644, "run.sh": 0o100755},
            ["a.py", "other/three.py", "package/deep/two.py", "package/one.py"],
            {"moved": 0o755},
            {"package": (0o755, 0)},
            ["package/deep", "other"],
        )


NAMES = st.sampled_from(["a", "b", "d", "d/e", "d/f", "d/e/g"])
STEPS = st.one_of(
    st.builds("echo {} >> {}".format, st.integers(0, 9), NAMES),
    st.builds("rm -rf {}".format, NAMES),
    st.builds("mkdir -p {}".format, NAMES),
    st.builds("mv -T {} {}".format, NAMES, NAMES),
    st.builds("ln -sfT {} {}".format, NAMES, NAMES),
    st.builds("chmod {} {}".format, st.sampled_from(["700", "755"]), NAMES),
    st.builds("cp -T {} {}".format, NAMES, NAMES),
)


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=st.lists(STEPS, max_size=8), steps=st.lists(STEPS, max_size=10))
def test_the_root_with_the_difference_is_the_tree_that_the_command_saw(
    tmp_path_factory: pytest.TempPathFactory, before: list[str], steps: list[str]
) -> None:
    place = tmp_path_factory.mktemp("property")
    root, direct = place / "root", place / "direct"
    root.mkdir()
    subprocess.run(["bash", "-c", "\n".join(before)], cwd=root, capture_output=True, check=False)
    shutil.copytree(root, direct, symlinks=True)
    subprocess.run(["bash", "-c", "\n".join(steps)], cwd=direct, capture_output=True, check=False)
    with new_layer(place / "layers", [root]) as layer:
        under_overlay(layer.mounts, "\n".join(steps), root)
        _apply(read_upper(layer.mounts[0]), layer.mounts[0])
    assert manifest(root) == manifest(direct)


def _apply(difference: UpperLayer, mount: OverlayMount) -> None:
    """The difference done by the shortest means."""
    for name in difference.deleted:
        (mount.lower / name).unlink()
    for name in difference.deleted_directories:
        (mount.lower / name).rmdir()
    for name, mode in difference.made_directories.items():
        (mount.lower / name).mkdir()
        (mount.lower / name).chmod(mode)
    for name in difference.written:
        os.replace(mount.upper / name, mount.lower / name)
    for name, (_, mode) in difference.directory_modes.items():
        (mount.lower / name).chmod(mode)


def _layer_by_hand(tmp_path: Path) -> AbstractContextManager[Layer]:
    make_project(tmp_path / "root")
    return new_layer(tmp_path / "layers", [tmp_path / "root"])
