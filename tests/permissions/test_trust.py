"""The user's decisions about projects, and how long they hold."""

import json
import stat
from pathlib import Path

import pytest

from corpus_support import corpus
from placet.core.errors import SettingsError
from placet.permissions.trust import Trust, listed
from placet.project.inventory import Inventory, inventory


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return project_in(tmp_path)


@pytest.fixture
def trust(tmp_path: Path) -> Trust:
    return trust_in(tmp_path)


def project_in(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".placet" / "tool").mkdir(parents=True)
    (folder / ".placet" / "tool" / "a.py").write_text("a")
    (folder / "placet.json").write_text("{}")
    return folder


def trust_in(tmp_path: Path) -> Trust:
    return Trust(tmp_path / "config" / "trust.json")


def test_a_project_that_brings_nothing_needs_no_trust(trust: Trust, tmp_path: Path) -> None:
    judged = trust.judge(inventory(tmp_path / "project"))
    assert (judged.standing, judged.trusted, judged.open) == ("nothing", False, False)


def test_what_nobody_decided_about_is_to_be_asked_with_everything_there_is(trust: Trust, project: Path) -> None:
    judged = trust.judge(inventory(project))
    assert (judged.standing, judged.open) == ("unasked", True)
    assert listed(judged.news) == ["tool: .placet/tool/a.py", "settings: placet.json"]
    assert not judged.vouches(project / "placet.json", (project / "placet.json").read_bytes())


@corpus(("answer", "standing"), [(True, "trusted"), (False, "refused")], project=project_in, trust=trust_in)
def test_a_decision_holds_for_every_daemon_and_is_not_asked_again(
    trust: Trust, project: Path, tmp_path: Path, answer: bool, standing: str
) -> None:
    trust.decide(inventory(project), trusted=answer)
    judged = Trust(tmp_path / "config" / "trust.json").judge(inventory(project))
    assert (judged.standing, judged.open) == (standing, False)
    assert judged.vouches(project / "placet.json", (project / "placet.json").read_bytes()) is answer


@corpus("answer", [True, False], project=project_in, trust=trust_in)
def test_what_changes_ends_the_decision_and_is_named(trust: Trust, project: Path, answer: bool) -> None:
    trust.decide(inventory(project), trusted=answer)
    (project / ".placet" / "tool" / "a.py").write_text("b")
    (project / ".placet" / "tool" / "b.py").write_text("new")
    judged = trust.judge(inventory(project))
    assert (judged.standing, judged.trusted) == ("changed", False)
    assert [item.name for item in judged.news] == [".placet/tool/a.py", ".placet/tool/b.py"]


def test_what_is_taken_away_leaves_the_rest_trusted(trust: Trust, project: Path) -> None:
    trust.decide(inventory(project), trusted=True)
    (project / "placet.json").unlink()
    assert trust.judge(inventory(project)).trusted


def test_the_decision_is_of_what_was_shown_and_not_of_what_came_meanwhile(trust: Trust, project: Path) -> None:
    shown = inventory(project)
    (project / "placet.json").write_text('{"model": "other/one"}')
    trust.decide(shown, trusted=True)
    assert trust.judge(inventory(project)).standing == "changed"


def test_what_is_forgotten_is_asked_again(trust: Trust, project: Path) -> None:
    trust.decide(inventory(project), trusted=True)
    assert trust.forget(project)
    assert not trust.forget(project)
    assert trust.judge(inventory(project)).standing == "unasked"


def test_the_file_is_the_users_alone_and_can_be_read(trust: Trust, project: Path, tmp_path: Path) -> None:
    trust.decide(inventory(project), trusted=True)
    file = tmp_path / "config" / "trust.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert json.loads(file.read_text())["folders"][str(project)]["trusted"] is True


@corpus("text", ["{", "[]", '{"folders": {"/a": {"trusted": "yes", "files": {}}}}', '{"folders": 1}'], trust=trust_in)
def test_a_file_that_cannot_be_understood_trusts_nobody_and_stays(trust: Trust, tmp_path: Path, text: str) -> None:
    file = tmp_path / "config" / "trust.json"
    file.parent.mkdir()
    file.write_text(text)
    for use in (lambda: trust.judge(Inventory(tmp_path)), lambda: trust.decide(Inventory(tmp_path), trusted=True)):
        with pytest.raises(SettingsError, match=r"trust\.json"):
            use()
    assert file.read_text() == text
