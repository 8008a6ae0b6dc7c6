"""Staging: the way of a tool call's proposal into the change set of the session, instead of a question."""

from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from placet.changes.journal.on_behalf_of import TurnRef
from placet.changes.journal.raw_file import permissions
from placet.changes.journal.records import FileRecord
from placet.changes.propose.apply import NotPutBack, Unsettled
from placet.changes.propose.proposal import propose
from placet.changes.review.change_sets import ChangeSet, ChangeSets
from placet.changes.review.decisions import Reviews
from placet.changes.review.marks import UnreviewedMarks, written_files
from placet.changes.review.staged_documents import StagedDocuments
from placet.changes.review.staged_file import StagedStep, UndecidedFile, parted, stacked
from placet.core.errors import DocumentError, EditError
from placet.core.events import ChangeSetUpdate, Update
from placet.core.executor import in_thread
from placet.core.ports import LanguageFeatures, ProposedFile, StagedPaths
from placet.core.values import replace
from placet.project.paths import real
from placet.settings import Action
from placet.settings.review_modes import ReviewMode
from placet.storage.database import Statement
from placet.text.lines import own_line_ending
from placet.text.plan import PlannedFile


@dataclass(frozen=True, slots=True)
class Staging:
    """Staging for one tool call."""

    sets: ChangeSets
    reviews: Reviews
    session_id: str
    """Session of the user's prompt; the session and its subagents share the change set."""
    documents: StagedDocuments
    languages_over: Callable[[StagedPaths], LanguageFeatures]
    """Function that returns language features which know the texts of the session's staged files."""
    mode: Callable[[], ReviewMode]
    tell: Callable[[Update], None]
    """Function that sends the screens an update beside the conversation."""

    @property
    def languages(self) -> LanguageFeatures:
        """Return language features that know the staged texts."""
        return self.languages_over(self.documents.staged_paths)

    def languages_with(self, files: Iterable[ProposedFile]) -> LanguageFeatures:
        """Return language features that treat the files as staged already, so that diagnostics before and after the
        staging are by the same servers.
        """
        joining = [path for file in files for path in file.paths]

        async def staged() -> list[Path]:
            return [*await self.documents.staged_paths(), *joining]

        return self.languages_over(staged)

    @property
    def staged(self) -> ChangeSet:
        """Return the change set as last looked at."""
        return self.sets.known(self.session_id)

    async def look(self) -> ChangeSet:
        """Return the change set as it is now, whatever other processes did. Raises StoreError."""
        return await self.sets.of(self.session_id)

    def is_wanted(self, files: Iterable[ProposedFile], action: Action) -> bool:
        """Return whether the files join the change set, where rules and grants decide `action`.

        A proposal for a staged file always joins the set: the proposal stands on the staged text.
        """
        if any(self.staged.find(file.path) is not None for file in files):
            return True
        return self.mode() == "stage" and action == "ask"

    @property
    def is_open(self) -> bool:
        """Return whether any proposal could join the change set."""
        return self.mode() != "ask" or bool(self.staged.staged)

    def joining(self, action: Action) -> Callable[[Path], bool]:
        """Return the function that says whether a command's change of a path joins the change set, where rules and
        grants decide `action` about the command's changes.
        """
        staged = self.staged
        is_wanted = self.mode() == "stage" and action == "ask"
        return lambda path: is_wanted or staged.find(path) is not None or staged.is_vacated(path)

    def parted(self, files: Iterable[ProposedFile]) -> list[ProposedFile]:
        """Return the proposals, with a delete and a create in place of each renaming to the path of an undecided file:
        the change set has each path's own change, and the renaming would hide what became of the file at the path.
        """
        parts = [_parts(file) if _is_taken(file.new_path, self.staged) else (file,) for file in files]
        return [part for own in parts for part in own]

    async def places(self) -> list[Path]:
        """Return the paths by which the session knows its staged files."""
        return await self.documents.staged_paths()

    def vacated(self, paths: Iterable[Path]) -> list[Path]:
        """Return the paths from which the change set takes the file away."""
        return [path for path in paths if self.staged.is_vacated(path)]

    async def stage(
        self, files: Sequence[ProposedFile], places: tuple[TurnRef, ...], contents: Sequence[UndecidedFile] = ()
    ) -> None:
        """Put the proposals on top of the change set, and the changes of files that are no text into the set.

        Raises StoreError. Run under the set's lock, with proposals on the documents as the session sees them now.
        """
        staged = self.staged
        pairs: list[tuple[UndecidedFile | None, UndecidedFile | None]] = [(None, content) for content in contents]
        grown: dict[Path, UndecidedFile] = {}
        for file in files:
            # A deleted destination of a rename stands at its source again, where another file may follow.
            before = grown.get(real(file.path)) or staged.find(file.path)
            if before is None and file.kind == "create" and (renamed := staged.renamed_from(file.path)) is not None:
                renamed = grown.get(real(renamed.place), renamed)
                created, before = parted(renamed, await self.documents.overlay(renamed))
                pairs += [(renamed, created), (None, before)]
                grown[real(created.place)] = created
            seen = None if before is None else await self.documents.overlay(before)
            after = stacked(before, seen, file, places)
            pairs.append((before, after))
            if after is not None:
                grown[real(after.place)] = after
        # No await between the set and the store: a set read again meanwhile would lack the change.
        await self.sets.store([statement for pair in pairs for statement in _statements(staged, *pair, places)])
        self.announce(staged)

    def announce(self, staged: ChangeSet) -> None:
        """Tell the screens to look at the set again."""
        self.tell(ChangeSetUpdate(session_id=self.session_id, files=len(staged.files)))

    async def mark_written(self, change_id: str, records: Sequence[FileRecord], places: tuple[TurnRef, ...]) -> None:
        """Mark the files of a written change as unreviewed, except where every change is asked before.

        Raises StoreError.
        """
        if self.mode() != "ask" and (files := await in_thread(written_files, records)):
            async with self.marking(places, change_id) as marks:
                await marks.put_written(files)

    @asynccontextmanager
    async def marking(self, places: tuple[TurnRef, ...], change_id: str) -> AsyncGenerator[UnreviewedMarks]:
        """Yield the marks of a change written within the context; a failed change leaves no mark.

        Raises StoreError.
        """
        staged = await self.look()
        async with staged.deciding:
            marks = UnreviewedMarks(self.sets, staged, places, change_id)
            try:
                yield marks
            except (NotPutBack, Unsettled):
                raise  # A part of the change stands or may stand; marks without a difference go by themselves.
            except (EditError, DocumentError):
                await marks.withdraw()
                raise
        self.announce(staged)


def _statements(
    staged: ChangeSet, before: UndecidedFile | None, after: UndecidedFile | None, places: tuple[TurnRef, ...]
) -> list[Statement]:
    """Return the statements that store the change of a file of the set.

    A file of earlier turns without a difference is kept for a way back to these turns.
    """
    if before is not None and after is None:
        step = StagedStep(places, before.base_text or "", before.path)
        if any(earlier.turn != step.turn for earlier in before.steps):
            return staged.take_back(before, step)
    return staged.put(before, after)


def _is_taken(path: Path | None, staged: ChangeSet) -> bool:
    """Return whether an undecided change took the file at the path away."""
    return path is not None and (staged.is_vacated(path) or staged.find(path, "unreviewed") is not None)


def _parts(file: ProposedFile) -> tuple[ProposedFile, ProposedFile]:
    """Return a renaming as a delete and a create. Blocks (stat)."""
    assert file.new_path is not None
    assert file.document is not None
    deleted = propose(PlannedFile("delete", file.path, file.document.text, None), file.document, file.name)
    mode = permissions(file.path)
    created = propose(
        PlannedFile("create", file.new_path, None, file.new_text, mode=mode if mode and mode & 0o111 else None),
        None,
        file.new_name,
        line_ending=own_line_ending(file.document.text),
    )
    return deleted, replace(created, bom=file.document.bom, merged_diff=file.merged_diff)
