"""An ask that stands on a screen until it is answered or taken off it."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from placet.core.ports import (
    AlwaysOffer,
    PermissionAnswer,
    PermissionRequest,
    ProposedChange,
    ProposedFile,
    Question,
    QuestionOption,
)
from placet.text.diff import make_hunks

OLD = "".join(f"line {number}\n" for number in range(20))
NEW = OLD.replace("line 3\n", "line three\n").replace("line 15\n", "line fifteen\n")
A, B = Path("/project/a.txt"), Path("/project/b.txt")
CHANGE = ProposedChange(
    "chg_1",
    (
        ProposedFile(A, "modify", OLD, NEW, make_hunks(OLD, NEW), name="a.txt"),
        ProposedFile(B, "delete", "", "", (), name="b.txt"),
    ),
)
QUESTION = Question("Which", "Which one?", (QuestionOption("left"), QuestionOption("right")))


def request(title: str = "edit a.txt", change: ProposedChange | None = None) -> PermissionRequest:
    return PermissionRequest(
        id=f"req_{title}",
        session_id="ses_1",
        message_id="msg_1",
        call_id="call_1",
        tool="edit",
        origin=(),
        permission="edit",
        title=title,
        patterns=("a.txt",),
        always=(AlwaysOffer("session", ("*.txt",)),),
        rule="the rule",
        change=change,
    )


class SlowUser:
    """ports.Approver: a screen on which the question stands until it is answered or taken off."""

    def __init__(self) -> None:
        self.word: asyncio.Future[PermissionAnswer | list[list[str]] | None] = asyncio.Future()
        self.taken_off = asyncio.Event()

    async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
        answer = await self._wait()
        assert isinstance(answer, PermissionAnswer)
        return answer

    async def ask(self, session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        answer = await self._wait()
        assert not isinstance(answer, PermissionAnswer)
        return answer

    async def _wait(self) -> PermissionAnswer | list[list[str]] | None:
        try:
            return await asyncio.shield(self.word)
        except asyncio.CancelledError:
            self.taken_off.set()
            raise
