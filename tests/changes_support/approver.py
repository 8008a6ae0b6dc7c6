"""Users that answer from a script, or when the test says so."""

import asyncio
from collections.abc import Callable, Sequence

from changes_support.answers import Answer, answer_to
from placet.core.errors import NobodyToAsk
from placet.core.ports import PermissionAnswer, PermissionRequest, Question

ONCE = PermissionAnswer("once")
ALWAYS = PermissionAnswer("always")
REJECT = PermissionAnswer("reject")


class ScriptedApprover:
    """Gives the answers in order, then `once`; does `meanwhile` before each, as the user at the same keyboard."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.requests: list[PermissionRequest] = []
        self.meanwhile: Callable[[], None] = lambda: None

    async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
        self.requests.append(request)
        await asyncio.sleep(0)
        self.meanwhile()
        return answer_to(request, self.answers.pop(0)) if self.answers else ONCE

    async def ask(self, session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        return None


class PatientApprover:
    """Keeps every question on screen until the test answers it."""

    def __init__(self) -> None:
        self.screen: dict[str, asyncio.Future[PermissionAnswer]] = {}
        self.requests: list[PermissionRequest] = []
        self.taken_off: list[str] = []
        self._news = asyncio.Event()

    async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
        self.requests.append(request)
        answer = self.screen[request.title] = asyncio.get_running_loop().create_future()
        self._news.set()
        try:
            return await answer
        except asyncio.CancelledError:
            self.taken_off.append(request.title)
            raise
        finally:
            del self.screen[request.title]

    async def ask(self, session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        return None

    async def shown(self, *titles: str) -> None:
        """Wait until all of these are on screen."""
        while not set(titles) <= self.screen.keys():
            self._news.clear()
            await self._news.wait()

    def answer(self, title: str, answer: Answer) -> None:
        request = next(request for request in reversed(self.requests) if request.title == title)
        self.screen[title].set_result(answer_to(request, answer))


class Nobody:
    async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
        raise NobodyToAsk("Nobody is there to ask.")

    async def ask(self, session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        raise NobodyToAsk("Nobody is there to ask.")
