"""Undo for commands: the project files changed by a command are journaled as a single change, like an edit.

Undo covers the files not ignored by .gitignore, and the files named by the command or read by the session, inside the
roots, within the bounds of snapshot.py; in a larger project also the files known to git. When any other file has
changed, the user is told: undo does not cover the file.
"""

import asyncio
import logging
import os
import time
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from placet.changes.call import ChangingCall
from placet.changes.commands.attribution import ConcurrentChanges, own_records
from placet.changes.commands.command_report import CommandChange, applied_event
from placet.changes.commands.git_objects import CleanFiles, clean_files
from placet.changes.commands.listing import NOTHING_LISTED, Listing, list_ignored, list_new, list_project
from placet.changes.commands.snapshot import Comparison, Difference, FileSnapshot, Snapshot, compare, look_at_new, take
from placet.changes.journal.directory_modes import modes_around
from placet.changes.journal.journal import Journal
from placet.changes.journal.raw_file import RawFile
from placet.changes.journal.records import ChangeRecord
from placet.core.errors import DocumentError, ToolError
from placet.core.executor import in_thread
from placet.core.ids import new_id, now
from placet.core.ports import Documents
from placet.core.tasks import to_the_end
from placet.core.values import replace
from placet.permissions.shell import Findings
from placet.permissions.shell.programs.reading import is_read_only
from placet.project.paths import Workspace

NOT_WHOLE = "The project has more files than undo looks at around commands: what it changed of the rest is not covered."
LONGEST_EDIT_SECONDS = 600
NOT_LOOKED = "Undo does not cover what it changed"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Before:
    snapshot: Snapshot
    clean: tuple[CleanFiles, ...]
    since: int
    """Time in milliseconds; changes begun earlier had ended before the command began."""
    over: frozenset[str]
    """Ids of later changes which had ended as well."""
    unsaved: dict[Path, str]
    """Texts on screen and not on disk."""


class Commands:
    """Undo for the commands of all sessions of a front door; remembers file contents between commands."""

    def __init__(self, documents: Documents, journal: Journal) -> None:
        self._documents = documents
        self._journal = journal
        self._snapshots: dict[str, FileSnapshot] = {}
        self._listing = NOTHING_LISTED

    @asynccontextmanager
    async def around(self, findings: Findings, call: ChangingCall) -> AsyncGenerator[CommandChange]:
        """Return a context to hold while the command runs; the result is filled in at the end, however the command
        ends.
        """
        command_change = CommandChange()
        if is_read_only(findings):
            yield command_change
            return
        command_change.is_watched = True
        try:
            before = await self._look(findings, call)
        except (ToolError, OSError) as error:
            logger.warning("No snapshot before a command: %s", error)
            command_change.doubt = f"{NOT_LOOKED}: {error}"
            yield command_change
            return
        if not before.snapshot.listing.is_whole:
            command_change.doubt = NOT_WHOLE
        with self._documents.watch_saves() as saves:
            try:
                yield command_change
            finally:
                saved = {path: [text] for path, text in saves.items()}
                await to_the_end(self._settle(before, saved, call, command_change))

    # ------------------------------------------------------------ before

    async def _look(self, findings: Findings, call: ChangingCall) -> _Before:
        roots = call.workspace.roots
        started, since = time.time_ns(), now() - LONGEST_EDIT_SECONDS * 1000
        over = frozenset(change.id for change in await self._journal.since(since) if change.state != "planned")
        unsaved = await self._documents.unsaved()
        shown = [document.path for document in (*unsaved, *call.ledger.documents)]
        named, directories = await in_thread(_inside, call.workspace, [*findings.paths, *shown])
        listing, files = await asyncio.gather(
            list_project(roots, self._listing),
            # The last snapshot is read meanwhile.
            in_thread(take, (*named, *self._listing.files), self._snapshots),
        )
        self._listing = listing
        ignored = await _ignored(directories, listing)
        files = await in_thread(take, (*listing.files, *ignored), self._snapshots, files)
        clean = await _clean_files(roots, files)
        snapshot = Snapshot(files, listing, started)
        return _Before(snapshot, clean, since, over, {document.path: document.text for document in unsaved})

    # ------------------------------------------------------------ after

    async def _settle(
        self, before: _Before, saved: dict[Path, list[str]], call: ChangingCall, command_change: CommandChange
    ) -> None:
        """Find the changed files, and journal the command's own part. Raises StoreError."""
        try:
            comparison = await _compared(before.snapshot, call.workspace)
        except (ToolError, OSError) as error:
            command_change.doubt = f"{NOT_LOOKED}: {error}"
            return
        self._snapshots = comparison.current
        differences = [*comparison.differences, *await _recovered(before, comparison, command_change)]
        differences = await in_thread(_only_inside, call.workspace, differences, command_change)
        command_change.uncovered += comparison.uncovered
        if not differences:
            return
        concurrent = ConcurrentChanges(await self._changes_since(before), await self._saved(before, saved))
        records = await in_thread(own_records, differences, concurrent)
        if not records:
            return
        change = ChangeRecord(
            id=new_id("chg"),
            session_id=call.caller.session_id,
            turn_id=call.turn_id,
            message_id=call.caller.message_id,
            call_id=call.caller.call_id,
            kind="command",
            on_behalf_of=call.on_behalf_of,
            files=tuple(records),
            directories=modes_around(records, before.snapshot.listing.mode),
        )
        await self._journal.applied(change)
        command_change.change = replace(change, state="applied")
        event = await in_thread(applied_event, command_change.change, call.workspace)
        command_change.files = event.files
        call.emit(event)

    async def _changes_since(self, before: _Before) -> list[ChangeRecord]:
        changes = await self._journal.since(before.since)
        ours = [change for change in changes if change.id not in before.over and change.state != "failed"]
        return await self._journal.with_files(ours)

    async def _saved(self, before: _Before, saved: dict[Path, list[str]]) -> dict[Path, list[str]]:
        """Return the texts saved by the user: as the editor reported, or unsaved before and no longer."""
        if not before.unsaved:
            return saved
        still = {document.path for document in await self._documents.unsaved()}
        texts = dict(saved)
        for path, text in before.unsaved.items():
            if path not in still and path not in texts:
                try:
                    texts[path] = [text, (await self._documents.read(path)).text]
                except DocumentError:
                    texts[path] = [text]
        return texts


async def _compared(before: Snapshot, workspace: Workspace) -> Comparison:
    comparison, new = await asyncio.gather(in_thread(compare, before), list_new(workspace.roots, before.listing))
    if new:
        await in_thread(look_at_new, new, before, comparison)
    return comparison


async def _ignored(directories: Sequence[Path], listing: Listing) -> list[str]:
    """Return the files under the named directories which .gitignore leaves out (directories without a listed file)."""
    files: list[str] = []
    for directory in directories:
        if not any(file.startswith(os.path.join(directory, "")) for file in listing.files):  # noqa: PTH118
            files += await list_ignored(directory)
    return files


async def _clean_files(roots: Sequence[Path], files: dict[str, FileSnapshot | None]) -> tuple[CleanFiles, ...]:
    lacking = {path for path, seen in files.items() if seen is not None and seen.is_regular and seen.packed is None}
    return tuple([await clean_files(root, lacking) for root in roots]) if lacking else ()


async def _recovered(before: _Before, comparison: Comparison, command_change: CommandChange) -> list[Difference]:
    """Return the differences of the files whose content was not kept, with the content from git."""
    differences: list[Difference] = []
    for path, old, after in comparison.lacking:
        contents = [await clean.content(path, old.stamp[2]) for clean in before.clean]
        content = next((candidate for candidate in contents if candidate is not None), None)
        if content is None:
            command_change.uncovered.append((Path(path), "it was too large, or one of too many, to be kept"))
        else:
            differences.append(Difference(Path(path), RawFile("file", content, old.mode), after))
    return differences


def _inside(workspace: Workspace, paths: Iterable[Path]) -> tuple[list[str], list[Path]]:
    """Return the paths inside the project, without the roots: first files (also files not created yet), then
    directories.
    """
    inside = [path for path in dict.fromkeys(paths) if path not in workspace.roots and workspace.contains(path)]
    directories = [path for path in inside if path.is_dir() and not path.is_symlink()]
    return [str(path) for path in inside if path not in directories], directories


def _only_inside(
    workspace: Workspace, differences: Iterable[Difference], command_change: CommandChange
) -> list[Difference]:
    """Return the differences inside the project; a directory may have become a link that leads out of the project."""
    inside: list[Difference] = []
    for difference in differences:
        if workspace.contains(difference.path.parent):
            inside.append(difference)
        else:
            command_change.uncovered.append((difference.path, "it lies outside the project now"))
    return inside
