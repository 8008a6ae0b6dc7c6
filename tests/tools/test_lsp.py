from pathlib import Path
from typing import Any

import pytest

from fake_editor.memory import MemoryPeer
from fake_editor.profiles import VSCODE
from placet.errors import InvalidArguments, PermissionDenied, ToolError
from placet.frontends.lsp.features import LspFeatures
from placet.ports import DiagnosticsReport, FeatureAnswer
from placet.tools.lsp import TOOL
from tools_support.workbench import Workbench


class PlayedFeatures:
    """Language servers that answer by the method, and keep what they were asked."""

    def __init__(self, **answers: Any) -> None:
        self.answers = {method.replace("__", "/"): answer for method, answer in answers.items()}
        self.asked: list[tuple[str, Any]] = []

    async def diagnostics(self, paths: Any, *, after: Any = None, timeout_seconds: float = 3.0) -> DiagnosticsReport:
        return DiagnosticsReport((), frozenset(), "none")

    async def request(self, method: str, params: Any, *, timeout_seconds: float = 5.0) -> FeatureAnswer:
        self.asked.append((method, params))
        answer = self.answers[method]
        return answer if isinstance(answer, FeatureAnswer) else FeatureAnswer("ok", answer, ("played",))


def at(path: Path, line: int, character: int) -> dict[str, Any]:
    start = {"line": line, "character": character}
    return {"uri": path.as_uri(), "range": {"start": start, "end": start}}


@pytest.fixture
def file(bench: Workbench) -> Path:
    return bench.write("src/app.py", "import os\n\ndef greet(name):\n    return '😀' + name\n")


async def ask(bench: Workbench, operation: str, features: PlayedFeatures, **arguments: Any) -> str:
    bench.features = features
    return (await bench.run(TOOL, operation=operation, **arguments)).output


@pytest.mark.parametrize(
    ("operation", "method"),
    [
        ("goToDefinition", "textDocument/definition"),
        ("goToImplementation", "textDocument/implementation"),
        ("findReferences", "textDocument/references"),
    ],
)
async def test_places_come_as_path_line_column_and_text(
    bench: Workbench, file: Path, operation: str, method: str
) -> None:
    features = PlayedFeatures(**{method: [at(file, 3, 18), at(file, 2, 4), at(file, 2, 4)]})
    output = await ask(bench, operation, features, filePath="src/app.py", line=4, character=18)
    assert output == "src/app.py:3:5: def greet(name):\nsrc/app.py:4:18: return '😀' + name"
    [(asked, params)] = features.asked
    assert (asked, params["textDocument"]) == (method, {"uri": file.as_uri()})
    assert params["position"] == {"line": 3, "character": 18}, "in UTF-16, counted from 0, behind a surrogate pair"
    assert ("context" in params) == (operation == "findReferences")


async def test_a_single_location_and_location_links_are_understood(bench: Workbench, file: Path) -> None:
    span = {"start": {"line": 2, "character": 4}, "end": {"line": 2, "character": 9}}
    link = {"targetUri": file.as_uri(), "targetRange": at(file, 0, 0)["range"], "targetSelectionRange": span}
    for result in (at(file, 2, 4), [link]):
        output = await ask(
            bench,
            "goToDefinition",
            PlayedFeatures(textDocument__definition=result),
            filePath="src/app.py",
            line=1,
            character=1,
        )
        assert output == "src/app.py:3:5: def greet(name):"


@pytest.mark.parametrize(
    ("contents", "shown"),
    [
        ({"kind": "markdown", "value": "**int**\n"}, "**int**"),
        ("plain", "plain"),
        ([{"language": "python", "value": "x: int"}, "doc"], "```python\nx: int\n```\n\ndoc"),
    ],
)
async def test_hover_is_text(bench: Workbench, file: Path, contents: Any, shown: str) -> None:
    features = PlayedFeatures(textDocument__hover={"contents": contents})
    assert await ask(bench, "hover", features, filePath=str(file), line=3, character=5) == shown


async def test_the_outline_of_a_file_is_indented(bench: Workbench, file: Path) -> None:
    span = at(file, 2, 0)["range"]
    method = {"name": "run", "kind": 6, "range": span, "selectionRange": span}
    symbols = [{"name": "App", "kind": 5, "range": at(file, 0, 0)["range"], "children": [method]}]
    older = [{"name": "greet", "kind": 12, "location": at(file, 2, 4)}]
    assert (
        await ask(bench, "documentSymbol", PlayedFeatures(textDocument__documentSymbol=symbols), filePath=str(file))
        == "1: class App\n  3: method run"
    )
    assert (
        await ask(bench, "documentSymbol", PlayedFeatures(textDocument__documentSymbol=older), filePath=str(file))
        == "3: function greet"
    )


async def test_workspace_symbols_are_found_by_the_query(bench: Workbench, file: Path) -> None:
    symbols = [
        {"name": "greet", "kind": 12, "location": at(file, 2, 4), "containerName": "app"},
        {"name": "no_range", "kind": 99, "location": {"uri": file.as_uri()}},
    ]
    features = PlayedFeatures(workspace__symbol=symbols)
    output = await ask(bench, "workspaceSymbol", features, query="gre")
    assert features.asked == [("workspace/symbol", {"query": "gre"})]
    assert output == "src/app.py:3:5: function greet in app\nsrc/app.py:1:1: symbol no_range"


@pytest.mark.parametrize(
    ("operation", "method", "side"),
    [("incomingCalls", "callHierarchy/incomingCalls", "from"), ("outgoingCalls", "callHierarchy/outgoingCalls", "to")],
)
async def test_calls_are_prepared_and_asked_in_one_step(
    bench: Workbench, file: Path, operation: str, method: str, side: str
) -> None:
    item = {"name": "greet", "kind": 12, **at(file, 2, 0), "selectionRange": at(file, 2, 4)["range"], "data": {"h": 1}}
    other = {**item, "name": "main", "selectionRange": at(file, 0, 0)["range"]}
    answers = {"textDocument/prepareCallHierarchy": [item], method: [{side: other, "fromRanges": []}]}
    features = PlayedFeatures(**answers)
    output = await ask(bench, operation, features, filePath=str(file), line=3, character=5)
    assert output == "src/app.py:1:1: function main"
    assert features.asked[1] == (method, {"item": item})


async def test_the_function_at_a_place_is_named(bench: Workbench, file: Path) -> None:
    item = {"name": "greet", "kind": 12, **at(file, 2, 0), "selectionRange": at(file, 2, 4)["range"]}
    features = PlayedFeatures(textDocument__prepareCallHierarchy=[item])
    output = await ask(bench, "prepareCallHierarchy", features, filePath=str(file), line=3, character=5)
    assert output == "src/app.py:3:5: function greet"


async def test_many_results_are_capped_and_counted(bench: Workbench) -> None:
    file = bench.write("long.py", "x\n" * 300)
    places = [at(file, line, 0) for line in range(300)]
    features = PlayedFeatures(textDocument__references=places)
    output = await ask(bench, "findReferences", features, filePath="long.py", line=1, character=1)
    assert output.startswith("long.py:1:1: x\nlong.py:2:1: x\n")
    assert output.endswith("(The first 100 of 300.)")


async def test_text_on_screen_is_what_positions_are_counted_on(bench: Workbench, file: Path) -> None:
    bench.documents.type(file, "new\n😀 greet\n")
    features = PlayedFeatures(textDocument__definition=at(file, 1, 3))
    output = await ask(bench, "goToDefinition", features, filePath=str(file), line=2, character=3)
    assert output == "src/app.py:2:3: 😀 greet"
    assert features.asked[0][1]["position"] == {"line": 1, "character": 3}


async def test_what_may_not_be_read_is_named_and_not_shown(bench: Workbench, file: Path, tmp_path: Path) -> None:
    bench.write(".env", "KEY=secret\n")
    outside = tmp_path / "outside.py"
    outside.write_text("secret = 1\n")
    places = [at(bench.root / ".env", 0, 0), at(outside, 0, 0)]
    features = PlayedFeatures(textDocument__definition=places)
    output = await ask(bench, "goToDefinition", features, filePath=str(file), line=1, character=1)
    assert "secret" not in output
    assert ".env:1:1" in output
    assert f"{outside}:1:1" in output


@pytest.mark.parametrize(
    ("status", "told"), [("noProvider", "No language server"), ("loading", "still reading"), ("timeout", "in time")]
)
async def test_no_answer_is_an_error_rather_than_no_result(
    bench: Workbench, file: Path, status: Any, told: str
) -> None:
    features = PlayedFeatures(textDocument__hover=FeatureAnswer(status))
    with pytest.raises(ToolError, match=told):
        await ask(bench, "hover", features, filePath=str(file), line=1, character=1)


async def test_an_empty_answer_says_that_there_is_nothing(bench: Workbench, file: Path) -> None:
    features = PlayedFeatures(textDocument__references=None)
    output = await ask(bench, "findReferences", features, filePath=str(file), line=1, character=1)
    assert output == "findReferences: the language server knows of none here."


async def test_an_answer_that_is_not_as_lsp_has_it_is_an_error(bench: Workbench, file: Path) -> None:
    features = PlayedFeatures(textDocument__documentSymbol=[{"name": "no place"}])
    with pytest.raises(ToolError, match="not as LSP has it"):
        await ask(bench, "documentSymbol", features, filePath=str(file))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"operation": "hover", "filePath": "a.py"}, "hover needs `line` and `character`"),
        ({"operation": "documentSymbol"}, "documentSymbol needs `filePath`"),
        ({"operation": "workspaceSymbol"}, "workspaceSymbol needs `query`"),
        ({"operation": "hover", "filePath": "a.py", "line": 0, "character": 1}, "line"),
        ({"operation": "dance"}, "operation"),
    ],
)
async def test_what_an_operation_needs_is_said(bench: Workbench, arguments: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidArguments, match=told):
        await bench.run(TOOL, **arguments)


async def test_a_line_that_is_not_there_is_an_error(bench: Workbench, file: Path) -> None:
    with pytest.raises(ToolError, match=r"src/app\.py has 4 lines; there is no line 9"):
        await ask(bench, "hover", PlayedFeatures(), filePath=str(file), line=9, character=1)


async def test_a_file_that_is_not_there_is_an_error(bench: Workbench) -> None:
    with pytest.raises(ToolError, match=r"no\.py"):
        await ask(bench, "documentSymbol", PlayedFeatures(), filePath="no.py")


async def test_it_can_be_denied(bench: Workbench, file: Path) -> None:
    bench.permission = {"lsp": "deny"}
    with pytest.raises(PermissionDenied):
        await ask(bench, "hover", PlayedFeatures(), filePath=str(file), line=1, character=1)


async def test_an_editor_answers_in_its_own_encoding(bench: Workbench, file: Path) -> None:
    peer = MemoryPeer(VSCODE, bench.root)
    peer.editor.open(file)
    peer.editor.features["textDocument/definition"] = at(file, 3, 18)
    bench.features = LspFeatures(peer, peer.buffers)
    result = await bench.run(TOOL, operation="goToDefinition", filePath=str(file), line=4, character=18)
    assert result.output == "src/app.py:4:18: return '😀' + name"
