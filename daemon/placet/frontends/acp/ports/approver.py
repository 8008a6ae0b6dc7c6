"""The Approver port through the client: `session/request_permission`, and `elicitation/create` for forms."""

from collections.abc import Callable, Sequence
from typing import Any

from placet.core.errors import NobodyToAsk
from placet.core.ids import new_id
from placet.core.ports import PermissionAnswer, PermissionRequest, Question, without_pages
from placet.frontends.acp.client_session import ClientSession
from placet.frontends.acp.connection.client import Client, ClientGone, ClientRefused
from placet.frontends.acp.ports.forms import (
    FilledForm,
    Schema,
    can_choose_hunks,
    filled_form,
    fits_form,
    hunks_answer,
    hunks_form,
    needs_form,
    questions_answer,
    questions_form,
    questions_message,
    reason_answer,
    reason_form,
)
from placet.frontends.acp.ports.options import (
    CHOOSE_HUNKS,
    GIVE_REASON,
    can_be_asked,
    chosen_option,
    permission_answer,
    permission_options,
    question_answer,
    question_call,
    question_options,
)
from placet.frontends.acp.protocol.updates import AskByForm, PermissionOption, RequestPermission, ToolCallFields

MOST_FORMS = 5
"""Most forms that the user can put away for one permission request; the request is rejected then."""


class AcpApprover:
    """placet.core.ports.Approver of one workspace. A cancelled call withdraws the question at the client."""

    def __init__(
        self, client: Client, session_of: Callable[[str], ClientSession | None], *, has_forms: bool = False
    ) -> None:
        """Make the approver; `session_of` returns the client's session for a session or a subagent of that session.

        `has_forms`: the client shows forms.
        """
        self._client = client
        self._session_of = session_of
        self._has_forms = has_forms

    async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
        """Ask by options, and by a form where the user chooses to. A form put away leads back to the options."""
        session = await self._announced(request.session_id)
        call = session.conversation.asked(request)
        session.show(session.conversation.shown(call))
        chooses_hunks = self._has_forms and can_choose_hunks(request)
        options = permission_options(request, chooses_hunks=chooses_hunks, gives_reason=self._has_forms)
        for _ in range(MOST_FORMS):
            result = await self._asked(session, call, options)
            chosen = chosen_option(result)
            if chosen == CHOOSE_HUNKS and chooses_hunks:
                form, answer = hunks_form(request), hunks_answer
            elif chosen == GIVE_REASON and self._has_forms:
                form, answer = reason_form(), reason_answer
            else:
                return permission_answer(request, result)
            filled = await self._filled(session, request.title, form, call.tool_call_id)
            if filled.action == "accept":
                return answer(request, filled.content)
            if filled.action == "decline":
                break
        return PermissionAnswer("reject")

    async def ask(self, session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        """Ask the questions, as the port says: by a form, or one after another as a choice among options.

        The protocol opens no pages: the user opens a page named in a question.
        """
        questions = without_pages(questions)
        if not fits_form(questions):
            raise NobodyToAsk("This client has no field for a secret: the user can give the secret in a terminal.")
        if self._has_forms and needs_form(questions):
            session = await self._announced(session_id)
            filled = await self._filled(session, questions_message(questions), questions_form(questions))
            return questions_answer(questions, filled.content) if filled.action == "accept" else None
        if not all(map(can_be_asked, questions)):
            raise NobodyToAsk("This client shows no forms: ask for one choice among options, or ask in your answer.")
        session = await self._announced(session_id)
        answers: list[list[str]] = []
        for question in questions:
            call = question_call(question, new_id("ask"))
            label = question_answer(question, await self._asked(session, call, question_options(question)))
            if label is None:
                return None
            answers.append([label])
        return answers

    async def _announced(self, session_id: str) -> ClientSession:
        """Return the session that the client knows, once the client has its id."""
        if (session := self._session_of(session_id)) is None:
            raise NobodyToAsk("The client has closed the session.")
        await session.announced.wait()
        return session

    async def _asked(
        self, session: ClientSession, call: ToolCallFields, options: tuple[PermissionOption, ...]
    ) -> object:
        """Return the client's result of a permission request."""
        return await self._answer(session, "session/request_permission", RequestPermission(session.id, call, options))

    async def _filled(
        self, session: ClientSession, message: str, form: Schema, tool_call_id: str | None = None
    ) -> FilledForm:
        """Return the form as the client's user leaves the form."""
        params = AskByForm("form", session.id, message, form, tool_call_id)
        return filled_form(await self._answer(session, "elicitation/create", params))

    async def _answer(self, session: ClientSession, method: str, params: Any) -> object:
        """Return the client's result. No time limit: a human answers."""
        session.updates.flush()
        try:
            return await self._client.request(method, params, None)
        except ClientGone as error:
            raise NobodyToAsk("The client that was to answer is gone.") from error
        except ClientRefused as error:
            raise NobodyToAsk(f"The client could not ask: {error}") from error
