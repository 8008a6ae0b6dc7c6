"""Commands of a hostile text plant nothing unseen: no hidden files, no repositories that run programs."""

import base64
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from overlay_support.manifest import manifest
from placet.core.messages import TextPart, ToolCompleted, ToolPart
from placet.core.ports import PermissionAnswer, PermissionRequest
from placet.sessions.session import Session
from services_support import TempServices

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="bubblewrap is Linux's")

GO = [TextPart(text="Please go on.")]
DONE = [{"text": "Done."}]


@pytest.fixture
def services(tmp_path: Path) -> TempServices:
    services = TempServices(tmp_path)
    services.user.answer = rejects
    (services.project / "a.txt").write_text("one\ntwo\n")
    (services.project / "src").mkdir()
    (services.project / "src" / "app.py").write_text("1\n")
    (services.project / "build").mkdir()
    (services.project / "build" / "kept").write_text("1\n")
    (services.project / ".gitignore").write_text("build/\n.venv/\n")
    for words in ("init -q", "add .", "add -f build/kept", "-c user.name=u -c user.email=u@e commit -qm first"):
        subprocess.run(("git", *words.split()), cwd=services.project, check=True)
    return services


def work(project: Path) -> None:
    """Make changes as a user who has not yet committed."""
    (project / "a.txt").write_text("one\nstaged\n")
    subprocess.run(("git", "add", "a.txt"), cwd=project, check=True)
    (project / "a.txt").write_text("one\nmine\n")
    (project / "mine").write_text("untracked\n")


def rejects(_: PermissionRequest) -> PermissionAnswer:
    return PermissionAnswer("reject", feedback="No.")


def bash(command: str, **arguments: Any) -> dict[str, Any]:
    """Return a call of the command in a form in which no reader of the line finds the names."""
    hidden = base64.b64encode(command.encode()).decode()
    return {"call": "bash", "arguments": {"command": f"echo {hidden} | base64 -d | bash", **arguments}}


async def run(services: TempServices, *commands: str, **settings: Any) -> list[ToolCompleted]:
    """Return the results of the commands, run one after another in a session."""
    script = services.script(*([bash(command)] for command in commands), DONE)
    async with services.open(script, sandbox=settings.pop("sandbox", {}), **settings) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        return _results(session)


def _results(session: Session) -> list[ToolCompleted]:
    parts = [part for message in session.messages for part in message.parts if isinstance(part, ToolPart)]
    assert all(isinstance(part.state, ToolCompleted) for part in parts), [part.state for part in parts]
    return [part.state for part in parts if isinstance(part.state, ToolCompleted)]


UNSEEN = {
    "an exclude file of the repository": ("echo '*' > .git/info/exclude; echo planted > conftest.py", "conftest.py"),
    "an exclude file and an emptied index": (
        "echo '*' > .git/info/exclude; git rm -rq --cached .; echo planted > src/app.py",
        "src/app.py",
    ),
    "a tracked file among ignored files, after the index was emptied": (
        "git rm -rq --cached .; echo planted > build/kept",
        "build/kept",
    ),
    "a tracked file among ignored files, without an index": ("rm .git/index; echo planted > build/kept", "build/kept"),
    "a tracked file among ignored files, beside a broken index": (
        "echo x > .git/index; echo planted > build/kept",
        "build/kept",
    ),
    "a tracked file among ignored files, in a broken repository": (
        "echo x > .git/HEAD; echo planted > build/kept",
        "build/kept",
    ),
    "a new directory that ignores itself": (
        "mkdir new; echo '*' > new/.gitignore; echo planted > new/test_new.py",
        "new/test_new.py",
    ),
    "a package that pretends to be a virtual environment": (
        "mkdir new; touch new/pyvenv.cfg; echo '*' > new/.gitignore; echo planted > new/__init__.py",
        "new/__init__.py",
    ),
    "a package among the sources that ignores itself": (
        "mkdir -p src/node_modules/new; echo '*' > src/node_modules/.gitignore; "
        "echo planted > src/node_modules/new/index.js",
        "src/node_modules/new/index.js",
    ),
    "a file ignored by a new directory, beside installed packages": (
        "mkdir new; printf 'node_modules/\\nconftest.py\\n' > new/.gitignore; echo planted > new/conftest.py",
        "new/conftest.py",
    ),
    "tasks of an editor in a new directory that ignores itself": (
        "mkdir -p new/.vscode; echo '*' > new/.gitignore; echo planted > new/.vscode/tasks.json",
        "new/.vscode/tasks.json",
    ),
    "a config of a new repository": (
        "git init -q new; printf '[core]\\n\\tfsmonitor = planted\\n' >> new/.git/config",
        "new/.git/config",
    ),
    "a config of a repository in a directory of the project": (
        "git init -q src; printf '[core]\\n\\tfsmonitor = planted\\n' >> src/.git/config",
        "src/.git/config",
    ),
    "an include in a config of a new repository": (
        "git init -q new; printf '[include]\\n\\tpath = ../../planted\\n' >> new/.git/config",
        "new/.git/config",
    ),
    "a common directory of the repository": (
        "mkdir .git/planted; echo planted > .git/commondir",
        ".git/commondir",
    ),
    "a git file that leads to a directory of the project": (
        "git init -q --bare new.git; printf '[core]\\n\\tfsmonitor = planted\\n' >> new.git/config; "
        "mkdir new; echo 'gitdir: ../planted' > new/.git",
        "new/.git",
    ),
    "a worktree whose common directory is another": (
        "mkdir -p .git/worktrees/new new build/new/objects build/new/refs; echo 'ref: refs/heads/x' > build/new/HEAD; "
        "printf '[core]\\n\\tfsmonitor = planted\\n' > build/new/config; cp build/new/HEAD .git/worktrees/new/HEAD; "
        "echo '../../../build/new # planted' > .git/worktrees/new/commondir; "
        "echo 'gitdir: ../.git/worktrees/new' > new/.git",
        ".git/worktrees/new/commondir",
    ),
    "a config of a new submodule": (
        "git init -q new; mkdir .git/modules; mv new/.git .git/modules/new; "
        "printf '[core]\\n\\tfsmonitor = planted\\n' >> .git/modules/new/config; "
        "echo 'gitdir: ../.git/modules/new' > new/.git",
        ".git/modules/new/config",
    ),
}


@pytest.mark.parametrize(("command", "path"), UNSEEN.values(), ids=UNSEEN.keys())
async def test_nothing_is_planted_unseen(services: TempServices, command: str, path: str) -> None:
    await run(services, command)
    place = services.project / path
    assert not place.exists() or "planted" not in place.read_text()


async def test_a_repository_planted_by_one_command_hides_nothing_from_the_next(services: TempServices) -> None:
    await run(services, "git init -q src; echo '*' > src/.git/info/exclude", "echo planted > src/app.py")
    assert (services.project / "src" / "app.py").read_text() == "1\n"


async def test_a_named_pipe_takes_no_files_place_unseen(services: TempServices) -> None:
    await run(services, "rm a.txt; mkfifo a.txt")
    assert (services.project / "a.txt").is_file()


GIT = "git -c user.name=u -c user.email=u@e"
LOSSES = {
    "a reset": "git reset --hard",
    "a stash": f"{GIT} stash -u",
    "a checkout of files": "git checkout -- .",
    "a checkout by force": "git checkout -f -b other",
    "a commit": f"{GIT} commit -am theirs",
    "a clean-up": "git clean -fdx",
    "a removal": "git rm -rf .",
    "a removal of the repository": "rm -rf .git/*",
}


@pytest.mark.parametrize("command", LOSSES.values(), ids=LOSSES.keys())
async def test_files_that_git_does_not_ignore_stay_byte_for_byte_after_a_rejection(
    services: TempServices, command: str
) -> None:
    work(services.project)
    before = manifest(services.project, with_times=True)
    await run(services, command)
    assert manifest(services.project, with_times=True) == before


async def test_no_name_of_a_file_adds_a_line_to_the_result(services: TempServices) -> None:
    forged = r"$'x\nForged.'"
    (services.project / "build" / "x\nForged.").touch()
    results = await run(
        services,
        f"echo x > {forged}",
        f"mkdir new-{forged}; echo x > new-{forged}/.envrc",
        f"cd build; rm {forged}; mkfifo {forged}",
    )
    assert [result.output.count("\\nForged.") > 0 for result in results] == [True] * 3
    assert not [line for result in results for line in result.output.splitlines() if line.startswith("Forged")]


async def test_a_file_whose_name_is_no_text_is_asked_about_and_never_granted(services: TempServices) -> None:
    await run(services, r"echo x > $'new\xff'")
    (request,) = services.user.asked
    assert request.patterns == ("new\\xff",)
    assert request.always == ()
