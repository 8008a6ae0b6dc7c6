"""What a policy that allows git, and only git, lets through: nothing of hostile.txt, all of harmless.txt."""

from pathlib import Path

import pytest

from corpus_support import corpus
from placet.permissions.rules import evaluate, from_config
from placet.permissions.shell import analyse
from placet.project.paths import Workspace
from placet.tools.shell.permission import asked_patterns, offered

HERE = Path(__file__).parent
ONLY_GIT = from_config({"bash": {"*": "ask", "git *": "allow"}}, "the test")
ODD = (  # Characters that an editor would mend.
    "git status\x0b#; rm x",
    "git status\r\nrm x",
    "git\u00a0status",
    "git status \x00; rm x",
    "git status\x0c&& rm x",
    "git \ud800",
)


def entries(name: str) -> list[str]:
    return [entry.strip("\n") for entry in (HERE / name).read_text("utf-8").split("\n\n") if entry.strip()]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    root = tmp_path_factory.mktemp("workspace")
    (root / "src" / "deep").mkdir(parents=True)
    (root / "link").symlink_to("/etc")
    return Workspace((root,))


def passes(line: str, workspace: Workspace) -> bool:
    """Whether it would run without anybody being asked."""
    findings = analyse(line, directory=workspace.root, home=Path("/home/someone"))
    patterns = asked_patterns(line, findings, lambda permission, pattern: "ask")
    allowed = all(evaluate(ONLY_GIT, "bash", pattern).action == "allow" for pattern in patterns)
    return allowed and all(workspace.contains(path) for path in findings.paths)


@corpus("line", [*entries("hostile.txt"), *ODD])
def test_no_hostile_line_passes_a_policy_of_git_alone(line: str, workspace: Workspace) -> None:
    assert not passes(line, workspace)


@corpus("line", entries("harmless.txt"))
def test_a_harmless_line_passes_it(line: str, workspace: Workspace) -> None:
    assert passes(line, workspace)


def test_the_corpora_are_as_large_as_promised() -> None:
    assert len(entries("hostile.txt")) >= 150
    assert len(entries("harmless.txt")) >= 60


@corpus("line", ["git add link/passwd", "git log > link/x", "git -C link status", "cd link && git log"])
def test_a_symlink_inside_does_not_lead_outside_unasked(line: str, workspace: Workspace) -> None:
    assert not passes(line, workspace)


@corpus("line", [*entries("hostile.txt"), *ODD])
def test_always_is_never_offered_for_what_is_unproved(line: str) -> None:
    findings = analyse(line, directory=Path("/work"), home=Path("/home/someone"))
    assert not (findings.unproved and offered(findings))
