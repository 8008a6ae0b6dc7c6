"""Everything a change goes through, put together around one directory, with a scripted user."""

from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from changes_support.approver import ScriptedApprover
from changes_support.editor import Editor
from language_server_support.no_features import NoFeatures
from placet.changes.accepted_changes import AcceptedChanges
from placet.changes.call import ChangingCall
from placet.changes.call_changes import CallChanges
from placet.changes.journal.journal import Journal
from placet.changes.ledger import Ledger
from placet.changes.pipeline import ChangePipeline, ChangeResult, Changes
from placet.changes.propose.diagnostics_delta import DiagnosticsTracker
from placet.changes.review.change_sets import ChangeSets
from placet.changes.review.decisions import Reviews
from placet.changes.review.staging import Staging
from placet.changes.undo.revert import Party, Undo, UndoneFile
from placet.core.events import Update
from placet.core.ports import LanguageFeatures
from placet.permissions.gate import Caller, Gate
from placet.permissions.rules import builtin_rules, from_config
from placet.project.files.disk import read_document
from placet.project.paths import Workspace
from placet.settings import DiagnosticsSettings
from placet.storage.database import Database
from placet.text.lines import to_lf
from placet.text.plan import EditPlan, PlannedFile

SESSION = "ses_1"


@dataclass
class Desk:
    root: Path
    approver: Any = field(default_factory=ScriptedApprover)
    editor: Editor = field(default_factory=Editor)
    permission: Mapping[str, Any] = field(default_factory=dict)
    features: LanguageFeatures = field(default_factory=NoFeatures)
    diagnostics: DiagnosticsSettings = field(default_factory=DiagnosticsSettings)
    database: Database = field(default_factory=lambda: Database(None))
    events: list[Update] = field(default_factory=list)
    ledger: Ledger = field(default_factory=Ledger)

    def __post_init__(self) -> None:
        self.database.write(
            "INSERT OR IGNORE INTO session (id, title, agent, model, roots, created, updated) "
            "VALUES (?, '', '', '', '[]', 0, 0)",
            (SESSION,),
        )
        self.journal = Journal(self.database)
        self.gate = Gate(self.approver)
        diagnostician = DiagnosticsTracker(self.features, self.diagnostics)
        layers = self.root.parent / f"{self.root.name}.layers"
        reviews = Reviews(self.editor, ChangeSets(self.journal.database))
        self.pipeline = ChangePipeline(self.editor, self.gate, self.journal, diagnostician, reviews, layers)
        self.undoing = Undo(self.journal, self.editor, self.pipeline.unsure)
        self.changes = self.turn("msg_turn")

    def turn(self, turn_id: str, ledger: Ledger | None = None, staging: Staging | None = None) -> CallChanges:
        """The pipeline as a call of that turn sees it."""
        asking = self.pipeline.staging(SESSION, NoFeatures(), lambda: "ask", lambda _: None)
        return self.pipeline.bind(self._call(turn_id, ledger), staging or asking)

    def accepted(self, turn_id: str, ledger: Ledger | None = None) -> AcceptedChanges:
        """The pipeline as a decision of the user about that turn sees it."""
        return self.pipeline.accepted(self._call(turn_id, ledger))

    def _call(self, turn_id: str, ledger: Ledger | None) -> ChangingCall:
        rules = builtin_rules(self.root / "tool-output") + from_config(dict(self.permission), "the test")
        caller = Caller(SESSION, f"{turn_id}_answer", "call_1", "edit", (), rules)
        return ChangingCall(caller, turn_id, ledger or self.ledger, self.events.append, Workspace((self.root,)))

    def path(self, name: str) -> Path:
        return self.root / name

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        return path

    def text(self, name: str) -> str | None:
        """What the user sees: the buffer, else the file; None where there is none."""
        path = self.root / name
        if path in self.editor.open:
            return self.editor.open[path].text
        return read_document(path).text if path.exists() else None

    async def plan(self, name: str, new_text: str) -> PlannedFile:
        """A modification computed on what is read now."""
        document = await self.changes.read(self.root / name)
        return PlannedFile("modify", document.path, to_lf(document.text), new_text)

    async def edit(self, name: str, new_text: str, *, changes: Changes | None = None) -> ChangeResult:
        return await (changes or self.changes).propose(EditPlan(f"Edit {name}", (await self.plan(name, new_text),)))

    async def undo(self, **target: Any) -> dict[str, str]:
        return self.statuses(await self.undoing.undo(SESSION, self.party, self.parties, **target))

    async def redo(self) -> dict[str, str]:
        return self.statuses(await self.undoing.redo(SESSION, self.party, self.parties))

    @property
    def party(self) -> Party:
        return Party(self.events.append, self.ledger)

    @asynccontextmanager
    async def parties(self, session_ids: Collection[str]) -> AsyncGenerator[Mapping[str, Party]]:
        yield dict.fromkeys(session_ids, self.party)

    def statuses(self, files: list[UndoneFile]) -> dict[str, str]:
        return {file.path.relative_to(self.root).as_posix(): file.status for file in files}

    async def states(self) -> list[str]:
        return [change.state for change in await self.journal.changes(SESSION)]


def create(path: Path, text: str) -> PlannedFile:
    return PlannedFile("create", path, None, text)


def plan(*files: PlannedFile) -> EditPlan:
    return EditPlan("Change", files)
