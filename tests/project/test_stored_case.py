"""A file is known by the name that its directory stores, where the directory ignores case."""

from pathlib import Path, PurePosixPath

import pytest

from corpus_support import corpus
from placet.permissions.rules import builtin_rules, evaluate
from placet.project.paths import Workspace, as_stored
from placet.tools.framework.access import names_of

FILES = ("/p/.env", "/p/Docs/Read.me", "/p/src/a.py", "/p/src/A.py")


def exists_in_any_case(path: str) -> bool:
    return any((file + "/").lower().startswith(path.lower() + "/") for file in FILES)


def entries(directory: str) -> list[str]:
    below = [PurePosixPath(file) for file in FILES if file.lower().startswith(directory.lower() + "/")]
    return [path.parts[len(PurePosixPath(directory).parts)] for path in below]


@corpus(
    ("asked", "stored"),
    [
        ("/p/.ENV", "/p/.env"),
        ("/p/.Env", "/p/.env"),
        ("/p/.env", "/p/.env"),
        ("/p/DOCS/READ.ME", "/p/Docs/Read.me"),
        ("/p/src/A.py", "/p/src/A.py"),
        ("/p/src/a.py", "/p/src/a.py"),
        ("/p/nothing", "/p/nothing"),
        ("/p", "/p"),
    ],
)
def test_a_name_is_spelled_as_it_is_stored(asked: str, stored: str) -> None:
    spelled = as_stored(Path(asked), Path("/p"), exists=exists_in_any_case, entries=entries)
    assert spelled == Path(stored)


def test_names_that_differ_in_case_alone_stay_two_files_where_case_counts(tmp_path: Path) -> None:
    (tmp_path / ".env").touch()
    if (tmp_path / ".ENV").exists():
        pytest.skip("this volume ignores case")
    assert names_of(Workspace((tmp_path,)), tmp_path / ".ENV") == [".ENV"]


def test_a_secret_file_is_judged_as_such_in_any_case_where_the_volume_ignores_case(tmp_path: Path) -> None:
    (tmp_path / ".env").touch()
    if not (tmp_path / ".ENV").exists():
        pytest.skip("this volume distinguishes case")
    names = names_of(Workspace((tmp_path,)), tmp_path / ".ENV")
    assert names == [".ENV", ".env"]
    assert evaluate(builtin_rules(tmp_path), "read", names[1]).action == "ask"
