"""Approver of a terminal: asks the user."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from placet.core.errors import NobodyToAsk
from placet.core.ports import PermissionAnswer, PermissionRequest, ProposedChange, Question, Scope
from placet.core.visible_text import one_line, spelled_out
from placet.frontends.terminal.run.diff_view import change_text, hunk_text
from placet.frontends.terminal.run.request_text import request_text, spoken_text
from placet.permissions.leaving import is_connection
from placet.project.paths import Workspace

HELP = {
    "y": "allow once",
    "n [why]": "reject; with a reason the model continues, without a reason the turn ends",
    "h": "decide hunk by hunk",
    "?": "show this help",
}
"""Answers beside `a`, with their effects."""
REJECT_HOST = "reject the connection; the command and the turn go on without it"
"""Effect of `n` where a command that runs asks to connect to a host."""

SCOPES: dict[Scope, str] = {"session": "in this session", "project": "in this project", "user": "everywhere"}
ACTIONS = {"allow": "allowed", "ask": "asked", "deny": "denied"}


class TerminalApprover:
    """ports.Approver over a line-wise terminal; asks one question at a time."""

    def __init__(
        self,
        console: Console,
        workspace: Workspace,
        read_line: Callable[[str], Awaitable[str]],
        on_shown: Callable[[str], None],
    ) -> None:
        """Make the approver; `on_shown` is told the id of every change after the user has seen the diff."""
        self._on_shown = on_shown
        self._console = console
        self._workspace = workspace
        self._read_line = read_line
        self._turn = asyncio.Lock()

    async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
        async with self._turn:
            self._show(request)
            while True:
                line = (await self._line(f"Allow? [{'/'.join(_letters(request))}] ")).strip()
                choice, _, rest = line.partition(" ")
                match choice.lower():
                    case "y" | "yes":
                        return PermissionAnswer("once")
                    case "a" | "always" if (scope := _scope(request, rest.strip())) is not None:
                        return PermissionAnswer("always", scope=scope)
                    case "n" | "no":
                        return PermissionAnswer("reject", feedback=rest.strip())
                    case "h" if request.change is not None:
                        return await self._choose_hunks(request.change)
                    case _:
                        self._console.print("\n".join(_help(request)), highlight=False, markup=False)

    async def ask(self, session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        async with self._turn:
            return [await self._ask_question(question) for question in questions]

    async def _ask_question(self, question: Question) -> list[str]:
        self._console.print(Text(question.question, style="bold"))
        for number, option in enumerate(question.options, start=1):
            shown = f"  {number}. {spelled_out(option.label)}  {one_line(option.description)}"
            self._console.print(shown, highlight=False, markup=False)
        line = await self._line("Number(s), or your own words: " if question.custom else "Number(s): ")
        chosen = [word for word in line.replace(",", " ").split() if word.isdecimal()]
        labels = [question.options[int(n) - 1].label for n in chosen if 0 < int(n) <= len(question.options)]
        return labels if labels or not question.custom else [line]

    async def _choose_hunks(self, change: ProposedChange) -> PermissionAnswer:
        """Ask about each hunk in turn; a file without hunks (a delete, a plain rename) is a single choice."""
        allowed: dict[Path, frozenset[int]] = {}
        for file in change.files:
            name = spelled_out(self._workspace.relative(file.path))
            accepted: set[int] = set()
            for hunk in file.hunks:
                self._console.print(hunk_text(hunk))
                if await self._yes(f"{name} {hunk.id}/{len(file.hunks)} [y/n] "):
                    accepted.add(hunk.id)
            if accepted or (not file.hunks and await self._yes(f"{file.kind} {name} [y/n] ")):
                allowed[file.path] = frozenset(accepted)
        return PermissionAnswer("once", hunks=allowed) if allowed else PermissionAnswer("reject")

    async def _yes(self, prompt: str) -> bool:
        return (await self._line(prompt)).strip().lower() in {"y", "yes"}

    async def _line(self, prompt: str) -> str:
        try:
            return await self._read_line(prompt)
        except EOFError as error:
            raise NobodyToAsk("The terminal was closed while it was asked.") from error
        except asyncio.CancelledError:
            # Answered elsewhere, or stopped: later output begins on a line of its own.
            self._console.print()
            raise

    def _show(self, request: PermissionRequest) -> None:
        if request.change is not None:
            self._console.print(change_text(request.change, self._workspace))
            self._on_shown(request.change.id)
        self._console.print(request_text(request), soft_wrap=True)
        if len(request.parts) > 1:
            for part in request.parts:
                self._console.print(Text(f"  {ACTIONS[part.action]:7}  {spelled_out(part.pattern)}", style="bold"))
                self._console.print(Text(f"           by {spelled_out(part.by)}", style="dim"))
        self._console.print(Text(f"  asked by {spelled_out(request.rule)}", style="dim"))
        for text in spoken_text(request):
            self._console.print(text, soft_wrap=True)
        if request.always:
            self._console.print("\n".join(_always(request)), highlight=False, markup=False)


def _letters(request: PermissionRequest) -> list[str]:
    """Return the letters of the answers that fit the request."""
    fits = {"a": bool(request.always), "h": request.change is not None}
    return [letter for letter in "ynah?" if fits.get(letter, True)]


def _help(request: PermissionRequest) -> list[str]:
    """Return a line for each answer that fits the request, and about `a` in any case."""
    letters = _letters(request)
    answers = HELP
    if is_connection(request.permission, request.patterns):
        answers = {"y": HELP["y"], "n": REJECT_HOST, "?": HELP["?"]}
    lines = [f"  {words:9}  {effect}" for words, effect in answers.items() if words[0] in letters]
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
