"""The tree that a session sees is the tree that would be on the disk, were the staged files written."""

import asyncio
import os
import shutil
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from placet.changes.review.seen_tree import SeenTree
from placet.changes.review.staged_file import UndecidedFile

ON_DISK = ["a.py", "b.txt", "x/a.py", "x/deep/c.py", "y/only.py", "x/kept.log", "out/made.py"]
CREATED = ["a2.py", "x/new.py", "x/deep/new.py", "n/e/w.py", "n/f.log", "out/new.py", "x/out/new.py", ".hidden/h.py"]
IGNORES = {".gitignore": "*.log\n/out/\n", "x/.gitignore": "!kept.log\ndeep/new.py\n", ".git/info/exclude": "n/e/\n"}
PLACES = ["", "x", "x/deep", "y", "n", "n/e", "out", "missing"]


@st.composite
def changes(draw: st.DrawFn) -> list[tuple[str, str, str]]:
    """Return staged changes as kind, path and new path; no path is used twice."""
    old = draw(st.lists(st.sampled_from(ON_DISK), unique=True, max_size=4))
    new = draw(st.lists(st.sampled_from(CREATED), unique=True, max_size=5))
    staged: list[tuple[str, str, str]] = []
    for name in old:
        kind = draw(st.sampled_from(["modify", "delete", "rename"]))
        if kind != "rename":
            staged.append((kind, name, ""))
        elif new:
            staged.append(("rename", name, new.pop()))
    return [*staged, *(("create", name, "") for name in new)]


def fill(root: Path) -> None:
    for name, text in {**dict.fromkeys(ON_DISK, "text\n"), **IGNORES}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def written(root: Path, staged: list[tuple[str, str, str]]) -> None:
    for kind, name, new in staged:
        for made in filter(None, (new, name if kind == "create" else "")):
            (root / made).parent.mkdir(parents=True, exist_ok=True)
            (root / made).write_text("text\n")
        if kind in ("delete", "rename"):
            (root / name).unlink()


async def listing(tree: SeenTree, root: Path, place: str, *arguments: str) -> list[str]:
    names: list[str] = []

    async def take(lines: list[bytes]) -> None:
        names.extend(map(os.fsdecode, lines))

    directory = root / place
    if tree.is_directory(directory):
        await tree.list_names([*arguments, "--glob=!.git"], directory, take)
    return sorted(names)


async def seen(tree: SeenTree, root: Path) -> dict[str, object]:
    names = [*ON_DISK, *CREATED, *PLACES]
    return {
        "listed": [await listing(tree, root, place) for place in PLACES],
        "globs": [await listing(tree, root, place, "--glob=*.py") for place in PLACES[:3]],
        "files": [name for name in names if tree.is_file(root / name)],
        "directories": [name for name in names if tree.is_directory(root / name)],
        "existing": [name for name in names if tree.exists(root / name)],
        "entries": [
            sorted((entry.name, entry.is_directory) for entry in tree.entries(root / place))
            for place in PLACES
            if tree.is_directory(root / place)
        ],
    }


@given(changes())
@settings(max_examples=10, deadline=None)
def test_the_tree_is_the_disk_after_the_staged_files_are_written(staged: list[tuple[str, str, str]]) -> None:
    scratch = Path(tempfile.mkdtemp(prefix="placet-test-"))
    try:
        before, after = scratch / "before", scratch / "after"
        for root in (before, after):
            fill(root)
        written(after, staged)
        files = [
            UndecidedFile(kind, before / name, "text\n", "text\n", before / new if new else None)  # pyright: ignore
            for kind, name, new in staged
        ]
        assert asyncio.run(seen(SeenTree(files), before)) == asyncio.run(seen(SeenTree(), after))
    finally:
        shutil.rmtree(scratch)


def test_a_file_in_the_place_of_a_renamed_file_is_seen(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a\n")
    renamed = UndecidedFile("rename", tmp_path / "a.py", "a\n", "a\n", tmp_path / "b.py")
    created = UndecidedFile("create", tmp_path / "a.py", None, "new\n")
    assert not SeenTree([renamed]).exists(tmp_path / "a.py")
    tree = SeenTree([renamed, created])
    assert tree.is_file(tmp_path / "a.py")
    assert tree.is_file(tmp_path / "b.py")


def test_a_file_is_found_by_a_link_too(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    tree = SeenTree([UndecidedFile("create", tmp_path / "real/a.py", None, "a\n")])
    assert tree.is_file(tmp_path / "link/a.py")
    assert [entry.name for entry in tree.entries(tmp_path / "link")] == ["a.py"]
