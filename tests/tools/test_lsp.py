from pathlib import Path
from typing import Any

import pytest

from corpus_support import corpus
from fake_editor.memory import MemoryPeer
from fake_editor.profiles import VSCODE
from language_server_support.no_features import NoFeatures
from placet.core.errors import EditConflict, InvalidArguments, PermissionDenied, ToolError
from placet.core.ports import Diagnostic, DiagnosticsReport, FeatureAnswer
from placet.frontends.lsp.ports.features import LspFeatures
from placet.tools import read
from placet.tools.lsp import TOOL
from tools_support.workbench import Workbench


class PlayedFeatures(NoFeatures):
    """Language servers that answer by the method, and keep what they were asked."""

    def __init__(self, **answers: Any) -> None:
        self.answers = {method.replace("__", "/"): answer for method, answer in answers.items()}
        self.asked: list[tuple[str, Any]] = []

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
    return (await bench.run(TOOL, operation=operation, **arguments)).output.removesuffix("\n\n(From played.)")


@corpus(
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


@corpus(
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


@corpus(
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


@corpus(
    ("status", "message"), [("noProvider", "No language server"), ("loading", "still reading"), ("timeout", "in time")]
)
async def test_no_answer_is_an_error_rather_than_no_result(
    bench: Workbench, file: Path, status: Any, message: str
) -> None:
    features = PlayedFeatures(textDocument__hover=FeatureAnswer(status))
    with pytest.raises(ToolError, match=message):
        await ask(bench, "hover", features, filePath=str(file), line=1, character=1)


async def test_an_empty_answer_says_that_there_is_nothing(bench: Workbench, file: Path) -> None:
    features = PlayedFeatures(textDocument__references=None)
    output = await ask(bench, "findReferences", features, filePath=str(file), line=1, character=1)
    assert output == "findReferences: the language server knows of none here."


async def test_an_answer_that_is_not_as_lsp_has_it_is_an_error(bench: Workbench, file: Path) -> None:
    features = PlayedFeatures(textDocument__documentSymbol=[{"name": "no place"}])
    with pytest.raises(ToolError, match="not as LSP has it"):
        await ask(bench, "documentSymbol", features, filePath=str(file))


@corpus(
    ("arguments", "message"),
    [
        ({"operation": "hover", "filePath": "a.py"}, "hover needs `line` and `character`"),
        ({"operation": "documentSymbol"}, "documentSymbol needs `filePath`"),
        ({"operation": "workspaceSymbol"}, "workspaceSymbol needs `query`"),
        ({"operation": "hover", "filePath": "a.py", "line": 0, "character": 1}, "line"),
        ({"operation": "dance"}, "operation"),
    ],
)
async def test_what_an_operation_needs_is_said(bench: Workbench, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidArguments, match=message):
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
    assert result.output == "src/app.py:4:18: return '😀' + name\n\n(From fake.)"


async def test_the_answer_says_who_gave_it_and_when_it_is_only_nearly_right(bench: Workbench, file: Path) -> None:
    bench.features = PlayedFeatures(textDocument__definition=at(file, 2, 4))
    result = await bench.run(TOOL, operation="goToDefinition", filePath=str(file), line=1, character=1)
    assert result.output.endswith("\n\n(From played.)")
    assert result.metadata["providers"] == ["played"]
    nearly = FeatureAnswer("ok", at(file, 2, 4), ("tree-sitter",), is_approximate=True)
    bench.features = PlayedFeatures(textDocument__definition=nearly)
    result = await bench.run(TOOL, operation="goToDefinition", filePath=str(file), line=1, character=1)
    assert "(By name only, from tree-sitter: some may be missing" in result.output


async def test_a_signature_is_shown_with_the_active_one_first(bench: Workbench, file: Path) -> None:
    signatures = [{"label": "f()"}, {"label": "f(x: int)", "documentation": "Adds."}]
    features = PlayedFeatures(textDocument__signatureHelp={"signatures": signatures, "activeSignature": 1})
    assert await ask(bench, "signatureHelp", features, filePath=str(file), line=3, character=5) == (
        "f(x: int)\nAdds.\n\nf()"
    )


def span(line: int, start: int, end: int, new: str) -> dict[str, Any]:
    return {
        "range": {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}},
        "newText": new,
    }


async def test_a_rename_over_files_is_one_change_that_is_asked_for(bench: Workbench, file: Path) -> None:
    other = bench.write("src/use.py", "from app import greet\n")
    edit = {"changes": {file.as_uri(): [span(2, 4, 9, "hail")], other.as_uri(): [span(0, 16, 21, "hail")]}}
    bench.features = PlayedFeatures(textDocument__rename=edit)
    result = await bench.run(TOOL, operation="rename", filePath="src/app.py", line=3, character=5, newName="hail")
    assert "def hail(name)" in file.read_text("utf-8")
    assert other.read_text("utf-8") == "from app import hail\n"
    [request] = [entry for entry in bench.user.requests if entry.permission == "edit"]
    assert request.change is not None
    assert [entry.path for entry in request.change.files] == [file, other]
    assert "Changed src/app.py (+1 -1)." in result.output


async def test_a_rename_of_text_that_moved_on_meanwhile_changes_nothing(bench: Workbench, file: Path) -> None:
    class Slow(PlayedFeatures):
        async def request(self, method: str, params: Any, *, timeout_seconds: float = 5.0) -> FeatureAnswer:
            bench.documents.type(file, "typed\n")
            return await super().request(method, params)

    bench.features = Slow(textDocument__rename={"changes": {file.as_uri(): [span(0, 0, 6, "x")]}})
    with pytest.raises(EditConflict, match="changed while"):
        await bench.run(TOOL, operation="rename", filePath="src/app.py", line=1, character=1, newName="x")
    stale = {
        "documentChanges": [{"textDocument": {"uri": file.as_uri(), "version": -1}, "edits": [span(0, 0, 6, "x")]}]
    }
    bench.features = PlayedFeatures(textDocument__rename=stale)
    with pytest.raises(EditConflict, match="changed while"):
        await bench.run(TOOL, operation="rename", filePath="src/app.py", line=1, character=1, newName="x")


async def test_code_actions_are_listed_then_applied_by_their_title(bench: Workbench, file: Path) -> None:
    actions = [
        {
            "title": "Remove unused import",
            "kind": "quickfix",
            "edit": {"changes": {file.as_uri(): [span(0, 0, 9, "")]}},
        },
        {"title": "Run tests", "command": {"title": "Run tests", "command": "run"}},
    ]
    bench.features = PlayedFeatures(textDocument__codeAction=actions)
    listed = await bench.run(TOOL, operation="codeAction", filePath="src/app.py", line=1)
    assert "- Remove unused import\n- Run tests (a command; cannot be applied)" in listed.output
    await bench.run(TOOL, operation="codeAction", filePath="src/app.py", line=1, action="Remove unused import")
    assert file.read_text("utf-8").startswith("\n\ndef greet")
    for action, message in (
        ("Run tests", "it is not run"),
        ("Dance", "Those there are: `Remove unused import`; `Run tests`"),
    ):
        with pytest.raises(ToolError, match=message):
            await bench.run(TOOL, operation="codeAction", filePath="src/app.py", line=1, action=action)


async def test_a_format_can_be_kept_to_some_lines(bench: Workbench) -> None:
    file = bench.write("a.py", "a=1\nb=2\nc=3\nd=4\n")
    whole = {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 4, "character": 0}}}
    edits = [{**whole, "newText": "a = 1\nb=2\nc = 3\nd=4\n"}]
    bench.features = PlayedFeatures(textDocument__formatting=edits)
    await bench.run(TOOL, operation="format", filePath="a.py", line=3, endLine=4)
    assert file.read_text("utf-8") == "a=1\nb=2\nc = 3\nd=4\n"
    await bench.run(TOOL, operation="format", filePath="a.py")
    assert file.read_text("utf-8") == "a = 1\nb=2\nc = 3\nd=4\n"
    done = await bench.run(TOOL, operation="format", filePath="a.py")
    assert done.output.startswith("a.py is formatted already.")


async def test_diagnostics_say_whether_they_are_fresh(bench: Workbench, file: Path) -> None:
    class Judge(NoFeatures):
        fresh: frozenset[Path] = frozenset()
        unserved: frozenset[Path] = frozenset()

        async def diagnostics(
            self, paths: Any, *, after: Any = None, timeout_seconds: float = 3.0
        ) -> DiagnosticsReport:
            diagnostics_found = (
                Diagnostic(file, 2, 4, 2, 9, 2, "poor", "judge"),
                Diagnostic(file, 0, 0, 0, 1, 1, "bad", "judge"),
            )
            return DiagnosticsReport(diagnostics_found, self.fresh, "judge", unserved=self.unserved)

    bench.features = judge = Judge()
    asked = {"operation": "diagnostics", "filePath": "src/app.py"}
    assert "may be outdated" in (await bench.run(TOOL, **asked)).output
    judge.fresh = frozenset([file])
    assert (await bench.run(TOOL, **asked)).output == (
        "src/app.py:1:1: error: bad (judge)\nsrc/app.py:3:5: warning: poor (judge)\n(Fresh.)\n(From judge.)"
    )
    judge.unserved = frozenset([file])
    with pytest.raises(ToolError, match="Nobody here judges"):
        await bench.run(TOOL, **asked)


async def test_a_file_that_reading_asks_about_is_asked_for_by_its_names(bench: Workbench) -> None:
    bench.write(".env", "SECRET=1\n")
    (bench.root / "notes.txt").symlink_to(".env")
    features = PlayedFeatures(textDocument__documentSymbol=[], textDocument__hover=None)
    await ask(bench, "documentSymbol", features, filePath="notes.txt")
    await ask(bench, "hover", features, filePath=".env", line=1, character=1)
    assert bench.user.asked == [("read", ("notes.txt", ".env")), ("read", (".env",))]
    bench.permission = {"read": {".env": "deny"}}
    for operation in ("documentSymbol", "diagnostics"):
        with pytest.raises(PermissionDenied):
            await ask(bench, operation, features, filePath="notes.txt")


async def test_places_in_what_may_not_be_read_are_not_named(bench: Workbench, file: Path) -> None:
    bench.permission = {"read": {"secrets/*": "deny"}}
    secret = bench.write("secrets/key.py", "def greet(): ...\n")
    (bench.root / "s").symlink_to("secrets")
    places = [at(secret, 0, 4), at(bench.root / "s/key.py", 0, 4), at(file, 2, 4)]
    features = PlayedFeatures(
        textDocument__references=places,
        workspace__symbol=[{"name": "greet", "kind": 12, "location": place} for place in places],
    )
    lines = await ask(bench, "findReferences", features, filePath="src/app.py", line=3, character=5)
    assert lines == "src/app.py:3:5: def greet(name):"
    assert await ask(bench, "workspaceSymbol", features, query="greet") == "src/app.py:3:5: function greet"


async def test_a_rename_tells_of_the_folders_in_which_nothing_is_renamed(bench: Workbench, file: Path) -> None:
    other = bench.root.parent / "other"
    other.mkdir()
    edit = {"changes": {file.as_uri(): [span(2, 4, 9, "hail")]}}
    bench.features = PlayedFeatures(textDocument__rename=edit)
    arguments: dict[str, Any] = {"operation": "rename", "filePath": "src/app.py", "line": 3, "character": 5}
    await bench.run(read.TOOL, filePath="src/app.py")
    bench.folders = [other]
    output = (await bench.run(TOOL, **arguments, newName="hail")).output
    assert output.endswith(f"(Nothing is renamed in {other}, which the server may not know. Look there with grep.)")
