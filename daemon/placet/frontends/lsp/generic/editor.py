"""Placet in an editor without our plugin, by `workspace/executeCommand`; the outcome of a command is a message.

Every command is answered before the command runs, as some editors stand still until the answer. `$/progress` and the
chat document show the rest. The module is loaded for every editor, so a rare command imports what the command needs.
"""

import asyncio
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from placet.core.errors import PlacetError, RequestError
from placet.core.messages import AssistantMessage, TextPart
from placet.core.transcript import Transcript
from placet.frontends.lsp.asks.approver import LspApprover
from placet.frontends.lsp.asks.review_document import action
from placet.frontends.lsp.connection.editor_client import EditorClient, EditorError, EditorGone
from placet.frontends.lsp.connection.showing import show_document, show_message
from placet.frontends.lsp.generic.answers import GenericAnswers
from placet.frontends.lsp.generic.chat import GenericChat
from placet.frontends.lsp.generic.chat_document import OPEN, SEND, WHILE_RESTING, WHILE_RUNNING, draft
from placet.frontends.lsp.protocol.methods import GENERIC_COMMANDS
from placet.project.paths import from_uri
from placet.sessions.registry import Sessions
from placet.sessions.session import Session, TurnResult

if TYPE_CHECKING:
    from placet.frontends.lsp.generic.change_set import GenericChangeSet

_ERROR = types.MessageType.Error


class GenericEditor:
    """Commands of one editor, and the session the commands speak to."""

    def __init__(self, sessions: Sessions, client: EditorClient, approver: LspApprover, chat: GenericChat) -> None:
        self._sessions = sessions
        self._client = client
        self._approver = approver
        self._answers = GenericAnswers(approver)
        self._chat = chat
        self._session: Session | None = None
        self._opening = asyncio.Lock()
        self._signing_in: asyncio.Task[str] | None = None
        self._set: GenericChangeSet | None = None

    async def execute(self, command: str, arguments: list[Any]) -> None:
        """Run a command to its end; the outcome, good or bad, is a message to the user."""
        try:
            message = await self._executed(command, arguments)
        except (PlacetError, EditorError) as error:
            self._say(str(error), _ERROR)
        except EditorGone:
            return
        else:
            if message:
                self._say(message)

    async def _executed(self, command: str, arguments: list[Any]) -> str:
        match command, arguments:
            case "placet.prompt", [str(text)] if text.strip():
                await self._prompt(await self._opened(), text)
            case "placet.prompt", _:
                raise RequestError('placet.prompt needs the prompt as the only argument: ["text"].')
            case "placet.send", _:
                await self._send(arguments)
            case "placet.login", _:
                return await self._sign_in(arguments)
            case "placet.cancel", _:
                if self._signing_in is not None:
                    self._signing_in.cancel()
                elif self._session is not None:
                    await self._session.cancel()
            case "placet.undo" | "placet.redo", _:
                return await self._undo(redo=command == "placet.redo")
            case "placet.permission", _:
                return self._answers.ask_again()
            case "placet.answer", _:
                return self._answers.answer(arguments)
            case "placet.hunks", _:
                return self._answers.decide(arguments)
            case "placet.review", _:
                return await self._answers.show_reviews(arguments)
            case "placet.changes" | "placet.decide", _:
                return await self._review(command, arguments)
            case "placet.agent", _:
                return await self._choose_agent(arguments)
            case "placet.model", _:
                return await self._choose_model(arguments)
            case "placet.sessions", _:
                return await self._choose_session(arguments)
            case "placet.new", _:
                self._use(None)
                return "The next prompt starts a new session."
            case "placet.chat", _:
                return await self._show_chat()
            case _:
                raise RequestError(f"There is no command {command}. Commands: {', '.join(GENERIC_COMMANDS)}.")
        return ""

    async def code_actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """Return the code actions at the user's place, beside the actions of code_actions.py: answer, decide, send."""
        uri = params.text_document.uri
        path = from_uri(uri)
        actions = self._answers.actions(path, params.range)
        if self._session is not None:
            actions += await self._change_set().actions(self._session, path, params.range)
        if path is not None and self._chat.session_of(path) is not None:
            actions += self._chat_actions(uri, self._chat.session_of(path))
        else:
            # In some editors (Kate) a code action is the only way to a command.
            actions.append(action(OPEN, "placet.chat", [], types.CodeActionKind.Source))
        return actions

    async def _review(self, command: str, arguments: list[Any]) -> str:
        if self._session is None:
            raise RequestError("There is nothing to review: this session has no prompt yet.")
        if command == "placet.decide":
            return await self._change_set().decide(self._session, arguments)
        return await self._change_set().show(self._session)

    def _change_set(self) -> "GenericChangeSet":
        if self._set is None:
            from placet.frontends.lsp.generic.change_set import GenericChangeSet

            self._set = GenericChangeSet(self._approver.message)
        return self._set

    def _chat_actions(self, uri: str, session_id: str | None) -> list[types.CodeAction]:
        """Return the actions of a chat document: sending, and in the current session's document the rest of the
        commands.
        """
        actions = [action(SEND, "placet.send", [uri])]
        if self._session is not None and self._session.info.id == session_id:
            offered = WHILE_RUNNING if self._session.running else WHILE_RESTING
            actions += [action(title, command, [], types.CodeActionKind.Source) for title, command in offered]
        return actions

    async def close(self) -> None:
        await self._chat.close()

    async def _prompt(self, session: Session, text: str) -> None:
        seen = max((event.seq for event in session.replay()), default=0)
        result = await session.prompt([TextPart(text=text)])
        answer = _answer(session, seen)
        if answer:
            self._client.notify(types.WINDOW_LOG_MESSAGE, types.LogMessageParams(types.MessageType.Log, answer))
        match result.stop_reason:
            case "end_turn":
                self._say(answer or "Placet has finished.")
            case "cancelled":
                self._say("Placet was stopped.")
            case "error":
                self._say(_failure(result), _ERROR)
            case reason:
                self._say(f"Placet stopped: {reason}. {answer}".strip())

    async def _send(self, arguments: list[Any]) -> None:
        """Prompt with the text below the chat document's last heading of the user."""
        match arguments:
            case [str(uri)]:
                path = from_uri(uri)
                session_id = None if path is None else self._chat.session_of(path)
            case _:
                session_id = None if self._session is None else self._session.info.id
        text = None if session_id is None else self._chat.text(session_id)
        if session_id is None or text is None:
            raise RequestError("placet.send needs an open chat document; `placet.chat` opens the document.")
        if not (prompt := draft(text)):
            raise RequestError("There is nothing to send below the last `## You` of the chat document.")
        if self._session is None or self._session.info.id != session_id:
            self._use(session := await self._sessions.load(session_id))
        else:
            session = self._session
        await self._prompt(session, prompt)

    async def _undo(self, *, redo: bool) -> str:
        if self._session is None:
            raise RequestError("There is nothing to undo: this session has no prompt yet.")
        files = await (self._session.redo() if redo else self._session.undo())
        summary = "\n".join(f"{file.status}: {file.path}" for file in files)
        return summary or f"There is nothing to {'redo' if redo else 'undo'}."

    async def _choose_agent(self, arguments: list[Any]) -> str:
        from placet.frontends.lsp.generic.choices import choose_agent

        return await choose_agent(await self._opened(), self._sessions, self._approver.message, arguments)

    async def _choose_model(self, arguments: list[Any]) -> str:
        from placet.frontends.lsp.generic.choices import choose_model

        return await choose_model(await self._opened(), self._sessions, self._approver.message, arguments)

    async def _choose_session(self, arguments: list[Any]) -> str:
        from placet.frontends.lsp.generic.choices import choose_session

        chosen = await choose_session(self._sessions, self._approver.message, arguments)
        if chosen is None:
            return ""
        self._use(chosen)
        return f"Placet continues the session: {chosen.info.title}"

    async def _sign_in(self, arguments: list[Any]) -> str:
        from placet.frontends.lsp.handlers.auth import NOTHING_CHANGED, sign_in_by_command

        if self._signing_in is not None:
            raise RequestError("A sign-in is already in progress; `placet.cancel` cancels the sign-in.")
        work = sign_in_by_command(self._sessions, self._client, self._approver, arguments)
        self._signing_in = asyncio.create_task(work, name="sign in")
        try:
            await asyncio.wait((self._signing_in,))
            return NOTHING_CHANGED if self._signing_in.cancelled() else self._signing_in.result()
        finally:
            self._signing_in.cancel()
            await asyncio.gather(self._signing_in, return_exceptions=True)
            self._signing_in = None

    async def _show_chat(self) -> str:
        session = await self._opened()
        conversation = await self._sessions.export(session.info.id, "markdown") if session.messages else ""
        file = await self._chat.opened(session.info.id, session.info.title, conversation)
        is_shown = await show_document(self._client, file.as_uri(), take_focus=True)
        return "" if is_shown else f"The chat is in {file}"

    async def _opened(self) -> Session:
        async with self._opening:
            if (session := self._session) is None:
                self._use(session := await self._sessions.create())
            return session

    def _use(self, session: Session | None) -> None:
        """Speak to this session from now on, and show the session in the chat document."""
        self._session = session
        self._chat.show(None if session is None else session.info.id)

    def _say(self, message: str, kind: types.MessageType = types.MessageType.Info) -> None:
        show_message(self._client, message, kind)


def _answer(session: Session, since: int) -> str:
    """Return the agent's text of the last turn."""
    transcript = Transcript()
    for event in session.replay(since):
        transcript.apply(event.update)
    texts = [
        part.text
        for message in transcript.messages
        if isinstance(message, AssistantMessage)
        for part in message.parts
        if isinstance(part, TextPart)
    ]
    return "\n\n".join(text for text in texts if text.strip())


def _failure(result: TurnResult) -> str:
    if result.error is None:
        return "Placet has failed. See the log for details."
    return f"{result.error.message} {result.error.hint}".strip()
