"""Writes through the client: one text sent, and the outcome judged by the client's text and by the file on disk.

The methods know no version: a text typed right before the write is merged and written again, a client that leaves the
buffer alone gets the old file back, and line ends, BOM and encoding of the file are repaired on disk.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

from placet.core.errors import DocumentError
from placet.core.executor import in_thread
from placet.core.ports import FileEdit, FileOutcome
from placet.core.values import replace
from placet.frontends.acp.ports.client_files import ClientFiles
from placet.frontends.acp.ports.file_view import FileView, landing, same_text
from placet.frontends.acp.ports.sent_write import SentWrite
from placet.project.files.disk import (
    DiskDocuments,
    encode_readable,
    missing_directory,
    refuse_read_only,
    remove_empty_directories,
    rewrite_document,
)
from placet.project.paths import real
from placet.text.lines import restore_line_endings, to_lf
from placet.text.merge import MergeConflict, merge, merge_both

SETTLE_SECONDS = 1.0
"""Time in which a written text shows in the client and on disk, formatted and saved."""
FIRST_PAUSE_SECONDS = 0.01
LONGEST_PAUSE_SECONDS = 0.1
LATE_LOOKS_SECONDS = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""Pauses between the looks for a write without an answer, which the client may still carry out."""
MOST_TYPINGS = 100
"""Number of times that the user can type between a look and the write of one edit."""

View = Callable[[Path], Awaitable[FileView]]


class ClientWrites:
    """Sender of the writes of one workspace. A task waits for each write that may come late."""

    def __init__(self, files: ClientFiles, view: View) -> None:
        self._files = files
        self._view = view
        self._late: set[asyncio.Task[FileOutcome]] = set()

    async def write(self, edit: FileEdit, before: FileView) -> FileOutcome:
        """Write the edit's text, and return the outcome. Raises DocumentError if nothing was sent."""
        document = before.document
        base, wanted = "" if document is None else to_lf(document.text), to_lf(edit.new_text)
        made = await in_thread(_prepare, edit, before)
        sent = await self._send(edit, before, base, wanted)
        try:
            return await self._judged(sent, made)
        except DocumentError as error:  # The file may hold anything: `applied` lets a rollback look at the file.
            return FileOutcome(edit.path, True, str(error))

    async def _judged(self, sent: SentWrite, made: Path | None) -> FileOutcome:
        """Return the outcome of a sent write; `made` is the outermost directory made for the file."""
        edit = sent.edit
        view = await self._settled(sent)
        view = await self._repaired(sent, view)
        outcome = await in_thread(sent.outcome, view)
        if not sent.reply.is_answered:
            self._files.learn(writes_may_hang=True)
        if outcome.applied:
            return outcome
        if await self._put_back_on_disk(sent, view):
            reason = f"{edit.path} has unsaved changes in the editor, which took no edit there."
            outcome = FileOutcome(edit.path, False, reason, (await self._view(edit.path)).document)
        if outcome.after is None and edit.kind == "create":
            if sent.reply.is_answered and sent.reply.reason:  # The client writes no files there.
                [outcome] = await DiskDocuments().apply([edit], edit_id="", label="")
            if not outcome.applied:
                await in_thread(remove_empty_directories, edit.path, made)
        return replace(outcome, later=self._look_later(sent)) if outcome.is_unsure else outcome

    async def _send(self, edit: FileEdit, before: FileView, base: str, wanted: str) -> SentWrite:
        """Let the client write; text typed in the meantime, which the client replaces, is merged and written again."""
        is_new = before.disk is None
        if self._files.facts.merges_writes or before.client is None:
            reply = await self._files.write(edit.path, wanted, is_new=is_new)
            return SentWrite(edit, before, base, wanted, wanted, reply)
        present, text, typings = base, wanted, 0
        reply = await self._files.overwrite(edit.path, text, is_new=is_new)
        while typings < MOST_TYPINGS:
            typed = reply.overwritten
            if typed is None or same_text(typed, present) or same_text(typed, text):
                break
            if reply.reason and not await self._has_landed(edit.path, typed, text):
                break
            if typings:
                merged = await in_thread(merge_both, present, typed, text)
            else:
                merged = await in_thread(_with_typing, typed, base, wanted)
            present, text, typings = text, merged, typings + 1
            is_new = is_new and not os.path.lexists(edit.path)
            reply = await self._files.overwrite(edit.path, text, is_new=is_new)
        return SentWrite(edit, before, base, wanted, text, reply)

    async def _has_landed(self, path: Path, typed: str, text: str) -> bool:
        """Return whether the client has replaced the typed text, though the client did not say so."""
        current = await self._files.read(path)
        return current is not None and await in_thread(landing, typed, text, current) != "absent"

    async def _settled(self, sent: SentWrite) -> FileView:
        """Return the view once the text is in the client and on disk, or at the end of the time for saving."""
        deadline = asyncio.get_running_loop().time() + SETTLE_SECONDS
        pause = FIRST_PAUSE_SECONDS
        while True:
            view = await self._view(sent.edit.path)
            is_saved = view.disk is not None and not view.is_dirty
            if is_saved and await in_thread(sent.landing, view) != "absent":
                return view
            if asyncio.get_running_loop().time() >= deadline:
                return view
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE_SECONDS)

    async def _repaired(self, sent: SentWrite, view: FileView) -> FileView:
        """Return the view, after line ends, final newline, BOM and encoding of the file are as before the write."""
        if view.disk is None:
            return view
        text = await in_thread(sent.unspoilt, view.disk)
        if text is None:
            return view
        encoding, bom = sent.encoding
        if (text, encoding, bom) == (view.disk.text, view.disk.encoding, view.disk.bom):
            return view
        self._files.learn(mangles_writes=True)
        await in_thread(partial(rewrite_document, view.disk, text, encoding=encoding, bom=bom))
        return await self._view(sent.edit.path)

    async def _put_back_on_disk(self, sent: SentWrite, view: FileView) -> bool:
        """Return whether the write reached the file and not the client's text; the file is then as before."""
        disk, before = view.disk, sent.before.disk
        if disk is None or not view.is_dirty or not await in_thread(sent.has_landed_on_disk, view):
            return False
        self._files.learn(writes_disk_only=True)
        if before is not None:
            await in_thread(partial(rewrite_document, disk, before.text, encoding=before.encoding, bom=before.bom))
        else:
            await DiskDocuments().apply([FileEdit("delete", sent.edit.path, disk)], edit_id="", label="")
        return True

    def _look_later(self, sent: SentWrite) -> "asyncio.Task[FileOutcome]":
        task = asyncio.create_task(self._come_late(sent), name="a write without an answer")
        self._late.add(task)
        task.add_done_callback(self._late.discard)
        return task

    async def _come_late(self, sent: SentWrite) -> FileOutcome:
        """Return the outcome of a write once the text shows, or at the end of the time for late writes."""
        outcome = FileOutcome(sent.edit.path, False, sent.reply.reason)
        for pause in LATE_LOOKS_SECONDS:
            await asyncio.sleep(pause)
            try:
                outcome = await in_thread(sent.outcome, await self._view(sent.edit.path))
            except DocumentError as error:
                outcome = FileOutcome(sent.edit.path, False, str(error))
            if outcome.applied:
                break
        return replace(outcome, is_unsure=False)


def _prepare(edit: FileEdit, before: FileView) -> Path | None:
    """Refuse what the disk would refuse, and make the directories of a file to be created. Blocks.

    Return the outermost directory made. Raises DocumentError.
    """
    target = real(edit.path) if edit.kind == "modify" else real(edit.path.parent) / edit.path.name
    if edit.target is not None and edit.target != target:
        raise DocumentError(f"{edit.path} leads elsewhere by now, to {target}; propose the change anew.")
    if before.disk is not None:
        refuse_read_only(edit.path)
        text = restore_line_endings(before.disk.text, to_lf(edit.new_text))
        encode_readable(text, before.disk.encoding, before.disk.bom)
        return None
    encode_readable(edit.new_text, edit.encoding or "utf-8", edit.bom)
    made = missing_directory(edit.path)
    try:
        edit.path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DocumentError(f"{edit.path} cannot be created: {error.strerror or error}.") from error
    return made


def _with_typing(typed: str, base: str, wanted: str) -> str:
    """Return the user's text with the edit, or without the edit where the user has changed the same lines."""
    try:
        return merge(base, typed, wanted)
    except MergeConflict:
        return typed
