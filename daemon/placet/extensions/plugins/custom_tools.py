"""Tools written as functions in a file or a plugin: every call goes to the extension's process and back."""

import re
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

from placet.core.errors import InvalidArguments, PlacetError, ToolError
from placet.core.executor import in_thread
from placet.core.messages import FilePart, JsonObject
from placet.core.values import replace
from placet.core.visible_text import quoted, shown_input
from placet.extensions.plugins.errors import Ended, Failed
from placet.extensions.plugins.loading import Life, Loaded
from placet.extensions.plugins.process import ExtensionProcess
from placet.extensions.plugins.sources import Entry
from placet.permissions.ask import Ask
from placet.project.git.repository import repository_of
from placet.tools import edit, write
from placet.tools.framework.access import ask_outside, names_of, only_themselves
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import BEGAN, AgentView, Tool, ToolResult, define_by_schema
from placet.tools.framework.schema import inline_schema

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MAIN = ("default", "execute")
"""Function names, beside the file's own name, for which the tool has the file's name alone."""
_OF_PLACET = frozenset(("truncated", "outputPath", "originalSize", "truncatedSize"))
"""Metadata that Placet sets, whatever the tool says."""
_MOST_ATTACHED_CHARACTERS = 20_000_000

ProcessOf = Callable[[str, str], Awaitable[ExtensionProcess | None]]
"""Function that returns the process with the tool of this id and key now; a turn's call may find a new process."""


def tool_id(entry: Entry, name: str) -> str:
    """Return `file` or `file_name`, as in OpenCode; a plugin's tool has its own name."""
    if entry.kind != "tool":
        return name
    return entry.name if name in (*_MAIN, entry.name) else f"{entry.name}_{name}"


def tools_of(life: Life, process_of: ProcessOf) -> Iterator[Tool]:
    """Yield the present tools, and for each broken file of tools a tool that is unavailable and gives the reason."""
    for loaded in life.loaded:
        for definition in loaded.tools:
            yield _tool(loaded, definition, process_of)
    for entry, reason in life.broken:
        if entry.kind == "tool":
            yield _broken(entry, reason)


def is_fit(id: str) -> bool:
    """Return whether models accept the id as a tool's name."""
    return _NAME.fullmatch(id) is not None


def _tool(loaded: Loaded, definition: JsonObject, process_of: ProcessOf) -> Tool:
    id, key = tool_id(loaded.entry, definition["name"]), definition["key"]

    async def execute(arguments: JsonObject, context: ToolContext) -> ToolResult:
        title = _title(id, arguments)
        await context.ask(Ask(id, ("*",), always=("*",), title=f"Run the tool {id}", arguments=shown_input(arguments)))
        process = await process_of(id, key)
        if process is None:
            raise ToolError(f"The tool {id} is not there any more, as its file has changed. Do without it.")
        return await _call(process, id, key, arguments, context, title)

    return define_by_schema(
        id,
        description=definition["description"] or f"The tool {id}.",
        schema=inline_schema(definition["schema"]),
        execute=execute,
        source=loaded.entry.source,
    )


def _broken(entry: Entry, reason: str) -> Tool:
    async def execute(arguments: JsonObject, context: ToolContext) -> ToolResult:
        raise ToolError(f"The tool {entry.name} cannot be used: {reason}")

    tool = define_by_schema(
        entry.name,
        description="",
        schema={"type": "object", "properties": {}},
        execute=execute,
        source=entry.source,
    )

    def lacks(agent: AgentView) -> str:
        return f"Its file is left out: {reason}"

    return replace(tool, lacks=lacks)


async def _call(
    process: ExtensionProcess, id: str, key: str, arguments: JsonObject, context: ToolContext, title: str
) -> ToolResult:
    def tell(progress: JsonObject) -> None:
        metadata = progress.get("metadata")
        context.metadata(title=progress.get("title"), metadata=None if metadata is None else {**metadata, BEGAN: True})

    async def serve(request: str, values: JsonObject) -> Any:
        return await _serve(request, values, id, context)

    order = {"do": "call", "tool": key, "arguments": arguments, "facts": await _facts(context)}
    context.metadata(title=title, metadata={BEGAN: True})
    try:
        return _result(await process.request(order, serve=serve, tell=tell), title)
    except InvalidArguments as error:
        raise InvalidArguments(
            f"The {id} tool was called with invalid arguments: {error}\n"
            "Please rewrite the input so it satisfies the expected schema."
        ) from error
    except Ended as error:
        raise ToolError(f"The tool {id} did not end: {error} What it had done by then is done.") from error
    except Failed as error:
        raise ToolError(f"The tool {id} failed: {error}") from error


async def _facts(context: ToolContext) -> JsonObject:
    directory = context.workspace.root
    repository = await in_thread(repository_of, directory)
    return {
        "session": context.caller.session_id,
        "message": context.caller.message_id,
        "call": context.caller.call_id,
        "agent": context.agent,
        "model": context.model,
        "directory": str(directory),
        "worktree": str(directory if repository is None else repository.top),
    }


async def _serve(request: str, values: JsonObject, id: str, context: ToolContext) -> Any:
    """Serve a request from a running call, by the same rules as the built-in tools. Raises PlacetError."""
    match request:
        case "ask":
            permission = str(values["permission"] or id)
            patterns = tuple(str(pattern) for pattern in values["patterns"])
            await context.ask(
                Ask(
                    permission,
                    patterns,
                    always=tuple(str(pattern) for pattern in values["always"]),
                    title=f"{permission}: {', '.join(patterns)}",
                    description=quoted(f"The tool {id}", str(values["title"])),
                    arguments=shown_input({"patterns": patterns}),
                )
            )
            return None
        case "read":
            return await _read(context, str(values["path"]))
        case "write":
            arguments = write.WriteArguments(file_path=str(values["path"]), content=str(values["text"]))
            return (await write.execute(arguments, context)).output
        case "edit":
            replaced = edit.EditArguments(
                file_path=str(values["path"]), old_string=str(values["old"]), new_string=str(values["new"])
            )
            return (await edit.execute(replaced, context)).output
        case _:
            raise PlacetError(f"There is nothing like `{request}` to be asked for.")


async def _read(context: ToolContext, name: str) -> str:
    path: Path = context.workspace.resolve(name)
    await ask_outside(context, (path,))
    names = names_of(context.workspace, path)
    await context.ask(Ask("read", tuple(names), only_themselves(names), f"Read {context.workspace.relative(path)}"))
    return (await context.changes.read(path)).text


def _result(answer: JsonObject, title: str) -> ToolResult:
    """Return the checked result of a call."""
    metadata = answer.get("metadata") or {}
    metadata = {name: value for name, value in metadata.items() if name not in _OF_PLACET}
    files = answer.get("attachments") or ()
    if sum(len(file["data"]) for file in files) > _MOST_ATTACHED_CHARACTERS:
        raise ToolError("The tool attached more than 15 MB, which no model takes. Have it attach less.")
    attached = tuple(
        FilePart(uri=f"data:{file['mime']};base64,{file['data']}", mime=file["mime"], name=file["name"] or None)
        for file in files
    )
    return ToolResult(answer.get("title") or title, answer["output"], metadata, attached)


def _title(id: str, arguments: JsonObject) -> str:
    shown = ", ".join(f"{name}: {value}" for name, value in arguments.items()).replace("\n", " ")
    return f"{id}: {shown[:120]}" if shown else id
