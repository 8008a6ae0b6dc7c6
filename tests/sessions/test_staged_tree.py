"""A session sees its own tree: what it has created, deleted and renamed, before the user accepts any of it."""

from pathlib import Path

import pytest

from change_set_support import DONE, GO, call, outputs, read, told
from corpus_support import corpus
from placet.core.messages import TextPart
from placet.project.search import search_lines
from placet.tools.glob import globs_of
from services_support import TempServices

STAGE = [
    read("src/old.py"),
    read("src/gone.py"),
    call("write", filePath="new/deep/made.py", content="needle made\n"),
    call("write", filePath="ignored/made.py", content="needle ignored\n"),
    call(
        "apply_patch",
        patchText="\n".join(
            (
                "*** Begin Patch",
                "*** Delete File: src/gone.py",
                "*** Update File: src/old.py",
                "*** Move to: src/moved.py",
                "@@",
                "-needle old",
                "+needle moved",
                "*** End Patch",
            )
        ),
    ),
]


@pytest.fixture
def services(tmp_path: Path) -> TempServices:
    services = TempServices(tmp_path)
    for name, text in {
        "src/old.py": "needle old\n",
        "src/gone.py": "needle gone\n",
        "src/stays.py": "needle stays\n",
        ".ignore": "ignored/\n",
    }.items():
        path = services.project / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return services


async def seen(services: TempServices, *calls: list[dict[str, object]]) -> list[str]:
    """Return the outputs of the calls behind the staged changes, with the project's folder as `P`."""
    async with services.open(services.script(*STAGE, *calls, DONE), review="stage") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        return [text.replace(str(services.project), "P") for text in outputs(session)[len(STAGE) :]]


async def test_glob_finds_the_files_that_the_session_sees(services: TempServices) -> None:
    anywhere, below, literal = await seen(
        services,
        call("glob", pattern="**/*.py"),
        call("glob", pattern="*.py", path="new/deep"),
        call("glob", pattern="new/**/*.py"),
    )
    assert set(anywhere.splitlines()) == {"P/new/deep/made.py", "P/src/moved.py", "P/src/stays.py"}
    assert anywhere.splitlines()[-1] == "P/src/stays.py", "what the session has made is the newest"
    assert below == literal == "P/new/deep/made.py"


async def test_list_shows_the_files_that_the_session_sees(services: TempServices) -> None:
    whole, made = await seen(services, call("list"), call("list", path="new"))
    assert whole.split("\n\n")[0].splitlines()[1:] == [
        "  new/",
        "    deep/",
        "      made.py",
        "  src/",
        "    moved.py",
        "    stays.py",
        "  .ignore",
    ]
    assert made == "P/new/\n  deep/\n    made.py"


async def test_a_folder_is_read_as_the_session_sees_the_folder(services: TempServices) -> None:
    root, source, made = await seen(services, read("."), read("src"), read("new"))
    assert {"new/", "src/", "ignored/", ".ignore"} <= set(root.splitlines())
    assert "moved.py\nstays.py\n" in source
    assert "old.py" not in source
    assert "gone.py" not in source
    assert "<entries>\ndeep/\n" in made


async def test_grep_finds_staged_text_and_does_not_call_it_unsaved(services: TempServices) -> None:
    anywhere, below, file = await seen(
        services,
        call("grep", pattern="needle"),
        call("grep", pattern="needle", path="new"),
        call("grep", pattern="needle", path="new/deep/made.py"),
    )
    assert anywhere.startswith("Found 3 matches\n")
    for line in ("needle made", "needle moved", "needle stays"):
        assert f"  Line 1: {line}" in anywhere
    assert "(Searched with your staged changes: new/deep/made.py, src/moved.py.)" in anywhere
    assert "unsaved" not in anywhere + below + file
    assert "  Line 1: needle made" in below
    assert "  Line 1: needle made" in file


async def test_a_staged_text_that_is_read_is_called_staged(services: TempServices) -> None:
    moved, stays = await seen(services, read("src/moved.py"), read("src/stays.py"))
    assert "(This is the text with your staged change, which the user has not accepted yet.)" in moved
    assert "unsaved" not in moved
    assert "staged" not in stays


async def test_a_name_that_is_missing_is_compared_with_the_files_that_the_session_sees(services: TempServices) -> None:
    async with services.open(services.script(*STAGE, read("src/move.py"), DONE), review="stage") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        answer = session.messages[-2].parts[0].state.error  # pyright: ignore
    assert answer.endswith(f"Did you mean one of these?\n{services.project / 'src/moved.py'}")


@pytest.mark.parametrize(
    ("mention", "shown"),
    [
        ("@new/deep/made.py", "1: needle made"),
        ("@new", "new/\n  deep/\n    made.py\n"),
        ("@src", "src/\n  moved.py\n  stays.py\n"),
        ("@src/moved.py", "1: needle moved"),
        ("@src/gone.py", "without your staged change, which removes the file:\n<content>\n1: needle gone"),
    ],
)
async def test_a_mention_shows_what_the_session_sees(services: TempServices, mention: str, shown: str) -> None:
    async with services.open(services.script(*STAGE, DONE, DONE), review="stage") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        await session.prompt([TextPart(text=f"Look at {mention}")])
        assert shown in told(session)


async def test_completion_offers_the_files_that_the_session_sees(services: TempServices) -> None:
    async with services.open(services.script(*STAGE, DONE), review="stage") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)

        async def offered(text: str, session_id: str | None = session.info.id) -> list[str]:
            offers = await sessions.completion.complete(text, len(text), session_id=session_id)
            return [offer.label for offer in offers.offers if offer.kind in ("file", "directory")]

        assert "new/deep/made.py" in await offered("@made")
        assert "new/" in await offered("@new")
        assert "src/moved.py" in await offered("@src/")
        assert not {"src/old.py", "src/gone.py"} & set(await offered("@src/"))
        assert {"src/old.py", "src/gone.py"} <= set(await offered("@src/", None))


RULES = {
    "a new ignore file": ({}, {".gitignore": "out/\n"}),
    "a nested ignore file": ({}, {"sub/.gitignore": "/out\nkept.txt\n"}),
    "a line more": ({".gitignore": "out/\n"}, {".gitignore": "out/\nkept.txt\n"}),
    "a line less": ({".gitignore": "out/\nkept.txt\n"}, {".gitignore": "kept.txt\n"}),
    "an exception": ({".gitignore": "kept.txt\n"}, {"sub/.gitignore": "!kept.txt\n"}),
    "a file of another program": ({}, {".ignore": "sub/\n"}),
    "an ignored file that is staged": ({}, {".gitignore": "new/\n", "new/n.txt": "needle\n"}),
}
"""Texts on the disk, and staged texts."""
NAMES = ("out/x.txt", "kept.txt", "needle.txt", "sub/out/x.txt", "sub/kept.txt", "sub/needle.txt")


@corpus("name", RULES)
async def test_staged_ignore_files_hide_and_show_what_they_would_hide_and_show_on_the_disk(
    tmp_path: Path, name: str
) -> None:
    on_disk, staged = RULES[name]
    services = TempServices(tmp_path)
    project = services.project
    (project / ".git").mkdir()
    write(project, {**dict.fromkeys(NAMES, "needle\n"), **on_disk})
    writes = [call("write", filePath=place, content=text) for place, text in staged.items()]
    looks = [call("glob", pattern="*/**"), call("glob", pattern="*", path="sub"), call("grep", pattern="needle")]
    script = services.script(*map(read, on_disk), *writes, *looks, call("list"), DONE)
    async with services.open(script, review="stage") as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        *globbed, found, listed = outputs(session)[-4:]
    before = {*await texts(project), *staged} - {".gitignore", ".ignore", "sub/.gitignore"}
    write(project, staged)
    wanted = await texts(project)
    assert wanted != before
    assert [found_names(text, project) for text in globbed] == [
        await texts(project, "*/**"),
        await texts(project / "sub", "*", above="sub/"),
    ]
    assert found_names(found.replace(".txt:\n", ".txt\n"), project) == wanted
    assert sum(line.endswith(".txt") for line in listed.splitlines()) == len(wanted)


def write(project: Path, files: dict[str, str]) -> None:
    for place, text in files.items():
        (project / place).parent.mkdir(parents=True, exist_ok=True)
        (project / place).write_text(text)


def found_names(output: str, project: Path) -> set[str]:
    return {line.removeprefix(f"{project}/") for line in output.splitlines() if line.endswith(".txt")}


async def texts(directory: Path, pattern: str = "", above: str = "") -> set[str]:
    """Return the names that ripgrep lists for the pattern by the ignore files on the disk."""
    names: set[str] = set()

    async def take(lines: list[bytes]) -> None:
        names.update(above + line.decode() for line in lines if line.endswith(b".txt"))

    globs = [f"--glob={glob}" for glob in globs_of(pattern)] if pattern else []
    await search_lines(["--files", "--hidden", *globs], directory, take)
    return names
