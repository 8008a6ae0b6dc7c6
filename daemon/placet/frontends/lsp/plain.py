"""Placet in an editor without our plugin, by `workspace/executeCommand`; what comes of a command is a message.

The smallest whole: prompt, cancel, undo, and the permission that was put away. `$/progress` shows the rest.
"""

import asyncio
from typing import TYPE_CHECKING, Any

from placet.errors import PlacetError, RequestError
from placet.frontends.lsp.peer import Peer
from placet.messages import AssistantMessage, TextPart
from placet.transcript import Transcript

if TYPE_CHECKING:
    from placet.frontends.lsp.approver import LspApprover
    from placet.sessions.registry import Sessions
    from placet.sessions.session import Session, TurnResult

COMMANDS = ("placet.prompt", "placet.cancel", "placet.undo", "placet.permission")
_ERROR, _INFO, _LOG = 1, 3, 4


class PlainEditor:
    """One editor and the session its commands speak to."""

    def __init__(self, sessions: "Sessions", peer: Peer, approver: "LspApprover") -> None:
        self._sessions = sessions
        self._peer = peer
        self._approver = approver
        self._session: Session | None = None
        self._opening = asyncio.Lock()

    async def execute(self, command: str, arguments: list[Any]) -> None:
        """Run a command to its end; what comes of it, good or bad, is a message to the user.

        The caller answers the editor before that, as some stand still until they are answered.
        """
        try:
            match command, arguments:
                case "placet.prompt", [str(text)] if text.strip():
                    await self._prompt(text)
                case "placet.prompt", _:
                    self._say(_ERROR, 'placet.prompt needs the prompt as its one argument: ["text"].')
                case "placet.cancel", _:
                    if self._session is not None:
                        await self._session.cancel()
                case "placet.undo", _:
                    await self._undo()
                case "placet.permission", _:
                    self._reopen()
                case _:
                    self._say(_ERROR, f"There is no command {command}. There are {', '.join(COMMANDS)}.")
        except PlacetError as error:
            self._say(_ERROR, str(error))

    async def _prompt(self, text: str) -> None:
        session = await self._opened()
        seen = max((event.seq for event in session.replay()), default=0)
        result = await session.prompt([TextPart(text=text)])
        answer = _answer(session, seen)
        if answer:
            self._peer.notify("window/logMessage", {"type": _LOG, "message": answer})
        match result.stop_reason:
            case "end_turn":
                self._say(_INFO, answer or "Placet has finished.")
            case "cancelled":
                self._say(_INFO, "Placet was stopped.")
            case "error":
                self._say(_ERROR, _failure(result))
            case reason:
                self._say(_INFO, f"Placet has stopped: {reason}. {answer}".strip())

    async def _undo(self) -> None:
        if self._session is None:
            raise RequestError("There is nothing to undo: no prompt was given here yet.")
        files = await self._session.undo()
        said = "\n".join(f"{file.status}: {file.path}" for file in files)
        self._say(_INFO, said or "There is nothing to undo.")

    def _reopen(self) -> None:
        waiting = self._approver.pending()
        for request in waiting:
            self._approver.reopen(request.id)
        if not waiting:
            self._say(_INFO, "Placet waits for no answer.")

    async def _opened(self) -> "Session":
        async with self._opening:
            if self._session is None:
                self._session = await self._sessions.create()
            return self._session

    def _say(self, kind: int, message: str) -> None:
        self._peer.notify("window/showMessage", {"type": kind, "message": message})


def _answer(session: "Session", since: int) -> str:
    """What the agent has said in the last turn."""
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


def _failure(result: "TurnResult") -> str:
    if result.error is None:
        return "Placet has failed; its log says why."
    return f"{result.error.message} {result.error.hint}".strip()
