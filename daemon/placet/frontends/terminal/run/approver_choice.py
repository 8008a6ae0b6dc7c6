"""Approvers of a run, and the choice by the policy.

rich and the approver that asks the user are imported only where the user is asked.
"""

import asyncio
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, NoReturn

from placet.core.errors import NobodyToAsk
from placet.core.ids import short_id
from placet.core.messages import TurnError
from placet.core.ports import Approver, OptionalQuestion, PermissionAnswer, PermissionRequest, Question
from placet.core.visible_text import one_line
from placet.frontends.terminal.output import complain
from placet.frontends.terminal.run.run_events import Unanswered
from placet.frontends.terminal.run.run_options import Asking
from placet.permissions.gate import NEVER_UNSEEN
from placet.permissions.leaving import is_reading
from placet.project.paths import Workspace

if TYPE_CHECKING:
    from rich.console import Console


class NobodyApprover:
    """ports.Approver without a terminal: records the questions that stop the work, and answers none."""

    def __init__(self) -> None:
        self.unanswered: list[PermissionRequest | Question] = []

    async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
        self.unanswered.append(request)
        raise NobodyToAsk(f"{request.title}: this must be asked, and there is no terminal to ask at.")

    async def ask(self, session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        self.unanswered += (question for question in questions if not isinstance(question, OptionalQuestion))
        raise NobodyToAsk("A question must be asked, and there is no terminal to ask at.")


class YesApprover:
    """ports.Approver that allows every permission request but those in NEVER_UNSEEN: such a call fails, and the model
    goes on. Questions to the user get no answer.
    """

    def __init__(self, nobody: NobodyApprover) -> None:
        self._nobody = nobody

    async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
        if request.permission in NEVER_UNSEEN and not is_reading(request.permission, request.patterns):
            self._nobody.unanswered.append(request)
            raise NobodyToAsk(f"{request.title}: `--yes` does not allow this.")
        return PermissionAnswer("once")

    async def ask(self, session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        raise NobodyToAsk("Nobody is there to answer questions. Decide by yourself, and say in the end what you chose.")


class PausingApprover:
    """ports.Approver that keeps the sign of life away while the user is asked."""

    def __init__(self, approver: Approver, paused: Callable[[], AbstractContextManager[None]]) -> None:
        self._approver = approver
        self._paused = paused

    async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
        with self._paused():
            return await self._approver.request_permission(request)

    async def ask(self, session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        with self._paused():
            return await self._approver.ask(session_id, questions)


class WaitingApprover:
    """ports.Approver that names each open request on stderr, and leaves the answer to `placet approve` elsewhere."""

    async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
        return await self._wait(f"{request.title}: `placet approve {short_id(request.id)}`")

    async def ask(self, session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        if any(question.secret for question in questions):
            raise NobodyToAsk("A secret is asked for, and no other terminal can answer with a secret.")
        return await self._wait(f"{questions[0].question} `placet pending`")

    async def _wait(self, request: str) -> NoReturn:
        complain(f"waiting for your answer from another terminal: {one_line(request)}")
        await asyncio.Event().wait()
        raise AssertionError("nobody sets this event")


def policy(asking: Asking | None) -> Asking:
    """Return the chosen policy, or the policy that suits the place."""
    return asking or ("terminal" if sys.stdin.isatty() and sys.stderr.isatty() else "fail")


def approver_for(
    asking: Asking,
    nobody: NobodyApprover,
    console: "Callable[[], Console]",
    workspace: Workspace,
    on_shown: Callable[[str], None],
    paused: Callable[[], AbstractContextManager[None]],
) -> Approver:
    """Return the approver of the policy.

    `nobody` records the unanswered questions; `console` returns the console of the user; `on_shown` is told the id of
    every change after the user has seen the diff; nothing is drawn on the terminal while `paused` is open.
    """
    match asking:
        case "terminal":
            from placet.frontends.terminal.run.approver import TerminalApprover
            from placet.frontends.terminal.run.keyboard import forget_typed, read_line, read_secret

            asks = TerminalApprover(
                console(), workspace, read_line, on_shown, read_secret=read_secret, forget_typed=forget_typed
            )
            return PausingApprover(asks, paused)
        case "wait":
            return WaitingApprover()
        case "allow":
            return YesApprover(nobody)
        case "fail" | "deny":
            return nobody


def as_unanswered(asked: PermissionRequest | Question) -> Unanswered:
    """Return the unanswered question for a reader of JSON."""
    if isinstance(asked, Question):
        return Unanswered(kind="question", title=asked.question)
    return Unanswered(kind="permission", title=asked.title, permission=asked.permission, patterns=asked.patterns)


def needs_permission(asked: PermissionRequest | Question) -> TurnError:
    """Return the error with the question, the rule that asked, and the options that would allow the call."""
    return TurnError(
        code="needs_permission", message="A permission is needed, and nobody can be asked.", hint=_how_to_allow(asked)
    )


def _how_to_allow(asked: PermissionRequest | Question) -> str:
    if isinstance(asked, Question):
        return "The model asked the user a question; run the command at a terminal, or with --ask deny."
    rules = " ".join(f"--allow '{asked.permission}:{pattern}'" for pattern in asked.patterns)
    return f"{asked.title}. Asked by {asked.rule}. To allow the call: {rules}"
