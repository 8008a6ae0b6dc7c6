"""The sizes that `make check` allows for files and folders (scripts/shape.py)."""

import shutil
from pathlib import Path

from scripts.shape import MOST_FILES, MOST_LINES, SOURCES, faults

ROOT = Path(__file__).parents[2]


def copied(root: Path) -> Path:
    """Copy the measured folders of the repository to `root`; return `root`."""
    for source in SOURCES:
        shutil.copytree(ROOT / source, root / source, ignore=shutil.ignore_patterns("__pycache__"))
    return root


def test_a_file_that_is_too_long_and_a_folder_that_is_too_full_are_named(tmp_path: Path) -> None:
    root = copied(tmp_path)
    assert list(faults(root)) == []

    (root / "daemon/placet/core/events.py").write_text("a = 1\n" * (MOST_LINES + 1), "utf-8")
    (root / "clients/vscode/src/ui/window.ts").write_text("const a = 1;\n" * MOST_LINES, "utf-8")
    (root / "clients/vscode/src/ui/plain_text.ts").write_text("const a = 1;\n" * (MOST_LINES + 1), "utf-8")
    full = root / "clients/vscode/src/auth"
    for number in range(MOST_FILES + 1 - len(list(full.iterdir()))):
        (full / f"module_{number}.ts").touch()

    assert sorted(faults(root)) == [
        f"clients/vscode/src/auth has {MOST_FILES + 1} files, {MOST_FILES} at most",
        f"clients/vscode/src/ui/plain_text.ts has {MOST_LINES + 1} lines, {MOST_LINES} at most",
        f"daemon/placet/core/events.py has {MOST_LINES + 1} lines, {MOST_LINES} at most",
    ]


def test_a_generated_file_may_be_long_and_a_long_file_that_only_speaks_of_generated_files_may_not(
    tmp_path: Path,
) -> None:
    root = copied(tmp_path)
    wire = root / "clients/vscode/src/wire.ts"
    assert len(wire.read_text("utf-8").splitlines()) > MOST_LINES

    wire.write_text("\n\n" + wire.read_text("utf-8"), "utf-8")

    [fault] = faults(root)
    assert fault.startswith("clients/vscode/src/wire.ts has ")


def test_a_measured_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    assert [fault.removesuffix(" has no file to measure") for fault in faults(tmp_path)] == list(SOURCES)
