"""A file seen with two eyes: the text of the client and the file on disk. Pure.

The client decides about the text. The disk decides about existence, encoding, BOM and line ends.
"""

import re
from collections import Counter, OrderedDict
from itertools import pairwise
from pathlib import Path
from typing import Literal

from msgspec import Struct, field

from placet.core.ports import Document, text_sha256
from placet.text.lines import restore_line_endings, split_lines, to_lf

MOST_FILES = 1000
"""Number of files whose history is kept."""
MOST_EARLIER_TEXTS = 8

Landing = Literal["landed", "formatted", "beside", "absent"]


class FileView(Struct, frozen=True):
    """A file at one moment."""

    path: Path
    client: str | None
    """Text of the client, with LF line ends; None if the client gave no text."""
    disk: Document | None
    """Document on disk; None without a file."""
    is_stale: bool = False
    """True if the client shows an earlier text of the file, and nothing of the user's."""

    @property
    def is_dirty(self) -> bool:
        """Return whether the client has unsaved text."""
        if self.client is None or self.is_stale:
            return False
        # Some clients give an empty text for a missing file.
        return self.client != "" if self.disk is None else not same_text(self.client, to_lf(self.disk.text))

    @property
    def document(self) -> Document | None:
        """Return the present document in the line ends of the file; None if no document exists."""
        if not self.is_dirty or self.client is None:
            return self.disk
        if self.disk is None:
            return Document(self.path, self.client, "editor", dirty=True)
        text = self.client
        if text and not text.endswith("\n") and self.disk.text.endswith(("\n", "\r")):
            text += "\n"  # Some clients join lines.
        text = restore_line_endings(self.disk.text, text)
        return Document(self.path, text, "editor", dirty=True, encoding=self.disk.encoding, bom=self.disk.bom)


def same_text(text: str, other_text: str) -> bool:
    """Return whether two texts with LF line ends are equal but for a final newline."""
    return text == other_text or text + "\n" == other_text or text == other_text + "\n"


def landing(before: str, wanted: str, current: str, *, is_saved: bool = False) -> Landing:
    """Return whether a text holds the change from `before` to `wanted`, all with LF line ends.

    `beside` if the user has typed as well; `formatted` if a formatter has gone over the text. A formatter moves words,
    quotes and brackets, and the text `is_saved`; a text with other words has been typed by somebody.
    """
    if current == wanted or (not same_text(before, wanted) and same_text(current, wanted)):
        return "landed"
    if same_text(current, before):
        return "absent"
    from placet.changes.journal.presence import presence  # Most looks at a file find one of the two texts.

    has_same_words = _words(current) == _words(wanted) != _words(before)
    has_same_words = has_same_words and not _keeps_old_lines(before, wanted, current)
    if has_same_words and is_saved:
        return "formatted"
    if presence(before, wanted, current) == "after":
        return "beside"
    if has_same_words:
        return "formatted"
    return "beside" if _has_all_lines(before, wanted, current) else "absent"


def _keeps_old_lines(before: str, wanted: str, current: str) -> bool:
    """Return whether the lines that the change takes away are all there, and nothing of the new lines: somebody has
    typed the same words elsewhere.
    """
    old, new, present = map(_pairs, (before, wanted, current))
    removed, added = old - new, new - old
    return bool(removed) and all(present[pair] >= old[pair] for pair in removed) and not added & present


def _pairs(text: str) -> Counter[tuple[str, str]]:
    """Return the pairs of neighbouring words within the lines."""
    return Counter(pair for line in text.split("\n") for pair in pairwise(re.findall(r"\w+", line)))


def _has_all_lines(before: str, wanted: str, current: str) -> bool:
    """Return whether every line that the change adds is in the text, and every line that the change removes is gone.

    Empty lines at the end count only where the change has no others, as some clients add one with each write.
    """
    texts = before, wanted, current
    if before.rstrip("\n") != wanted.rstrip("\n"):
        texts = tuple(text.rstrip("\n") + "\n" for text in texts)
    old, new, present = (Counter(split_lines(text)) for text in texts)
    return new - old <= present and not (old - new) & (present - new)


def _words(text: str) -> Counter[str]:
    return Counter(re.findall(r"\w+", text))


class _History(Struct):
    agreed: str | None = None
    """Hash of the text at the last moment when client and disk agreed."""
    earlier: "OrderedDict[str, None]" = field(default_factory=lambda: OrderedDict[str, None]())
    """Hashes of the texts that the disk had."""


class SeenFiles:
    """Texts seen on the disk in one workspace, by which an old text in the client is known from unsaved text."""

    def __init__(self) -> None:
        self._histories: OrderedDict[Path, _History] = OrderedDict()

    def view(self, path: Path, client: str | None, disk: Document | None) -> FileView:
        """Return the view of the file, and remember the view.

        The client's text is stale if the file has changed since both agreed, and once had this very text.
        """
        history = self._histories.setdefault(path, _History())
        self._histories.move_to_end(path)
        if len(self._histories) > MOST_FILES:
            self._histories.popitem(last=False)
        disk_hash = "" if disk is None else _hash(to_lf(disk.text))
        fresh = FileView(path, client, disk)
        is_stale = (
            client is not None
            and fresh.is_dirty
            and history.agreed is not None
            and history.agreed != disk_hash
            and _hash(client) in history.earlier
        )
        if client is not None and not fresh.is_dirty:
            history.agreed = disk_hash
        history.earlier[disk_hash] = None
        history.earlier.move_to_end(disk_hash)
        if len(history.earlier) > MOST_EARLIER_TEXTS:
            history.earlier.popitem(last=False)
        return FileView(path, client, disk, is_stale)

    def recent(self, count: int) -> list[Path]:
        """Return the files seen last."""
        return list(self._histories)[-count:]


def _hash(text: str) -> str:
    return text_sha256(text.removesuffix("\n"))
