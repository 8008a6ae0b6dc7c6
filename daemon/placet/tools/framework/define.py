"""The framework that every tool stands in: validated arguments, bounded output, one context.

The shape is OpenCode's Tool.define: `define_tool(id, init)` takes a static definition, or an async factory that sees
the agent, and wraps `execute` once, so that no tool repeats the common work.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar, cast

import msgspec
from msgspec import Struct
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from placet.core.errors import InvalidArguments, NobodyToAsk, Rejected, ToolError
from placet.core.events import PlanEntry
from placet.core.executor import in_thread
from placet.core.messages import FilePart, JsonObject, Message, ToolCompleted, ToolFailed
from placet.core.ports import Documents, LanguageFeatures, Question
from placet.core.terminals import Terminals
from placet.core.values import replace
from placet.permissions.ask import Ask, Caller
from placet.project.git.sign_ins import without_sign_ins
from placet.project.paths import Workspace
from placet.project.prefixed_directory import Directory
from placet.project.processes.background_jobs import Jobs
from placet.project.undecodable_names import spelled, spelled_within
from placet.sandbox.containment import CommandSandbox
from placet.settings import Action, Settings
from placet.tools.framework.command_sandbox import NoSandbox, SessionSandbox
from placet.tools.framework.portable_schema import portable_schema
from placet.tools.framework.schema import inline_schema
from placet.tools.framework.truncation import bound_output, fits

if TYPE_CHECKING:
    from placet.changes.pipeline import Changes  # Loaded with the first call of a tool.

BEGAN = "began"
"""Key in the metadata of a call of a foreign tool: the tool may have run, as the question of the call was answered."""
SEARCH = "tool_search"
"""Name of the tool by which the model finds tools of MCP servers, where not all are in the request."""
BYTES_NOTE = "\n\n(In a name, \\xNN is a byte that is not UTF-8. Name such a file as it is spelled here.)"


class Arguments(BaseModel):
    """Arguments of a tool: camelCase as the model writes names, unknown names tolerated."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, extra="ignore")


class NoteProgress(Protocol):
    def __call__(self, title: str | None = None, metadata: JsonObject | None = None) -> None:
        """Show where the call stands: a new title, and metadata that replaces the earlier."""
        ...


class AskPermission(Protocol):
    async def __call__(self, ask: Ask) -> bool:
        """Return when the call may go on: whether the user has answered, as no rule and no grant allows the ask.

        Raises PermissionDenied, NobodyToAsk or Rejected.
        """
        ...


Judge = Callable[[str, str], Action]
"""Function from (permission, pattern) to the rules' action; nobody is asked."""


class CallTools(Protocol):
    async def __call__(self, calls: Sequence[tuple[str, JsonObject]]) -> list[ToolCompleted | ToolFailed]:
        """Run each (tool, arguments) like a call of the model, and return the outcome of each.

        Raises Rejected when the user rejected a call without a word.
        """
        ...


class SubagentResult(Struct, frozen=True):
    """Outcome of work given to a subagent."""

    task_id: str
    """Id of the subagent's session; with the id the subagent can be asked to go on."""
    state: Literal["completed", "error", "running"]
    text: str = ""
    """Last answer of the subagent, and the reason if the subagent was stopped."""


def _unheard(session_id: str) -> None:
    pass


@dataclass(frozen=True, slots=True)
class SubagentRequest:
    """Work that a tool call gives to a subagent."""

    agent: str
    description: str
    """Title of the subagent's session, in a few words."""
    prompt: str
    task_id: str | None = None
    """Session in which the subagent goes on; None for a new session."""
    background: bool = False
    """True if the caller does not wait: the result reaches the calling session as a message."""
    began: Callable[[str], None] = field(default=_unheard)
    """Function called with the id of the subagent's session before the work begins."""


class SessionAccess(Protocol):
    """Access of one call to its session, to the session's user, and to subagents."""

    async def ask_user(self, questions: Sequence[Question]) -> list[list[str]]:
        """Return the chosen labels (or own words) of each question.

        Raises NobodyToAsk; Rejected when the user declined.
        """
        ...

    async def accept_staged(self) -> list[tuple[Path, str]]:
        """Write all staged files of the session as the user's decision; return the files that could not be written,
        each with the reason.
        """
        ...

    def show_plan(self, entries: Sequence[PlanEntry]) -> None:
        """Show the session's list of things to do; the list replaces the earlier list."""
        ...

    def switch_agent(self, agent: str) -> None:
        """Give the session to the agent from the next step on. Raises ToolError for an unknown agent."""
        ...

    async def run_subagent(self, request: SubagentRequest) -> SubagentResult:
        """Have a subagent do the work, and return the outcome. Raises ToolError. Cancelling ends the subagent."""
        ...


class NoSession:
    """Access of a call that belongs to no session: nobody answers, and nothing is staged."""

    async def ask_user(self, questions: Sequence[Question]) -> list[list[str]]:
        raise NobodyToAsk("Nobody is there to answer a question.")

    async def accept_staged(self) -> list[tuple[Path, str]]:
        return []

    def show_plan(self, entries: Sequence[PlanEntry]) -> None:
        pass

    def switch_agent(self, agent: str) -> None:
        raise ToolError(f"This session cannot switch to the agent `{agent}`.")

    async def run_subagent(self, request: SubagentRequest) -> SubagentResult:
        raise ToolError("There are no subagents here. Do the work yourself.")


async def _no_variables(directory: Path) -> dict[str, str]:
    return {}


class CommandServices(Struct, frozen=True):
    """Services for the commands of one call."""

    variables: Callable[[Path], Awaitable[dict[str, str]]] = _no_variables
    """Function that returns the plugins' additions to the environment of a command in the directory."""
    jobs: Jobs = msgspec.field(default_factory=Jobs)
    """Commands in the background, of all sessions of this front door."""
    sandbox: CommandSandbox | None = None
    """Sandbox for the commands of the call; None: commands run with the user's rights."""
    session_sandbox: SessionSandbox = NoSandbox()
    """Sandbox of the session, which offers `sandbox` to the commands of the call."""
    terminals: Terminals | None = None
    """Terminals of the client for the commands of the call; None: commands run in Placet's own runner."""


async def _no_calls(calls: Sequence[tuple[str, JsonObject]]) -> list[ToolCompleted | ToolFailed]:
    raise ToolError("Tools cannot be called from here.")


def _always_ask(permission: str, pattern: str) -> Action:
    return "ask"


def _nothing(agent: "AgentView") -> str:
    return ""


class ToolContext(Struct, frozen=True):
    """Context of one tool call: everything that the call may touch."""

    caller: Caller
    """Session, message and call, with the rules that judge the call."""
    agent: str
    abort: asyncio.Event
    """Set when the user stops the turn. The call is cancelled as well; this is for threads and children."""
    messages: Sequence[Message]
    workspace: Workspace
    documents: Documents
    features: LanguageFeatures
    changes: "Changes"
    """Reads through the session's ledger and the only road to a write."""
    metadata: NoteProgress
    ask: AskPermission
    output_directory: Path
    """Directory of the whole outputs of which the model is shown only a part."""
    judge: Judge
    """Judge of content beside the requested content, as in a hit of grep: shown only where reading is allowed."""
    model: str = ""
    """Name of the model that makes the call, such as `provider/model`."""
    only_reads: bool = False
    """Whether the agent changes nothing, whatever the rules allow; a command that might change files is asked about."""
    session: SessionAccess = NoSession()
    commands: CommandServices = msgspec.field(default_factory=CommandServices)
    call_tools: CallTools = _no_calls


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
