from pathlib import Path

from corpus_support import corpus
from placet.project.rules_imports import MOST_IMPORTS, imports


@corpus(
    ("text", "imported"),
    [
        ("See @docs/rules.md.", ["docs/rules.md"]),
        ("@docs/rules.md and (@./other.md)", ["docs/rules.md", "other.md"]),
        ("Write to me@docs/rules.md", []),
        ("`@docs/rules.md` and\n```\n@other.md\n```\n", []),
        ("@no/such/file.md, @docs", []),
        ("@chain.md", ["chain.md", "other.md"]),
        ("@CLAUDE.md @chain.md", ["chain.md", "other.md"]),
    ],
)
def test_the_files_that_rules_import_are_found(tmp_path: Path, text: str, imported: list[str]) -> None:
    (tmp_path / "docs").mkdir()
    for name in ("docs/rules.md", "other.md"):
        (tmp_path / name).write_text("A rule.\n")
    (tmp_path / "chain.md").write_text("@other.md @CLAUDE.md\n")
    rules = tmp_path / "CLAUDE.md"
    rules.write_text(text)
    assert [file.resolve().relative_to(tmp_path.resolve()).as_posix() for file in imports(rules)] == imported


def test_a_hostile_project_imports_a_bounded_number_of_files(tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"{number}.md").write_text(" ".join(f"@{other}.md" for other in range(60)))
    assert len(imports(tmp_path / "0.md")) == MOST_IMPORTS
