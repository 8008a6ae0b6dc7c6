"""Results of a fleet in a directory and at an fsspec address."""

import errno
import os
import threading
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from placet.core.errors import RequestError
from placet.fleet.results import FleetOutput, Result


@pytest.fixture(params=["directory", "file", "local", "memory"])
def output(request: pytest.FixtureRequest, tmp_path: Path) -> FleetOutput:
    match request.param:
        case "directory":
            return FleetOutput(str(tmp_path / "out"))
        case "file":
            return FleetOutput((tmp_path / "out").as_uri())
        case "local":
            return FleetOutput(f"local://{tmp_path}/out")
        case _:
            return FleetOutput(f"memory://{uuid.uuid4().hex}/run")


class Meeting(MemoryFileSystem):
    """Store whose first two writers of a result both have seen no result before, as on two nodes."""

    protocol = "meeting"
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]
    meeting = threading.Barrier(2)
    one_at_a_time = threading.Lock()
    knows_condition = True

    def cat_file(self, path: str, start: int | None = None, end: int | None = None, **kwargs: Any) -> bytes:
        try:
            return super().cat_file(path, start, end, **kwargs)
        except FileNotFoundError:
            if "/results/" in path:
                self.meeting.wait()
            raise

    def pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **kwargs: Any) -> None:
        if mode == "create" and not self.knows_condition:
            raise OSError(errno.EIO, "A header you provided implies functionality that is not implemented.")
        with self.one_at_a_time:  # As a store of objects does.
            super().pipe_file(path, value, mode, **kwargs)


@pytest.fixture
def meeting() -> FleetOutput:
    fsspec.register_implementation("meeting", Meeting, clobber=True)
    return FleetOutput(f"meeting://{uuid.uuid4().hex}/run")


def test_the_first_result_of_a_task_stands(output: FleetOutput) -> None:
    assert output.result("one") is None
    first = output.save(Result(id="one", status="done", cost=0.5), b"patch")
    assert (first.status, first.patch_file) == ("done", "patches/one.patch")
    assert output.save(Result(id="one", status="limit"), b"other") == first
    assert output.result("one") == first
    assert output.patch("one") == b"patch"


def test_two_writers_at_once_store_one_result_with_its_own_patch(meeting: FleetOutput) -> None:
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(
            lambda session: meeting.save(Result(id="one", status="done", session_id=session), session.encode()),
            ("ses_a", "ses_b"),
        )
    assert first == second == meeting.result("one")
    patch = (first.session_id or "").encode()
    assert meeting.patch("one") == patch
    assert fsspec.filesystem("meeting").cat_file(f"{meeting.address}/patches/one.patch") == patch


def test_the_patch_of_a_killed_attempt_is_not_taken_for_the_patch_of_the_result(output: FleetOutput) -> None:
    output.save(Result(id="one", status="done"), b"killed")
    patch_alone = output.patch("one")
    output.forget("one")
    system, top = fsspec.url_to_fs(output.address)
    system.pipe_file(f"{top}/patches/one.patch", patch_alone)
    stored = output.save(Result(id="one", status="done"), b"new")
    assert stored.patch_file != "patches/one.patch"
    assert output.patch("one") == b"new"
    assert system.cat_file(f"{top}/patches/one.patch") == b"new"
    output.forget("one")
    assert system.ls(f"{top}/patches") == []


def test_a_store_without_conditional_writes_takes_results(
    meeting: FleetOutput, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Meeting, "knows_condition", False)
    monkeypatch.setattr(Meeting, "meeting", threading.Barrier(1))
    first = meeting.save(Result(id="one", status="done"), b"patch")
    assert meeting.result("one") == first
    assert meeting.save(Result(id="one", status="limit"), b"other") == first
    assert meeting.patch("one") == b"patch"


def test_a_directory_without_hard_links_takes_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def link(*_: object) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))  # As on FAT.

    monkeypatch.setattr(os, "link", link)
    output = FleetOutput(str(tmp_path))
    first = output.save(Result(id="one", status="done"), b"patch")
    assert output.save(Result(id="one", status="limit"), b"other") == first
    assert output.patch("one") == b"patch"
    assert [file.name for file in (tmp_path / "results").iterdir()] == ["one.json"]


def test_a_forgotten_task_may_have_another_result(output: FleetOutput) -> None:
    output.save(Result(id="one", status="place"), b"")
    output.forget("one")
    output.forget("one")
    assert list(output.results()) == []
    assert output.save(Result(id="one", status="done"), b"")


def test_all_results_are_collected_in_one_file(output: FleetOutput) -> None:
    for name in ("b", "a"):
        output.save(Result(id=name, status="done"), b"")
    output.save_tasks("{}\n")
    output.collect()
    assert [result.id for result in output.results()] == ["a", "b"]
    assert output.tasks() == "{}\n"


def test_a_result_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    output = FleetOutput(str(tmp_path))
    output.save(Result(id="one", status="done"), b"")
    (tmp_path / "results" / ".placet-abc").write_text('{"id": "tw')  # As a killed worker leaves it.
    assert [result.id for result in output.results()] == ["one"]


def test_a_file_of_something_else_is_named(tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "one.json").write_text("[]")
    with pytest.raises(RequestError, match=r"results/one\.json is no result"):
        FleetOutput(str(tmp_path)).result("one")


def test_the_address_of_a_directory_holds_for_workers_anywhere() -> None:
    assert FleetOutput("out").address == str(Path("out").absolute())


def test_an_address_without_its_library_is_refused() -> None:
    with pytest.raises(RequestError, match="cannot be opened"):
        FleetOutput("no-such-store://bucket")
