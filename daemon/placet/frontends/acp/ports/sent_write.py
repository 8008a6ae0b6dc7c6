"""A write that the client was asked for, and its outcome by a later view of the file. Pure; the methods block."""

import re
from dataclasses import dataclass

from placet.core.ports import Document, FileEdit, FileOutcome
from placet.core.values import replace
from placet.frontends.acp.ports.client_files import WriteReply
from placet.frontends.acp.ports.file_view import FileView, Landing, landing, same_text
from placet.text.lines import restore_line_endings, to_lf


@dataclass(frozen=True, slots=True)
class SentWrite:
    """Write of one edit, with the file before, and the text that the client was last asked to write."""

    edit: FileEdit
    before: FileView
    base: str
    """Text before the edit, with LF line ends, as `wanted` and `text`."""
    wanted: str
    text: str
    """Text to write: `wanted`, or `wanted` with the user's typing."""
    reply: WriteReply

    @property
    def encoding(self) -> tuple[str, bool]:
        """Return the encoding of the file, and whether the file begins with a BOM."""
        disk = self.before.disk
        return (self.edit.encoding or "utf-8", self.edit.bom) if disk is None else (disk.encoding, disk.bom)

    def landing(self, view: FileView) -> Landing:
        """Return whether the present document holds the edit."""
        document = view.document
        if document is None:
            return "absent"
        return landing(self.base, self.wanted, to_lf(document.text), is_saved=not view.is_dirty)

    def has_landed_on_disk(self, view: FileView) -> bool:
        """Return whether the file on disk holds the text to write."""
        return view.disk is not None and landing(self.base, self.text, to_lf(view.disk.text)) != "absent"

    def outcome(self, view: FileView) -> FileOutcome:
        """Return the outcome that shows in the view."""
        path, after = self.edit.path, view.document
        match self.landing(view):
            case "landed":
                return FileOutcome(path, True, after=after)
            case "formatted":
                return FileOutcome(path, True, after=after, changed_by_save=True)
            case "beside":
                assert after is not None
                return FileOutcome(path, True, after=replace(after, text=self.edit.new_text))
            case "absent":
                return self._failure(after)

    def _failure(self, after: Document | None) -> FileOutcome:
        path = self.edit.path
        is_as_before = after is not None and same_text(to_lf(after.text), self.base)
        seems = f"{path} is as it was, and the client says that it was written."
        moved = f"{path} was changed while the edit was written; read it again to see what is there now."
        is_moved = after is None and self.before.document is not None and not self.reply.reason
        return FileOutcome(
            path,
            False,
            self.reply.reason or (seems if is_as_before else moved),
            after,
            is_unsure=is_moved or not self.reply.is_answered,
        )

    def unspoilt(self, disk: Document) -> str | None:
        """Return the text that the file should have, in the line ends of the file; None for a text of somebody else."""
        lines = re.sub(r"\r+\n", "\n", disk.text).replace("\r", "\n")
        if lines == self.text + "\n" and self.text.endswith("\n"):
            lines = self.text  # The client has doubled the final newline.
        if landing(self.base, self.text, lines) == "absent":
            return None
        if lines == self.wanted:
            return self.edit.new_text
        return lines if self.before.disk is None else restore_line_endings(self.before.disk.text, lines)
