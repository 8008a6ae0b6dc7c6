"""Notices about the machine: each is shown once, also over several starts and front ends."""

from pathlib import Path

import pytest

from placet.sandbox.preflight import Backend
from placet.sessions.services.machine_notices import MachineNotices
from placet.sessions.services.sandboxes import CommandSandboxes
from placet.settings import Locations
from placet.settings.models import SandboxSettings

MISSING = Backend("none", "none", "bubblewrap (bwrap) is not installed")
BARRED = Backend("none", "none", "bubblewrap cannot make its namespaces here")
FULL = Backend("bubblewrap", "full")


class FrontEnd:
    """Front end that keeps the shown notices."""

    def __init__(self, file: Path) -> None:
        self.shown: list[str] = []
        self.notices = MachineNotices(file)
        self.is_attended = True
        self.notices.subscribe(self._show)

    def _show(self, notice: str) -> bool:
        if self.is_attended:
            self.shown.append(notice)
        return self.is_attended


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "data" / "notices.json"


async def test_a_notice_is_shown_once_also_by_a_later_front_end(file: Path) -> None:
    first, later = FrontEnd(file), FrontEnd(file)
    for front_end in (first, first, later):
        await front_end.notices.tell("sandbox", "No sandbox.")
    await later.notices.tell("other", "No sandbox.")

    assert (first.shown, later.shown) == (["No sandbox."], ["No sandbox."])


async def test_another_cause_and_a_cause_that_has_come_back_are_shown(file: Path) -> None:
    front_end = FrontEnd(file)
    for notice in ("Missing.", "Barred.", "", "Barred."):
        await front_end.notices.tell("sandbox", notice)

    assert front_end.shown == ["Missing.", "Barred.", "Barred."]


async def test_a_notice_that_nobody_could_see_is_shown_later(file: Path) -> None:
    await MachineNotices(file).tell("sandbox", "No sandbox.")
    front_end = FrontEnd(file)
    await front_end.notices.tell("sandbox", "No sandbox.")

    assert front_end.shown == ["No sandbox."]


async def test_a_notice_without_a_user_is_shown_once_a_user_is_there(file: Path) -> None:
    front_end = FrontEnd(file)
    for front_end.is_attended in (False, True, True):
        await front_end.notices.tell("sandbox", "No sandbox.")

    assert front_end.shown == ["No sandbox."]


@pytest.mark.parametrize("content", ["", "no JSON", "[]", '{"sandbox": 1}'])
async def test_a_file_that_makes_no_sense_hides_no_notice(file: Path, content: str) -> None:
    file.parent.mkdir()
    file.write_text(content)
    front_end = FrontEnd(file)
    await front_end.notices.tell("sandbox", "No sandbox.")
    await front_end.notices.tell("sandbox", "No sandbox.")

    assert front_end.shown == ["No sandbox."]


async def test_where_nothing_is_written_a_notice_is_shown_once_a_start(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("in the way of the directory")
    front_end = FrontEnd(tmp_path / "data" / "notices.json")
    await front_end.notices.tell("sandbox", "No sandbox.")
    await front_end.notices.tell("sandbox", "No sandbox.")

    assert front_end.shown == ["No sandbox."]


async def offered(
    directory: Path, monkeypatch: pytest.MonkeyPatch, *backends: Backend, mode: str = "auto"
) -> list[str]:
    """Return the notices of a front end that meets the backends, one command each."""
    locations = Locations(*(directory / name for name in ("config", "data", "cache", "log")))
    front_end = FrontEnd(locations.notices)
    sandboxes = CommandSandboxes(locations, front_end.notices)
    settings = SandboxSettings.model_validate({"mode": mode, "overlay": "off"})
    for backend in backends:

        async def backend_of(*_: object, backend: Backend = backend) -> Backend:
            return backend

        monkeypatch.setattr(sandboxes.sandbox, "backend_of", backend_of)
        await sandboxes.offer(settings, (directory,), only_reads=False, outputs=directory / "outputs")
    return front_end.shown


async def test_the_lack_of_a_sandbox_is_told_once_a_machine_and_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    [notice] = await offered(tmp_path, monkeypatch, MISSING, MISSING)
    assert notice.startswith("Commands run without a sandbox: bubblewrap (bwrap) is not installed. ")
    assert await offered(tmp_path, monkeypatch, MISSING) == []
    [notice] = await offered(tmp_path, monkeypatch, BARRED, BARRED)
    assert "cannot make its namespaces" in notice
    assert await offered(tmp_path, monkeypatch, FULL) == []
    assert len(await offered(tmp_path, monkeypatch, BARRED)) == 1, "the sandbox worked in between"


async def test_who_has_switched_the_sandbox_off_is_told_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await offered(tmp_path, monkeypatch, MISSING, mode="off") == []
