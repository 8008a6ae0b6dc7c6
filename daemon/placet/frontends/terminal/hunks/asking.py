"""Ask the user about the hunks of a change, one after another."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from rich.console import Console

from placet.changes.review.staged_file import marked
from placet.core.ports import ProposedFile
from placet.core.visible_text import spelled_out
from placet.frontends.terminal.hunks.diff_view import heading_text, hunk_text
from placet.frontends.terminal.hunks.walk import Part, Walk, begin, decided, edited, keys, read_key
from placet.project.paths import Workspace
from placet.text.merge import has_marks

HELP = {
    "y": "y [words]  {accept} this hunk",
    "n": "n [why]    {reject} this hunk; the reason is told to the model",
    "a": "a          {accept} this hunk and all later hunks in the file that fit",
    "d": "d [why]    {reject} this hunk and all later hunks in the file",
    "q": "q          quit: {rest}",
    "e": "e          edit the new lines in your editor, and {accept} the result",
    "j": "j          leave this hunk undecided, and see the next undecided hunk",
    "k": "k          leave this hunk undecided, and see the previous undecided hunk",
    "?": "?          show this help",
}


@dataclass(frozen=True, slots=True)
class HunkWords:
    """Words of a command for the two decisions, and for the hunks that stay undecided."""

    accept: str
    reject: str
    rest: str


class HunkQuestions:
    """Questions about the hunks of a change; lives as long as the approver or the review."""

    def __init__(
        self,
        console: Console,
        workspace: Workspace,
        read_line: Callable[[str], Awaitable[str]],
        edit: Callable[[str, str], Awaitable[str | None]],
        words: HunkWords,
    ) -> None:
        """Make the questions; `edit` returns the text, named as the file, as the user has edited the text, or None."""
        self._console = console
        self._workspace = workspace
        self._read_line = read_line
        self._edit = edit
        self._words = words

    async def ask(self, files: Sequence[ProposedFile]) -> Walk:
        """Return the ended walk through the files. Raises what `read_line` raises."""
        walk = begin(files)
        is_new = True
        while (part := walk.part) is not None:
            if is_new:
                self._show(files, part)
            letters = keys(walk)
            line = await self._read_line(self._prompt(files, part, letters))
            before, walk = walk, await self._answered(walk, read_key(line, f"{letters}?"), files)
            is_new = walk is not before
        return walk

    async def _answered(self, walk: Walk, answer: tuple[str, str] | None, files: Sequence[ProposedFile]) -> Walk:
        match answer:
            case None | ("?", _):
                words = {"accept": self._words.accept, "reject": self._words.reject, "rest": self._words.rest}
                for key in f"{keys(walk)}?":
                    self._console.print(f"  {HELP[key].format(**words)}", highlight=False, markup=False)
                return walk
            case ("e", _):
                part = walk.part
                assert part is not None
                name = self._workspace.relative(files[part.file].path)
                text = await self._edit("".join(marked(part.hunks[0])), name)
                if part.hunks[0].is_in_conflict and has_marks(text or ""):
                    self._console.print(
                        "Lines with conflict markers are left, so nothing was decided.", highlight=False
                    )
                    return walk
                return walk if text is None else edited(walk, text)
            case (key, words):
                return decided(walk, key, words)

    def _show(self, files: Sequence[ProposedFile], part: Part) -> None:
        file = files[part.file]
        self._console.print(heading_text(file, self._workspace))
        if not part.is_whole:
            self._console.print(hunk_text(file, part.hunks[0]))

    def _prompt(self, files: Sequence[ProposedFile], part: Part, letters: str) -> str:
        file = f"file {part.file + 1}/{len(files)}, " if len(files) > 1 else ""
        subject = f"{files[part.file].kind} the whole file" if part.is_whole else f"hunk {part.number}/{part.count}"
        verb = self._words.accept.capitalize()
        return spelled_out(f"{file}{subject}: {verb}? [{'/'.join(letters)}/?] ")
