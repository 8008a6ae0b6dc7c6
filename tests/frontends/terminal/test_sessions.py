"""`placet sessions` and `placet usage` as processes, on a store that `placet run` has written."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from fork_support.completed import run_forked

USAGE = {"usage": {"input": 1000, "output": 500, "cacheRead": 34}, "cost": 0.25}


class Place:
    """A project and a home of its own for Placet."""

    def __init__(self, directory: Path) -> None:
        self.project = directory / "project"
        self.project.mkdir()
        self.script = directory / "script.json"
        turn = {"events": [{"text": "The answer is blue."}, USAGE]}
        self.script.write_text(json.dumps({"turns": [turn]}))
        homes = {f"XDG_{name}_HOME": str(directory / name) for name in ("DATA", "CONFIG", "CACHE", "STATE")}
        self.environment = {**os.environ, **homes, "PLACET_MODEL": f"scripted/{self.script}"}

    def run(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return run_forked(*arguments, directory=self.project, environment=self.environment, stdin=stdin)

    def out(self, *arguments: str, stdin: str = "") -> str:
        done = self.run(*arguments, stdin=stdin)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return done.stdout

    def json(self, *arguments: str) -> Any:
        return json.loads(self.out(*arguments, "--json"))


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    place = Place(tmp_path_factory.mktemp("place"))
    place.out("run", "What is the colour?")
    return place


@pytest.fixture
def session(place: Place) -> dict[str, Any]:
    listed = place.json("sessions", "list")
    return next(one for one in listed if one["title"] == "What is the colour?")


def test_a_list_has_tokens_and_cost(place: Place, session: dict[str, Any]) -> None:
    assert session["usage"]["cost"] == 0.25
    heading, *lines = place.out("sessions", "list").splitlines()
    assert heading.split() == ["ID", "USED", "TOKENS", "COST", "TITLE"]
    line = next(line for line in lines if session["id"] in line)
    assert line.endswith("1,534  $0.25  What is the colour?")


def test_a_search_finds_what_was_said(place: Place, session: dict[str, Any]) -> None:
    assert session["id"] in [one["id"] for one in place.json("sessions", "search", "answer", "BLUE")]
    assert place.out("sessions", "search", "green") == "No session matches.\n"


def test_other_projects_sessions_are_listed_with_all(place: Place, tmp_path: Path) -> None:
    assert "no session for this directory" in place.out("sessions", "list", "--cwd", str(tmp_path))
    assert place.json("sessions", "list", "--cwd", str(tmp_path), "--all")


def test_it_is_shown_turn_by_turn(place: Place, session: dict[str, Any]) -> None:
    shown = place.json("sessions", "show", session["id"])
    (turn,) = shown["turns"]
    assert (turn["text"], turn["steps"], turn["cost"], turn["stopReason"]) == (
        "What is the colour?",
        1,
        0.25,
        "end_turn",
    )
    text = place.out("sessions", "show", session["id"])
    assert "1,534 tokens, $0.25" in text
    assert text.splitlines()[-1].split()[0] == turn["id"]


def test_it_is_forked_renamed_exported_imported_and_deleted(place: Place, session: dict[str, Any]) -> None:
    fork = place.json("sessions", "fork", session["id"])
    assert fork["title"] == "What is the colour? (fork)"
    assert fork["forkedFrom"] == session["id"]
    assert "Renamed" in place.out("sessions", "rename", fork["id"], "Of", "colours")

    file = place.project / "talk.json"
    place.out("sessions", "export", fork["id"], "-o", str(file))
    assert place.out("sessions", "export", fork["id"], "--format", "markdown").startswith("# Of colours\n")
    imported = place.json("sessions", "import", str(file))
    assert imported["title"] == "Of colours"
    piped = json.loads(place.out("sessions", "import", "-", "--json", stdin=file.read_text("utf-8")))
    assert piped["id"] != imported["id"]

    out = place.out("sessions", "delete", fork["id"], imported["id"], piped["id"])
    assert out.count("Deleted") == 3
    assert [one["id"] for one in place.json("sessions", "list")] == [session["id"]]


def test_usage_is_told_per_day_and_model(place: Place, session: dict[str, Any]) -> None:
    used = place.json("usage", "--days", "2")
    (day,) = used["days"]
    assert (day["calls"], day["cost"], day["tokens"]["cacheRead"]) == (1, 0.25, 34)
    assert used["total"]["cost"] == 0.25
    heading, line, total = place.out("usage").splitlines()
    assert heading.split() == ["DAY", "MODEL", "CALLS", "INPUT", "CACHED", "OUTPUT", "COST"]
    assert line.split()[2:] == ["1", "1,000", "34", "500", "$0.25"]
    assert total.split() == ["total", "1", "1,000", "34", "500", "$0.25"]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("show", "ses_x"), 2, "There is no session `ses_x`."),
        (("delete", "ses_x"), 2, "There is no session `ses_x`."),
        (("rename", "ses_x", "T"), 2, "There is no session `ses_x`."),
        (("fork", "ses_x"), 2, "There is no session `ses_x`."),
        (("export", "ses_x"), 2, "There is no session `ses_x`."),
        (("import", "nowhere.json"), 1, "nowhere.json: No such file or directory"),
        (("list", "--cwd", "nowhere"), 2, "nowhere is not a directory"),
        (("list", "--limit", "0"), 2, "0 is no number of at least 1"),
    ],
)
def test_what_goes_wrong_is_said(place: Place, arguments: tuple[str, ...], code: int, said: str) -> None:
    done = place.run("sessions", *arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_that_is_no_session_is_said(place: Place) -> None:
    (place.project / "other.json").write_text("{}")
    done = place.run("sessions", "import", "other.json")
    assert done.returncode == 2
    assert "`format` is not `placet-session`" in done.stderr


def test_the_effort_of_a_run_is_the_sessions_from_now_on(place: Place) -> None:
    place.out("run", "--effort", "4096", "Think about it.")
    made = next(one for one in place.json("sessions", "list") if one["title"] == "Think about it.")

    assert place.json("sessions", "show", made["id"])["effort"] == 4096
    assert "4096 tokens" in place.out("sessions", "show", made["id"])
    place.out("run", "--session", made["id"], "--effort", "low", "Less of it.")
    assert place.json("sessions", "show", made["id"])["effort"] == "low"


def test_the_beginning_of_an_id_is_enough_if_no_other_session_begins_so(tmp_path: Path) -> None:
    place = Place(tmp_path)
    for prompt in ("one", "two"):
        assert place.run("run", prompt).returncode == 0
    ids = [info["id"] for info in json.loads(place.out("sessions", "list", "--json"))]
    common = "ses_"
    unique = next(ids[0][:size] for size in range(1, 99) if not ids[1].startswith(ids[0][:size]))
    assert json.loads(place.out("sessions", "show", unique, "--json"))["id"] == ids[0]
    several = place.run("sessions", "show", common)
    assert several.returncode == 2
    assert all(session_id in several.stderr for session_id in ids)
    assert place.run("sessions", "show", "ses_%").returncode == 2
    assert place.out("sessions", "delete", unique) == f"Deleted {ids[0]}.\n"
