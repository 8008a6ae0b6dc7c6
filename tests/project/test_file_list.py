from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from placet.project import file_list
from placet.project.file_list import FRESH_SECONDS, FileList, file_names


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, the first list is there in time."""
    monkeypatch.setattr(file_list, "FIRST_SECONDS", 60)


@pytest_asyncio.fixture
async def files(tmp_path: Path) -> AsyncIterator[tuple[FileList, Clock]]:
    clock = Clock()
    made = FileList(tmp_path, clock)
    yield made, clock
    await made.close()


def plant(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("", "utf-8")


async def test_hidden_files_are_listed_and_ignored_ones_and_gits_own_are_not(
    tmp_path: Path, files: tuple[FileList, Clock]
) -> None:
    (tmp_path / ".git").mkdir()
    plant(tmp_path, "src/app/a.py", ".github/ci.yml", "build/out.js", ".env")
    (tmp_path / ".gitignore").write_text("build/\n", "utf-8")

    names = set((await files[0].names()).names)

    assert names == {"src/", "src/app/", "src/app/a.py", ".github/", ".github/ci.yml", ".env", ".gitignore"}


async def test_a_list_is_used_until_it_is_old(tmp_path: Path, files: tuple[FileList, Clock], monkeypatch) -> None:
    monkeypatch.setattr(file_list, "PATIENCE_SECONDS", 30)
    listing, clock = files
    plant(tmp_path, "a.py")
    assert (await listing.names()).names == ("a.py",)
    plant(tmp_path, "b.py")

    clock.seconds = FRESH_SECONDS
    assert (await listing.names()).names == ("a.py",)
    clock.seconds = FRESH_SECONDS + 0.1
    assert set((await listing.names()).names) == {"a.py", "b.py"}


async def test_who_asks_while_a_list_is_made_anew_gets_the_old_one(
    tmp_path: Path, files: tuple[FileList, Clock], monkeypatch
) -> None:
    listing, clock = files
    plant(tmp_path, "a.py")
    await listing.names()
    plant(tmp_path, "b.py")
    monkeypatch.setattr(file_list, "PATIENCE_SECONDS", 0)
    clock.seconds = FRESH_SECONDS + 1

    assert (await listing.names()).names == ("a.py",)


async def test_of_a_folder_that_takes_too_long_what_was_found_is_known(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(file_list, "LISTING_SECONDS", 0)
    plant(tmp_path, "a.py")
    listing = FileList(tmp_path)

    assert (await listing.names()).names == ()
    await listing.close()


async def test_a_folder_that_is_not_there_has_no_names(tmp_path: Path) -> None:
    listing = FileList(tmp_path / "gone")
    assert (await listing.names()).names == ()
    await listing.close()


def test_the_shortest_come_first_and_what_is_not_utf8_is_left_out() -> None:
    names = file_names("long/Name.py\nb\ncaf\u00e9\n".encode() + b"\xff.py\n")

    assert names.names == ("b", "caf\u00e9", "long/", "long/Name.py")
    assert names.lower == ("b", "caf\u00e9", "long/", "long/name.py")
    assert file_names(b"").names == ()
