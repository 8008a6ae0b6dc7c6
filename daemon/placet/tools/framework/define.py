"""The framework that every tool stands in: validated arguments, bounded output, one context.

The shape is OpenCode's Tool.define: `define_tool(id, init)` takes a static definition, or an async factory that sees
the agent, and wraps `execute` once, so that no tool repeats the common work.
"""

from collections.abc import Awaitable, Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, Generic, TypeVar, cast

import msgspec
from msgspec import Struct
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from placet.core.errors import InvalidArguments, NobodyToAsk, Rejected, ToolError
from placet.core.executor import in_thread
from placet.core.messages import FilePart, JsonObject
from placet.core.values import replace
from placet.project.git.sign_ins import without_sign_ins
from placet.project.prefixed_directory import Directory
from placet.project.undecodable_names import spelled, spelled_within
from placet.settings import Action, Settings
from placet.tools.framework.context import Judge, ToolContext
from placet.tools.framework.portable_schema import portable_schema
from placet.tools.framework.schema import inline_schema
from placet.tools.framework.truncation import bound_output, fits

BEGAN = "began"
"""Key in the metadata of a call of a foreign tool: the tool may have run, as the question of the call was answered."""
SEARCH = "tool_search"
"""Name of the tool by which the model finds tools of MCP servers, where not all are in the request."""
BYTES_NOTE = "\n\n(In a name, \\xNN is a byte that is not UTF-8. Name such a file as it is spelled here.)"


class Arguments(BaseModel):
    """Arguments of a tool: camelCase as the model writes names, unknown names tolerated."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, extra="ignore")


def _always_ask(permission: str, pattern: str) -> Action:
    return "ask"


def _nothing(agent: "AgentView") -> str:
    return ""


class ToolResult(Struct, frozen=True):
    title: str
    """Single line for the screen."""
    output: str
    """Text for the model."""
    metadata: JsonObject = msgspec.field(default_factory=dict[str, Any])
    """Data for the screen. A tool that sets `truncated` has bounded the output itself."""
    attachments: tuple[FilePart, ...] = ()
    refusal: Rejected | NobodyToAsk | None = None
    """Refusal of all that the call proposed after its work. A rejection without a word ends the turn."""


A = TypeVar("A", bound=Arguments)
Execute = Callable[[A, ToolContext], Awaitable[ToolResult]]


class Definition(Struct, Generic[A], frozen=True):
    """Definition of a tool for one agent, as given by `init`."""

    description: str
    parameters: type[A]
    execute: Execute[A]
    concurrent: bool = False
    """May run beside other concurrent calls of the same answer: reads, never writes."""
    format_validation_error: Callable[[ValidationError], str] | None = None


class AgentView(Struct, frozen=True):
    """View of a tool's factory on the agent that will call the tool."""

    name: str
    may_delegate: bool = False
    """Whether the agent has the `task` tool, so that hints can mention the tool."""
    model: str = ""
    """The model's id, as some were trained on a certain way to edit."""
    settings: Settings = msgspec.field(default_factory=Settings)
    judge: Judge = _always_ask
    skill_directories: tuple[Directory, ...] = ()
    """Directories of the skills that the agent may load."""
    vouches: Callable[[Path, bytes], bool] = lambda _file, _content: True
    """Function from a file and its content to whether Placet may use the file; the user decides about a project's
    files.
    """
    plan_file: Path | None = None
    """File of the session's plan, written before the plan is carried out."""
    memory_file: Path | None = None
    """File of the user's own memory for later sessions, which may not exist yet."""
    subagents: tuple[tuple[str, str], ...] = ()
    """Name and description of each subagent that the agent may give work to."""


Factory = Callable[[AgentView], Awaitable[Definition[A]]]


Run = Callable[[JsonObject, ToolContext], Awaitable[ToolResult]]
"""Function that takes the model's arguments unchecked. Raises ToolError for mistakes that the model can mend."""


class ReadyTool(Struct, frozen=True):
    """Tool in the form for one agent."""

    id: str
    description: str
    schema: JsonObject
    concurrent: bool
    execute: Run
    hidden: bool = False
    """Whether the tool is kept from the model; calls are only routed to the tool."""
    server: str = ""
    """Name of the MCP server that offers the tool; empty for any other tool."""
    is_searched: bool = False
    """Whether the tool is kept from the model until a search or a call loads the tool (agent/context/offered_tools)."""


class Tool(Struct, frozen=True):
    id: str
    init: Callable[[AgentView], Awaitable[ReadyTool]]
    run_for: Callable[[AgentView], Awaitable[Run]]
    """Function that returns the execution of the agent's calls, without the schema that a request needs."""
    lacks: Callable[[AgentView], str] = _nothing
    """Function that returns the missing thing (a key, a flag) and the way to supply it; empty if nothing is missing."""
    hidden: bool = False
    source: str = "built in"
    """Owner of the tool, in the user's words."""


def define_tool(id: str, init: Definition[A] | Factory[A], *, source: str = "built in") -> Tool:
    """Return a tool named `id`, made from a definition or from a factory of definitions."""

    async def definition_for(agent: AgentView) -> Definition[A]:
        return init if isinstance(init, Definition) else await init(agent)

    async def ready(agent: AgentView) -> ReadyTool:
        definition = await definition_for(agent)
        return ReadyTool(
            id=id,
            description=definition.description,
            schema=_schema_of(definition.parameters),
            concurrent=definition.concurrent,
            execute=_run(id, definition, agent),
        )

    async def run_for(agent: AgentView) -> Run:
        return _run(id, await definition_for(agent), agent)

    return Tool(id, ready, run_for, source=source)


def _run(id: str, definition: Definition[A], agent: AgentView) -> Run:
    async def execute(arguments: JsonObject, context: ToolContext) -> ToolResult:
        valid = _validated(id, definition, arguments)
        try:
            result = await definition.execute(valid, context)
        except OSError as error:
            # A fault of the world (an unreadable directory, a full disk), for the model to work around.
            raise ToolError(spelled(f"The {id} tool failed: {error}")) from error
        except ToolError as error:
            error.args = tuple(map(spelled_within, error.args))
            raise
        return await _bounded(_spelled(result), context, agent)

    return execute


def define_by_schema(
    id: str,
    *,
    description: str,
    schema: JsonObject,
    execute: Run,
    concurrent: bool = False,
    source: str,
    server: str = "",
) -> Tool:
    """Return a tool of another program, which looks at the arguments itself. Raises BadSchema.

    `schema` has no references. `server` is the name of the MCP server that offers the tool, if any.
    """
    portable = portable_schema(schema)
    about = f"{description} {portable.note}".strip()

    async def run_for(agent: AgentView) -> Run:
        async def bounded(arguments: JsonObject, context: ToolContext) -> ToolResult:
            try:
                return await _bounded(await execute(portable.own_arguments(arguments), context), context, agent)
            except OSError as error:
                raise ToolError(f"The {id} tool failed: {error}") from error

        return bounded

    async def ready(agent: AgentView) -> ReadyTool:
        return ReadyTool(id, about, portable.schema, concurrent, await run_for(agent), server=server)

    return Tool(id, ready, run_for, source=source)


@cache
def _schema_of(parameters: type[BaseModel]) -> JsonObject:
    """Return the schema, made once as making takes a millisecond. Callers must not change the schema."""
    return inline_schema(parameters.model_json_schema())


async def _bounded(result: ToolResult, context: ToolContext, agent: AgentView) -> ToolResult:
    """Return the result with an output that fits, and that shows no sign-in of git's configuration."""
    output = await in_thread(without_sign_ins, result.output, context.workspace.roots)
    result = replace(result, output=output)
    if "truncated" in result.metadata:
        return result
    if fits(result.output):
        return replace(result, metadata={**result.metadata, "truncated": False})
    bounded = await in_thread(
        partial(bound_output, may_delegate=agent.may_delegate), result.output, context.output_directory
    )
    return replace(result, output=bounded.text, metadata={**result.metadata, **bounded.metadata})


def _spelled(result: ToolResult) -> ToolResult:
    """Return the result with names outside of UTF-8 spelled, and a note on the spelling."""
    output = spelled(result.output)
    if output != result.output:
        output += BYTES_NOTE
    return replace(
        result, title=spelled(result.title), output=output, metadata=cast("JsonObject", spelled_within(result.metadata))
    )


def _validated(id: str, definition: Definition[A], arguments: JsonObject) -> A:
    try:
        return definition.parameters.model_validate(arguments)
    except ValidationError as error:
        if definition.format_validation_error is not None:
            raise InvalidArguments(definition.format_validation_error(error)) from error
        raise InvalidArguments(
            f"The {id} tool was called with invalid arguments: {_describe(error)}\n"
            "Please rewrite the input so it satisfies the expected schema."
        ) from error


def _describe(error: ValidationError) -> str:
    """Return a line a mistake, without pydantic's links."""
    issues = error.errors(include_url=False, include_context=False)
    return "; ".join(f"{'.'.join(map(str, issue['loc'])) or 'input'}: {issue['msg']}" for issue in issues)
