import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from corpus_support import corpus
from fork_support.completed import run_forked
from placet.frontends.terminal.permissions import holds_here
from placet.permissions.explain import Explanation
from placet.permissions.grants import Grants
from placet.permissions.grants_file import GrantsFile
from placet.sandbox.preflight import Backend
from placet.sessions.judge import Judgement, write_last
from placet.sessions.store.records import SessionInfo
from placet.sessions.store.session_store import SessionStore
from placet.settings import Locations
from placet.settings.models import SandboxSettings
from placet.storage.database import Database

SETTINGS = """{
  "permission": {
    "bash": {
      "*": "ask",
      "git status *": "allow",
      "rm *": "deny"
    },
    "edit": {"docs/*": "allow", "*": "ask"}
  }
}
"""


class Place:
    def __init__(self, directory: Path) -> None:
        self.project = directory / "project"
        self.project.mkdir()
        self.config = directory / "CONFIG" / "placet"
        self.config.mkdir(parents=True)
        self.settings = self.config / "placet.json"
        self.settings.write_text(SETTINGS)
        homes = {f"XDG_{name}_HOME": str(directory / name) for name in ("DATA", "CONFIG", "CACHE", "STATE")}
        self.environment = {**os.environ, **homes}
        self.environment.pop("PLACET_PERMISSION", None)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return run_forked("permissions", *arguments, "--cwd", str(self.project), environment=self.environment)

    def json(self, *arguments: str) -> Any:
        done = self.run(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def grants(self) -> Grants:
        return Grants(GrantsFile(self.config / "grants.json"), [self.project])


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_each_command_is_explained_with_its_rule_its_place_and_the_outcome(place: Place) -> None:
    done = place.run("explain", "bash", "git status && rm -rf build")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines.pop().startswith("here: denied, ")
    assert lines == [
        "allowed  git status",
        f"         by `bash: git status *` -> allow ({place.settings}:5)",
        "denied   rm -rf build",
        f"         by `bash: rm *` -> deny ({place.settings}:6)",
        "outcome: denied",
        "In the sandbox:",
        "allowed  git status",
        f"         by `bash: git status *` -> allow ({place.settings}:5)",
        "denied   rm -rf build",
        f"         by `bash: rm *` -> deny ({place.settings}:6)",
        "outcome: denied",
    ]


def test_a_line_is_explained_for_the_sandbox_on_and_off(place: Place) -> None:
    place.settings.write_text("{}")
    assert place.run("explain", "bash", "ls").stdout.splitlines()[:3] == [
        "allowed  ls",
        "         by `bash: *` -> allow (built in: it only reads)",
        "outcome: allowed",
    ]
    done = place.run("explain", "bash", "make && git reset --hard")
    lines = done.stdout.splitlines()
    assert lines.pop().startswith("here: asked, ")
    assert lines == [
        "asked    make",
        "         by `bash: *` -> ask (built in)",
        "asked    git reset --hard",
        "         by `bash: *` -> ask (built in)",
        "outcome: asked",
        "In the sandbox:",
        "allowed  make",
        "         by `bash: *` -> allow (built in: the sandbox contains it)",
        "asked    git reset --hard",
        "         by `bash: *` -> ask (built in). It discards changes that stand in no commit",
        "outcome: asked",
    ]
    contained = place.json("explain", "bash", "docker ps")["contained"]
    assert (contained["outcome"], contained["judged"][0]["permission"]) == ("ask", "sandbox")
    place.settings.write_text('{"sandbox": {"leaving": "deny"}}')
    assert place.json("explain", "bash", "docker ps")["contained"]["outcome"] == "deny"
    place.settings.write_text('{"sandbox": {"mode": "off"}}')
    assert "contained" not in place.json("explain", "bash", "docker ps")
    assert place.json("explain", "edit", "a")["outcome"] == "ask"


def test_a_command_cannot_hide_itself_from_whoever_reads_the_explanation(place: Place) -> None:
    done = place.run("explain", "bash", "rm 'x\x1b[2K\ny'")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "denied   rm 'x\\u001b[2K\\ny'"


def test_places_outside_and_harmless_builtins_are_explained_too(place: Place) -> None:
    explained = place.json("explain", "bash", "cd src; cat /etc/hosts")
    assert explained["outcome"] == "ask"
    assert [(one["permission"], one["pattern"], one["action"]) for one in explained["judged"]] == [
        ("external_directory", "/etc/*", "ask"),
        ("bash", "cat /etc/hosts", "ask"),
    ]
    assert explained["unasked"] == ["cd src"]
    assert explained["judged"][0]["rule"]["source"] == "built in"


def test_a_path_is_explained_by_every_name_it_has(place: Place, tmp_path: Path) -> None:
    (place.project / "secret").mkdir()
    (place.project / "open").symlink_to(place.project / "secret")
    place.settings.write_text('{"permission": {"read": {"secret/*": "deny"}}}')
    explained = place.json("explain", "read", "open/key")
    assert [(one["pattern"], one["action"]) for one in explained["judged"]] == [
        ("open/key", "allow"),
        ("secret/key", "deny"),
    ]
    assert explained["outcome"] == "deny"


def test_what_other_programs_run_is_explained_by_the_rule_that_protects_it(place: Place) -> None:
    place.settings.write_text('{"permission": {"edit": "allow"}}')
    done = place.run("explain", "edit", ".envrc")
    assert done.stdout.splitlines()[2:] == [
        "asked    edit_sensitive: .envrc",
        "         by `edit_sensitive: *` -> ask (built in). Other programs run or obey what is written there",
        "outcome: asked",
    ]
    assert "edit_protected" in place.run("list").stdout


def test_a_tool_is_explained_by_the_permission_it_stands_under_and_as_the_agent_has_it(place: Place) -> None:
    place.settings.write_text('{"permission": {"edit": {"docs/*": "allow"}}}')
    assert place.json("explain", "write", "docs/a.md")["outcome"] == "allow"
    planned = place.json("explain", "write", "docs/a.md", "--agent", "plan")
    assert planned["outcome"] == "deny"
    assert "plan" in planned["judged"][0]["rule"]["source"]


@pytest.mark.parametrize(
    ("url", "asked"),
    [
        ("http://127.0.0.1:8080/x", [("webfetch", "ask"), ("private_address", "deny")]),
        ("https://[::1]/", [("webfetch", "ask"), ("private_address", "deny")]),
        ("http://localhost/", [("webfetch", "ask"), ("private_address", "deny")]),
        ("https://example.test/", [("webfetch", "ask")]),
        ("no address", [("webfetch", "ask")]),
    ],
)
def test_an_address_of_this_machine_or_its_network_is_explained_too(
    place: Place, url: str, asked: list[tuple[str, str]]
) -> None:
    explained = place.json("explain", "webfetch", url)
    assert [(one["permission"], one["action"]) for one in explained["judged"]] == asked
    assert explained["outcome"] == asked[-1][1]


def test_what_the_model_is_not_even_offered_is_said(place: Place) -> None:
    place.settings.write_text('{"permission": {"webfetch": "deny"}}')
    done = place.run("explain", "webfetch", "https://example.test")
    assert "The model is not offered the tools for `webfetch`." in done.stdout


def test_a_grant_is_named_with_the_rule_it_stands_over(place: Place) -> None:
    import asyncio

    asyncio.run(place.grants().add("bash", ["make *"], scope="project", session_id="one"))
    done = place.run("explain", "bash", "make test")
    outcome, here = done.stdout.splitlines()[-2:]
    assert outcome == "outcome: allowed"
    assert here.startswith("here: allowed, ")
    assert "you said always in this project" in done.stdout
    assert f"overrides `bash: *` -> ask ({place.settings}:4)" in done.stdout


def test_the_rules_in_force_are_listed_with_their_places_and_what_is_wrong_with_them(place: Place) -> None:
    done = place.run("list")
    assert f"allow  bash: git status *  ({place.settings}:5)" in done.stdout
    assert "ask    bash: *  (built in)" in done.stdout
    lines = done.stdout.splitlines()
    idle = next(number for number, line in enumerate(lines) if "edit: docs/*" in line)
    assert "never decides" in lines[idle + 1]
    listed = place.json("list")
    (rule,) = (rule for rule in listed["rules"] if rule["pattern"] == "rm *")
    assert rule == {"permission": "bash", "pattern": "rm *", "action": "deny", "source": str(place.settings), "line": 6}
    assert listed["grants"] == []


async def test_grants_are_listed_and_revoked(place: Place) -> None:
    await place.grants().add("bash", ["make *"], scope="project", session_id="one")
    await place.grants().add("bash", ["cargo *"], scope="user", session_id="one")
    grants = place.json("list")["grants"]
    assert [(grant["pattern"], grant["scope"]) for grant in grants] == [("make *", "project"), ("cargo *", "user")]
    done = place.run("revoke", grants[0]["id"])
    assert (done.returncode, done.stdout) == (0, f"Revoked {grants[0]['id']}.\n")
    assert [grant["pattern"] for grant in place.json("list")["grants"]] == ["cargo *"]


def test_what_is_asked_in_vain_is_exit_code_2(place: Place) -> None:
    for arguments in (("revoke", "grt_none"), ("explain", "bash", "ls", "--agent", "nobody"), ("list", "--agent", "x")):
        done = place.run(*arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("placet: There is no ")


def test_a_wrong_example_is_exit_code_2_with_file_line_rule_and_example(place: Place) -> None:
    place.settings.write_text(
        SETTINGS.replace('"git status *": "allow"', '"git status *": {"action": "allow", "match": ["git push"]}')
    )
    done = place.run("list")
    assert done.returncode == 2
    assert f"{place.settings}:5: the rule `bash: git status *` -> allow must match `git push`" in done.stderr


def test_a_broken_file_of_grants_is_said_beside_the_answer(place: Place) -> None:
    (place.config / "grants.json").write_text("{")
    done = place.run("explain", "bash", "make")
    assert done.returncode == 0
    outcome, here = done.stdout.splitlines()[-2:]
    assert outcome == "outcome: asked"
    assert here.startswith("here: asked, ")
    assert "grants.json cannot be read" in done.stderr
    assert (place.config / "grants.json").read_text() == "{"


def test_the_last_answer_of_the_judge_is_shown_with_its_reason(place: Place, tmp_path: Path) -> None:
    done = place.run("explain", "--last")
    assert done.returncode == 2
    assert "answered no request" in done.stderr
    log = tmp_path / "STATE" / "placet" / "log"
    judgement = Judgement("allow", "It runs tests.", "bash", ("make test",), "provider/small")
    write_last(Locations(log, log, log, log), judgement)
    assert place.run("explain", "--last").stdout.splitlines() == [
        "The judge provider/small has allowed:",
        "  bash: make test",
        "Its reason: It runs tests.",
    ]
    assert place.json("explain", "--last")["reason"] == "It runs tests."


def test_a_call_without_a_subject_is_not_explained(place: Place) -> None:
    assert place.run("explain", "bash").returncode == 2


async def test_a_session_is_explained_with_its_caution_and_its_agent(place: Place, tmp_path: Path) -> None:
    database = Database(tmp_path / "DATA" / "placet" / "placet.db")
    store = SessionStore(database)
    facts = {"title": "T", "model": "m", "roots": (), "created": 1, "updated": 1}
    store.add_session(SessionInfo(id="ses_1", agent="plan", caution="more", **facts))
    store.add_session(SessionInfo(id="ses_2", agent="general", parent_id="ses_1", **facts))
    await database.flushed()
    await database.close()
    for session in ("ses_1", "ses_2"):
        done = place.run("explain", "bash", "git status", "--session", session)
        assert f"-> ask (this session asks more, over {place.settings}:5)" in done.stdout, done.stderr
    assert place.run("explain", "edit", "a.py", "--session", "ses_1").stdout.endswith("outcome: denied\n")
    sources = {rule["source"] for rule in place.json("list", "--session", "ses_2")["rules"]}
    assert f"this session asks more, over {place.settings}:5" in sources
    done = place.run("explain", "bash", "git status", "--session", "ses_9")
    assert (done.returncode, done.stdout) == (2, "")
    assert "ses_9" in done.stderr


@corpus(
    ("backend", "mode", "line"),
    [
        (Backend("bubblewrap", "full"), "auto", "here: allowed, in the sandbox (bubblewrap, full)"),
        (Backend("none", "none", "bwrap is missing"), "auto", "here: asked, without a sandbox (bwrap is missing)"),
        (
            Backend("none", "none", "bwrap is missing"),
            "require",
            "here: refused, because `sandbox.mode` is `require` and there is no sandbox (bwrap is missing)",
        ),
        ("no folder", "auto", "here: refused, because the sandbox cannot be tried: no folder"),
    ],
)
def test_the_last_line_says_what_holds_on_this_machine(backend: Backend | str, mode: str, line: str) -> None:
    settings = SandboxSettings.model_validate({"mode": mode})
    assert holds_here(Explanation("ask", ()), Explanation("allow", ()), settings, backend) == line
