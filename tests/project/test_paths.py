"""What a path is called."""

from pathlib import Path

from placet.project.paths import Workspace


def test_a_title_names_the_folder_of_a_file_that_is_not_in_the_first(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    workspace = Workspace((first, second, first / "inner"))

    assert workspace.title(first / "same.py") == "same.py"
    assert workspace.title(second / "deep" / "same.py") == "second/deep/same.py"
    assert workspace.title(first / "inner" / "same.py") == "inner/same.py"
    assert workspace.title(tmp_path / "outside.py") == (tmp_path / "outside.py").as_posix()
