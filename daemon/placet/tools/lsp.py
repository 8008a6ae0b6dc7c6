"""Ask the user's language servers about a place or a name: definitions, references, symbols, calls, hover."""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from placet.edits.lines import split_lines
from placet.edits.positions import character_at
from placet.errors import ToolError
from placet.messages import JsonObject
from placet.tools.access import ask_outside
from placet.tools.define import AgentView, Arguments, Definition, ToolContext, ToolResult, define_tool
from placet.tools.lsp_results import Places, hover_text, objects, outline
from placet.tools.texts import text_for

TIMEOUT_SECONDS = 10.0

Operation = Literal[
    "goToDefinition",
    "findReferences",
    "hover",
    "documentSymbol",
    "workspaceSymbol",
    "goToImplementation",
    "prepareCallHierarchy",
    "incomingCalls",
    "outgoingCalls",
]


class LspArguments(Arguments):
    operation: Operation = Field(description="What to ask.")
    file_path: str = Field(default="", description="The file (all operations but workspaceSymbol).")
    line: int | None = Field(default=None, ge=1, description="The line of the name, counted from 1.")
    character: int | None = Field(default=None, ge=1, description="The column of the name, counted from 1.")
    query: str = Field(default="", description="What to look for (workspaceSymbol): a name or a part of one.")

    @model_validator(mode="after")
    def _complete(self) -> "LspArguments":
        if self.operation == "workspaceSymbol":
            if not self.query:
                raise ValueError("workspaceSymbol needs `query`")
        elif not self.file_path:
            raise ValueError(f"{self.operation} needs `filePath`")
        elif self.operation != "documentSymbol" and (self.line is None or self.character is None):
            raise ValueError(f"{self.operation} needs `line` and `character`")
        return self

    @property
    def title(self) -> str:
        place = self.query or self.file_path
        return f"{self.operation} {place}" + (f":{self.line}:{self.character}" if self.line and not self.query else "")


async def execute(arguments: LspArguments, context: ToolContext) -> ToolResult:
    context.metadata(title=arguments.title, metadata={"operation": arguments.operation})
    path = context.workspace.resolve(arguments.file_path) if arguments.file_path else None
    if path is not None:
        await ask_outside(context, [path])
    await context.ask("lsp", ["*"], always=["*"], title=f"Ask the language server: {arguments.title}")
    places = Places(context)
    try:
        text, count = await _OPERATIONS[arguments.operation](arguments, path, context, places)
    except (KeyError, TypeError, ValueError) as error:
        raise ToolError("The language server's answer is not as LSP has it. Use grep and read instead.") from error
    return ToolResult(
        title=arguments.title,
        output=text or f"{arguments.operation}: the language server knows of none here.",
        metadata={"operation": arguments.operation, "count": count},
    )


Told = tuple[str, int]
"""The text for the model, and how many results there were."""


async def _locations(
    method: str, arguments: LspArguments, path: Path | None, context: ToolContext, places: Places
) -> Told:
    params = await _at(arguments, path, context)
    if method == "textDocument/references":
        params = {**params, "context": {"includeDeclaration": True}}
    found = places.locations(await _request(context, method, params))
    return await places.lines(found), len(found)


async def _hover(arguments: LspArguments, path: Path | None, context: ToolContext, places: Places) -> Told:
    text = hover_text(await _request(context, "textDocument/hover", await _at(arguments, path, context)))
    return text, int(bool(text))


async def _document_symbols(arguments: LspArguments, path: Path | None, context: ToolContext, places: Places) -> Told:
    params = {"textDocument": {"uri": _needed(path).as_uri()}}
    await context.documents.read(_needed(path))
    symbols = objects(await _request(context, "textDocument/documentSymbol", params))
    lines = outline(symbols)
    return places.capped(lines), len(lines)


async def _workspace_symbols(arguments: LspArguments, path: Path | None, context: ToolContext, places: Places) -> Told:
    symbols = objects(await _request(context, "workspace/symbol", {"query": arguments.query}))
    return await places.symbols(symbols), len(symbols)


async def _calls(
    method: str | None, arguments: LspArguments, path: Path | None, context: ToolContext, places: Places
) -> Told:
    """The items at the place, or (in one step) who calls them, or what they call."""
    prepared = await _request(context, "textDocument/prepareCallHierarchy", await _at(arguments, path, context))
    items = objects(prepared)
    if method is None:
        return await places.symbols(items), len(items)
    calls = [call for item in items for call in objects(await _request(context, method, {"item": item}))]
    others = [call["from" if method.endswith("incomingCalls") else "to"] for call in calls]
    return await places.symbols(others), len(others)


async def _request(context: ToolContext, method: str, params: JsonObject) -> Any:
    """The result. Raises ToolError when there is nobody to answer, rather than an empty answer that misleads."""
    answer = await context.features.request(method, params, timeout_seconds=TIMEOUT_SECONDS)
    match answer.status:
        case "ok":
            return answer.result
        case "noProvider":
            raise ToolError(f"No language server here answers {method}. Use grep and read instead.")
        case "loading":
            raise ToolError("The language server is still reading the project. Try again in a while, or use grep.")
        case "timeout":
            raise ToolError(f"The language server did not answer {method} in time. Try again, or use grep.")


async def _at(arguments: LspArguments, path: Path | None, context: ToolContext) -> JsonObject:
    """LSP's position params: 0-based, in UTF-16 as the port has it. Raises ToolError for a line that is not there."""
    path = _needed(path)
    line, column = (arguments.line or 1) - 1, (arguments.character or 1) - 1
    lines = split_lines((await context.documents.read(path)).text)
    if line >= max(len(lines), 1):
        raise ToolError(f"{context.workspace.relative(path)} has {len(lines)} lines; there is no line {line + 1}.")
    text = lines[line].rstrip("\r\n") if lines else ""
    position = {"line": line, "character": character_at(text, column, "utf-16")}
    return {"textDocument": {"uri": path.as_uri()}, "position": position}


def _needed(path: Path | None) -> Path:
    assert path is not None, "the arguments were validated"
    return path


Ask = Callable[[LspArguments, Path | None, ToolContext, Places], Awaitable[Told]]


def _with(function: Callable[..., Awaitable[Told]], method: str | None) -> Ask:
    return lambda arguments, path, context, places: function(method, arguments, path, context, places)


_OPERATIONS: Mapping[Operation, Ask] = {
    "goToDefinition": _with(_locations, "textDocument/definition"),
    "goToImplementation": _with(_locations, "textDocument/implementation"),
    "findReferences": _with(_locations, "textDocument/references"),
    "hover": _hover,
    "documentSymbol": _document_symbols,
    "workspaceSymbol": _workspace_symbols,
    "prepareCallHierarchy": _with(_calls, None),
    "incomingCalls": _with(_calls, "callHierarchy/incomingCalls"),
    "outgoingCalls": _with(_calls, "callHierarchy/outgoingCalls"),
}


def _lacks(agent: AgentView) -> str:
    return "" if agent.settings.experimental.lsp_tool else "Set `experimental.lspTool` to true to have it."


TOOL = define_tool("lsp", Definition(text_for("lsp"), LspArguments, execute, concurrent=True), lacks=_lacks)
