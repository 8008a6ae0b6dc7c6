"""Ask the user's language servers about a place or a name, or have them rename, mend and format."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from placet.core.errors import ToolError
from placet.core.messages import JsonObject
from placet.core.values import replace
from placet.permissions.ask import Ask
from placet.tools.framework.access import ask_outside, names_of, only_themselves, reading
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import Arguments, Definition, ToolResult, define_tool
from placet.tools.framework.facts import ToolFacts
from placet.tools.language import changes
from placet.tools.language.results import Places, diagnostics_text, hover_text, objects, outline, signature_text
from placet.tools.language.servers import Servers
from placet.tools.texts import text_for

Operation = Literal[
    "goToDefinition",
    "goToTypeDefinition",
    "goToImplementation",
    "findReferences",
    "hover",
    "signatureHelp",
    "documentSymbol",
    "workspaceSymbol",
    "prepareCallHierarchy",
    "incomingCalls",
    "outgoingCalls",
    "diagnostics",
    "rename",
    "codeAction",
    "format",
]
_WITHOUT_PLACE = ("documentSymbol", "workspaceSymbol", "diagnostics", "codeAction", "format")
_WITHOUT_FILE = ("workspaceSymbol", "diagnostics")


class LspArguments(Arguments):
    operation: Operation = Field(description="What to ask, or to do.")
    file_path: str = Field(default="", description="The file (all operations but workspaceSymbol).")
    line: int | None = Field(default=None, ge=1, description="The line of the name, counted from 1.")
    character: int | None = Field(default=None, ge=1, description="The column of the name, counted from 1.")
    end_line: int | None = Field(default=None, ge=1, description="The last line (codeAction, format).")
    query: str = Field(default="", description="What to look for (workspaceSymbol): a name or a part of one.")
    new_name: str = Field(default="", description="The name to give (rename).")
    action: str = Field(default="", description="The title of the action to apply (codeAction); without it, list them.")

    @model_validator(mode="after")
    def _complete(self) -> "LspArguments":
        if self.operation == "workspaceSymbol" and not self.query:
            raise ValueError("workspaceSymbol needs `query`")
        if self.operation not in _WITHOUT_FILE and not self.file_path:
            raise ValueError(f"{self.operation} needs `filePath`")
        if self.operation not in _WITHOUT_PLACE and (self.line is None or self.character is None):
            raise ValueError(f"{self.operation} needs `line` and `character`")
        if self.operation == "rename" and not self.new_name:
            raise ValueError("rename needs `newName`")
        if self.operation == "codeAction" and self.line is None:
            raise ValueError("codeAction needs `line`")
        return self

    @property
    def title(self) -> str:
        place = self.query or self.file_path
        at = f":{self.line}:{self.character}" if self.line and self.character and not self.query else ""
        return f"{self.operation} {place}{at}".rstrip()


@dataclass(frozen=True, slots=True)
class Inquiry:
    """Single call of the tool."""

    arguments: LspArguments
    context: ToolContext
    servers: Servers
    places: Places
    path: Path | None

    @property
    def file(self) -> Path:
        assert self.path is not None, "the arguments were validated"
        return self.path

    async def at(self) -> JsonObject:
        """Return LSP's params of the place. Raises ToolError for a line beyond the end."""
        return await self.servers.at(self.file, self.arguments.line or 1, self.arguments.character or 1)


async def execute(arguments: LspArguments, context: ToolContext) -> ToolResult:
    context.metadata(title=arguments.title, metadata={"operation": arguments.operation})
    path = context.workspace.resolve(arguments.file_path) if arguments.file_path else None
    if path is not None:
        await ask_outside(context, [path])
        names = names_of(context.workspace, path)
        title = f"Ask a language server about {context.workspace.title(path)}"
        await context.ask(Ask("read", tuple(names), only_themselves(names), title))
    await context.ask(Ask("lsp", ("*",), always=("*",), title=f"Ask the language server: {arguments.title}"))
    inquiry = Inquiry(arguments, context, Servers(context), Places(context), path)
    try:
        if (change := _CHANGES.get(arguments.operation)) is not None:
            return await change(inquiry)
        text, count = await _QUESTIONS[arguments.operation](inquiry)
    except (KeyError, TypeError, ValueError) as error:
        raise ToolError("The language server's answer is not as LSP has it. Use grep and read instead.") from error
    answer = text or f"{arguments.operation}: the language server knows of none here."
    providers = list(inquiry.servers.providers)
    return ToolResult(
        title=arguments.title,
        output="\n\n".join(filter(None, (answer, inquiry.servers.footer))),
        metadata={"operation": arguments.operation, "count": count, "providers": providers},
    )


Told = tuple[str, int]
"""Text for the model, and the number of results."""


def _locations(method: str) -> Callable[[Inquiry], Awaitable[Told]]:
    async def ask(inquiry: Inquiry) -> Told:
        params = await inquiry.at()
        if method == "textDocument/references":
            params = {**params, "context": {"includeDeclaration": True}}
        locations = inquiry.places.locations(await inquiry.servers.ask(method, params))
        return await inquiry.places.lines(locations), len(locations)

    return ask


async def _hover(inquiry: Inquiry) -> Told:
    text = hover_text(await inquiry.servers.ask("textDocument/hover", await inquiry.at()))
    return text, int(bool(text))


async def _signature(inquiry: Inquiry) -> Told:
    text = signature_text(await inquiry.servers.ask("textDocument/signatureHelp", await inquiry.at()))
    return text, int(bool(text))


async def _document_symbols(inquiry: Inquiry) -> Told:
    await inquiry.context.documents.read(inquiry.file)
    params = {"textDocument": {"uri": inquiry.file.as_uri()}}
    lines = outline(objects(await inquiry.servers.ask("textDocument/documentSymbol", params)))
    return inquiry.places.capped(lines), len(lines)


async def _workspace_symbols(inquiry: Inquiry) -> Told:
    symbols = inquiry.places.nameable(await inquiry.servers.ask("workspace/symbol", {"query": inquiry.arguments.query}))
    return await inquiry.places.symbols(symbols), len(symbols)


async def _prepare_calls(inquiry: Inquiry) -> Told:
    items = inquiry.places.nameable(await _call_items(inquiry))
    return await inquiry.places.symbols(items), len(items)


def _calls(method: str, side: str) -> Callable[[Inquiry], Awaitable[Told]]:
    """Return a function that asks for the callers or the callees of the symbol at the place, in one step."""

    async def ask(inquiry: Inquiry) -> Told:
        asked: list[Any] = [await inquiry.servers.ask(method, {"item": item}) for item in await _call_items(inquiry)]
        others = inquiry.places.nameable([call[side] for calls in asked for call in objects(calls)])
        return await inquiry.places.symbols(others), len(others)

    return ask


async def _call_items(inquiry: Inquiry) -> list[JsonObject]:
    return objects(await inquiry.servers.ask("textDocument/prepareCallHierarchy", await inquiry.at()))


async def _diagnostics(inquiry: Inquiry) -> Told:
    """Return the diagnostics of the file, or of all files with diagnostics, and the certainty of the diagnostics."""
    context = inquiry.context
    paths, after = None, None
    if inquiry.path is not None:
        document = await context.documents.read(inquiry.path)
        paths = [inquiry.path]
        after = {inquiry.path: document.version} if document.version is not None else None
    report = await context.features.diagnostics(paths, after=after, timeout_seconds=5.0)
    if paths is None:
        report = replace(
            report,
            diagnostics=tuple(diagnostic for diagnostic in report.diagnostics if _may_read(diagnostic.path, context)),
        )
    if paths is not None and report.unserved:
        name, is_staged = context.workspace.name(paths[0]), paths[0] in await context.changes.staged()
        subject = f"the proposed text of {name}" if is_staged else name
        raise ToolError(f"Nobody here judges {subject}. Run the project's own checker.")
    return diagnostics_text(report, paths, context.workspace), len(report.diagnostics)


def _may_read(path: Path, context: ToolContext) -> bool:
    return reading(context.workspace, path, context.judge) == "allow"


async def _rename(inquiry: Inquiry) -> ToolResult:
    arguments = inquiry.arguments
    place = (inquiry.file, arguments.line or 1, arguments.character or 1)
    return await changes.rename(inquiry.context, inquiry.servers, *place, arguments.new_name)


async def _code_action(inquiry: Inquiry) -> ToolResult:
    """Apply the named action; without a name, list the actions."""
    arguments, context = inquiry.arguments, inquiry.context
    line = arguments.line or 1
    actions = await changes.code_actions(context, inquiry.servers, inquiry.file, line, arguments.end_line or line)
    if arguments.action:
        return await changes.apply_action(context, inquiry.servers, actions, arguments.action)
    lines = [
        f"- {action['title']}" + ("" if "edit" in action else " (a command; cannot be applied)") for action in actions
    ]
    output = "\n".join(lines) or "codeAction: there is none for these lines."
    return ToolResult(
        arguments.title,
        "\n\n".join(filter(None, (output, inquiry.servers.footer))),
        {"operation": arguments.operation, "count": len(actions)},
    )


async def _format(inquiry: Inquiry) -> ToolResult:
    arguments = inquiry.arguments
    lines = (arguments.line, arguments.end_line)
    return await changes.format_lines(inquiry.context, inquiry.servers, inquiry.file, *lines)


_QUESTIONS: Mapping[Operation, Callable[[Inquiry], Awaitable[Told]]] = {
    "goToDefinition": _locations("textDocument/definition"),
    "goToTypeDefinition": _locations("textDocument/typeDefinition"),
    "goToImplementation": _locations("textDocument/implementation"),
    "findReferences": _locations("textDocument/references"),
    "hover": _hover,
    "signatureHelp": _signature,
    "documentSymbol": _document_symbols,
    "workspaceSymbol": _workspace_symbols,
    "prepareCallHierarchy": _prepare_calls,
    "incomingCalls": _calls("callHierarchy/incomingCalls", "from"),
    "outgoingCalls": _calls("callHierarchy/outgoingCalls", "to"),
    "diagnostics": _diagnostics,
}
_CHANGES: Mapping[Operation, Callable[[Inquiry], Awaitable[ToolResult]]] = {
    "rename": _rename,
    "codeAction": _code_action,
    "format": _format,
}


FACTS = ToolFacts("lsp", order=200, kind="search", rule="allow")
TOOL = define_tool(FACTS.name, Definition(text_for("lsp"), LspArguments, execute))
