"""Approver of a terminal: asks the user."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from itertools import groupby

from rich.console import Console
from rich.text import Text

from placet.changes.review.answers import answer_of, decision_on, place_and_version
from placet.core.errors import NobodyToAsk
from placet.core.ports import (
    AskedPart,
    PermissionAnswer,
    PermissionRequest,
    ProposedChange,
    ProposedFile,
    Question,
    Scope,
    pages_to_open,
)
from placet.core.visible_text import one_line, spelled_out
from placet.frontends.terminal import user_programs
from placet.frontends.terminal.hunks.asking import HunkQuestions, HunkWords
from placet.frontends.terminal.hunks.diff_view import change_text, files_text, heading_text, is_long
from placet.frontends.terminal.hunks.walk import Walk, begin, read_key, walk_decisions, without_undecided
from placet.frontends.terminal.pages import open_page
from placet.frontends.terminal.run.request_text import request_text, spoken_text
from placet.permissions.leaving import is_connection
from placet.project.paths import Workspace
from placet.sessions.asks.pending_ask_models import chosen_labels

HELP = {
    "y": "y [words]  allow once",
    "n": "n [why]    reject; with a reason the model goes on, else the turn ends",
    "h": "h          decide hunk by hunk",
    "e": "e          edit the proposed text in your editor, and accept the result",
    "v": "v          view the diff again, in your pager",
    "?": "?          show this help",
}
"""Answers beside `a`, with their effects."""
REJECT_HOST = "n [why]    reject the connection; the command and the turn go on without it"
"""Effect of `n` where a command that runs asks to connect to a host."""

SCOPES: dict[Scope, str] = {"session": "in this session", "project": "in this project", "user": "everywhere"}
ACTIONS = {"allow": "allowed", "ask": "asked", "deny": "denied"}
_WORDS = HunkWords("accept", "reject", "this hunk and all undecided hunks are rejected")
_ROOM_FOR_THE_QUESTION = 8
"""Lines of the screen that the question itself needs, below a diff."""


class TerminalApprover:
    """ports.Approver over a line-wise terminal; asks one question at a time."""

    def __init__(
        self,
        console: Console,
        workspace: Workspace,
        read_line: Callable[[str], Awaitable[str]],
        on_shown: Callable[[str], None],
        *,
        read_secret: Callable[[str], Awaitable[str]],
        forget_typed: Callable[[], None] = lambda: None,
        page: Callable[[Console, Text], Awaitable[None]] = user_programs.page,
        edit: Callable[[str, str], Awaitable[str | None]] = user_programs.edit,
    ) -> None:
        """Make the approver; `on_shown` is told the id of every change after the user has seen the diff.

        `read_secret` reads a line without showing the line. `forget_typed` forgets what was typed before a question;
        `page` and `edit` run the user's pager and editor.
        """
        self._on_shown = on_shown
        self._console = console
        self._workspace = workspace
        self._read_line = read_line
        self._read_secret = read_secret
        self._forget_typed = forget_typed
        self._page = page
        self._edit = edit
        self._hunks = HunkQuestions(console, workspace, self._line, edit, _WORDS)
        self._turn = asyncio.Lock()

    async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
        async with self._turn:
            self._forget_typed()
            text = None if request.change is None else change_text(request.change, self._workspace)
            exceeds = text is not None and is_long(text, self._console, _ROOM_FOR_THE_QUESTION)
            await self._show(request, text, exceeds=exceeds)
            letters = _letters(request, exceeds=exceeds)
            while True:
                line = await self._line(f"Allow? [{'/'.join(letters)}] ")
                match read_key(line, letters, with_words="yna"):
                    case ("y", words):
                        return PermissionAnswer("once", feedback=words)
                    case ("a", word) if (scope := _scope(request, word)) is not None:
                        return PermissionAnswer("always", scope=scope)
                    case ("n", words):
                        return PermissionAnswer("reject", feedback=words)
                    case ("h", _) if request.change is not None:
                        return _answer(request.change.files, await self._hunks.ask(request.change.files))
                    case ("e", _) if request.change is not None:
                        (file,) = request.change.files
                        edited = await self._edit(file.new_text, self._workspace.relative(file.path))
                        if edited is not None:
                            return answer_of([decision_on(file, "accept", text=edited)])
                    case ("v", _) if text is not None:
                        await self._page(self._console, text)
                    case _:
                        self._console.print("\n".join(_help(request, letters)), highlight=False, markup=False)

    async def ask(self, session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        async with self._turn:
            self._forget_typed()
            answers: list[list[str]] = []
            for question in questions:
                if (answer := await self._ask_question(question)) is None:
                    return None
                answers.append(answer)
            for address in pages_to_open(questions, answers):
                await open_page(address)
            return answers

    async def _ask_question(self, question: Question) -> list[str] | None:
        """Return the chosen labels or own words; None if the user declines."""
        self._console.print(Text(question.question, style="bold"))
        if question.secret:
            secret = (await self._line("Hidden while you type (empty to decline): ", self._read_secret)).strip()
            return [secret] if secret else None
        for number, option in enumerate(question.options, start=1):
            shown = f"  {number}. {spelled_out(option.label)}  {one_line(option.description)}"
            self._console.print(shown, highlight=False, markup=False)
        labels = [option.label for option in question.options]
        numbers = "" if not labels else "Numbers with commas" if question.multiple else "Number"
        own = "" if not question.custom else ", or your own words" if labels else "Your words"
        while True:
            line = (await self._line(f"{numbers}{own} (q to decline): ")).strip()
            if chosen := chosen_labels(labels, line, several=question.multiple):
                return list(chosen)
            if line.lower() in ("q", "quit"):
                return None
            is_number = line.replace(",", "").replace(" ", "").isdecimal() and not any(map(str.isdecimal, labels))
            if line and question.custom and not (labels and is_number):
                return [line]
            possible = f"a number from 1 to {len(labels)}" if labels else "some words"
            self._console.print(f"  That is no answer: type {possible}, or q.", highlight=False, markup=False)

    async def _line(self, prompt: str, read: Callable[[str], Awaitable[str]] | None = None) -> str:
        try:
            return await (read or self._read_line)(prompt)
        except EOFError as error:
            raise NobodyToAsk("The terminal was closed while it was asked.") from error
        except asyncio.CancelledError:
            # Answered elsewhere, or stopped: later output begins on a line of its own.
            self._console.print()
            raise

    async def _show(self, request: PermissionRequest, diff: Text | None, *, exceeds: bool) -> None:
        """Show the request, with the diff of a change; `exceeds`: the diff exceeds the screen."""
        if request.change is not None and diff is not None:
            await self._show_change(request.change, diff, exceeds=exceeds)
            self._on_shown(request.change.id)
        self._console.print(request_text(request), soft_wrap=True)
        for text in _parts(request):
            self._console.print(text, soft_wrap=True)
        self._console.print(Text(f"  asked by {spelled_out(request.rule)}", style="dim"), soft_wrap=True)
        for text in spoken_text(request):
            self._console.print(text, soft_wrap=True)
        if request.always:
            self._console.print("\n".join(_always(request)), highlight=False, markup=False, soft_wrap=True)

    async def _show_change(self, change: ProposedChange, diff: Text, *, exceeds: bool) -> None:
        """Show the diff, in the pager if the diff exceeds the screen, and then the list of the files."""
        if exceeds:
            await self._page(self._console, diff)
        else:
            self._console.print(diff)
        first, *others = change.files
        if others:
            most = max(3, self._console.height - _ROOM_FOR_THE_QUESTION)
            self._console.print(files_text(change.files, self._workspace, most))
        elif exceeds:
            self._console.print(heading_text(first, self._workspace))


def _letters(request: PermissionRequest, *, exceeds: bool) -> str:
    """Return the letters of the answers that fit the request; `exceeds`: the diff exceeds the screen."""
    change = request.change
    fits = {
        "a": bool(request.always),
        "h": change is not None and len(begin(change.files).parts) > 1,
        "e": change is not None and len(change.files) == 1 and _is_editable(change.files[0]),
        "v": exceeds,
    }
    return "".join(letter for letter in "ynahev?" if fits.get(letter, True))


def _is_editable(file: ProposedFile) -> bool:
    return not file.is_raw and file.kind in ("create", "modify")


def _answer(files: Sequence[ProposedFile], walk: Walk) -> PermissionAnswer:
    """Return the answer of a walk through the hunks of the files; undecided hunks are rejected."""
    return answer_of(walk_decisions(without_undecided(walk), list(map(place_and_version, files))))


def _parts(request: PermissionRequest) -> list[Text]:
    """Return a line for the parts that one rule decides about, and a line with the rule.

    Nothing is said about a change whose files are all asked by the rule of the request: the files are listed.
    """
    groups = [
        (action, by, [part.pattern for part in parts])
        for (action, by), parts in groupby(
            sorted(request.parts, key=_place_of(request)), key=lambda p: (p.action, p.by)
        )
    ]
    if len(request.parts) < 2 or (len(groups) == 1 and request.change is not None):
        return []
    lines: list[Text] = []
    for action, by, patterns in groups:
        lines.append(Text(f"  {ACTIONS[action]:7}  {', '.join(map(spelled_out, patterns))}", style="bold"))
        if len(groups) > 1:
            lines.append(Text(f"           by {spelled_out(by)}", style="dim"))
    return lines


def _place_of(request: PermissionRequest) -> Callable[[AskedPart], int]:
    """Return the key that sorts parts of one rule together, by the first part of each rule."""
    first: dict[tuple[str, str], int] = {}
    for number, part in enumerate(request.parts):
        first.setdefault((part.action, part.by), number)
    return lambda part: first[part.action, part.by]


def _help(request: PermissionRequest, letters: str) -> list[str]:
    """Return a line for each answer that fits the request, and about `a` in any case."""
    is_host = is_connection(request.permission, request.patterns)
    lines = [f"  {REJECT_HOST if is_host and letter == 'n' else HELP[letter]}" for letter in letters if letter != "a"]
    return [lines[0], *_always(request), *lines[1:]]


def _scope(request: PermissionRequest, word: str) -> Scope | None:
    """Return the offered scope that `a` followed by the word means, or None; `a` alone means the shortest."""
    offered: list[Scope] = [offer.scope for offer in request.always]
    if not word:
        return offered[0] if offered else None
    return next((scope for scope in offered if scope.startswith(word.lower())), None)


def _always(request: PermissionRequest) -> list[str]:
    """Return the help lines about the grants of "always" for this request."""
    lines: list[str] = []
    for number, offer in enumerate(request.always):
        choice = "a" if number == 0 else f"a {offer.scope}"
        lines.append(f"  {choice:9}  always {SCOPES[offer.scope]}: {', '.join(map(spelled_out, offer.patterns))}")
    return lines or ["  a          not offered: only a call whose effect is certain can be allowed for always"]
