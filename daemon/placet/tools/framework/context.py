"""Context of a tool call: everything that the call may touch."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

import msgspec
from msgspec import Struct

from placet.core.errors import NobodyToAsk, ToolError
from placet.core.events import PlanEntry
from placet.core.messages import JsonObject, Message, ToolCompleted, ToolFailed
from placet.core.ports import Documents, LanguageFeatures, Question
from placet.core.terminals import Terminals
from placet.permissions.ask import Ask, Caller
from placet.project.paths import Workspace
from placet.project.processes.background_jobs import Jobs
from placet.sandbox.containment import CommandSandbox
from placet.settings import Action
from placet.tools.framework.command_sandbox import NoSandbox, SessionSandbox

if TYPE_CHECKING:
    from placet.changes.pipeline import Changes  # Loaded with the first call of a tool.


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
