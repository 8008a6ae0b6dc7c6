"""What a project brings along: seen, each file by its bytes, and nothing that lies elsewhere."""

import json
import os
from pathlib import Path

import pytest

from corpus_support import corpus
from placet.permissions.trust import Trust
from placet.project.inventory import (
    DEEPEST,
    MOST_BYTES,
    MOST_BYTES_OF_ONE,
    MOST_DIRECTORIES,
    MOST_FILES,
    WORKSPACE_NAME,
    inventory,
)


def project_in(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return project_in(tmp_path)


def put(file: Path, text: str = "x") -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def names(root: Path) -> list[tuple[str, str]]:
    return [(item.kind, item.name) for item in inventory(root).items]


def test_everything_that_could_run_or_widen_rights_is_seen(project: Path) -> None:
    for name in (
        "placet.jsonc",
        ".placet/placet.json",
        ".placet/tool/a.py",
        ".placet/plugins/deep/b.py",
        ".placet/agent/c.md",
        ".claude/commands/d.md",
        ".agents/skills/f/SKILL.md",
        ".opencode/skill/e/SKILL.md",
        ".opencode/skill/e/run.sh",
    ):
        put(project / name)
    for other in (
        "AGENTS.md",
        "src/a.py",
        ".placet/notes.txt",
        ".placet/tool/a.txt",
        ".claude/tool/x.py",
        ".agents/agents/a.md",
    ):
        put(project / other)

    assert names(project) == [
        ("settings", "placet.jsonc"),
        ("settings", ".placet/placet.json"),
        ("tool", ".placet/tool/a.py"),
        ("plugin", ".placet/plugins/deep/b.py"),
        ("agent", ".placet/agent/c.md"),
        ("command", ".claude/commands/d.md"),
        ("skill", ".agents/skills/f/SKILL.md"),
        ("skill", ".opencode/skill/e/SKILL.md"),
        ("skill", ".opencode/skill/e/run.sh"),
    ]


def test_a_folder_within_a_repository_has_what_lies_above_it_as_well_the_nearer_later(project: Path) -> None:
    put(project / "placet.json")
    put(project / "packages" / "one" / "placet.json")
    put(project / "packages" / "two" / "placet.json")

    contents = inventory(project / "packages" / "one")

    assert contents.folder == project
    assert [item.name for item in contents.items] == ["placet.json", "packages/one/placet.json"]


def test_without_a_repository_only_the_folder_itself_counts(tmp_path: Path) -> None:
    put(tmp_path / "placet.json")
    inner = tmp_path / "inner"
    inner.mkdir()
    assert inventory(inner).folder == inner
    assert names(inner) == []


@corpus(
    "name", [".placet/tool/evil.py", ".placet/tool", ".placet", "placet.json", ".claude/agents"], project=project_in
)
def test_a_link_out_of_the_project_is_told_and_not_followed(project: Path, tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside"
    for inner in ("evil.py", "tool/evil.py", "placet.json", "evil.md"):
        put(outside / inner)
    link = project / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(outside / "placet.json" if name.endswith((".json", ".py")) else outside)

    contents = inventory(project)

    assert contents.items == ()
    assert contents.problems
    assert all("is a link to a place outside the project" in problem for problem in contents.problems)


def test_a_link_within_the_project_is_read(project: Path) -> None:
    put(project / "shared.md")
    link = project / ".placet" / "agent" / "a.md"
    link.parent.mkdir(parents=True)
    link.symlink_to(project / "shared.md")
    assert names(project) == [("agent", ".placet/agent/a.md")]


def test_the_digest_is_of_the_bytes(project: Path) -> None:
    file = put(project / "placet.json", "{}")
    first = inventory(project)
    assert inventory(project) == first
    file.write_text("{} ")
    assert inventory(project) != first


def test_of_a_project_that_brings_too_much_nothing_is_used(project: Path) -> None:
    directory = project / ".placet" / "skill" / "big"
    directory.mkdir(parents=True)
    for number in range(MOST_FILES + 1):
        (directory / str(number)).touch()
    contents = inventory(project)
    assert contents.items == ()
    assert "none of the extensions is used" in contents.problems[0]


def test_what_cannot_be_read_is_told(project: Path) -> None:
    put(project / "placet.json")
    (project / "placet.jsonc").mkdir()
    contents = inventory(project)
    assert [item.name for item in contents.items] == ["placet.json"]
    assert contents.problems == ("placet.jsonc cannot be read: Is a directory.",)


@pytest.mark.skipif(os.name == "nt", reason="no pipes in the file system")
@corpus("name", ["placet.json", ".placet/tools/x.py", ".placet/commands/x.md"], project=project_in)
def test_a_pipe_is_told_of_and_nobody_waits_for_it(project: Path, name: str) -> None:
    (project / name).parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(project / name)
    contents = inventory(project)
    assert contents.items == ()
    assert contents.problems == (f"{name} cannot be read: it is not a regular file.",)


@corpus("name", ["placet.json", ".placet/tools/x.py", ".placet/skill/a/data"], project=project_in)
def test_a_file_of_gigabytes_is_told_of_and_not_hashed(project: Path, name: str) -> None:
    with put(project / name).open("wb") as file:
        file.truncate(20 << 30)
    contents = inventory(project)
    assert contents.items == ()
    assert "is larger than" in contents.problems[0]


@corpus(("depth", "width"), [(DEEPEST + 2, 1), (1, MOST_DIRECTORIES + 1)], project=project_in)
def test_of_a_project_with_too_many_directories_nothing_is_used(project: Path, depth: int, width: int) -> None:
    put(project / "placet.json")
    for number in range(width):
        project.joinpath(".placet", "tool", *[f"d{number}"] * depth).mkdir(parents=True)
    contents = inventory(project)
    assert contents.items == ()
    assert "directories" in contents.problems[0]


def test_of_a_project_that_brings_too_many_bytes_nothing_is_used(project: Path) -> None:
    each = MOST_BYTES_OF_ONE["skill"]
    for number in range(MOST_BYTES // each + 1):
        with put(project / ".placet" / "skill" / f"{number}").open("wb") as file:
            file.truncate(each)
    contents = inventory(project)
    assert contents.items == ()
    assert f"more than {MOST_BYTES} bytes" in contents.problems[0]


@corpus(
    "entry",
    [
        {"command": ["python", "tools/server.py"]},
        {"command": "./tools/server.py --fast"},
        {"command": "python", "args": ["-m", "tools.server"]},
        {"command": "node", "args": ["--require=./tools/server.py", "x"]},
        {"command": "env", "env": {"START": "tools/server.py"}},
        {"command": "python server.py", "cwd": "tools"},
        {"command": "sh -c 'cd . && exec tools/server.py'"},
    ],
    project=project_in,
)
def test_a_script_that_the_settings_run_is_part_of_what_is_trusted(
    project: Path, entry: object, tmp_path: Path
) -> None:
    put(project / "placet.json", json.dumps({"mcp": {"one": entry}, "instructions": ["docs/style.md"]}))
    script = put(project / "tools" / "server.py")
    put(project / "docs" / "style.md")
    assert names(project) == [("settings", "placet.json"), ("program", "tools/server.py")]

    trust = Trust(tmp_path / "trust.json")
    trust.decide(inventory(project), trusted=True)
    assert trust.judge(inventory(project)).standing == "trusted"
    script.write_text("other")
    judged = trust.judge(inventory(project))
    assert judged.standing == "changed"
    assert [item.name for item in judged.news] == ["tools/server.py"]


def test_a_script_outside_of_the_project_is_no_part_of_it(project: Path, tmp_path: Path) -> None:
    put(tmp_path / "server.py")
    put(
        project / "placet.json",
        json.dumps({"mcp": {"one": {"command": ["../server.py", str(tmp_path / "server.py")]}}}),
    )
    assert names(project) == [("settings", "placet.json")]


def test_the_settings_of_the_editors_workspace_are_trusted_by_their_content(project: Path, tmp_path: Path) -> None:
    trust = Trust(tmp_path / "trust.json")
    first, second = {"git *": "allow", "git push *": "deny"}, {"git push *": "deny", "git *": "allow"}

    judged = trust.judge(inventory(project, {"permission": {"bash": first}}))

    assert [(judged.standing, item.kind, item.name) for item in judged.news] == [
        ("unasked", "workspace", WORKSPACE_NAME)
    ]

    trust.decide(judged.inventory, trusted=True)

    assert trust.judge(inventory(project, {"permission": {"bash": first}})).standing == "trusted"
    assert trust.judge(inventory(project, {"permission": {"bash": second}})).standing == "changed", "the last rule wins"
    assert trust.judge(inventory(project, {"permission": "allow"})).standing == "changed"
    put(project / "placet.json")
    assert trust.judge(inventory(project, {"permission": {"bash": first}})).standing == "changed"


def test_trust_in_the_files_of_a_project_is_no_trust_in_the_settings_of_the_workspace(
    project: Path, tmp_path: Path
) -> None:
    put(project / "placet.json")
    trust = Trust(tmp_path / "trust.json")
    trust.decide(inventory(project), trusted=True)

    judged = trust.judge(inventory(project, {"permission": "allow"}))

    assert (judged.standing, [item.name for item in judged.news]) == ("changed", [WORKSPACE_NAME])


def test_a_script_that_the_settings_of_the_workspace_run_is_part_of_what_is_trusted(project: Path) -> None:
    script = put(project / "tools" / "server.py")
    settings = {"mcp": {"one": {"command": ["python", "tools/server.py"]}}}

    items = inventory(project, settings).items

    assert [(item.kind, item.path) for item in items] == [("workspace", project), ("program", script)]


def test_of_a_project_whose_workspace_has_too_large_settings_nothing_is_used(project: Path) -> None:
    put(project / "placet.json")
    contents = inventory(project, {"model": "x" * MOST_BYTES_OF_ONE["workspace"]})
    assert contents.items == ()
    assert "bytes of settings in the editor's workspace" in contents.problems[0]
