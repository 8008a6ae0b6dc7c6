"""Programs are found on PATH, and never where a command of an agent could have put a program."""

import ast
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import placet
from corpus_support import corpus
from placet.project.processes import programs
from placet.project.processes.open_directories import note, noted
from placet.project.processes.programs import (
    SearchPath,
    find_configured,
    find_for_commands,
    find_program,
    keep_programs_from,
    left_out,
    users_path,
    with_users_path,
)

pytestmark = pytest.mark.skipif(os.name == "nt", reason="programs are made as shell scripts")

NAME = "tool-of-a-test"
STARTERS = {
    "asyncio": ("create_subprocess_exec",),
    "subprocess": ("run", "Popen", "call", "check_call", "check_output"),
    "os": ("execvp", "execvpe", "execlp", "execlpe", "spawnvp", "spawnlp", "posix_spawnp", "system", "popen"),
}
"""Functions that start a program, by their modules."""
MAY_START = re.compile(r"subprocess|shutil|os\.(exec|spawn|posix_spawn|system|popen)")


class Scene:
    """A project that commands can write, and a directory of the system; PATH belongs to the scene."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.project = base / "project"
        self.system = base / "system"
        self.planted = self.program(self.project / ".venv" / "bin")
        self.own = self.program(self.system)

    def program(self, directory: Path, text: str = "#!/bin/sh\n", name: str = NAME) -> Path:
        directory.mkdir(parents=True, exist_ok=True)
        file = directory / name
        file.write_text(text)
        file.chmod(0o755)
        return file

    def link(self, name: str, target: Path) -> Path:
        link = self.base / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(target)
        return link

    def first_on_path(self, way: str) -> Path:
        """Return a directory of PATH that leads to a program which commands can change."""
        match way:
            case "a directory of the project":
                return self.planted.parent
            case "a link to a directory of the project":
                return self.link("linked", self.planted.parent)
            case "a directory of the project that is a link to elsewhere":
                return self.link("project/tools", self.program(self.base / "elsewhere").parent)
            case "a link to a program of the project":
                return self.link(f"links/{NAME}", self.planted).parent
            case "a program of the project that is a link to elsewhere":
                return self.link(f"project/bin/{NAME}", self.program(self.base / "elsewhere")).parent
            case "a script with an interpreter of the project":
                interpreter = self.program(self.project / "bin", name="python3")
                return self.program(self.base / "scripts", f"#!{interpreter} -E\n").parent
            case _:
                return Path(f"{self.planted.parent}/../bin/.")


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    made = Scene(tmp_path)
    monkeypatch.setenv("PATH", str(made.system))
    monkeypatch.setattr(programs, "_SEARCH_PATH", SearchPath(os.environ))
    return made


@pytest.mark.parametrize(
    "way",
    [
        "a directory of the project",
        "a link to a directory of the project",
        "a directory of the project that is a link to elsewhere",
        "a link to a program of the project",
        "a program of the project that is a link to elsewhere",
        "a script with an interpreter of the project",
        "a directory of the project, spelled otherwise",
    ],
)
def test_a_program_that_commands_can_change_gives_way_to_the_next_on_path(
    scene: Scene, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = scene.first_on_path(way)
    monkeypatch.setenv("PATH", f"{first}{os.pathsep}{scene.system}")
    assert find_program(NAME) == str(first / NAME), "no command has run yet"
    keep_programs_from((scene.project,))
    assert find_program(NAME) == str(scene.own)
    assert find_for_commands(NAME) == str(first / NAME), "commands keep the user's PATH"


def test_the_programs_that_placet_starts_inherit_a_path_without_the_project(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = os.pathsep.join((str(scene.planted.parent), "bin", "", str(scene.system)))
    monkeypatch.setenv("PATH", written)
    keep_programs_from((scene.project,))
    assert os.environ["PATH"] == str(scene.system)
    assert users_path() == written
    assert left_out() == (str(scene.planted.parent),)
    assert with_users_path(os.environ)["PATH"] == written
    assert with_users_path({"PATH": "/elsewhere"}) == {"PATH": "/elsewhere"}, "a PATH of a setting stays"


@pytest.mark.parametrize("name", ["PYTHONPATH", "LD_LIBRARY_PATH", "NODE_PATH", "PERL5LIB", "BASH_ENV"])
def test_the_programs_that_placet_starts_load_no_code_from_the_project(
    scene: Scene, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside, outside = str(scene.project / "lib"), str(scene.system)
    monkeypatch.setenv(name, os.pathsep.join((inside, outside)))
    keep_programs_from((scene.project,))
    assert os.environ[name] == outside
    assert with_users_path(os.environ)[name] == os.pathsep.join((inside, outside))
    monkeypatch.setenv(name, inside)
    keep_programs_from((scene.base / "second",))
    keep_programs_from((scene.base / "third",))
    assert name not in os.environ
    assert with_users_path(os.environ)[name] == inside
    assert with_users_path({name: "/elsewhere"})[name] == "/elsewhere", "a value of a setting stays"


def test_a_later_folder_is_left_out_beside_the_folders_before(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    second = scene.program(scene.base / "second" / "bin")
    written = os.pathsep.join(map(str, (scene.planted.parent, second.parent, scene.system)))
    monkeypatch.setenv("PATH", written)
    keep_programs_from((scene.project,))
    assert os.environ["PATH"] == os.pathsep.join(map(str, (second.parent, scene.system)))
    keep_programs_from((second.parent.parent,))
    assert os.environ["PATH"] == str(scene.system)
    assert users_path() == written


def test_a_path_of_a_setting_is_taken_as_it_is_and_a_mere_name_is_not(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, (scene.planted.parent, scene.system))))
    keep_programs_from((scene.project,))
    assert find_configured(f"bin/{NAME}", scene.project / ".venv", is_contained=False) == str(scene.planted)
    assert find_configured(NAME, scene.planted.parent, is_contained=False) == str(scene.own)
    for path in (None, os.environ["PATH"]):
        assert find_configured(NAME, scene.base, path, is_contained=True) == str(scene.planted)
    assert find_configured("./missing", scene.project, is_contained=False) is None


def test_the_whole_file_system_as_a_folder_leaves_the_programs_of_the_system(scene: Scene) -> None:
    keep_programs_from((Path("/"), scene.link("everything", Path("/"))))
    assert find_program(NAME) == str(scene.own)


def test_a_new_directory_with_the_inode_of_a_removed_folder_is_no_folder(scene: Scene) -> None:
    keep_programs_from((scene.project,))
    (scene.project / ".venv").rename(scene.base / "venv")
    scene.project.rename(scene.base / "renamed")
    assert not programs.is_open_to_commands(str(scene.base / "renamed"))


def test_a_folder_is_the_same_under_each_of_its_names(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bind mount, or another spelling on a volume that ignores case, gives a directory a second name."""
    keep_programs_from((scene.project,))
    stat = os.stat

    def bound(path: str, **options: Any) -> os.stat_result:
        return stat(scene.project if str(path) == "/bound" else path, **options)

    monkeypatch.setattr("placet.project.processes.open_directories.os.stat", bound)
    assert programs.is_open_to_commands(f"/bound/.venv/bin/{NAME}")


def test_a_later_process_knows_the_directories_that_were_open(tmp_path: Path) -> None:
    record = tmp_path / "data" / "open-directories"
    assert noted(record) == []
    strange = tmp_path / os.fsdecode(b"a\nb \xff")
    note(record, (tmp_path,))
    note(record, (strange, tmp_path))
    assert noted(record) == [tmp_path, strange]


def sources() -> Mapping[str, ast.Module]:
    """Return the modules that may start a program."""
    top = Path(placet.__file__).parent
    texts = {file.relative_to(top).as_posix(): file.read_text("utf-8") for file in sorted(top.rglob("*.py"))}
    return {name: ast.parse(text) for name, text in texts.items() if MAY_START.search(text)}


def bare_starts(tree: ast.AST) -> Iterator[int]:
    """Yield the lines that look for a program on PATH past `find_program`, or start a program by a mere name."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        module = node.func.value.id if isinstance(node.func.value, ast.Name) else ""
        if (module, node.func.attr) == ("shutil", "which"):
            yield node.lineno
        if node.func.attr in STARTERS.get(module, ()) and node.args:
            name = first_word(node.args[0])
            if name and "/" not in name:
                yield node.lineno


def first_word(node: ast.expr) -> str:
    """Return the program that a call names in its code, or ""."""
    match node:
        case ast.Constant(value=str(word)):
            return word
        case ast.Starred(value=ast.Tuple(elts=[first, *_]) | ast.List(elts=[first, *_])):
            return first_word(first)
        case ast.Tuple(elts=[first, *_]) | ast.List(elts=[first, *_]):
            return first_word(first)
        case _:
            return ""


SEARCHES = {
    "project/processes/programs.py": "the function itself",
}
"""Modules that call `which`, each with the reason."""


def test_no_module_starts_a_program_past_the_one_function_that_finds_programs() -> None:
    found = {name: lines for name, tree in sources().items() if (lines := [*bare_starts(tree)])}
    assert set(found) <= set(SEARCHES), found


@corpus(
    "line",
    [
        'subprocess.run(["git", "status"])',
        'await asyncio.create_subprocess_exec("git", cwd=root)',
        'await asyncio.create_subprocess_exec(*("git", "-c", "x"), cwd=root)',
        'subprocess.Popen(("ps", *options))',
        'shutil.which("git")',
        'os.execvp("git", words)',
    ],
)
def test_a_start_by_a_mere_name_would_be_noticed(line: str) -> None:
    assert [*bare_starts(ast.parse(f"async def f():\n    {line}\n"))] == [2]
