"""Language features by tree-sitter: what they find in real files and unsaved buffers, and what they leave to others."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placet.core.ports import Document
from placet.languages.grammar import column_of
from placet.languages.syntax import MOST_ERRORS, name_at, occurrences, outline, syntax_errors
from placet.languages.syntax_features import SyntaxFeatures
from placet.project.files.disk import DiskDocuments


class Screen(DiskDocuments):
    """The disk, and one document open with other text."""

    def __init__(self, open_document: Document | None = None) -> None:
        super().__init__()
        self._open = open_document

    async def read(self, path: Path) -> Document:
        return self._open if self._open is not None and self._open.path == path else await super().read(path)

    async def unsaved(self) -> list[Document]:
        return [self._open] if self._open is not None else []


def at(path: Path, line: int, character: int) -> dict[str, Any]:
    return {"textDocument": {"uri": path.as_uri()}, "position": {"line": line, "character": character}}


def places(answer: Any) -> list[tuple[str, int, int]]:
    """File name, line and character of each location."""
    return [
        (item["uri"].rpartition("/")[2], item["range"]["start"]["line"], item["range"]["start"]["character"])
        for item in answer.result
    ]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "shapes.py").write_text("class Box:\n    def open(self):\n        return 1\n", "utf-8")
    (tmp_path / "use.py").write_text(
        "from shapes import Box\n\n# Box in a comment\nprint('Box', Box().open())\n", "utf-8"
    )
    (tmp_path / "other.ts").write_text("class Box {}\n", "utf-8")
    return tmp_path


def features(root: Path, document: Document | None = None) -> SyntaxFeatures:
    return SyntaxFeatures(Screen(document), [root])


async def test_a_definition_is_found_by_its_name_in_another_file_of_the_language(project: Path) -> None:
    answer = await features(project).request("textDocument/definition", at(project / "use.py", 3, 14))
    assert (answer.status, answer.is_approximate, answer.providers) == ("ok", True, ("tree-sitter",))
    assert places(answer) == [("shapes.py", 0, 6)]


async def test_references_are_code_and_neither_strings_nor_comments(project: Path) -> None:
    answer = await features(project).request("textDocument/references", at(project / "shapes.py", 0, 7))
    assert places(answer) == [("shapes.py", 0, 6), ("use.py", 0, 19), ("use.py", 3, 13)]


async def test_document_symbols_are_nested_as_the_definitions_are(project: Path) -> None:
    params = {"textDocument": {"uri": (project / "shapes.py").as_uri()}}
    [box] = (await features(project).request("textDocument/documentSymbol", params)).result
    assert (box["name"], box["range"]["end"]["line"]) == ("Box", 2)
    [method] = box["children"]
    assert method["name"] == "open"
    assert method["selectionRange"]["start"] == {"line": 1, "character": 8}


async def test_workspace_symbols_are_those_whose_name_holds_the_query(project: Path) -> None:
    answer = await features(project).request("workspace/symbol", {"query": "bo"})
    assert sorted((symbol["name"], symbol["location"]["uri"].rpartition("/")[2]) for symbol in answer.result) == [
        ("Box", "other.ts"),
        ("Box", "shapes.py"),
    ]


async def test_what_is_on_screen_counts_and_not_what_is_on_disk(project: Path) -> None:
    open_document = Document(project / "shapes.py", "x = 1\nclass Crate: ...\n", source="buffer", version=3, dirty=True)
    screen = features(project, open_document)
    symbols = (await screen.request("workspace/symbol", {"query": "crate"})).result
    assert [symbol["location"]["range"]["start"] for symbol in symbols] == [{"line": 1, "character": 6}]


async def test_positions_count_in_utf_16(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = '\U0001f600'; name = 1\nname\n", "utf-8")
    answer = await features(tmp_path).request("textDocument/references", at(tmp_path / "a.py", 1, 2))
    assert places(answer) == [("a.py", 0, 10), ("a.py", 1, 0)]


async def test_a_method_or_a_file_it_knows_nothing_of_is_left_to_others(project: Path) -> None:
    (project / "notes.txt").write_text("Box\n", "utf-8")
    screen = features(project)
    assert (await screen.request("textDocument/hover", at(project / "use.py", 0, 19))).status == "noProvider"
    assert (await screen.request("textDocument/definition", at(project / "notes.txt", 0, 1))).status == "noProvider"
    report = await screen.diagnostics([project / "notes.txt", project / "use.py"])
    assert (report.unserved, report.fresh) == ({project / "notes.txt"}, {project / "use.py"})


async def test_a_syntax_error_is_a_diagnostic_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "bad.py"
    path.write_text("a = 1\nb = (1,\n", "utf-8")
    [diagnostic] = (await features(tmp_path).diagnostics([path])).diagnostics
    assert (diagnostic.path, diagnostic.line, diagnostic.severity, diagnostic.source) == (path, 1, 1, "tree-sitter")
    assert diagnostic.message.startswith("Syntax error")


def test_good_code_has_no_syntax_errors() -> None:
    assert syntax_errors("def f(x: int = 1, /, *y: str) -> None:\n    match x:\n        case 1: ...\n", "python") == []
    assert syntax_errors("const a = <T,>(x: T): T => x satisfies T;\n", "typescript") == []


def test_of_many_errors_the_first_are_told() -> None:
    assert len(syntax_errors("def (:\n    pass\n\n" * 50, "python")) <= MOST_ERRORS


@given(st.text(alphabet=st.sampled_from("ab_ü\U0001f600 =.()'\"#\n:{}$`"), max_size=80))
def test_whatever_the_text_names_and_errors_lie_inside_it(text: str) -> None:
    lines = text.split("\n")
    for language in ("python", "typescript"):
        for one in syntax_errors(text, language):
            assert 0 <= one.column <= len(lines[one.line])
            assert 0 <= one.end_column <= len(lines[one.end_line])
        for definition in outline(text, language):
            assert definition.name_column <= len(lines[definition.name_line - 1])
        for line in range(len(lines)):
            for column in range(len(lines[line])):
                if name := name_at(text, language, line + 1, column):
                    assert any(one.line == line + 1 for one in occurrences(text, language, name))


def test_a_column_counts_code_points() -> None:
    assert column_of("äb", 2) == 1
    assert column_of("\U0001f600x", 4) == 1
