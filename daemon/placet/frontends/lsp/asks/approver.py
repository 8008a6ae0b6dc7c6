"""The Approver port: the user's word by `editor/requestPermission`, in a generic editor by `window/showMessageRequest`.

A review closed without an answer is no answer: the request stays pending and can be opened again (docs/EDITS.md rule
18).
"""

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path

from placet.core.errors import NobodyToAsk
from placet.core.ids import short_id
from placet.core.ports import PermissionAnswer, PermissionRequest, Question, pages_to_open
from placet.frontends.lsp.asks.await_or_reask import await_or_reask
from placet.frontends.lsp.asks.message_prompt import MessagePrompt
from placet.frontends.lsp.asks.pages import show_page
from placet.frontends.lsp.asks.questions import GenericQuestions
from placet.frontends.lsp.connection.editor_client import EditorClient, EditorError, EditorGone
from placet.frontends.lsp.connection.showing import show_message
from placet.frontends.lsp.protocol.permission_wire import read_answer, request_message
from placet.frontends.lsp.protocol.question_wire import question_message, read_answers
from placet.settings import default_locations

log = logging.getLogger(__name__)


class _Pending:
    """Permission request on the screen, or put away by the user."""

    def __init__(self, request: PermissionRequest, *, quietly: bool) -> None:
        self.request = request
        self.reask = asyncio.Event()
        """Event set when the request is to be shown."""
        self.was_shown = not quietly
        if not quietly:
            self.reask.set()
        self.is_on_screen = False
        self.editor_is_gone = False
        self.answer: PermissionAnswer | None = None
        """Answer given elsewhere than on the screen."""


class LspApprover:
    """Approver by the user of one connection."""

    def __init__(self, client: EditorClient, *, reviews: Path | None = None) -> None:
        """`reviews` is the directory for the files of `Show diff`; by default in Placet's cache directory."""
        self._client = client
        self._pending: dict[str, _Pending] = {}
        self.message = MessagePrompt(client, reviews or default_locations().cache / "reviews")
        """Prompt for all other questions in an editor without our plugin."""
        self.questions = GenericQuestions(client, self.message)

    def pending(self) -> tuple[PermissionRequest, ...]:
        """Return the requests waiting for an answer, oldest first, whether on the screen or not."""
        return tuple(pending.request for pending in self._pending.values())

    def reopen(self, request_id: str, *, anew: bool = True) -> bool:
        """Put a dismissed request on the screen again, and return False when no request has this id.

        Without `anew` only a request that was never on the screen is shown.
        """
        pending = self._pending.get(request_id)
        if pending is None or (pending.was_shown and not anew):
            return False
        pending.was_shown = True
        # A generic editor may have lost its prompt without a word; a plugin's review can be found again.
        if not pending.is_on_screen or self._client.profile.is_generic:
            pending.reask.set()
        return True

    def answer(self, request_id: str, answer: PermissionAnswer) -> bool:
        """Answer a request by another way than the screen, and return False when no request of this id waits."""
        pending = self._pending.get(request_id)
        if pending is None or pending.answer is not None:
            return False
        pending.answer = answer
        pending.reask.set()
        return True

    def disconnected(self) -> None:
        """Note the loss of the connection: requests put away fail just as requests on the screen do."""
        for pending in self._pending.values():
            pending.editor_is_gone = True
            pending.reask.set()
        self.questions.disconnected()

    async def request_permission(self, request: PermissionRequest, *, quietly: bool = False) -> PermissionAnswer:
        """Ask the user as the port says. `quietly`: in a generic editor the user is told of the request, and sees the
        request on demand.
        """
        profile = self._client.profile
        if not profile.can("editor/requestPermission") and not profile.is_generic:
            raise NobodyToAsk("The editor's plugin does not offer to ask for permission.")
        pending = self._pending[request.id] = _Pending(request, quietly=quietly and profile.is_generic)
        try:
            if not pending.was_shown:
                show_message(self._client, _still_waiting(request))
            while True:
                await pending.reask.wait()
                pending.reask.clear()
                if pending.editor_is_gone:
                    raise NobodyToAsk("The editor that was to answer is gone.")
                answer = pending.answer or await await_or_reask(self._shown(pending), pending.reask)
                if (answer := pending.answer or answer) is not None:
                    return answer
                if profile.is_generic and not pending.reask.is_set():
                    show_message(self._client, _still_waiting(request))
        finally:
            del self._pending[request.id]

    async def _shown(self, pending: _Pending) -> PermissionAnswer | None:
        pending.is_on_screen = True
        try:
            return await self._show(pending.request)
        finally:
            # At once with the editor's answer, so that the next question finds this one dismissed.
            pending.is_on_screen = False

    async def _show(self, request: PermissionRequest) -> PermissionAnswer | None:
        """Put the request on the screen; return the answer, or None if the request is dismissed."""
        try:
            if self._client.profile.can("editor/requestPermission"):
                shows = self._client.profile.shows_waiting_files
                message = request_message(request, shows_waiting_files=shows).dump()
                result = await self._client.request("editor/requestPermission", message)
                return read_answer(request, result, shows_waiting_files=shows)
            if self._client.profile.ignores_message_requests:
                return None
            return await self.message.ask_permission(request)
        except EditorGone as error:
            raise NobodyToAsk("The editor that was to answer is gone.") from error
        except EditorError as error:
            raise NobodyToAsk(f"The editor could not ask: {error.message}") from error

    async def ask(self, session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        """Ask the user questions as the port says, and open the pages that the user chooses."""
        answers = await self._ask(session_id, questions)
        for address in pages_to_open(questions, answers or ()):
            await show_page(self._client, address, "as you chose")
        return answers

    async def _ask(self, session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        profile = self._client.profile
        try:
            if profile.can("editor/question"):
                message = question_message(session_id, questions).dump()
                return read_answers(await self._client.request("editor/question", message), len(questions))
            if profile.is_generic:
                if session_id and any(question.secret for question in questions):
                    raise NobodyToAsk("This editor cannot hide what you type.")
                return await self.questions.ask(questions)
        except EditorGone as error:
            raise NobodyToAsk("The editor that was to answer is gone.") from error
        except EditorError as error:
            raise NobodyToAsk(f"The editor could not ask: {error.message}") from error
        raise NobodyToAsk("The editor's plugin does not offer to ask questions.")


def _still_waiting(request: PermissionRequest) -> str:
    return (
        f"Placet still waits for your answer: {request.title}. "
        "`placet.permission` asks again. To answer, use `placet.answer` with `once` or `reject`, "
        f"or `placet approve {short_id(request.id)}` in a terminal."
    )
