"""What a user's hands can do to an open document while a change of it is on its way."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from fake_editor.editor import FakeEditor

LINE = "line 5"
OURS = "agent 5"
"""The line that the change is about, and what the agent makes of it."""
OTHER_LINE, OTHER_OURS = "line 9", "agent 9"
"""Another line that it is about."""


@dataclass
class Hands:
    """One user at one document. What was typed must be there in the end, unless the user took it away."""

    editor: FakeEditor
    path: Path
    typed: set[str] = field(default_factory=set[str])
    may_have_taken_ours_away: bool = False
    may_have_brought_ours_back: bool = False
    acted: bool = False

    @property
    def is_open(self) -> bool:
        return self.path in self.editor.buffers

    def text(self) -> str | None:
        """What the user sees: the buffer, else the file."""
        if self.is_open:
            return self.editor.buffers[self.path].text
        return self.on_disk() if self.path.exists() else None

    def on_disk(self) -> str:
        return self.path.read_bytes().decode("utf-8-sig") if self.path.exists() else ""

    def places(self) -> list[bool]:
        """Whether the agent's line is there: on screen; and on disk, under an editor that takes no edits there."""
        on_screen = OURS in (self.text() or "")
        return [on_screen, OURS in self.on_disk()] if self.editor.profile.edit_window_seconds else [on_screen]

    # ------------------------------------------------------------ what they do

    def type_elsewhere(self) -> None:
        self.editor.type(self.path, "typed by hand\n")
        self.typed.add("typed by hand")

    def type_beside(self) -> None:
        """On the line above: a change that touches the agent's."""
        self.editor.type(self.path, "line 4, by hand", instead_of="line 4")
        self.typed.add("line 4, by hand")

    def type_over(self) -> None:
        """Over the very line."""
        text = self.editor.buffers[self.path].text
        self.may_have_taken_ours_away = OURS in text
        self.editor.type(self.path, "my own 5", instead_of=OURS if OURS in text else LINE)
        self.typed.add("my own 5")

    def do_half_of_it(self) -> None:
        """One of the two lines that the change is about."""
        if OTHER_LINE in self.editor.buffers[self.path].text:
            self.editor.type(self.path, OTHER_OURS, instead_of=OTHER_LINE)

    def save(self) -> None:
        """Over whatever lies on disk, which an editor warns of."""
        was_ours, is_ours = OURS in self.on_disk(), OURS in self.editor.buffers[self.path].text
        self.may_have_taken_ours_away |= was_ours and not is_ours
        self.may_have_brought_ours_back |= is_ours and not was_ours
        self.editor.save(self.path)

    def type_and_save(self) -> None:
        self.type_elsewhere()
        self.save()

    def close(self) -> None:
        if self.editor.buffers[self.path].dirty:
            self.save()
        self.editor.close(self.path)

    def close_without_saving(self) -> None:
        self.may_have_taken_ours_away = self.editor.buffers[self.path].dirty
        self.editor.close(self.path)

    def type_save_and_close(self) -> None:
        self.type_and_save()
        self.editor.close(self.path)

    def reopen(self) -> None:
        self.close()
        self.editor.open(self.path)

    def reopen_without_saving(self) -> None:
        self.close_without_saving()
        self.editor.open(self.path)

    def rename(self) -> None:
        self.close()
        self.path = self.path.rename(self.path.with_name("renamed.txt"))
        self.editor.open(self.path)

    def rename_and_type(self) -> None:
        self.rename()
        self.type_elsewhere()

    def undo(self) -> None:
        """The editor's own undo."""
        buffer = self.editor.buffers[self.path]
        if buffer.undo:
            self.may_have_taken_ours_away = self.may_have_brought_ours_back = True
            self.editor.undo(self.path)

    def delete(self) -> None:
        self.may_have_taken_ours_away = True
        self.editor.close(self.path)
        self.path.unlink()

    def type_late(self) -> None:
        """The daemon hears of it later."""
        self.editor.hold(self.path)
        self.type_elsewhere()

    def type_over_late(self) -> None:
        self.editor.hold(self.path)
        self.type_over()

    def hear(self) -> None:
        if self.is_open and self.editor.buffers[self.path].held is not None:
            self.editor.release(self.path)


ACTIONS: dict[str, Callable[[Hands], None]] = {
    name: getattr(Hands, name)
    for name in (
        "type_elsewhere",
        "type_beside",
        "type_over",
        "do_half_of_it",
        "save",
        "type_and_save",
        "close",
        "close_without_saving",
        "type_save_and_close",
        "reopen",
        "reopen_without_saving",
        "rename",
        "rename_and_type",
        "undo",
        "delete",
        "type_late",
        "type_over_late",
    )
}
