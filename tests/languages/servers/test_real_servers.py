"""Real language servers, started by Placet itself: each is asked what it offers, of texts on disk and on screen."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from language_server_support import SHAPES, USE, environment, place
from placet.core.ports import Document
from placet.languages.lsp_diagnostics import to_lsp
from placet.languages.servers.features import ServerFeatures
from placet.languages.servers.pool import ServerPool
from placet.project.files.disk import DiskDocuments
from placet.project.paths import from_uri
from placet.settings import LanguageSettings, ServerSettings
from placet.text.workspace_edit import planned_files, touched_uris

PATIENT = 100.0
"""Seconds: a server has to start, on a machine that others use."""


class Screen(DiskDocuments):
    """The disk, with documents open on top of it."""

    def __init__(self) -> None:
        super().__init__()
        self.open: dict[Path, Document] = {}

    def type(self, path: Path, text: str) -> None:
        self.open[path] = Document(path, text, source="buffer", version=1, dirty=True)

    async def read(self, path: Path) -> Document:
        return self.open.get(path) or await super().read(path)

    async def unsaved(self) -> list[Document]:
        return list(self.open.values())


class Servers:
    """Own servers over a directory, and short ways to ask them."""

    def __init__(self, root: Path, settings: LanguageSettings) -> None:
        self.root = root
        self.screen = Screen()
        self.features = ServerFeatures(self.screen, ServerPool(settings, [root], environment()))

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.write_text(text, "utf-8")
        return path

    async def errors(self, path: Path) -> list[str]:
        """What the servers say of the text as it is: `Source 3: message`, lines from 1."""
        report = await self.features.diagnostics([path], timeout_seconds=PATIENT)
        assert path in report.fresh
        return [f"{error.source} {error.line + 1}: {error.message}" for error in report.diagnostics]

    async def ask(self, method: str, path: Path, line: int, character: int, **more: Any) -> Any:
        """The answer for a place, counted from 0."""
        place = {"textDocument": {"uri": path.as_uri()}, "position": {"line": line, "character": character}}
        answer = await self.features.request(method, {**place, **more}, timeout_seconds=PATIENT)
        assert answer.status == "ok", (method, answer)
        return answer.result

    async def places(self, method: str, path: Path, line: int, character: int, **more: Any) -> set[tuple[str, int]]:
        """Names of files and lines (from 0)."""
        return {place(item) for item in await self.ask(method, path, line, character, **more)}


@pytest.fixture
async def servers(tmp_path: Path) -> AsyncGenerator[Servers, None]:
    rivals = {"basedpyright": ServerSettings(enabled=False)}
    made = Servers(tmp_path, LanguageSettings(own=True, servers=rivals))
    yield made
    await made.features.close()


async def test_pyright_and_ruff_judge_one_buffer_together(servers: Servers) -> None:
    path = servers.write("a.py", "x: int = 1\n")
    servers.screen.type(path, "import os\n\nx: int = 'text'\n")
    errors = await servers.errors(path)
    assert [error for error in errors if error.startswith("Pyright 3:") and '"int"' in error]
    assert [error for error in errors if error.startswith("Ruff 1: `os` imported but unused")]
    servers.screen.type(path, "x: int = 2\n")
    assert await servers.errors(path) == []


async def test_pyright_answers_all_nine_operations(servers: Servers) -> None:
    shapes = servers.write("shapes.py", SHAPES)
    use = servers.write("use.py", USE)
    await servers.errors(use)
    assert await servers.places("textDocument/definition", use, 4, 13) == {("shapes.py", 5)}
    assert await servers.places("textDocument/typeDefinition", use, 5, 19) == {("shapes.py", 0)}
    references = {"context": {"includeDeclaration": True}}
    places = await servers.places("textDocument/references", shapes, 5, 5, **references)
    assert places == {("shapes.py", 5), ("use.py", 0), ("use.py", 4)}
    assert "make" in str(await servers.ask("textDocument/hover", use, 4, 13))
    symbols = await servers.ask("textDocument/documentSymbol", shapes, 0, 0)
    assert [item["name"] for item in symbols] == ["Shape", "make"]
    answer = await servers.features.request("workspace/symbol", {"query": "make"}, timeout_seconds=PATIENT)
    assert {place(item["location"]) for item in answer.result} >= {("shapes.py", 5)}
    [item] = await servers.ask("textDocument/prepareCallHierarchy", shapes, 5, 5)
    incoming = await servers.features.request("callHierarchy/incomingCalls", {"item": item}, timeout_seconds=PATIENT)
    assert [item["from"]["name"] for item in incoming.result] == ["total"]
    [caller] = await servers.ask("textDocument/prepareCallHierarchy", use, 3, 5)
    outgoing = await servers.features.request("callHierarchy/outgoingCalls", {"item": caller}, timeout_seconds=PATIENT)
    assert "make" in {item["to"]["name"] for item in outgoing.result}
    assert await servers.ask("textDocument/signatureHelp", use, 5, 17)


async def test_pyright_renames_over_an_unsaved_buffer_and_closed_files(servers: Servers) -> None:
    shapes = servers.write("shapes.py", "def make() -> int:\n    return 1\n")
    use = servers.write("use.py", "from shapes import make\n\nmake()\n")
    servers.screen.type(shapes, "# typed\ndef make() -> int:\n    return 1\n")
    await servers.errors(use)
    edit = await servers.ask("textDocument/rename", shapes, 1, 5, newName="build")
    texts = {uri: (await servers.screen.read(path)).text for uri in touched_uris(edit) if (path := from_uri(uri))}
    planned = {file.path.name: file.new_text for file in planned_files(edit, texts, from_uri)}
    assert planned == {
        "shapes.py": "# typed\ndef build() -> int:\n    return 1\n",
        "use.py": "from shapes import build\n\nbuild()\n",
    }


async def test_ruff_has_a_fix_with_its_edit_and_formats(servers: Servers) -> None:
    path = servers.write("a.py", "import os\nx  =  1\n")
    report = await servers.features.diagnostics([path], timeout_seconds=PATIENT)
    [unused] = [item for item in report.diagnostics if "imported but unused" in item.message]
    wrong = to_lsp(unused, lambda _path, _line, column: column)
    actions = await servers.ask(
        "textDocument/codeAction", path, 0, 0, range=wrong["range"], context={"diagnostics": [wrong]}
    )
    [fix] = [item for item in actions if "Remove unused import" in item["title"]]
    assert fix["edit"]
    options = {"tabSize": 4, "insertSpaces": True}
    edits = await servers.ask("textDocument/formatting", path, 0, 0, options=options)
    assert any("x = 1" in item["newText"] or item["newText"] == "" for item in edits)


async def test_typescript_language_server_answers_what_it_offers(servers: Servers) -> None:
    servers.write("tsconfig.json", '{"compilerOptions": {"strict": true}}')
    shapes = servers.write(
        "shapes.ts",
        "export interface Shape { area(): number }\nexport class Box implements Shape {\n  area() { return 1 }\n}\n",
    )
    use = servers.write(
        "use.ts",
        "import { Box } from './shapes'\n\nexport function total() { return new Box().area() }\nconst n: string = 1\n",
    )
    assert [item for item in await servers.errors(use) if item.startswith("typescript 4:") and "not assignable" in item]
    assert await servers.places("textDocument/definition", use, 2, 39) == {("shapes.ts", 1)}
    assert await servers.places("textDocument/implementation", shapes, 0, 18) == {("shapes.ts", 1)}
    references = {"context": {"includeDeclaration": True}}
    assert ("use.ts", 2) in await servers.places("textDocument/references", shapes, 1, 14, **references)
    assert "new Box(): Box" in str(await servers.ask("textDocument/hover", use, 2, 39))
    symbols = await servers.ask("textDocument/documentSymbol", shapes, 0, 0)
    assert {item["name"] for item in symbols} == {"Shape", "Box"}
    answer = await servers.features.request("workspace/symbol", {"query": "Box"}, timeout_seconds=PATIENT)
    assert {place(item["location"]) for item in answer.result} >= {("shapes.ts", 1)}
    [item] = await servers.ask("textDocument/prepareCallHierarchy", use, 2, 17)
    outgoing = await servers.features.request("callHierarchy/outgoingCalls", {"item": item}, timeout_seconds=PATIENT)
    assert "area" in {item["to"]["name"] for item in outgoing.result}
    edit = await servers.ask("textDocument/rename", shapes, 1, 14, newName="Crate")
    assert {uri.rpartition("/")[2] for uri in touched_uris(edit)} == {"shapes.ts", "use.ts"}


async def test_clangd_answers_what_it_offers(servers: Servers) -> None:
    path = servers.write("a.c", "int   twice(int x) { return 2 * x; }\nint main(void) { return twice(wrong); }\n")
    assert [item for item in await servers.errors(path) if item.startswith("clang 2:") and "wrong" in item]
    assert await servers.places("textDocument/definition", path, 1, 26) == {("a.c", 0)}
    assert await servers.places("textDocument/references", path, 0, 7, context={"includeDeclaration": True}) == {
        ("a.c", 0),
        ("a.c", 1),
    }
    assert "twice" in str(await servers.ask("textDocument/hover", path, 1, 26))
    symbols = await servers.ask("textDocument/documentSymbol", path, 0, 0)
    assert [item["name"] for item in symbols] == ["twice", "main"]
    edit = await servers.ask("textDocument/rename", path, 0, 7, newName="double_of")
    assert touched_uris(edit) == [path.as_uri()]
    edits = await servers.ask("textDocument/formatting", path, 0, 0, options={"tabSize": 2, "insertSpaces": True})
    assert [item["newText"] for item in edits] == [" "]


async def test_bash_language_server_answers_what_it_offers(servers: Servers) -> None:
    path = servers.write("a.sh", "greet() {\n  echo hi\n}\n\ngreet\n")
    await servers.errors(path)
    assert await servers.places("textDocument/definition", path, 4, 2) == {("a.sh", 0)}
    places = await servers.places("textDocument/references", path, 0, 2, context={"includeDeclaration": True})
    assert places == {("a.sh", 0), ("a.sh", 4)}
    symbols = await servers.ask("textDocument/documentSymbol", path, 0, 0)
    assert [item["name"] for item in symbols] == ["greet"]
