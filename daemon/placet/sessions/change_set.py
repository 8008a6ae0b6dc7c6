"""Change set of a session, as the user reviews the set: staged and unreviewed files, and decisions about the files."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from placet.changes.call import ChangingCall
from placet.changes.journal.on_behalf_of import TurnRef
from placet.changes.ledger import NoLedger
from placet.changes.review.parts import DecisionOutcome
from placet.changes.review.requested_decisions import DecisionRequests
from placet.changes.review.staged_content import staged_content
from placet.changes.review.staged_file import StagedStep, StagedView, UndecidedFile
from placet.core.errors import AtWorkElsewhere, EditConflict
from placet.core.events import ChangeSetUpdate, TurnEnded, Update, UserMessageAdded
from placet.core.executor import in_thread
from placet.core.hunks import Decision
from placet.core.messages import TextPart, UserMessage
from placet.core.ports import Document, ProposedFile
from placet.core.values import replace
from placet.permissions.ask import Caller
from placet.project.paths import real, real_entry
from placet.sessions.services.services import Services
from placet.text.encoding import encode
from placet.text.lines import to_lf
from placet.text.merge import merge

if TYPE_CHECKING:
    from placet.changes.accepted_changes import AcceptedChanges
    from placet.changes.journal.file_history import ChangedFile
    from placet.changes.review.change_sets import ChangeSet
    from placet.changes.review.staged_documents import StagedDocuments
    from placet.changes.undo.revert import Parties, UndoneFile
    from placet.sessions.worktrees.changes import WorktreeChanges
    from placet.worktrees.records import Worktree
    from placet.worktrees.unwritten_files import UnwrittenFile


class BroughtIn(Struct, frozen=True):
    """Outcome of taking the changes of a worktree into a change set."""

    places: tuple[Path, ...]
    """Files that joined the set."""
    left_out: tuple[str, ...]
    """Changed files that did not, each with the reason."""


class SessionChangeSet:
    """Change set of one session and its subagents; lives as long as a request of the user."""

    def __init__(self, services: Services, family: str, parties: "Parties", tell: Callable[[Update], None]) -> None:
        """Make the change set of the session `family`, reviewed in this session or in a subagent's session."""
        self._services = services
        self._family = family
        self._parties = parties
        self._tell = tell

    async def views(self, *, with_waiting: bool = False) -> list[StagedView]:
        """Return the files of the set, in the order in which the files joined, and then on demand the files for which
        a call of this process waits. Raises StoreError.
        """
        return await self._services.reviews.views(self._family, self._services.workspace, with_waiting=with_waiting)

    def holds(self, path: Path) -> bool:
        """Return whether the set, as this process knows the set, has a change of the file that nobody has decided."""
        files = self._services.change_sets.known(self._family).files
        return any(path in (file.path, file.place, file.new_path) for file in files)

    @property
    def seen(self) -> "StagedDocuments":
        """Return the documents as the session sees the documents."""
        from placet.changes.review.staged_documents import StagedDocuments

        return StagedDocuments(self._services.ports.documents, self._services.change_sets, self._family)

    def expect_decision(self) -> None:
        """Load what a decision needs, while the user reads the files of the set."""
        self._services.loading_for_decisions.begin_soon()

    async def decide(
        self, decisions: Sequence[Decision], tell: Callable[[str], None] = lambda text: None, way_back: str = ""
    ) -> list[DecisionOutcome]:
        """Carry out the user's decisions, and return the outcome of each file.

        Where another process is at work in the session, that process carries the decisions out; `tell` tells the user
        what a long wait waits for, and what becomes of the decisions of a cancelled call. The sentence `way_back` says
        how the user takes back decisions that the process has not taken. Raises RequestError if that process fails or
        ends meanwhile, StoreError or DocumentError.
        """
        decided: list[DecisionOutcome] | None = None
        requests = DecisionRequests(self._services.database)
        work = partial(self._services.store.work_elsewhere, self._family)
        while decided is None:
            try:
                return await self.decide_here(decisions)
            except AtWorkElsewhere as error:
                decided = await requests.ask(self._family, decisions, work, str(error), tell, way_back)
        await self.announce()
        return decided

    async def decide_here(self, decisions: Sequence[Decision]) -> list[DecisionOutcome]:
        """Carry out the user's decisions in this process, and return the outcome of each file.

        Raises AtWorkElsewhere if another process is at work in the session, RequestError, StoreError or DocumentError.
        """
        reviews, workspace = self._services.reviews, self._services.workspace
        async with self._services.store.family_claimed(self._family):
            decided = await reviews.decide(self._family, decisions, workspace, self._bind, self._revert)
        await self.announce()
        return decided

    async def follow_undo(self) -> None:
        """After an undo or a redo, tell the screens to look at the set again. Raises StoreError."""
        if (await self._services.change_sets.of(self._family)).files:
            await self.views()  # A change without a difference leaves the set.
            await self.announce()

    async def bring_back(self, paths: Sequence[Path]) -> None:
        """Mark the unreviewed changes of the paths again, as a redo has written the changes. Raises StoreError."""
        await self._services.change_sets.bring_back(self._family, paths)

    async def announce(self) -> None:
        """Tell the screens to look at the set again. Raises StoreError."""
        files = (await self._services.change_sets.of(self._family)).files
        self._tell(ChangeSetUpdate(session_id=self._family, files=len(files)))

    async def bring_in(self, worktree: "Worktree", places: tuple[TurnRef, ...] = ()) -> "BroughtIn":
        """Put the changes of the worktree since its base on top of the set.

        The changes are a turn of the user, as `take_in` says, or belong to the running turns at `places`, the calling
        turn last. Raises what `take_in` raises.
        """
        from placet.sessions.worktrees.changes import changes_for
        from placet.worktrees.create import note_brought
        from placet.worktrees.difference import difference

        services = self._services
        changed = await difference(worktree)
        changes = await changes_for(changed, worktree.repository, services.workspace, services.ports.documents)
        refused: list[tuple[Path, str]] = []
        if changes.files or changes.contents:
            words = f"Bring back the changes of the worktree {worktree.name} ({worktree.branch})."
            if places:
                async with services.store.claimed(self._family):
                    refused = await self._put_on_top(changes, places)
            else:
                refused = await self.take_in(changes, words)
        left_out = (*changes.left_out, *(f"{services.workspace.name(path)} {reason}" for path, reason in refused))
        if not (places and left_out):  # The worktree of a subagent then stays as changed.
            await note_brought(worktree, changed.tree)
        lost = {path for path, _ in refused}
        brought = [file.new_path or file.path for file in changes.files if file.path not in lost]
        brought += [content.path for content in changes.contents if content.path not in lost]
        return BroughtIn(tuple(brought), left_out)

    async def unwritten(self) -> list["UnwrittenFile"]:
        """Return the files that the session sees with a content which is not on the disk: unsaved and staged files.

        Raises StoreError or DocumentError.
        """
        from placet.changes.review.staged_entries import staged_entries
        from placet.worktrees.unwritten_files import UnwrittenFile

        seen, unsaved = self.seen, await self._services.ports.documents.unsaved()
        overlays, contents = await seen.overlays(), await seen.contents()

        def read() -> list[UnwrittenFile]:
            staged = (*(file for file, _ in overlays), *contents)
            new_modes = {real_entry(file.place) for file in staged if file.mode is not None}
            entries = [
                UnwrittenFile(entry.path, entry.data, entry.mode, entry.is_link, sets_mode=entry.path in new_modes)
                for entry in staged_entries(overlays, contents)
            ]
            places = {entry.path for entry in entries}
            texts = ((real(text.path), encode(text.text, text.encoding, text.bom)) for text in unsaved)
            return [*(UnwrittenFile(path, data) for path, data in texts if path not in places), *entries]

        return await in_thread(read)

    async def take_in(self, changes: "WorktreeChanges", words: str) -> list[tuple[Path, str]]:
        """Put proposals that no call of the session has made on top of the set, as a turn of the user with the words.

        Each proposal stands on a text of its own: the set merges the proposal with the present file, and the review
        shows a conflict. Return the files that are not taken in, each with the reason, as a staged change of the
        session has changed the same lines. Raises AtWorkElsewhere if another process is at work in the session,
        RequestError or StoreError.
        """
        family = self._family
        info = await self._services.store.info(family)
        user = UserMessage(agent=info.agent, model=info.model, parts=(TextPart(text=words),))
        async with self._parties((family,)) as parties:
            parties[family].emit(UserMessageAdded(message=user))
            left_out = await self._put_on_top(changes, (TurnRef(family, user.id, user.id),))
            parties[family].emit(TurnEnded(turn_id=user.id, stop_reason="end_turn"))
        return left_out

    async def _put_on_top(self, changes: "WorktreeChanges", places: tuple[TurnRef, ...]) -> list[tuple[Path, str]]:
        """Stage the proposals as changes of the turns, and return the files that are not taken in with the reasons."""
        services, family = self._services, self._family
        staging = services.pipeline.staging(family, services.ports.features, lambda: "stage", self._tell)
        left_out: list[tuple[Path, str]] = []
        async with (staged := await services.change_sets.of(family)).deciding:
            overlays = {real(file.place): document for file, document in await staging.documents.overlays()}
            taken: list[ProposedFile] = []
            for file in changes.files:
                try:
                    taken.append(_on_top(file, overlays, staged))
                except EditConflict:
                    left_out.append((file.path, "has a proposed change of the same lines: decide about it first"))
            contents: list[UndecidedFile] = []
            for content in changes.contents:
                here = staged.at(staged.targets([content.path])[content.path])
                if any(file.state == "staged" for file in here) or staged.is_vacated(content.path):
                    left_out.append((content.path, "has a proposed change: decide about it first"))
                else:
                    contents.append(staged_content(content.path, content.before, content.after, content.mode, places))
            await staging.stage(staging.parted(taken), places, contents)
        return left_out

    async def accept_all(self) -> list[tuple[Path, str]]:
        """Accept every staged file; return the files that could not be written, or not whole, each with the reason.

        Raises RequestError, StoreError or DocumentError.
        """
        views = [view for view in await self.views() if view.file.state == "staged"]
        decided = await self.decide([Decision(view.file.place, view.version, "accept") for view in views])
        return [(file.place, file.reason) for file in decided if file.status != "written" or file.reason]

    @asynccontextmanager
    async def _bind(self, step: StagedStep) -> AsyncGenerator["AcceptedChanges"]:
        """Yield the pipeline for the session and the turn of the step."""
        services, (*above, place) = self._services, step.places
        async with self._parties((place.session_id,)) as parties:
            caller = Caller(place.session_id, place.message_id, "", "", (), ())
            emit = parties[place.session_id].emit
            call = ChangingCall(caller, place.turn_id, NoLedger(), emit, services.workspace, tuple(above))
            yield services.pipeline.accepted(call)

    async def _revert(self, files: "Sequence[ChangedFile]") -> "list[UndoneFile]":
        """Undo the changes of unreviewed files as one change. Raises RequestError or EditError."""
        undo, family = self._services.undo, self._family
        async with self._parties((family,)) as parties:
            return await undo.undo_files(family, parties[family], self._parties, files)


def _on_top(file: ProposedFile, overlays: Mapping[Path, Document | None], staged: "ChangeSet") -> ProposedFile:
    """Return the proposal on the staged text of the session. Raises EditConflict."""
    if any((other := staged.find(path)) is not None and other.is_raw for path in file.paths):
        raise EditConflict(f"{file.path} has a staged change that is no text.")
    if file.new_path is not None and overlays.get(real(file.new_path)) is not None:
        raise EditConflict(f"{file.new_path} is staged already.")
    if real(file.path) not in overlays:
        return file
    seen = overlays[real(file.path)]
    if seen is None and file.kind == "create":
        return file
    if seen is None or file.document is None:
        raise EditConflict(f"{file.path} is staged already.")
    text = to_lf(seen.text)
    if file.kind == "delete" and text != file.old_text:
        raise EditConflict(f"{file.path} has been changed meanwhile.")
    new_text = "" if file.kind == "delete" else merge(file.old_text, text, file.new_text)
    return replace(file, document=seen, old_text=text, new_text=new_text)
