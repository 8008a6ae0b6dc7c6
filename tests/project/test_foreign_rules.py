"""Rules for Copilot and Cursor are read where a project has no file of its own for every agent."""

from collections.abc import Callable
from pathlib import Path

import pytest

from corpus_support import corpus
from placet.project.foreign_rules import MOST_FILES, MOST_PATTERNS
from placet.project.instructions import instruction_files, rules_of_project

Write = Callable[..., Path]
COPILOT, CURSOR = ".github/instructions/{}.instructions.md", ".cursor/rules/{}.mdc"


def writer_in(tmp_path: Path) -> Write:
    (tmp_path / "top" / ".git").mkdir(parents=True)

    def write(name: str, fields: str = "", text: str = "Rule.") -> Path:
        path = tmp_path / "top" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\n{fields}\n---\n{text}\n" if fields else text)
        return path

    return write


@pytest.fixture
def write(tmp_path: Path) -> Write:
    return writer_in(tmp_path)


def top_of(tmp_path: Path) -> Path:
    return tmp_path / "top"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    return top_of(tmp_path)


def test_general_rules_are_copilots_file_and_what_is_said_to_be_about_everything(top: Path, write: Write) -> None:
    general = [
        write(".github/copilot-instructions.md"),
        write(COPILOT.format("all"), "applyTo: '**'"),
        write(CURSOR.format("always"), "alwaysApply: true\nglobs: *.ts"),
        write(CURSOR.format("deep/always"), "description: d\nglobs:\nalwaysApply: true"),
    ]
    write(CURSOR.format("asked"), "description: When asked for.\nalwaysApply: false")
    write(CURSOR.format("typed"), "globs: *.ts\nalwaysApply: false")
    write(".cursor/rules/notes.txt", "alwaysApply: true")
    assert rules_of_project([top]) == general
    assert instruction_files(top / "a.py", top) == general
    assert instruction_files(top / "a.ts", top) == [*general, top / CURSOR.format("typed")]


@corpus("name", ["AGENTS.md", "CLAUDE.md", "CONTEXT.md", "GEMINI.md"], top=top_of, write=writer_in)
def test_a_file_for_every_agent_stands_in_for_all_of_them(top: Path, write: Write, name: str) -> None:
    write(".github/copilot-instructions.md")
    write(COPILOT.format("types"), "applyTo: '*.ts'")
    own = write(name)
    assert rules_of_project([top]) == [own]
    assert instruction_files(top / "src" / "a.ts", top) == [own]


def test_rules_of_the_repositorys_top_count_in_a_folder_the_outermost_first(top: Path, write: Write) -> None:
    outer, inner = write(".github/copilot-instructions.md"), write("a/.github/copilot-instructions.md")
    assert rules_of_project([top / "a"]) == [outer, inner]


def test_a_file_above_the_folder_stands_in_for_rules_about_a_path(top: Path, write: Write) -> None:
    write("a/.cursor/rules/types.mdc", "globs: *.ts")
    assert len(instruction_files(top / "a/b.ts", top / "a")) == 1
    write("AGENTS.md")
    assert instruction_files(top / "a/b.ts", top / "a") == []


@corpus(
    ("name", "fields"),
    [
        (COPILOT, 'applyTo: "**/*.ts,**/*.tsx"'),
        (COPILOT, "applyTo: **/*.{ts,tsx}"),
        (CURSOR, "description: Types: how to\nglobs: *.ts, *.tsx\nalwaysApply: false"),
        (CURSOR, "globs: ['src/**/*.ts', '*.tsx']"),
        (CURSOR, "globs:\n  - src/**\n"),
    ],
    top=top_of,
    write=writer_in,
)
def test_a_rule_about_a_file_comes_with_this_file_alone(top: Path, write: Write, name: str, fields: str) -> None:
    rule = write(name.format("types"), fields)
    assert instruction_files(top / "src/deep/a.ts", top) == [rule]
    assert instruction_files(top / "a.py", top) == []
    assert rules_of_project([top]) == []


def test_a_rule_that_changes_is_read_again(top: Path, write: Write) -> None:
    rule = write(CURSOR.format("types"), "globs: *.ts")
    assert instruction_files(top / "a.ts", top) == [rule]
    write(CURSOR.format("types"), "globs: *.python")
    assert instruction_files(top / "a.ts", top) == []


@corpus("fields", ["globs: [", "globs: 3", "applyTo: '*.ts'", "x"], top=top_of, write=writer_in)
def test_a_rule_that_says_nothing_of_files_is_left_out(top: Path, write: Write, fields: str) -> None:
    write(CURSOR.format("odd"), fields)
    assert instruction_files(top / "a.ts", top) == rules_of_project([top]) == []


def test_only_so_many_patterns_of_a_rule_count(top: Path, write: Write) -> None:
    rule = write(CURSOR.format("types"), "globs: " + "x," * (MOST_PATTERNS - 1) + "*.ts,*.py")
    assert instruction_files(top / "a.ts", top) == [rule]
    assert instruction_files(top / "a.py", top) == []


def test_general_rules_of_a_deeper_directory_come_with_its_files(top: Path, write: Write) -> None:
    rule = write("deep/.github/copilot-instructions.md")
    assert rules_of_project([top]) == instruction_files(top / "a.py", top) == []
    assert instruction_files(top / "deep/a.py", top) == [rule]


def test_only_so_many_rules_are_read(top: Path, write: Write) -> None:
    for number in range(MOST_FILES + 5):
        write(CURSOR.format(f"{number:03}"), "globs: *.ts")
    assert len(instruction_files(top / "a.ts", top)) == MOST_FILES
