from pathlib import Path

import pytest

from corpus_support import corpus
from placet.core.errors import PermissionDenied, ToolError
from placet.project.skills import find_skills
from placet.tools.framework.define import AgentView
from placet.tools.skill import TOOL
from tools_support.workbench import Workbench


def put(directory: Path, name: str, description: str = "Does it.", body: str = "Do it.\n") -> Path:
    file = directory / name / "SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text(f"---\nname: {name}\ndescription: {description}\n---\n{body}")
    return file


@pytest.fixture
def skills(bench: Workbench, tmp_path: Path) -> Path:
    directory = tmp_path / "config" / "skills"
    directory.mkdir(parents=True)
    bench.agent = AgentView("build", skill_directories=(tmp_path / "config" / "skill", directory))
    return directory


async def test_skills_are_listed_in_the_description(bench: Workbench, skills: Path) -> None:
    put(skills, "release", ">\n  Cut a\n  release.")
    put(skills / "deep" / "down", "audit")
    description = (await TOOL.init(bench.agent)).description
    assert "- **audit**: Does it.\n- **release**: Cut a release." in description


async def test_without_skills_the_description_says_so(bench: Workbench, skills: Path) -> None:
    assert "There are no skills" in (await TOOL.init(bench.agent)).description


async def test_a_loaded_skill_has_its_text_and_where_its_files_lie(bench: Workbench, skills: Path) -> None:
    file = put(skills, "release", body="\n# Release\n\nTag it.\n")
    (file.parent / "scripts").mkdir()
    (file.parent / "scripts" / "tag.sh").write_text("git tag")
    result = await bench.run(TOOL, name="release")
    assert '<skill_content name="release">' in result.output
    assert "# Release\n\nTag it.\n" in result.output
    assert file.parent.as_uri() in result.output
    assert f"<file>{file.parent / 'scripts' / 'tag.sh'}</file>" in result.output
    assert "SKILL.md" not in result.output
    assert result.metadata["dir"] == str(file.parent)


async def test_at_most_ten_files_are_named(bench: Workbench, skills: Path) -> None:
    file = put(skills, "release")
    for number in range(20):
        (file.parent / f"{number:02}.txt").write_text("")
    assert (await bench.run(TOOL, name="release")).output.count("<file>") == 10


async def test_an_unknown_skill_names_those_there_are(bench: Workbench, skills: Path) -> None:
    put(skills, "release")
    with pytest.raises(ToolError, match=r"There is no skill `relase`\. Skills: release\."):
        await bench.run(TOOL, name="relase")


async def test_the_name_is_what_permission_is_asked_for(bench: Workbench, skills: Path) -> None:
    put(skills, "release")
    bench.permission = {"skill": "ask"}
    await bench.run(TOOL, name="release")
    assert bench.user.asked == [("skill", ("release",))]
    assert bench.user.requests[0].always[0].patterns == ("release",)


async def test_a_denied_skill_is_neither_listed_nor_loaded(bench: Workbench, skills: Path) -> None:
    put(skills, "release")
    put(skills, "audit")
    agent = AgentView(
        "build",
        skill_directories=(skills,),
        judge=lambda permission, name: "deny" if name == "audit" else "allow",
    )
    assert "audit" not in (await TOOL.init(agent)).description
    bench.permission = {"skill": {"audit": "deny"}}
    with pytest.raises(PermissionDenied):
        await bench.run(TOOL, name="audit")


@corpus(
    "text",
    [
        "no front matter",
        "---\nname: [1\n---\n",
        "---\ndescription: nameless\n---\n",
        "---\nname: silent\n---\n",
        "---\nname: silent\ndescription: ' '\n---\n",
        "---\nname: open",
        "---\n- 1\n---\n",
    ],
)
def test_a_broken_skill_is_left_out(tmp_path: Path, text: str) -> None:
    put(tmp_path, "good")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "SKILL.md").write_text(text)
    assert list(find_skills((tmp_path,))) == ["good"]


def test_a_skill_without_a_description_is_told_of(skills: Path) -> None:
    file = put(skills, "silent", "''")
    problems: list[str] = []
    assert find_skills((skills,), problems=problems) == {}
    assert problems == [
        f"{file}: the skill is ignored: its front matter has no `description`, by which the model chooses a skill"
    ]


def test_a_description_with_a_colon_needs_no_quotes(skills: Path) -> None:
    put(skills, "release", 'How to release: "tag" first, then: publish.')
    assert find_skills((skills,))["release"].description == 'How to release: "tag" first, then: publish.'


def test_skills_behind_links_are_found_once_and_loops_end(skills: Path, tmp_path: Path) -> None:
    put(tmp_path / "elsewhere", "linked")
    (skills / "away").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    (tmp_path / "elsewhere" / "loop").symlink_to(skills, target_is_directory=True)
    assert list(find_skills((skills,))) == ["linked"]


def test_of_two_skills_with_one_name_the_later_wins(tmp_path: Path) -> None:
    put(tmp_path / "a", "same", "first")
    put(tmp_path / "b", "same", "second")
    assert find_skills((tmp_path / "a", tmp_path / "b"))["same"].description == "second"


def test_front_matter_with_other_line_ends_and_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    file = tmp_path / "x" / "SKILL.md"
    file.parent.mkdir()
    file.write_bytes(b"\xef\xbb\xbf---\r\nname: x\r\ndescription: d\r\n---\r\nBody\r\n")
    assert find_skills((tmp_path,))["x"].body == "Body\n"


def test_a_link_to_a_large_tree_is_followed_only_so_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("placet.project.skills.MOST_DIRECTORIES", 5)
    put(tmp_path / "skills", "a")
    for number in range(9):
        (tmp_path / "large" / str(number)).mkdir(parents=True)
    (tmp_path / "skills" / "b").symlink_to(tmp_path / "large")
    problems: list[str] = []
    assert list(find_skills([tmp_path / "skills"], problems=problems)) == ["a"]
    assert problems == [
        f"{tmp_path / 'skills'}: more than 5 directories lie below; skills in further directories are ignored"
    ]
