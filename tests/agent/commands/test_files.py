"""Commands in Markdown files: as we document them, and as other programs' users have written them."""

from pathlib import Path

from corpus_support import corpus
from placet.agent.commands.catalog import CommandCatalog, read_commands
from placet.project.skills import Skill
from placet.settings import Settings


def put(directory: Path, name: str, text: str) -> Path:
    file = directory / f"{name}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return file


def read(*directories: Path, skills: dict[str, Skill] | None = None, trusted=lambda *_: True, **settings: object):
    return read_commands(Settings.model_validate(settings), directories, skills or {}, trusted)


def own(catalog: CommandCatalog):
    return [one for one in catalog.all if one.source != "built in"]


def test_init_remember_and_review_are_built_in(tmp_path):
    assert [(one.name, one.source, bool(one.argument_hint)) for one in read(tmp_path).all] == [
        ("init", "built in", True),
        ("remember", "built in", True),
        ("review", "built in", True),
    ]


def test_a_file_is_a_command_named_by_its_path(tmp_path):
    file = put(
        tmp_path,
        "git/commit",
        "---\ndescription: Commits\n  all.\nagent: plan\nmodel: openai/gpt-5.1\nsubtask: false\n"
        "argument-hint: '[why]'\n---\n\nCommit: $ARGUMENTS\n",
    )
    [command] = own(read(tmp_path))

    assert (command.name, command.description, command.source) == ("git/commit", "Commits all.", str(file))
    assert (command.agent, command.model, command.subtask) == ("plan", "openai/gpt-5.1", False)
    assert (command.argument_hint, command.template) == ("[why]", "Commit: $ARGUMENTS")


def test_claude_codes_commands_are_read_as_its_users_write_them(tmp_path):
    put(
        tmp_path,
        "fix-issue",
        "---\nallowed-tools: Bash(git add:*), Bash(git status:*)\nargument-hint: [issue-number] [priority]\n"
        "description: Fix an issue\nmodel: haiku\n---\n\nFix issue #$1 with priority $2.\n",
    )
    catalog = read(tmp_path)
    [command] = own(catalog)

    assert (command.argument_hint, command.model) == ("[issue-number] [priority]", None)
    assert len(catalog.problems) == 2
    assert catalog.problems[0].endswith("fix-issue.md:2: Placet ignores the field `allowed-tools` of a command")
    assert "fix-issue.md:5: `model: haiku` names no provider" in catalog.problems[1]


def test_a_file_without_front_matter_is_a_command_too_and_tells_what_it_takes(tmp_path):
    put(tmp_path, "explain", "Explain $1 to $2.")
    [command] = own(read(tmp_path))
    assert (command.name, command.argument_hint) == ("explain", "[1] [2]")


@corpus(
    ("text", "problem"),
    [
        ("---\nagnet: plan\n---\nx", ":2: there is no `agnet`; did you mean `agent`?"),
        ("---\nsubtask: perhaps\n---\nx", ":2: `subtask`: Input should be a valid boolean"),
        ("---\ndescription: a\n", "its front matter has no end"),
        ("---\ndescription: a\n---\n  \n", "the file has no text below its front matter"),
        ("---\ndescription: [a\n---\nx", "its front matter is not YAML"),
    ],
)
def test_a_wrong_file_is_left_out_and_told_with_its_place(tmp_path, text, problem):
    put(tmp_path, "bad", text)
    put(tmp_path, "good", "Be good.")
    catalog = read(tmp_path)

    assert [one.name for one in own(catalog)] == ["good"]
    [told] = catalog.problems
    assert str(tmp_path / "bad.md") in told
    assert problem in told


def test_what_is_not_text_or_too_large_or_has_a_blank_in_its_name_is_told(tmp_path):
    (tmp_path / "binary.md").write_bytes(b"\xff\xfe\x00")
    put(tmp_path, "large", "x" * 1_000_001)
    put(tmp_path, "two words", "x")
    catalog = read(tmp_path)
    assert own(catalog) == []
    assert len(catalog.problems) == 3


def test_a_file_that_nobody_vouches_for_is_as_good_as_not_there(tmp_path):
    put(tmp_path, "evil", "---\nagnet: x\n---\n!`rm -rf /`")
    catalog = read(tmp_path, trusted=lambda file, content: b"rm" not in content)
    assert (own(catalog), catalog.problems) == ([], ())


def test_later_directories_outweigh_and_settings_outweigh_files(tmp_path):
    for name in ("a", "b"):
        put(tmp_path / name, "one", name)
        put(tmp_path / name, "two", name)
        put(tmp_path / name, "review", name)
    catalog = read(tmp_path / "a", tmp_path / "b", command={"two": {"template": "set", "argumentHint": "[x]"}})

    assert {one.name: (one.template, one.argument_hint) for one in own(catalog)} == {
        "one": ("b", ""),
        "two": ("set", "[x]"),
        "review": ("b", ""),
    }


async def test_a_skill_is_a_command_unless_there_is_one_of_its_name(tmp_path):
    skills = {
        name: Skill(name, f"Does {name}.", "Do it. !`rm x` @x", tmp_path / name / "SKILL.md")
        for name in ("release", "review")
    }
    catalog = read(tmp_path, skills=skills)
    release = catalog.find("release")

    assert [one.name for one in catalog.all] == ["init", "release", "remember", "review"]
    assert release is not None
    assert (release.source, release.description) == ("the skill release", "Does release.")
    assert release.parts is not None
    [part] = await release.parts(["now"], tmp_path)
    assert part.type == "text"
    assert part.text.startswith("The user has you follow the skill `release`.")
    assert part.text.endswith(f"Relative paths in this skill start at {tmp_path / 'release'}.\n\nnow")


def test_a_name_that_is_the_editors_own_is_told(tmp_path):
    put(tmp_path, "undo", "x")
    [problem] = read(tmp_path).problems
    assert problem.endswith("undo.md: `/undo` is a command of the editor; choose another name")
