"""Repositories of a project in the sandbox: git works in each, and no command changes what git obeys."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from corpus_support import corpus
from overlay_support.bubblewrap import can_overlay
from placet.sandbox.listings import Listings
from placet.sandbox.offer import command_sandbox
from placet.sandbox.overlay.layers import new_layer
from placet.sandbox.preflight import Backend
from placet.sandbox.protections import MOST_PROTECTED, look_at
from placet.settings.models import SandboxSettings
from sandbox.layouts import IDENTITY, committed, git, lay, planted, write
from sandbox.workshop import Workshop

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="needs Linux"),
    pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap"),
]
needs_overlay = pytest.mark.skipif(not can_overlay(), reason="needs bubblewrap with overlays")


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


async def test_no_command_plants_a_program_for_git_or_an_editor_anywhere(workshop: Workshop) -> None:
    lay(workshop.project, repositories=4, submodules=3)
    ending, output = await workshop.run("python3 attack.py")
    assert ending.code == 0, output
    assert [*planted(workshop.project)] == []


@pytest.mark.long
async def test_no_number_of_repositories_and_submodules_opens_one(workshop: Workshop) -> None:
    lay(workshop.project)
    ending, output = await workshop.run("python3 attack.py")
    assert ending.code == 0, output
    assert [*planted(workshop.project)] == []


@needs_overlay
async def test_under_an_overlay_git_directories_are_the_same_after_the_attempt(workshop: Workshop) -> None:
    lay(workshop.project, repositories=2, submodules=2)
    with new_layer(workshop.locations.layers, [workshop.project]) as layer:
        ending, output = await workshop.run("python3 attack.py", overlays=layer.mounts)
    assert ending.code == 0, output
    assert [*planted(workshop.project)] == []


def test_more_protected_paths_than_the_sandbox_holds_are_a_gap(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(MOST_PROTECTED):
        write(workshop.project / f"package{number}/.envrc")
    assert offered_gap(workshop) == ""
    write(workshop.project / "one/more/.envrc")
    assert "201 protected paths" in offered_gap(workshop)
    (workshop.project / "one/more/.envrc").unlink()
    monkeypatch.setattr("placet.sandbox.listings.MOST_DIRECTORIES", MOST_PROTECTED)
    assert "more than 200 directories" in offered_gap(workshop)


def offered_gap(workshop: Workshop) -> str:
    """Return the reason for which the sandbox offered to commands does not answer for the commands."""
    limits = workshop.containment()
    found, backend = look_at(limits, Listings(), workshop.home, ()), Backend("bubblewrap", "full")
    return command_sandbox(SandboxSettings(), limits, found, backend, proposes=True, asks_about_all=False).gap


LINE = (
    f"git {' '.join(IDENTITY)} commit -qm second && echo third >> file && git stash -q && git stash pop -q && "
    "git checkout -q -b other && git tag mark && git status --short"
)


PLANTING = (
    "d=$(git rev-parse --git-common-dir); echo PLANTED >> $d/config; mkdir -p $d/hooks; echo PLANTED > $d/hooks/x"
)


def below_the_top(project: Path) -> Path:
    committed(project)
    write(project / "below/file", "first\n")
    git(project, "add", "below")
    git(project, "commit", "-qm", "below")
    return project / "below"


def separate(project: Path) -> Path:
    return committed(project, "--separate-git-dir", str(project.parent / "store"))


def linked(project: Path) -> Path:
    committed(project)
    (project / ".git").rename(project.parent / "store")
    (project / ".git").symlink_to("../store")
    return project


def linked_inside(project: Path) -> Path:
    committed(project)
    (project / ".git").rename(project / "store")
    (project / ".git").symlink_to("store")
    (project / "store/info/exclude").write_text("/store\n")
    return project


def separate_inside(project: Path) -> Path:
    (project / "inner").mkdir()
    committed(project, "--separate-git-dir", str(project / "inner/store"))
    (project / "inner/store/info/exclude").write_text("/inner\n")
    return project


def worktree(project: Path) -> Path:
    committed(project.parent / "main")
    project.rmdir()
    git(project.parent / "main", "worktree", "add", "-q", str(project))
    return project


def worktree_of_a_bare_repository(project: Path) -> Path:
    source = committed(project.parent / "source")
    git(project.parent, "clone", "-q", "--bare", str(source), "store.git")
    project.rmdir()
    git(project.parent / "store.git", "worktree", "add", "-q", str(project))
    return project


def below_a_worktree(project: Path) -> Path:
    below = below_the_top(project)
    git(project, "worktree", "add", "-q", str(project.parent / "tree"))
    return project.parent / "tree" / below.name


def submodule(project: Path) -> Path:
    source, main = committed(project.parent / "source"), committed(project.parent / "main")
    git(main, "submodule", "add", "-q", str(source), "module")
    project.rmdir()
    project.symlink_to("main/module")
    return project.resolve()


def worktree_beside_a_bare_repository(project: Path) -> Path:
    source = committed(project.parent / "source")
    git(project, "clone", "-q", "--bare", str(source), ".bare")
    write(project / ".git", "gitdir: ./.bare\n")
    git(project, "worktree", "add", "-q", "main")
    return project


LAYOUTS = (
    *(below_the_top, separate, linked, linked_inside, separate_inside, worktree, below_a_worktree, submodule),
    *(worktree_of_a_bare_repository, worktree_beside_a_bare_repository),
)
PLACES: dict[Callable[[Path], Path], str] = {worktree_beside_a_bare_repository: "main"}
"""Directories of the folder in which the work is, if not in the folder itself."""


@corpus("layout", LAYOUTS)
@corpus("is_overlaid", (True, False) if can_overlay() else (False,))
async def test_git_works_in_every_layout_as_outside_and_its_programs_are_protected(
    layout: Callable[[Path], Path], is_overlaid: bool, tmp_path: Path
) -> None:
    workshop = Workshop(tmp_path)
    folder = layout(workshop.project)
    top = folder / PLACES.get(layout, ".")
    containment = workshop.containment(folder)
    (top / "file").write_text("second\n")
    with new_layer(workshop.locations.layers, [folder]) as layer:
        line, overlays = f"git add file && {LINE}", layer.mounts if is_overlaid else ()
        ending, output = await workshop.run(line, containment=containment, directory=top, overlays=overlays)
    assert (ending.code, output) == (0, " M file\n"), output
    assert git(top, "log", "--format=%s", "-1") == "second\n"
    await workshop.run(PLANTING, containment=containment, directory=top)
    common = Path(top, git(top, "rev-parse", "--git-common-dir").strip())
    assert "PLANTED" not in (common / "config").read_text()
    assert not (common / "hooks/x").exists()


LITTER = (
    "mkdir -p .git/worktrees/w && echo /elsewhere/.git > .git/worktrees/w/gitdir",
    "mkdir -p .git/worktrees/w && echo x | tee .git/worktrees/w/gitdir > .git/worktrees/w/config.worktree",
    "mkdir -p .git/modules/m",
    "mkdir -p .git/modules/a/b/hooks && touch .git/modules/a/b/HEAD .git/modules/a/b/hooks/pre-commit",
    "mkdir -p .git/modules/a/modules .git/modules/config",
)


@corpus("line", LITTER)
async def test_new_parts_of_a_repository_that_git_would_not_make_leave_nothing(line: str, tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    committed(workshop.project)
    before = sorted((workshop.project / ".git").rglob("*"))
    await workshop.run(line)
    assert workshop.contained is not None
    assert workshop.contained.intrusions
    assert sorted((workshop.project / ".git").rglob("*")) == before


async def test_worktrees_and_submodules_that_git_makes_stay(workshop: Workshop) -> None:
    committed(workshop.project / "source")
    committed(workshop.project / "main")
    adding = f"git {' '.join(IDENTITY)} submodule add -q $PWD/../source some/where && git worktree add -q ../tree"
    ending, output = await workshop.run(adding, directory=workshop.project / "main")
    assert ending.code == 0, output
    assert workshop.contained is not None
    assert [intrusion.path.name for intrusion in workshop.contained.intrusions] == [".gitmodules"]
    assert git(workshop.project / "tree", "log", "--format=%s") == "first\n"
    assert git(workshop.project / "main/some/where", "log", "--format=%s") == "first\n"


async def test_no_empty_directory_is_kept_for_moved_files(workshop: Workshop) -> None:
    committed(workshop.project)
    await workshop.run("true")
    assert not workshop.locations.kept.exists()
    await workshop.run("touch .envrc")
    assert [file.name for file in workshop.locations.kept.rglob(".envrc")] == [".envrc"]


async def test_a_directory_becomes_no_repository_by_a_few_files(workshop: Workshop) -> None:
    """Git obeys the settings of a bare repository in each directory where a command of the user runs."""
    write(workshop.project / "build/config", "[core]\n\tfsmonitor = ./mine\n")
    await workshop.run("cd build && mkdir objects refs && echo ref: refs/heads/main > HEAD")
    assert {path.name for path in (workshop.project / "build").iterdir()} == {"config", "objects", "refs"}
