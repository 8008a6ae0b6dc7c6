"""What was seen of a file is believed as long as its stamp can be, and no longer."""

import os
import zlib
from pathlib import Path

import pytest

from placet.changes.commands import snapshot
from placet.changes.commands.listing import NOTHING_LISTED, list_project
from placet.changes.commands.snapshot import FileSnapshot, Snapshot, compare, take
from placet.core.values import replace


def seen(path: Path, content: bytes, *, is_settled: bool) -> FileSnapshot:
    """Another content under the file's own stamp, as when it is written twice within one tick of the clock."""
    (now,) = take([str(path)], {}).values()
    assert now is not None
    return replace(now, packed=zlib.compress(content, 1), is_settled=is_settled)


@pytest.mark.parametrize("is_settled", [True, False])
def test_a_stamp_that_is_too_young_is_not_believed(tmp_path: Path, is_settled: bool) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"new")
    known = seen(path, b"old", is_settled=is_settled)
    taken = take([str(path)], {str(path): known})[str(path)]
    assert taken is not None
    assert taken.raw is not None
    assert taken.raw.data == (b"old" if is_settled else b"new")
    found = compare(Snapshot({str(path): known}, NOTHING_LISTED, 0))
    assert [one.before.data for one in found.differences if one.before] == ([] if is_settled else [b"old"])


def test_what_was_just_written_is_not_settled(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"new")
    fresh = take([str(path)], {})[str(path)]
    os.utime(path, ns=(0, 0))
    assert fresh is not None
    assert not fresh.is_settled


def test_the_first_come_first_and_the_rest_only_by_its_stamp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, "MOST_FILES", 2)
    monkeypatch.setattr(snapshot, "MOST_BYTES", 7)
    paths = [tmp_path / name for name in ("one", "six", "ten", "two")]
    for path, size in zip(paths, (3, 5, 4, 1), strict=True):
        path.write_bytes(b"x" * size)
    taken = take(map(str, paths), {})
    assert [one is not None and one.packed is not None for one in taken.values()] == [True, False, True, False]


def test_directories_and_devices_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "directory").mkdir()
    if os.name != "nt":
        os.mkfifo(tmp_path / "pipe")
    names = [str(tmp_path / name) for name in ("directory", "pipe", "nothing")]
    taken = take(names, {})
    assert taken.get(names[2], "?") is None
    assert names[0] not in taken
    assert os.name == "nt" or names[1] not in taken


async def test_a_listing_knows_what_was_not_there(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "file").touch()
    (tmp_path / "link").symlink_to("a")
    (tmp_path / ".gitignore").write_text("ignored/\n")
    (tmp_path / "ignored" / "deep").mkdir(parents=True)
    (tmp_path / "ignored" / "x").touch()
    listing = await list_project((tmp_path,))
    assert {Path(file).name for file in listing.files} == {"file", "link", ".gitignore"}

    def absent(name: str) -> str | None:
        found = listing.absent(str(tmp_path / name))
        return None if found is None else Path(found).relative_to(tmp_path).as_posix()

    assert absent("a/file") is None
    assert absent("new") == "new"
    assert absent("a/new") == "a/new"
    assert absent("a/b/new/deeper") == "a/b/new"
    assert absent("ignored/new") == "ignored/new"
    assert absent("ignored/deep/new") is None  # Nobody has looked there.
