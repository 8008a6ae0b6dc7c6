"""A turn of `builtin/rules` with the real tools on a real directory, and a user who allows, refuses, or picks hunks."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from language_server_support.no_features import NoFeatures
from placet.changes.call import ChangingCall
from placet.changes.journal.journal import Journal
from placet.changes.ledger import Ledger
from placet.changes.pipeline import ChangePipeline
from placet.changes.propose.diagnostics_delta import DiagnosticsTracker
from placet.changes.review.change_sets import ChangeSets
from placet.changes.review.decisions import Reviews
from placet.core.errors import Rejected, ToolError
from placet.core.messages import (
    AssistantMessage,
    Message,
    Part,
    TextPart,
    ToolCompleted,
    ToolFailed,
    ToolPart,
    UserMessage,
)
from placet.core.ports import PermissionAnswer, PermissionRequest, Question
from placet.model.base import CallDelta, CallStarted, Finished, ModelRequest, TextDelta, ToolSpec, UsageReport
from placet.model.rules import BuiltinRules
from placet.permissions.gate import Ask, Caller, Gate
from placet.permissions.rules import builtin_rules
from placet.project.files.disk import DiskDocuments
from placet.project.paths import Workspace
from placet.settings import DiagnosticsSettings
from placet.storage.database import Database
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import AgentView, ReadyTool
from placet.tools.framework.registry import ready_tools

Decide = Callable[[PermissionRequest], PermissionAnswer]


def allow(_: PermissionRequest) -> PermissionAnswer:
    return PermissionAnswer("once")


@dataclass(slots=True)
class User:
    """Answers as `decide` says, and remembers what was asked."""

    decide: Decide = allow
    asked: list[PermissionRequest] = field(default_factory=list)

    async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
        self.asked.append(request)
        return self.decide(request)

    async def ask(self, session_id: str, questions: list[Question]) -> None:
        return None


@dataclass(frozen=True, slots=True)
class Played:
    """What a turn came to."""

    answer: str
    said: str
    """All text of the turn, what was said before calls included."""
    calls: tuple[ToolPart, ...]
    messages: tuple[Message, ...]
    asked: tuple[PermissionRequest, ...]

    @property
    def is_done(self) -> bool:
        last = self.messages[-1]
        return isinstance(last, AssistantMessage) and last.finish == "stop"

    def tools(self) -> list[str]:
        return [call.tool for call in self.calls]


async def play(
    prompt: str,
    project: Path,
    *,
    decide: Decide = allow,
    without: frozenset[str] = frozenset(),
    parts: tuple[Part, ...] = (),
) -> Played:
    """Play a prompt to its answer in `project`; the store and whole outputs go beside it."""
    user = User(decide)
    database = Database(project.parent / f"{project.name}.db")
    documents = DiskDocuments()
    gate = Gate(user)
    workspace = Workspace((project,))
    output = project.parent / f"{project.name}-output"
    rules = builtin_rules(output)
    pipeline = ChangePipeline(
        documents,
        gate,
        Journal(database),
        DiagnosticsTracker(NoFeatures(), DiagnosticsSettings()),
        Reviews(documents, ChangeSets(database)),
    )
    ledger = Ledger()
    tools = await ready_tools(AgentView("build"), lambda _: False)
    specs = tuple(ToolSpec(tool.id, tool.description, tool.schema) for tool in tools.values() if tool.id not in without)
    opening = UserMessage(parts=(TextPart(text=prompt), *parts))
    messages: list[Message] = [opening]
    system = (
        "You are Placet.",
        f"<env>\nFolders of the project (relative paths start at the first):\n  {project}\n</env>",
    )

    def context(message_id: str, call_id: str, tool: str) -> ToolContext:
        caller = Caller("ses_1", message_id, call_id, tool, (), rules)

        async def ask(ask: Ask) -> bool:
            return await gate.check(ask, caller) is not None

        return ToolContext(
            caller=caller,
            agent="build",
            abort=asyncio.Event(),
            messages=messages,
            workspace=workspace,
            documents=documents,
            features=NoFeatures(),
            changes=pipeline.bind(
                ChangingCall(caller, opening.id, ledger, lambda _: None, workspace),
                pipeline.staging(caller.session_id, NoFeatures(), lambda: "ask", lambda _: None),
            ),
            metadata=lambda title=None, metadata=None: None,
            ask=ask,
            output_directory=output,
            judge=lambda permission, pattern: gate.judge(permission, pattern, caller),
        )

    columns = "id, title, agent, model, roots, created, updated"
    database.write(f"INSERT OR IGNORE INTO session ({columns}) VALUES ('ses_1', '', '', '', '[]', 0, 0)")
    try:
        for _ in range(300):
            message = await _answer(ModelRequest(system, tuple(messages), specs, "ses_1"), opening.id)
            done = await asyncio.gather(*(_run(part, message.id, tools, context) for part in message.parts))
            messages.append(message.model_copy(update={"parts": tuple(done)}))
            if not any(isinstance(part, ToolPart) for part in done):
                return _played(messages, user)
        raise AssertionError("the turn does not end")
    finally:
        await database.close()


async def _answer(request: ModelRequest, parent: str) -> AssistantMessage:
    parts: list[Part] = []
    arguments: dict[str, str] = {}
    names: dict[str, str] = {}
    finish = ""
    async for event in BuiltinRules().stream(request):
        match event:
            case TextDelta(text):
                parts.append(TextPart(text=text))
            case CallStarted(call_id, name):
                names[call_id] = name
            case CallDelta(call_id, text):
                arguments[call_id] = arguments.get(call_id, "") + text
            case Finished(reason):
                finish = reason
            case UsageReport():
                pass
            case other:
                raise AssertionError(other)
    assert finish in (("tool_calls",) if names else ("stop", "content_filter"))
    for call_id, name in names.items():
        state = ToolFailed(input=json.loads(arguments[call_id]), error="", start=0, end=0)
        parts.append(ToolPart(call_id=call_id, tool=name, state=state))
    return AssistantMessage(parent_id=parent, finish=finish, parts=tuple(parts))


async def _run(
    part: Part, message_id: str, tools: Mapping[str, ReadyTool], context: Callable[[str, str, str], ToolContext]
) -> Part:
    if not isinstance(part, ToolPart):
        return part
    arguments = part.state.input
    try:
        result = await tools[part.tool].execute(arguments, context(message_id, part.call_id, part.tool))
        state = ToolCompleted(input=arguments, title=result.title, output=result.output, start=0, end=0)
    except ToolError as error:
        state = ToolFailed(input=arguments, error=str(error), start=0, end=0)
    except Rejected as rejection:
        state = ToolFailed(input=arguments, error=f"The user rejected this: {rejection.feedback}", start=0, end=0)
    return part.model_copy(update={"state": state})


def _played(messages: list[Message], user: User) -> Played:
    parts = [part for message in messages[1:] for part in message.parts]
    texts = [part.text for part in parts if isinstance(part, TextPart)]
    calls = tuple(part for part in parts if isinstance(part, ToolPart))
    return Played(texts[-1], "\n".join(texts), calls, tuple(messages), tuple(user.asked))
