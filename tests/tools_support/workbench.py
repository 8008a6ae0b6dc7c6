"""A small real services for one tool call after another: real files, real rules and gate, the real change pipeline."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from changes_support.answers import Answer, answer_to
from language_server_support.no_features import NoFeatures
from placet.changes.call import ChangingCall
from placet.changes.journal.journal import Journal
from placet.changes.ledger import Ledger
from placet.changes.pipeline import ChangePipeline, Changes
from placet.changes.propose.diagnostics_delta import DiagnosticsTracker
from placet.changes.review.change_sets import ChangeSets
from placet.changes.review.decisions import Reviews
from placet.core.errors import NobodyToAsk, Rejected
from placet.core.events import PlanEntry
from placet.core.ids import new_id
from placet.core.messages import JsonObject, Message
from placet.core.ports import (
    Document,
    FileEdit,
    FileOutcome,
    LanguageFeatures,
    PermissionAnswer,
    PermissionRequest,
    Question,
)
from placet.permissions.gate import Ask, Caller, Gate
from placet.permissions.rules import builtin_rules, from_config, root_names
from placet.project.files.disk import DiskDocuments
from placet.project.paths import Workspace
from placet.project.processes.background_jobs import Jobs
from placet.settings import DiagnosticsSettings
from placet.storage.database import Database
from placet.tools.framework.context import CommandServices, NoSession, ToolContext
from placet.tools.framework.define import AgentView, Tool, ToolResult

ONCE = PermissionAnswer("once")


class CountedDocuments:
    """Documents on disk that remember how often they were told to look at it again; some are open and unsaved."""

    def __init__(self) -> None:
        self._disk = DiskDocuments()
        self.reloads = 0
        self.on_screen: dict[Path, Document] = {}

    def type(self, path: Path, text: str) -> None:
        """The user has the file open with this text, not saved."""
        self.on_screen[path] = Document(path, text, "buffer", version=1, dirty=True)

    async def read(self, path: Path) -> Document:
        return self.on_screen.get(path) or await self._disk.read(path)

    async def apply(
        self, edits: Sequence[FileEdit], *, edit_id: str, label: str, turn_id: str = ""
    ) -> list[FileOutcome]:
        return await self._disk.apply(edits, edit_id=edit_id, label=label, turn_id=turn_id)

    async def unsaved(self) -> list[Document]:
        return list(self.on_screen.values())

    async def save(self, paths: Sequence[Path]) -> list[Path]:
        for path in paths:
            path.write_text(self.on_screen.pop(path).text)
        return list(paths)

    async def reload(self) -> None:
        self.reloads += 1

    def watch_saves(self) -> AbstractContextManager[Mapping[Path, str]]:
        return nullcontext({})


@dataclass
class UserAtHand:
    """Gives the answers in turn, then the last one for ever; with none, there is nobody to ask."""

    answers: list[Answer] = field(default_factory=lambda: [ONCE])
    requests: list[PermissionRequest] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    replies: list[list[str]] | None = None
    """To questions; None declines."""

    async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
        self.requests.append(request)
        if not self.answers:
            raise NobodyToAsk("Nobody is there to answer.")
        return answer_to(request, self.answers.pop(0) if len(self.answers) > 1 else self.answers[0])

    async def ask(self, session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        self.questions += questions
        if not self.answers:
            raise NobodyToAsk("Nobody is there to answer.")
        return self.replies

    @property
    def asked(self) -> list[tuple[str, tuple[str, ...]]]:
        return [(request.permission, request.patterns) for request in self.requests]


@dataclass
class Workbench:
    root: Path
    output_directory: Path
    user: UserAtHand
    documents: CountedDocuments
    pipeline: ChangePipeline
    gate: Gate
    session_id: str
    permission: Any = field(default_factory=dict)
    agent: AgentView = field(default_factory=lambda: AgentView("build"))
    ledger: Ledger = field(default_factory=Ledger)
    abort: asyncio.Event = field(default_factory=asyncio.Event)
    progress: list[JsonObject] = field(default_factory=list)
    titles: list[str] = field(default_factory=list)
    progressed: asyncio.Event = field(default_factory=asyncio.Event)
    messages: tuple[Message, ...] = ()
    features: LanguageFeatures = field(default_factory=NoFeatures)
    plans: list[tuple[PlanEntry, ...]] = field(default_factory=list)
    jobs: Jobs = field(default_factory=Jobs)
    folders: list[Path] = field(default_factory=list)
    """The workspace's folders behind the root."""
    switched: list[str] = field(default_factory=list)
    """The agents that tools went over to."""

    @property
    def roots(self) -> tuple[Path, ...]:
        return (self.root, *self.folders)

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def changes(self) -> Changes:
        """What a tool call would see of the pipeline."""
        return self.context("read").changes

    async def run(self, tool: Tool, /, **arguments: Any) -> ToolResult:
        ready = await tool.init(self.agent)
        return await ready.execute(arguments, self.context(tool.id))

    def context(self, tool: str) -> ToolContext:
        rules = builtin_rules(self.output_directory) + from_config(self.permission, "the test")
        call_id = new_id("call")
        caller = Caller(self.session_id, "msg_1", call_id, tool, (), rules, root_names(self.roots))

        async def ask(ask: Ask) -> bool:
            return await self.gate.check(ask, caller) is not None

        def metadata(title: str | None = None, metadata: JsonObject | None = None) -> None:
            self.progress.append(metadata or {})
            self.titles += () if title is None else (title,)
            self.progressed.set()

        workspace = Workspace(self.roots)
        return ToolContext(
            caller=caller,
            agent=self.agent.name,
            abort=self.abort,
            messages=self.messages,
            workspace=workspace,
            documents=self.documents,
            features=self.features,
            changes=self.pipeline.bind(
                ChangingCall(caller, "msg_0", self.ledger, lambda update: None, workspace),
                self.pipeline.staging(caller.session_id, NoFeatures(), lambda: "ask", lambda _: None),
            ),
            metadata=metadata,
            ask=ask,
            output_directory=self.output_directory,
            judge=self.gate.judge_for(caller),
            session=_Session(self),
            commands=CommandServices(jobs=self.jobs),
        )


class _Session(NoSession):
    """The session of a call at the bench."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench

    async def ask_user(self, questions: Sequence[Question]) -> list[list[str]]:
        if (answers := await self._bench.user.ask(self._bench.session_id, questions)) is None:
            raise Rejected
        return answers

    def show_plan(self, entries: Sequence[PlanEntry]) -> None:
        self._bench.plans.append(tuple(entries))

    def switch_agent(self, agent: str) -> None:
        self._bench.switched.append(agent)


@asynccontextmanager
async def open_workbench(tmp_path: Path) -> AsyncIterator[Workbench]:
    root = tmp_path / "project"
    root.mkdir()
    user = UserAtHand()
    gate = Gate(user)
    documents = CountedDocuments()
    database = Database(None)
    database.write(
        "INSERT INTO session (id, title, agent, model, roots, created, updated)"
        " VALUES (?, '', 'build', '', '[]', 0, 0)",
        ("ses_1",),
    )
    pipeline = ChangePipeline(
        documents,
        gate,
        Journal(database),
        DiagnosticsTracker(NoFeatures(), DiagnosticsSettings()),
        Reviews(documents, ChangeSets(database)),
    )
    bench = Workbench(root, tmp_path / "tool-output", user, documents, pipeline, gate, "ses_1")
    try:
        yield bench
    finally:
        await bench.jobs.close()
        await database.close()
