"""Edits on their way to an editor: the editor's answer, and the outcome which comes late."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from lsprotocol import types

from placet.core.ports import FileOutcome
from placet.core.values import replace
from placet.frontends.lsp.connection.editor_client import EditorClient, EditorError, EditorGone
from placet.frontends.lsp.ports.apply_edit import ApplyAnswer, SentEdit, read_answer
from placet.frontends.lsp.ports.buffer_history import BufferHistory

APPLY_SECONDS = 10.0
"""Time after which an edit without an answer is settled by reading the text back."""
CONFIRMED_APPLY_SECONDS = 300.0
"""Time for the answer where the editor asks its user first."""
LANDING_SECONDS = 2.0
"""Time in which an applied edit comes back as a didChange; else the edit was not applied."""
REFUSED_LANDING_SECONDS = 0.5
"""Time for the didChange of an edit which the client says was not applied."""
GIVE_UP_SECONDS = 60.0
"""Further time after which the editor is told by `$/cancelRequest` that nobody waits for an edit any more."""


@dataclass(frozen=True, slots=True)
class EditReply:
    """Answer of the editor to an edit."""

    answer: ApplyAnswer
    deadline: float
    """Loop time by which the document's text must confirm the answer."""
    is_unknown: bool = False
    """Set when the editor has not answered: the editor may have applied the edit, and may still do so."""
    late: "asyncio.Task[EditReply] | None" = None
    """Task of the answer, where the answer may still come."""


Settle = Callable[[EditReply, BufferHistory], Awaitable[FileOutcome]]
"""Function returning the outcome of one file of an edit, from the editor's reply and the texts of the buffer."""


class SentEdits:
    """Edits sent over one connection, owned by LspDocuments. A task waits for each unanswered edit, and ends with
    the answer or the connection.
    """

    def __init__(self, client: EditorClient) -> None:
        self._client = client
        self._late: set[asyncio.Task[FileOutcome]] = set()

    async def send(self, params: dict[str, Any]) -> EditReply:
        """Return the client's reply. A late reply is not given up: the reply may come later."""
        limit = CONFIRMED_APPLY_SECONDS if self._client.profile.confirms_edits else APPLY_SECONDS
        answering = asyncio.create_task(self._reply(params))
        try:
            await asyncio.wait((answering,), timeout=limit)
        except asyncio.CancelledError:
            answering.cancel()
            raise
        if answering.done():
            return answering.result()
        reason = f"The editor has not answered within {limit:.0f} seconds; it may still apply the change."
        return EditReply(ApplyAnswer(False, reason), _in_seconds(LANDING_SECONDS), is_unknown=True, late=answering)

    async def _reply(self, params: dict[str, Any]) -> EditReply:
        try:
            answer = read_answer(await self._client.request(types.WORKSPACE_APPLY_EDIT, params))
        except EditorError as error:
            refused = ApplyAnswer(False, f"The editor refused the edit: {error.message}")
            return EditReply(refused, _in_seconds(REFUSED_LANDING_SECONDS))
        except EditorGone:
            lost = "The connection to the editor was lost before it answered; it may have applied the change."
            return EditReply(ApplyAnswer(False, lost), _in_seconds(0.0), is_unknown=True)
        if answer.applied:
            return EditReply(answer, _in_seconds(LANDING_SECONDS))
        reason = f"The editor did not apply the edit: {answer.reason or 'it gave no reason'}"
        return EditReply(replace(answer, reason=reason), _in_seconds(REFUSED_LANDING_SECONDS))

    async def outcomes(
        self, files: Sequence[tuple[SentEdit, Settle]], reply: EditReply, history: BufferHistory
    ) -> list[FileOutcome]:
        """Return the outcomes of the files. An unsure outcome has a task (`later`) for the outcome which comes late."""
        outcomes = [await settle(reply, history) for _, settle in files]
        if reply.late is None:
            return outcomes
        if not any(outcome.is_unsure for outcome in outcomes):
            reply.late.cancel()  # The edit's text has been seen, and nobody waits for the answer.
            return outcomes
        return [
            replace(outcome, later=self._begin(_come_late(sent, reply.late, history.continued(), settle)))
            if outcome.is_unsure
            else outcome
            for outcome, (sent, settle) in zip(outcomes, files, strict=True)
        ]

    def _begin(self, work: Coroutine[Any, Any, FileOutcome]) -> asyncio.Task[FileOutcome]:
        task = asyncio.create_task(work)
        self._late.add(task)
        task.add_done_callback(self._late.discard)
        return task


async def _come_late(
    sent: SentEdit, answering: asyncio.Task[EditReply], history: BufferHistory, settle: Settle
) -> FileOutcome:
    """Return the outcome of the file once the editor has answered, or the file's document has had the edit's text.

    An edit without either is given up: the text then counts as it is, and the file can be edited again.
    """
    with history:
        seen = asyncio.create_task(_until_seen(sent, history))
        try:
            await asyncio.wait((answering, seen), timeout=GIVE_UP_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if seen.done():  # The answer also reports the text after saving.
                await asyncio.wait((answering,), timeout=LANDING_SECONDS)
        finally:
            is_seen = seen.done()
            seen.cancel()
        if answering.done() and not answering.cancelled():
            return await settle(answering.result(), history)
        if is_seen:
            return await settle(EditReply(ApplyAnswer(False), _in_seconds(0.0), is_unknown=True), history)
        answering.cancel()
        given_up = ApplyAnswer(False, "The editor has not answered, and was told that the edit is given up.")
        return await settle(EditReply(given_up, _in_seconds(0.0)), history)


async def _until_seen(sent: SentEdit, history: BufferHistory) -> None:
    """Wait until the document has the edit's text; for a closed document, wait for ever."""
    if sent.open_buffer is None:
        await asyncio.Event().wait()
    else:
        await history.find(sent.open_buffer, lambda seen: seen.text == sent.edit.new_text, None)


def _in_seconds(seconds: float) -> float:
    """Return the loop time so many seconds from now."""
    return asyncio.get_running_loop().time() + seconds
