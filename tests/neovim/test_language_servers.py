"""Real language servers that Neovim runs, asked through it: each for what it offers, on open and on closed files."""

from collections.abc import Callable
from pathlib import Path

import pytest

from language_server_support import SHAPES, USE, place
from neovim_support.editor import Editor
from neovim_support.language_servers import Inquirer, enable
from neovim_support.scripted_server import ScriptedServer

REFERENCES = {"context": {"includeDeclaration": True}}
Write = Callable[[str, str], Path]


@pytest.fixture
def ask(connected: ScriptedServer) -> Inquirer:
    return Inquirer(connected)


@pytest.fixture
def write(project: Path) -> Write:
    def to(name: str, text: str) -> Path:
        path = project / name
        path.write_text(text, "utf-8")
        return path

    return to


def test_pyright_and_ruff_judge_one_buffer_together(editor: Editor, ask: Inquirer, write: Write) -> None:
    enable(editor, "pyright", "ruff")
    path = write("a.py", "x: int = 1\n")
    editor.open(path)
    assert ask.errors(path) == []
    editor.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'import os', '', 'x: int = \"text\"' })")

    item = ask.diagnostics(path)

    assert item["fresh"] is True
    assert item["providers"] == ["pyright", "ruff"]
    positions = {(diagnostic["source"], diagnostic["range"]["start"]["line"]) for diagnostic in item["diagnostics"]}
    assert positions >= {("Pyright", 2), ("Ruff", 0)}
    [unused] = [diagnostic for diagnostic in item["diagnostics"] if diagnostic.get("code") == "F401"]
    assert unused["data"]["edits"], "what the quick fix is found by"


def test_pyright_answers_all_it_offers_of_files_nobody_has_open(editor: Editor, ask: Inquirer, write: Write) -> None:
    enable(editor, "pyright", "ruff")
    shapes, use = write("shapes.py", SHAPES), write("use.py", USE)
    editor.open(write("other.py", ""))
    assert ask.errors(use) == []

    assert ask.places("textDocument/definition", use, 4, 13) == {("shapes.py", 5)}
    assert ask.places("textDocument/typeDefinition", use, 5, 19) == {("shapes.py", 0)}
    places = ask.places("textDocument/references", shapes, 5, 5, **REFERENCES)
    assert places == {("shapes.py", 5), ("use.py", 0), ("use.py", 4)}
    assert "make" in str(ask.ask("textDocument/hover", use, 4, 13))
    assert [symbol["name"] for symbol in ask.ask("textDocument/documentSymbol", shapes, 0, 0)] == ["Shape", "make"]
    symbols = ask.feature("workspace/symbol", {"query": "make"})
    assert symbols["providers"] == ["pyright"]
    assert {place(symbol["location"]) for symbol in symbols["result"]} >= {("shapes.py", 5)}
    [item] = ask.ask("textDocument/prepareCallHierarchy", shapes, 5, 5)
    [call] = ask.feature("callHierarchy/incomingCalls", {"item": item})["result"]
    assert call["from"]["name"] == "total"
    outgoing = ask.feature("callHierarchy/outgoingCalls", {"item": call["from"]})["result"]
    assert "make" in {call["to"]["name"] for call in outgoing}
    assert ask.ask("textDocument/signatureHelp", use, 5, 17)["signatures"]
    assert editor.lua("return vim.fn.expand('%:t')") == "other.py"
    assert editor.lua("return #vim.fn.getbufinfo({ buflisted = 1 })") == 1


def test_pyright_renames_over_an_unsaved_buffer_and_closed_files(editor: Editor, ask: Inquirer, write: Write) -> None:
    enable(editor, "pyright", "ruff")
    shapes, use = write("shapes.py", SHAPES), write("use.py", USE)
    editor.open(shapes)
    editor.lua("vim.api.nvim_buf_set_lines(0, 0, 0, true, { '# typed' })")
    ask.errors(use)
    place = {"textDocument": {"uri": shapes.as_uri()}, "position": {"line": 6, "character": 5}}

    answer = ask.feature("textDocument/rename", {**place, "newName": "build"})

    assert answer["providers"] == ["pyright"]
    edits = {change["textDocument"]["uri"]: change["edits"] for change in answer["result"]["documentChanges"]}
    assert [edit["range"]["start"] for edit in edits[shapes.as_uri()]] == [{"line": 6, "character": 4}]
    assert len(edits[use.as_uri()]) == 2
    assert answer["versions"][shapes.as_uri()] == ask.server.versions[shapes.as_uri()]
    assert "build" not in editor.text(), "nothing is applied"


def test_ruff_has_a_fix_with_its_edit_and_formats(editor: Editor, ask: Inquirer, write: Write) -> None:
    enable(editor, "pyright", "ruff")
    path = write("a.py", "import os\nx  =  1\n")
    editor.open(write("other.py", ""))
    item = ask.diagnostics(path)
    [unused] = [diagnostic for diagnostic in item["diagnostics"] if diagnostic.get("code") == "F401"]

    actions = ask.ask("textDocument/codeAction", path, 0, 0, range=unused["range"], context={"diagnostics": [unused]})
    [fix] = [action for action in actions if "Remove unused import" in action["title"]]
    assert fix["edit"]
    answer = ask.feature("textDocument/formatting", {"textDocument": {"uri": path.as_uri()}, "options": {}})
    assert answer["providers"] == ["ruff"]
    assert any("x = 1" in edit["newText"] or edit["newText"] == "" for edit in answer["result"])


def test_typescript_language_server_answers_what_it_offers(editor: Editor, ask: Inquirer, write: Write) -> None:
    enable(editor, "typescript")
    write("tsconfig.json", '{"compilerOptions": {"strict": true}}')
    shapes = write(
        "shapes.ts",
        "export interface Shape { area(): number }\nexport class Box implements Shape {\n  area() { return 1 }\n}\n",
    )
    use = write(
        "use.ts",
        "import { Box } from './shapes'\n\nexport function total() { return new Box().area() }\nconst n: string = 1\n",
    )
    editor.open(use)
    assert [error for error in ask.errors(use) if error.startswith("typescript 4:") and "not assignable" in error]
    assert ask.places("textDocument/definition", use, 2, 39) == {("shapes.ts", 1)}
    assert ask.places("textDocument/implementation", shapes, 0, 18) == {("shapes.ts", 1)}
    assert ("use.ts", 2) in ask.places("textDocument/references", shapes, 1, 14, **REFERENCES)
    assert "new Box(): Box" in str(ask.ask("textDocument/hover", use, 2, 39))
    assert {symbol["name"] for symbol in ask.ask("textDocument/documentSymbol", shapes, 0, 0)} == {"Shape", "Box"}
    symbols = ask.feature("workspace/symbol", {"query": "Box"})["result"]
    assert {place(symbol["location"]) for symbol in symbols} >= {("shapes.ts", 1)}
    [item] = ask.ask("textDocument/prepareCallHierarchy", use, 2, 17)
    outgoing = ask.feature("callHierarchy/outgoingCalls", {"item": item})["result"]
    assert "area" in {call["to"]["name"] for call in outgoing}
    edit = ask.ask("textDocument/rename", shapes, 1, 14, newName="Crate")
    assert {Path(uri).name for uri in edit["changes"]} == {"shapes.ts", "use.ts"}
    editor.lua("vim.api.nvim_buf_set_lines(0, 3, 4, true, { '' })")
    assert ask.errors(use) == [], "it names no version, and has answered as often as it was told of a text"


def test_clangd_answers_what_it_offers(editor: Editor, ask: Inquirer, write: Write) -> None:
    enable(editor, "clangd")
    path = write("a.c", "int   twice(int x) { return 2 * x; }\nint main(void) { return twice(wrong); }\n")
    editor.open(path)
    assert [error for error in ask.errors(path) if error.startswith("clang 2:") and "wrong" in error]
    assert ask.places("textDocument/definition", path, 1, 26) == {("a.c", 0)}
    assert ask.places("textDocument/references", path, 0, 7, **REFERENCES) == {("a.c", 0), ("a.c", 1)}
    assert "twice" in str(ask.ask("textDocument/hover", path, 1, 26))
    assert [symbol["name"] for symbol in ask.ask("textDocument/documentSymbol", path, 0, 0)] == ["twice", "main"]
    edit = ask.ask("textDocument/rename", path, 0, 7, newName="double_of")
    assert list(edit["changes"]) == [path.as_uri()]
    edits = ask.ask("textDocument/formatting", path, 0, 0, options={})
    assert [edit["newText"] for edit in edits] == [" "]


def test_bash_language_server_answers_what_it_offers(editor: Editor, ask: Inquirer, write: Write) -> None:
    enable(editor, "bash")
    path = write("a.sh", "greet() {\n  echo hi\n}\n\ngreet\n")
    editor.open(path)
    assert ask.errors(path) == []
    assert ask.places("textDocument/definition", path, 4, 2) == {("a.sh", 0)}
    assert ask.places("textDocument/references", path, 0, 2, **REFERENCES) == {("a.sh", 0), ("a.sh", 4)}
    assert [symbol["name"] for symbol in ask.ask("textDocument/documentSymbol", path, 0, 0)] == ["greet"]
