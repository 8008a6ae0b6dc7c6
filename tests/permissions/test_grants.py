"""Grants for longer than a session: a readable file that several daemons share."""

import asyncio
import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from corpus_support import corpus
from placet.core.errors import SettingsError
from placet.permissions.grants import Grants
from placet.permissions.grants_file import GrantsFile
from time_support import wait_seconds


def grants(directory: Path, *roots: str) -> Grants:
    return Grants(GrantsFile(directory / "config" / "grants.json"), [directory / root for root in roots or ("a",)])


def written(directory: Path) -> list[dict]:
    return json.loads((directory / "config" / "grants.json").read_text())["grants"]


def patterns(grants: Grants, session_id: str = "any") -> list[str]:
    grants.refresh()
    return [grant.pattern for grant in grants.holding(session_id)]


async def test_the_file_says_what_was_granted_where_and_when(tmp_path: Path) -> None:
    await grants(tmp_path).add("bash", ["make test *"], scope="project", session_id="one")
    (record,) = written(tmp_path)
    assert record.pop("id").startswith("grt_")
    assert record.pop("given").endswith("+00:00")
    assert record == {
        "permission": "bash",
        "pattern": "make test *",
        "scope": "project",
        "roots": [(tmp_path / "a").as_posix()],
    }


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")
async def test_the_file_is_the_users_alone(tmp_path: Path) -> None:
    await grants(tmp_path).add("bash", ["x"], scope="user", session_id="one")
    assert stat.S_IMODE((tmp_path / "config" / "grants.json").stat().st_mode) == 0o600


async def test_a_grant_for_the_project_holds_in_the_same_folders_only(tmp_path: Path) -> None:
    await grants(tmp_path, "a", "b").add("bash", ["x"], scope="project", session_id="one")
    assert patterns(grants(tmp_path, "b", "a")) == ["x"]
    assert patterns(grants(tmp_path, "a")) == []
    assert patterns(grants(tmp_path, "c")) == []


async def test_a_project_is_known_by_what_its_folder_links_to(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "a")
    await grants(tmp_path, "link").add("bash", ["x"], scope="project", session_id="one")
    assert patterns(grants(tmp_path, "a")) == ["x"]


async def test_a_grant_for_the_user_holds_everywhere(tmp_path: Path) -> None:
    await grants(tmp_path).add("bash", ["x"], scope="user", session_id="one")
    assert patterns(grants(tmp_path, "elsewhere")) == ["x"]


async def test_a_grant_for_the_session_is_not_written(tmp_path: Path) -> None:
    held = grants(tmp_path)
    await held.add("bash", ["x"], scope="session", session_id="one")
    assert (patterns(held, "one"), patterns(held, "two")) == (["x"], [])
    assert not (tmp_path / "config").exists()


async def test_what_is_granted_twice_is_written_once(tmp_path: Path) -> None:
    held = grants(tmp_path)
    for _ in range(2):
        await held.add("bash", ["x", "x"], scope="user", session_id="one")
    assert len(written(tmp_path)) == 1


async def test_a_revoked_grant_is_gone_from_the_file(tmp_path: Path) -> None:
    held = grants(tmp_path)
    await held.add("bash", ["x", "y"], scope="user", session_id="one")
    await held.add("bash", ["z"], scope="session", session_id="one")
    for grant in list(held.holding("one")):
        if grant.pattern != "y":
            assert await held.revoke(grant.id)
    assert patterns(held, "one") == ["y"]
    assert [record["pattern"] for record in written(tmp_path)] == ["y"]
    assert not await held.revoke("grt_none")


@corpus(
    "content",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"grants": {}}',
        '{"grants": ["x"]}',
        '{"grants": [{"id": "1", "permission": "bash", "pattern": "x"}]}',
        '{"grants": [{"id": "1", "permission": "bash", "pattern": "x", "scope": "session"}]}',
        '{"grants": [{"id": "1", "permission": "bash", "pattern": "x", "scope": "project"}]}',
        '{"grants": [{"id": "1", "permission": "bash", "pattern": 1, "scope": "user"}]}',
    ],
)
async def test_a_broken_file_grants_nothing_is_reported_and_left_as_it_is(tmp_path: Path, content: str) -> None:
    file = tmp_path / "config" / "grants.json"
    file.parent.mkdir()
    file.write_text(content)
    held = grants(tmp_path)
    assert patterns(held) == []
    assert str(file) in held.problem
    assert held.scopes == ("session",)
    await held.add("bash", ["x"], scope="user", session_id="one")
    assert patterns(held) == ["x"]
    with pytest.raises(SettingsError, match=r"grants\.json"):
        await held.revoke("grt_other")
    assert file.read_text() == content


async def test_a_file_that_was_mended_counts_again(tmp_path: Path) -> None:
    file = tmp_path / "config" / "grants.json"
    file.parent.mkdir()
    file.write_text("{")
    held = grants(tmp_path)
    held.refresh()
    assert held.problem
    record = {"id": "1", "permission": "bash", "pattern": "by hand", "scope": "user"}
    file.write_text(json.dumps({"grants": [record]}))
    assert patterns(held) == ["by hand"]
    assert not held.problem


async def test_a_directory_that_cannot_be_written_is_no_reason_to_fail(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("a file")
    held = grants(tmp_path)
    await held.add("bash", ["x"], scope="user", session_id="one")
    assert patterns(held) == ["x"]


async def test_many_grants_at_once_are_all_kept(tmp_path: Path) -> None:
    several = [grants(tmp_path) for _ in range(4)]
    await asyncio.gather(
        *(
            one.add("bash", [f"{i} {n}"], scope="user", session_id="s")
            for i, one in enumerate(several)
            for n in range(5)
        )
    )
    assert {record["pattern"] for record in written(tmp_path)} == {f"{i} {n}" for i in range(4) for n in range(5)}


ADDING = """
import asyncio, sys
from pathlib import Path
from placet.permissions.grants import Grants
from placet.permissions.grants_file import GrantsFile

async def main(directory, name):
    grants = Grants(GrantsFile(directory / "config" / "grants.json"), [directory / "a"])
    for number in range(10):
        await grants.add("bash", [f"{name} {number}"], scope="user", session_id="one")

asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
"""


def test_processes_at_work_on_one_file_lose_nothing(tmp_path: Path) -> None:
    running = [
        subprocess.Popen([sys.executable, "-c", ADDING, str(tmp_path), name]) for name in ("one", "two", "three")
    ]
    assert [process.wait(timeout=wait_seconds()) for process in running] == [0, 0, 0]
    expected = {f"{name} {number}" for name in ("one", "two", "three") for number in range(10)}
    assert {record["pattern"] for record in written(tmp_path)} == expected
    assert [file.name for file in (tmp_path / "config").iterdir() if file.name.startswith(".grants-")] == []
