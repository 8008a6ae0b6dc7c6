"""The Documents port through an editor: open buffers are the truth, edited by `workspace/applyEdit` alone.

Implements docs/EDITS.md rules 1, 3 to 6, 12, 13. A client's word on an edit is believed once the edit's text is seen.
"""

import asyncio
import logging
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice, takewhile
from pathlib import Path
from typing import Any, cast

from placet.core.errors import DocumentError, DocumentMissing, EditConflict, EditError
from placet.core.ports import Document, FileEdit, FileOutcome, text_sha256
from placet.core.values import replace
from placet.frontends.lsp.connection.buffers import BufferStore, OpenBuffer
from placet.frontends.lsp.connection.editor_client import EditorClient, EditorError, EditorGone
from placet.frontends.lsp.connection.showing import show_message
from placet.frontends.lsp.ports.apply_edit import (
    ApplyAnswer,
    SentEdit,
    lsp_edits,
    plain_params,
    strict_params,
)
from placet.frontends.lsp.ports.buffer_history import BufferHistory, snapshot
from placet.frontends.lsp.ports.editor_reads import READ_SECONDS, EditorReads
from placet.frontends.lsp.ports.sent_edits import EditReply, SentEdits
from placet.project.files.disk import DiskDocuments, on_saved
from placet.project.paths import Resolver
from placet.settings import Settings
from placet.text.buffer import Buffer
from placet.text.diff import text_edits
from placet.text.lines import dominant_line_ending, restore_line_endings, to_lf

log = logging.getLogger(__name__)

SAVE_SECONDS = 10.0
NOT_TRIED = "not tried, as an earlier file failed"
MOST_AT_ONCE = 16
"""Highest number of closed files that are written on disk in one run, between two looks at the open documents."""


class LspDocuments:
    """Documents of one connection."""

    def __init__(self, client: EditorClient, buffers: BufferStore, settings: Settings) -> None:
        self._client = client
        self._buffers = buffers
        self._files_through_editor = settings.edit.files_through_editor
        self._disk = DiskDocuments()
        self._sent = SentEdits(client)
        self._reads = EditorReads(client)
        self._resolver: Resolver | None = None
        self._superseded: dict[str, tuple[OpenBuffer, int]] = {}
        """Open documents whose files we changed on disk, with the version then: until the version moves, the disk is
        the truth.
        """

    def follow(self, settings: Settings) -> None:
        """Take over the settings, at the opening of the sessions and after each change of the settings."""
        self._files_through_editor = settings.edit.files_through_editor

    # ------------------------------------------------------------ reading

    async def read(self, path: Path) -> Document:
        """Read a file as the Documents port says. An editor without an answer in time is taken not to have the
        document.
        """
        open_buffer = self._find(path)
        if open_buffer is None:
            document = await self._reads.read(path)
        elif self._is_superseded(open_buffer):
            document = None
        else:
            document = await self._with_dirtiness(replace(snapshot(open_buffer), path=path))
            if document.text == "":
                return document  # Perhaps of a file that the user is about to make.
        # Editors keep a saved document of a removed file: VS Code for minutes without a tab, or in a struck-out tab.
        if document is None or not (document.dirty or path.exists()):
            return await self._disk.read(path)
        return document

    async def unsaved(self) -> list[Document]:
        """Return unsaved documents as the Documents port says; documents which the editor has open without telling us
        are unknown.
        """
        opened = {
            open_buffer.key: open_buffer.path for open_buffer in self._buffers.all() if open_buffer.path is not None
        }
        documents = [await self._unsaved(path) for path in opened.values()]
        return [document for document in documents if document is not None]

    async def _unsaved(self, path: Path) -> Document | None:
        open_buffer = self._open(path)
        if open_buffer is None:
            return None
        document = await self._with_dirtiness(replace(snapshot(open_buffer), path=path))
        return document if document.dirty else None

    async def save(self, paths: Sequence[Path]) -> list[Path]:
        """Save files as the Documents port says: an editor without our plugin cannot be told to save."""
        uris = {open_buffer.uri: path for path in paths if (open_buffer := self._open(path)) is not None}
        if not uris or not self._client.profile.can("editor/save"):
            return []
        answer = await self._ask("editor/save", {"uris": list(uris)}, SAVE_SECONDS)
        files = answer.get("files") if isinstance(answer, dict) else None
        reports = cast("list[Any]", files) if isinstance(files, list) else []
        saved = {report.get("uri") for report in reports if isinstance(report, dict) and report.get("saved") is True}
        return [path for uri, path in uris.items() if uri in saved]

    async def reload(self) -> None:
        """Ask the editor to look at the disk again, if the editor offers `editor/reload`."""
        if self._client.profile.can("editor/reload"):
            await self._ask("editor/reload", {}, READ_SECONDS)

    @contextmanager
    def watch_saves(self) -> Generator[dict[Path, str]]:
        """Watch saves as the Documents port says, by each didSave; a client sending no didSave gives no saves."""
        save_counts = {open_buffer: open_buffer.saves for open_buffer in self._buffers.all()}
        texts: dict[Path, str] = {}

        def note(open_buffer: OpenBuffer) -> None:
            if open_buffer.path is not None and open_buffer.saves > save_counts.get(open_buffer, 0):
                save_counts[open_buffer] = open_buffer.saves
                texts[open_buffer.path] = open_buffer.text

        with self._buffers.watched(note):
            yield texts

    async def has_unsaved(self, path: Path) -> bool:
        """Return whether the document is open with a text other than the disk's."""
        return await self._unsaved(path) is not None

    def is_current(self, path: Path) -> bool:
        """Return whether the document is open, and the file has not changed under the document."""
        return self._open(path) is not None

    def changed_under(self, path: Path) -> None:
        """Note a change of the file not made through this editor: the buffer counts again when the buffer's version has
        moved.
        """
        if (open_buffer := self._open(path)) is not None:
            self._superseded[open_buffer.uri] = (open_buffer, open_buffer.version)

    def _open(self, path: Path) -> OpenBuffer | None:
        """Return the open document of a file, unless the file has changed under the document."""
        open_buffer = self._find(path)
        return None if open_buffer is None or self._is_superseded(open_buffer) else open_buffer

    def _find(self, path: Path) -> OpenBuffer | None:
        """Return the open document of a file. Many looks in one step of the event loop share the look at the disk."""
        if self._resolver is None:
            self._resolver = Resolver()
            asyncio.get_running_loop().call_soon(self._end_step)
        return self._buffers.find(path, self._resolver)

    def _end_step(self) -> None:
        self._resolver = None

    def _is_superseded(self, open_buffer: OpenBuffer) -> bool:
        """Return whether the file has changed under the open document, and the document not since."""
        superseded = self._superseded.get(open_buffer.uri)
        if superseded is None:
            return False
        if superseded[0] is open_buffer and superseded[1] == open_buffer.version:
            return True
        del self._superseded[open_buffer.uri]
        return False

    async def _with_dirtiness(self, document: Document) -> Document:
        """Mark the document dirty if the text differs from the disk: a buffer may be opened dirty, and typed back to
        the saved text. For a file that is gone the editor knows whether the text was saved.
        """
        try:
            saved = await self._disk.read(document.path)
        except DocumentMissing:
            known = await self._reads.read(document.path)
            return replace(document, dirty=document.text != "" if known is None else known.dirty)
        except DocumentError:
            return document
        dirty = to_lf(saved.text) != to_lf(document.text)
        return replace(document, dirty=dirty, encoding=saved.encoding, bom=saved.bom)

    async def _ask(self, method: str, params: dict[str, Any], timeout_seconds: float) -> Any:
        """Return the editor's answer, or None if no answer came."""
        try:
            return await self._client.request(method, params, timeout_seconds=timeout_seconds)
        except (EditorError, EditorGone, TimeoutError) as error:
            log.warning("%s: %s", method, error or "no answer in time")
            return None

    # ------------------------------------------------------------ applying

    async def apply(
        self, edits: Sequence[FileEdit], *, edit_id: str, label: str, turn_id: str = ""
    ) -> list[FileOutcome]:
        """Apply edits as the Documents port says. A strict client gets its share in one request; the disk's share
        follows.
        """
        through_editor = self._share_of_strict_editor(edits) if self._client.profile.strict_apply else []
        outcomes: dict[int, FileOutcome] = {}
        if through_editor:
            together = await self._apply_together(through_editor, edit_id=edit_id, label=label, turn_id=turn_id)
            outcomes = {id(edit): outcome for edit, outcome in zip(through_editor, together, strict=True)}
        rest = [edit for edit in edits if id(edit) not in outcomes]
        while rest:
            if any(not outcome.applied for outcome in outcomes.values()):
                done = [FileOutcome(edit.path, False, NOT_TRIED, await self._read_back(edit.path)) for edit in rest]
            else:
                done = await self._apply_closed(rest) or [await self._apply_edit(rest[0], label)]
            outcomes |= {id(edit): outcome for edit, outcome in zip(rest, done, strict=False)}
            rest = rest[len(done) :]
        return [outcomes[id(edit)] for edit in edits]

    async def _apply_closed(self, edits: Sequence[FileEdit]) -> list[FileOutcome]:
        """Apply the first of the edits on disk in one run, as far as the edits change texts of closed files.

        Return no outcome where the first edit is none of these.
        """
        closed = takewhile(lambda edit: edit.kind == "modify" and self._find(edit.path) is None, edits)
        run = list(islice(closed, MOST_AT_ONCE))
        return await self._disk.apply_to_saved(run) if run else []

    def _share_of_strict_editor(self, edits: Sequence[FileEdit]) -> list[FileEdit]:
        """Return the edits for a strict client: text changes only, and closed files only up to the limit for loading
        (docs/EDITS.md rule 5).
        """
        modified = [edit for edit in edits if edit.kind == "modify"]
        in_editor = {edit.path for edit in modified if self._is_in_editor(edit)}
        loadable: set[Path] = set()
        for edit in modified:
            if edit.path not in in_editor and not _has_mixed_line_endings(edit) and not _has_other_names(edit):
                loadable.add(edit.path)
            if len(loadable) > self._files_through_editor:
                loadable.clear()
                break
        return [edit for edit in modified if edit.path in in_editor or edit.path in loadable]

    def _is_in_editor(self, edit: FileEdit) -> bool:
        return self._open(edit.path) is not None or (edit.base is not None and edit.base.source == "editor")

    async def _apply_edit(self, edit: FileEdit, label: str) -> FileOutcome:
        open_buffer = self._find(edit.path)
        if edit.kind == "modify" and self._open(edit.path) is not None:
            assert open_buffer is not None
            return await self._apply_in_editor(edit, open_buffer, label)
        try:
            return await self._apply_on_disk(edit, open_buffer)
        except (DocumentError, EditError) as error:
            return FileOutcome(edit.path, False, str(error), await self._read_back(edit.path))

    # ------------------------------------------------------------ with a strict client

    async def _apply_together(
        self, edits: Sequence[FileEdit], *, edit_id: str, label: str, turn_id: str
    ) -> list[FileOutcome]:
        try:
            sent = [self._for_editor(edit) for edit in edits]
        except EditError as error:
            return [FileOutcome(edit.path, False, str(error), await self._read_back(edit.path)) for edit in edits]
        params = strict_params(sent, edit_id=edit_id, label=label, turn_id=turn_id)
        with BufferHistory(
            self._buffers, [sent_edit.open_buffer for sent_edit in sent if sent_edit.open_buffer]
        ) as history:
            reply = await self._sent.send(params)
            return await self._sent.outcomes(
                [(sent_edit, partial(self._settled, sent_edit)) for sent_edit in sent], reply, history
            )

    async def _settled(self, sent: SentEdit, reply: EditReply, history: BufferHistory) -> FileOutcome:
        """Return the outcome of one file of a strict edit: the text as seen afterwards, with saving and formatting."""
        answer, path = reply.answer, sent.edit.path
        report = answer.report(sent.uri)
        expected_sha256 = report.sha256 if answer.applied and report.sha256 else text_sha256(sent.edit.new_text)
        after = None
        if sent.open_buffer is not None:
            after = await history.find(sent.open_buffer, lambda seen: seen.sha256 == expected_sha256, reply.deadline)
        if after is None:
            after = await self._read_back(path)
        applied = after is not None and after.sha256 == expected_sha256
        if applied and after is not None:
            dirty = report.dirty if report.sha256 else after.dirty
            after = replace(after, path=path, dirty=dirty)
            return FileOutcome(path, True, after=after, changed_by_save=report.changed_by_save)
        reason = answer.reason or _misfit(sent, answer, after)
        return FileOutcome(path, False, reason, after, is_unsure=reply.is_unknown)

    # ------------------------------------------------------------ with any other client

    async def _apply_in_editor(self, edit: FileEdit, open_buffer: OpenBuffer, label: str) -> FileOutcome:
        """Apply an edit to one file through the editor; the edit is believed once our copy has become the wanted
        text.
        """
        profile = self._client.profile
        if profile.ignores_versions or not profile.applies_edits:
            # Such an edit may land on a text nobody has looked at; the disk is the safer way, while nothing is unsaved.
            return await self._apply_under(edit, open_buffer)
        try:
            sent = self._for_editor(edit)
        except EditError as error:
            return FileOutcome(edit.path, False, str(error), await self._read_back(edit.path))
        with BufferHistory(self._buffers, [open_buffer]) as history:
            params = plain_params(sent, label=label, versioned=profile.versioned_edits)
            reply = await self._sent.send(params)
            settle = partial(self._settled_plainly, sent, open_buffer)
            [outcome] = await self._sent.outcomes([(sent, settle)], reply, history)
        is_certain = not outcome.applied and not outcome.is_unsure
        if is_certain and profile.edits_only_after_command and open_buffer.version == sent.base.version:
            return await self._apply_under(edit, open_buffer)
        return outcome

    async def _settled_plainly(
        self, sent: SentEdit, open_buffer: OpenBuffer, reply: EditReply, history: BufferHistory
    ) -> FileOutcome:
        """Return the outcome of a file from an editor which reports nothing about the text."""
        answer, edit = reply.answer, sent.edit
        after = await history.find(open_buffer, lambda seen: seen.text == edit.new_text, reply.deadline)
        if after is not None:
            return FileOutcome(edit.path, True, after=await self._with_dirtiness(replace(after, path=edit.path)))
        after = await self._read_back(edit.path)
        if self._find(edit.path) is None:
            # Editors apply an edit to a closed document too, whatever the version, and do not report the outcome.
            reason = f"{edit.path} was closed while the edit was on its way: the editor may hold it, not saved."
            return FileOutcome(edit.path, False, reason, after, is_unsure=True)
        reason = answer.reason or _misfit(sent, answer, after)
        return FileOutcome(edit.path, False, reason, after, is_unsure=reply.is_unknown)

    async def _apply_under(self, edit: FileEdit, open_buffer: OpenBuffer) -> FileOutcome:
        """Change the disk under an open document without unsaved text; the editor then loads the document again."""
        try:
            return await self._apply_on_disk(edit, open_buffer)
        except (DocumentError, EditError) as error:
            reason = f"{error} {self._client.profile.client or 'This editor'} does not take the edit into its buffer."
            return FileOutcome(edit.path, False, reason, await self._read_back(edit.path))

    # ------------------------------------------------------------ both

    def _for_editor(self, edit: FileEdit) -> SentEdit:
        """Return the edit for the text and the version of the editor's document. No await may stand between this look
        and the sending.

        Raises EditConflict when the document no longer has the text for which the edit was made.
        """
        base = edit.base
        if base is None:
            raise EditError(f"{edit.path}: a change needs the text it is for.")
        open_buffer = self._open(edit.path)
        if open_buffer is None:
            buffer, version = Buffer(base.text), base.version if base.source == "editor" else None
        else:
            buffer, version = open_buffer.buffer, open_buffer.version
        text = buffer.text
        if text != base.text:
            if to_lf(text) != to_lf(base.text):
                raise EditConflict(f"{edit.path} has changed since the edit was made; read it again.")
            new_text = restore_line_endings(text, to_lf(edit.new_text))
            edit = replace(edit, new_text=new_text, edits=text_edits(text, new_text))
        edit = replace(edit, base=replace(base, text=text, version=version))
        return SentEdit(edit, open_buffer, lsp_edits(buffer, edit.edits, self._buffers.encoding))

    async def _apply_on_disk(self, edit: FileEdit, open_buffer: OpenBuffer | None) -> FileOutcome:
        """Apply an edit on disk. Raises DocumentError or EditError when the edit cannot be tried; an open document must
        have no unsaved changes.
        """
        ready, version = edit, 0
        if edit.base is not None:
            saved = await self._disk.read(edit.path)
            if open_buffer is not None:
                version = open_buffer.version
                superseded = self._open(edit.path) is None
                if not superseded and to_lf(open_buffer.text) != to_lf(saved.text):
                    raise EditConflict(f"{edit.path} has unsaved changes in the editor; save it and try again.")
            ready = on_saved(edit, saved)
        [outcome] = await self._disk.apply([ready], edit_id="", label="")
        if open_buffer is None or not outcome.applied:
            return outcome
        if open_buffer.version != version and edit.kind == "modify":
            if to_lf(open_buffer.text) == to_lf(ready.new_text):  # The editor has loaded the new text already.
                return outcome
            return await self._put_back(ready, outcome)
        self._superseded[open_buffer.uri] = (open_buffer, open_buffer.version)
        if edit.kind in ("delete", "rename"):
            message = f"Placet has removed {edit.path.name} from disk. The file is still open in this editor."
            show_message(self._client, message)
        return outcome

    async def _put_back(self, edit: FileEdit, outcome: FileOutcome) -> FileOutcome:
        """Put back the old text: the user typed into the document while the file was being changed, and the user's text
        goes first.
        """
        assert edit.base is not None
        back = replace(edit, base=outcome.after, new_text=edit.base.text)
        await self._disk.apply([back], edit_id="", label="")
        reason = f"{edit.path} was typed into while the edit was written; read it again."
        return FileOutcome(edit.path, False, reason, await self._read_back(edit.path))

    async def _read_back(self, path: Path) -> Document | None:
        try:
            return await self.read(path)
        except DocumentError:
            return None


def _has_mixed_line_endings(edit: FileEdit) -> bool:
    """Return whether line endings are mixed: some editors unify line endings on loading a file; the disk keeps the
    unchanged lines.
    """
    if edit.base is None:
        return False
    text = edit.base.text
    return to_lf(text).replace("\n", dominant_line_ending(text)) != text


def _has_other_names(edit: FileEdit) -> bool:
    """Return whether the file has other hard links: the user was told of a link being cut, and an editor's way with
    links is unknown.
    """
    try:
        return edit.path.stat().st_nlink > 1
    except OSError:
        return False


def _misfit(sent: SentEdit, answer: ApplyAnswer, after: Document | None) -> str:
    """Return the reason why an edit is not in the text, where no error gives the reason."""
    path = sent.edit.path
    if after is None:
        return f"{path} cannot be read any more."
    if after.sha256 == sent.base.sha256:
        claim = "says it applied the edit, but" if answer.applied else "did not apply the edit:"
        return f"The editor {claim} {path} is as it was."
    return f"{path} was changed while the edit was on its way; read it again to see what is there now."
