"""Commands under an overlay: the changes of a command are proposed after the command, in the same review as edits.

The files of the project stay as they are while the command runs; the command sees the session's staged files in place
of the files on disk. Afterwards the ignored files go through at once
(sandbox/overlay/harvest.py), and all other files become a single change on the files as they are by then: the user's
edits meanwhile are merged, or keep the file of the command out. Files rejected by the user are gone with the layer.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from placet.changes.call import ChangingCall
from placet.changes.commands.command_changes import LONGEST_EDIT_SECONDS
from placet.changes.commands.command_proposer import CommandProposer
from placet.changes.commands.command_report import CommandChange
from placet.changes.commands.contained_report import (
    merged_data,
    not_kept_note,
    proposal_data,
    proposal_notes,
    rejection_notes,
)
from placet.changes.commands.layer_records import LayerRecords, Meanwhile, layer_records
from placet.changes.commands.snapshot import FileSnapshot, take
from placet.changes.journal.current_files import read_or_none
from placet.changes.journal.journal import Journal
from placet.changes.journal.records import ChangeRecord
from placet.changes.propose.proposal import propose
from placet.changes.propose.raw_proposal import CommandPlan
from placet.changes.propose.result import ChangeResult
from placet.core.errors import DocumentError, EditError, NobodyToAsk, PermissionDenied, Rejected, ToolError
from placet.core.executor import in_thread
from placet.core.ids import now
from placet.core.ports import Documents
from placet.core.tasks import to_the_end
from placet.core.values import replace
from placet.core.visible_text import QUOTE_CHARACTERS, shortened, spelled_out
from placet.permissions.protection import protection_of
from placet.permissions.shell import Findings
from placet.project.paths import Workspace, real
from placet.project.processes.programs import run_places
from placet.sandbox.listings import INSTALLED
from placet.sandbox.overlay.harvest import Harvest, finish_directories, put_through, put_through_again, sort_layer
from placet.sandbox.overlay.layers import Layer, OverlayMount, new_layer, remove_left_layers, renewed
from placet.sandbox.overlay.staged_layer import lay_staged
from placet.sandbox.overlay.upper import UpperLayer, read_upper
from placet.sandbox.places import is_in
from placet.text.plan import PlannedFile

logger = logging.getLogger(__name__)


@dataclass(slots=True)
class ContainedChange(CommandChange):
    """Report of a command under overlays, filled in after the command has ended."""

    mounts: tuple[OverlayMount, ...] = ()
    """Overlays to run the command with."""
    unseen: list[Path] = field(default_factory=list[Path])
    """Staged files that the command does not see."""
    refusal: Rejected | NobodyToAsk | None = None
    """Rejection of the whole change by the user, or the error that nobody could be asked."""
    left_out: list[tuple[Path, str]] = field(default_factory=list[tuple[Path, str]])
    """Files of the command that were not proposed, or could not go through, each with the reason."""


@dataclass(frozen=True, slots=True)
class _Start:
    """State when the command began."""

    layer: Layer
    since: int
    over: frozenset[str]
    """Changes in the journal that had ended before the command began."""
    files: dict[str, FileSnapshot | None]
    """Files that the session has read or the command names."""


class ContainedCommands:
    """Commands under overlays, for all sessions of a front door."""

    def __init__(self, documents: Documents, journal: Journal, layers: Path) -> None:
        """Keep the layers of running commands below the directory `layers`."""
        self._documents = documents
        self._journal = journal
        self._layers = layers
        self._cleaned = False
        self._spare: _OwnLayer | None = None
        """Layer that a command has left empty: the next command over the same roots takes the layer."""
        self._removals: set[asyncio.Future[bool | None]] = set()
        """Removals of layers that still run; no command waits for a removal, as a layer can hold very many files."""

    @asynccontextmanager
    async def around(
        self,
        findings: Findings,
        title: str,
        call: ChangingCall,
        proposer: CommandProposer,
        unreadable: Sequence[Path],
    ) -> AsyncGenerator[ContainedChange]:
        """Return a context to hold while the command runs under the overlays of the result. `title` names the change
        to the user. A command that is cut short by an error or a cancellation leaves nothing.

        Raises ToolError if no layer can be made.
        """
        if not self._cleaned:
            self._cleaned = True
            await in_thread(remove_left_layers, self._layers)
        spare, self._spare = self._spare, None
        try:
            own = await to_the_end(in_thread(_layer, self._layers, call.workspace.roots, spare))
        except OSError as error:
            raise ToolError(f"No layer for the command's changes: {error.strerror or error}") from error
        is_empty = False
        try:
            entries, unseen = await proposer.entries(unreadable)
            layer, failed = own.layer, []
            if entries:
                mounts, failed = await to_the_end(in_thread(lay_staged, layer.mounts, entries))
                layer = replace(layer, mounts=mounts)
            change = ContainedChange(is_watched=True, mounts=layer.mounts, unseen=[*unseen, *failed])
            start = await self._start(layer, findings, call)
            yield change
            is_empty = await self._harvest(start, title, call, change, proposer) and not entries
        finally:
            if is_empty and self._spare is None:
                self._spare = own
            else:
                self._remove(own)

    async def close(self) -> None:
        """Wait until the layers of all commands have been removed."""
        if self._spare is not None:
            self._remove(self._spare)
            self._spare = None
        if self._removals:
            await asyncio.wait(self._removals)

    def _remove(self, own: "_OwnLayer") -> None:
        removal = asyncio.ensure_future(in_thread(own.context.__exit__, None, None, None))
        self._removals.add(removal)
        removal.add_done_callback(self._removals.discard)

    async def _start(self, layer: Layer, findings: Findings, call: ChangingCall) -> _Start:
        since = now() - LONGEST_EDIT_SECONDS * 1000
        over = frozenset(change.id for change in await self._journal.since(since) if change.state != "planned")
        unsaved = await self._documents.unsaved()
        read = [document.path for document in (*unsaved, *call.ledger.documents)]
        files = await in_thread(take, [str(real(path)) for path in (*read, *findings.paths)], {})
        return _Start(layer, since, over, files)

    async def _harvest(
        self, start: _Start, title: str, call: ChangingCall, change: ContainedChange, proposer: CommandProposer
    ) -> bool:
        """Propose and put through everything that the command has left; return whether the command has left nothing."""
        harvests: list[Harvest] = []
        try:
            uppers = await in_thread(_read_uppers, start.layer)
            if all(upper == UpperLayer() for upper in uppers):
                return True
            harvests = [harvest async for harvest in _sorted(start.layer, uppers, call.workspace)]
            for harvest in harvests:
                await to_the_end(in_thread(put_through, harvest))
            is_settled = await self._propose(start, harvests, title, call, change, proposer)
            for harvest in harvests:
                if is_settled:
                    await to_the_end(in_thread(_finish, harvest))
                change.left_out += [(harvest.mount.lower / path, why) for path, why in harvest.failures.items()]
        except (OSError, ToolError) as error:
            logger.warning("The changes of a command cannot be read: %s", error)
            reason = shortened(str(error), QUOTE_CHARACTERS)  # The path in an error can be very long.
            change.doubt = f"What the command changed could not be read, and is not kept: {reason}"
        change.notes += _left_out_notes(change, call)
        return False

    async def _propose(
        self,
        start: _Start,
        harvests: Sequence[Harvest],
        title: str,
        call: ChangingCall,
        change: ContainedChange,
        proposer: CommandProposer,
    ) -> bool:
        """Propose the files that stay in the layers; return whether any of the change was accepted or staged, or none
        was proposed.
        """
        if not any(harvest.written or harvest.deleted for harvest in harvests):
            return True
        unsaved = frozenset(document.path for document in await self._documents.unsaved())
        meanwhile = Meanwhile(start.layer.started, start.files, await self._changes_since(start), unsaved)
        records = await in_thread(layer_records, harvests, call.workspace, meanwhile)
        change.left_out += [*records.left_out, *_protected(records, harvests, call)]
        plan = CommandPlan(title, tuple(await _mergeable(records, change, call, proposer)), records.raw)
        if not plan.files and not plan.raw:
            return True
        is_staged = False
        try:
            if (staged := await proposer.stage(plan)) is not None:
                plan, is_staged = staged.rest, True
                change.left_out += staged.left_out
                _report(change, staged.result, call)
            if plan.files or plan.raw:
                _report(change, await proposer.propose(plan), call)
        except Rejected as rejection:
            change.refusal = rejection
            change.proposed = merged_data(change.proposed, rejection.metadata)
            change.notes += rejection_notes(rejection, plan, call.workspace)
            return is_staged
        except (PermissionDenied, NobodyToAsk, EditError, DocumentError) as error:
            change.refusal = error if isinstance(error, NobodyToAsk) else None
            change.notes.append(not_kept_note(plan, error, call.workspace, is_rest=is_staged))
            return is_staged
        return True

    async def _changes_since(self, start: _Start) -> list[ChangeRecord]:
        changes = await self._journal.since(start.since)
        return await self._journal.with_files(
            [change for change in changes if change.id not in start.over and change.state != "failed"]
        )


class _OwnLayer(NamedTuple):
    """Layer with the context that removes the layer."""

    context: AbstractContextManager[Layer]
    layer: Layer


def _layer(base: Path, roots: Sequence[Path], spare: _OwnLayer | None) -> _OwnLayer:
    """Return the spare layer if the layer fits, or a new layer. Blocks. Raises OSError."""
    if spare is not None:
        if (layer := renewed(spare.layer, roots)) is not None:
            return spare._replace(layer=layer)
        spare.context.__exit__(None, None, None)
    context = new_layer(base, roots)
    return _OwnLayer(context, context.__enter__())


def _read_uppers(layer: Layer) -> list[UpperLayer]:
    return [read_upper(mount) for mount in layer.mounts]


async def _sorted(layer: Layer, uppers: Sequence[UpperLayer], workspace: Workspace) -> AsyncGenerator[Harvest]:
    places = await in_thread(run_places, workspace.real_roots)
    for number, (mount, upper) in enumerate(zip(layer.mounts, uppers, strict=True)):
        if upper != UpperLayer():
            scratch = layer.directory / f"ignored.{number}"
            run = [path for path in (*upper.written, *upper.deleted) if is_in(mount.lower / path, places)]
            yield await sort_layer(
                mount, upper, scratch, lambda name, run=frozenset(run): name in run or _is_obeyed(name)
            )


def _is_obeyed(name: str) -> bool:
    """Return whether other programs run or obey the file; in installed packages such names come with the packages."""
    return protection_of(name) is not None and INSTALLED.isdisjoint(name.split("/"))


async def _mergeable(
    records: LayerRecords, change: ContainedChange, call: ChangingCall, proposer: CommandProposer
) -> list[PlannedFile]:
    """Return the texts without those in conflict with the user's changes, which are left out."""
    has_staged = bool(await proposer.staging.places())
    files: list[PlannedFile] = []
    for file in records.texts:
        if has_staged or file.path in records.doubtful:
            try:
                propose(file, await read_or_none(proposer.seen, file.path), call.workspace.name(file.path))
            except (EditError, DocumentError):
                change.left_out.append((file.path, "the user changed the same lines meanwhile"))
                continue
        files.append(file)
    return files


def _report(change: ContainedChange, result: ChangeResult, call: ChangingCall) -> None:
    change.proposed = merged_data(change.proposed, proposal_data(result))
    change.notes += proposal_notes(result, call.workspace)


def _finish(harvest: Harvest) -> None:
    if harvest.failures:
        put_through_again(harvest)
    finish_directories(harvest)


def _protected(records: LayerRecords, harvests: Sequence[Harvest], call: ChangingCall) -> list[tuple[Path, str]]:
    """Take the files that only git and Placet may write out of the records, and return these files with the reason: one
    such file must not cost the command its other changes.
    """
    names = {path: call.workspace.relative(path) for path in (*(file.path for file in records.texts), *records.raw)}
    obeyed = {harvest.mount.lower / path for harvest in harvests for path in harvest.obeyed}
    protected = [path for path, name in names.items() if path in obeyed or protection_of(name) == "edit_protected"]
    records.texts[:] = [file for file in records.texts if file.path not in protected]
    for path in protected:
        records.raw.pop(path, None)
    return [(path, "git or Placet itself trusts the file") for path in protected]


def _left_out_notes(change: ContainedChange, call: ChangingCall) -> list[str]:
    if not change.left_out:
        return []
    names = "; ".join(f"{spelled_out(call.workspace.name(path))} ({reason})" for path, reason in change.left_out[:10])
    more = f"; and {len(change.left_out) - 10} more" if len(change.left_out) > 10 else ""
    return [f"Changed by it, and not kept: {names}{more}. Look at these files, and run the command again if needed."]
