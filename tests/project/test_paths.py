"""What a path is called."""

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from placet.project.paths import Resolver, Workspace, from_uri, real


def test_a_title_names_the_folder_of_a_file_that_is_not_in_the_first(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    workspace = Workspace((first, second, first / "inner"))

    assert workspace.title(first / "same.py") == "same.py"
    assert workspace.title(second / "deep" / "same.py") == "second/deep/same.py"
    assert workspace.title(first / "inner" / "same.py") == "inner/same.py"
    assert workspace.title(tmp_path / "outside.py") == (tmp_path / "outside.py").as_posix()


ROOTS = (Path("/here/first"), Path("/here/second"), Path("/here/first/inner"))
names = st.text(st.sampled_from("ab~. #:\\"), min_size=1).filter(lambda name: name not in {".", ".."})


@given(st.sampled_from([*ROOTS, Path("/here"), Path("/")]), st.lists(names, max_size=3), st.permutations(ROOTS))
def test_a_name_leads_back_to_its_file_whatever_root_holds_it(root: Path, parts: list[str], roots: list[Path]) -> None:
    workspace, path = Workspace(tuple(roots)), root.joinpath(*parts)

    assert workspace.resolve(workspace.name(path)) == path


def test_files_of_two_roots_with_one_relative_name_have_two_names() -> None:
    workspace = Workspace(ROOTS)

    assert workspace.name(ROOTS[0] / "same.py") == "same.py"
    assert workspace.name(ROOTS[1] / "same.py") == "/here/second/same.py"
    assert workspace.name(ROOTS[2] / "same.py") == "inner/same.py"
    assert len({workspace.relative(root / "same.py") for root in ROOTS}) == 1


def test_a_root_that_is_linked_elsewhere_later_takes_nothing_else_in(tmp_path: Path) -> None:
    for name in ("opened", "elsewhere"):
        (tmp_path / name).mkdir()
    root = tmp_path / "root"
    root.symlink_to(tmp_path / "opened")
    workspace = Workspace((root,))
    assert workspace.contains(root / "a.py")
    assert workspace.relative_behind_links(root / "a.py") == "a.py"

    root.unlink()
    root.symlink_to(tmp_path / "elsewhere")
    assert not workspace.contains(root / "a.py")
    assert workspace.relative_behind_links(root / "a.py") == (tmp_path / "elsewhere/a.py").as_posix()


@given(st.text() | st.text(st.sampled_from("file:/[]%C")).map("file://".__add__))
def test_any_text_is_the_uri_of_a_path_or_of_none(uri: str) -> None:
    path = from_uri(uri)

    assert path is None or isinstance(path, Path)


LINKS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(("a", "b", "../c", ".", "..", "a/b", "/tmp"))))
PATHS = st.lists(st.lists(st.sampled_from(("a", "b", "c", "..", "missing")), max_size=5), max_size=6)


@given(LINKS, PATHS)
def test_many_paths_are_resolved_as_each_path_alone(links: list[tuple[str, str]], paths: list[list[str]]) -> None:
    with tempfile.TemporaryDirectory() as directory:
        top = Path(directory)
        (top / "b" / "c").mkdir(parents=True)
        for number, (name, target) in enumerate(links):
            place = (top, top / "b", top / "b/c")[number % 3] / name
            if not place.is_symlink() and not place.exists():
                place.symlink_to(target)
        resolver = Resolver()
        for path in (top.joinpath(*parts) for parts in paths):
            assert resolver.real(path) == real(path)
