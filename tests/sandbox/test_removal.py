"""A tree that a command has filled is removed, whatever the command has made of the tree, and nothing else is."""

import os
from pathlib import Path

import pytest

from placet.sandbox.removal import remove_tree


def make_deep(top: Path, depth: int, name: str = "d") -> None:
    """Make directories within each other, deeper than a path can be."""
    top.mkdir()
    descriptor = os.open(top, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=descriptor)
        inner = os.open(name, os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = inner
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=descriptor))
    os.close(descriptor)


def test_a_tree_of_any_depth_is_removed(tmp_path: Path) -> None:
    make_deep(tmp_path / "top", 3000)
    remove_tree(tmp_path / "top")
    assert list(tmp_path.iterdir()) == []


def test_closed_directories_and_links_are_removed_and_no_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "kept").touch()
    for place in ("top", "top/a", "top/a/b", "top/a/b/c"):
        (tmp_path / place).mkdir()
        (tmp_path / place / "file").touch()
        (tmp_path / place / "link").symlink_to(tmp_path / "outside")
    for place in ("top/a/b/c", "top/a/b", "top/a", "top"):
        (tmp_path / place).chmod(0)
    remove_tree(tmp_path / "top")
    assert [path.name for path in tmp_path.rglob("*")] == ["outside", "kept"]


def test_a_link_put_in_the_place_of_a_directory_meanwhile_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "kept").touch()
    (tmp_path / "top" / "a" / "b").mkdir(parents=True)
    rename = os.rename

    def swap_and_rename(source: str, target: str) -> None:
        Path(source).rmdir()
        Path(source).symlink_to(tmp_path / "outside")
        rename(source, target)

    monkeypatch.setattr(os, "rename", swap_and_rename)
    remove_tree(tmp_path / "top")
    assert [path.name for path in tmp_path.rglob("*")] == ["outside", "kept"]
