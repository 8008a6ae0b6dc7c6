"""Chat documents of an editor without our plugin: the events of a session, written about once a second.

An open document is changed by `workspace/applyEdit`. Where the editor would ask its user each time, or would reject the
edit, the file is written instead, as long as the editor holds no unsaved changes.
"""

import asyncio
import logging
from dataclasses import dataclass, field
from pathlib import Path

from placet.core.errors import DocumentError, DocumentMissing, EditError
from placet.core.events import (
    AgentMessageChunk,
    Plan,
    PlanEntry,
    SessionEvent,
    ToolCallUpdate,
    TurnEnded,
    UsageUpdate,
    UserMessageAdded,
)
from placet.core.ids import new_id
from placet.core.messages import TextPart, ToolPart, UserMessage
from placet.core.ports import Document, Documents, FileEdit
from placet.frontends.lsp.connection.buffers import BufferStore
from placet.frontends.lsp.connection.profile import Profile
from placet.frontends.lsp.generic.chat_document import (
    context_line,
    new_chat,
    todo_list,
    with_answer,
    with_prompt,
    with_room,
)
from placet.project.files.disk import DiskDocuments
from placet.sessions.store.usage import dollars
from placet.text.diff import text_edits

logger = logging.getLogger(__name__)

BETWEEN_WRITES_SECONDS = 1.0


@dataclass(slots=True)
class _Turn:
    """Turn in a chat document: the prompt, and the answer's parts in order."""

    message_id: str
    prompt: str
    parts: dict[str, str] = field(default_factory=dict[str, str])
    todo: tuple[PlanEntry, ...] = ()
    usage: dict[str, UsageUpdate] = field(default_factory=dict[str, UsageUpdate])
    """Usage of each model call, by message, in order."""
    number: int = 0
    """Number of the turn's place in the document; 0 before the turn has a place."""
    shown: str = ""
    news: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def answer(self) -> str:
        blocks = (*self.parts.values(), todo_list(self.todo), self._context)
        text = "\n\n".join(part for block in blocks if (part := block.strip("\n")))
        return f"{text}\n" if text else ""

    @property
    def _context(self) -> str:
        calls = list(self.usage.values())
        cost = sum(call.cost for call in calls)
        used, size = (calls[-1].context_used, calls[-1].context_size) if calls else (0, None)
        return context_line(used, size, dollars(cost) if cost else "")


class GenericChat:
    """Chat documents of one editor, in one directory, named for the sessions.

    The chat lives as long as the connection, and writes the events of one session at a time.
    """

    def __init__(self, profile: Profile, buffers: BufferStore, documents: Documents, directory: Path) -> None:
        self._is_edited = profile.applies_edits and not (
            profile.confirms_edits or profile.edits_only_after_command or profile.ignores_versions
        )
        self._buffers = buffers
        self._documents = documents
        self._disk = DiskDocuments()
        self._directory = directory
        self._session_id: str | None = None
        self._turns: dict[str, _Turn] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._begun: set[str] = set()
        """Prompts of all written turns: a redo of going back tells these turns again."""

    @property
    def session_id(self) -> str | None:
        """Id of the session whose events the chat writes; None while the editor's user has no session."""
        return self._session_id

    def show(self, session_id: str | None) -> None:
        """Write the events of this session from now on, and the events of no other session."""
        self._session_id = session_id

    def file(self, session_id: str) -> Path:
        """Return the path of the session's document."""
        return self._directory / f"{session_id}.md"

    def session_of(self, path: Path) -> str | None:
        """Return the session whose document this file is, or None for any other file."""
        return path.stem if path.suffix == ".md" and path.parent == self._directory else None

    def text(self, session_id: str) -> str | None:
        """Return the document's text in the editor, or None if the document is not open."""
        open_buffer = self._buffers.find(self.file(session_id))
        return None if open_buffer is None else open_buffer.text

    async def opened(self, session_id: str, title: str, conversation: str = "") -> Path:
        """Return the path of the session's document, made if absent. Raises DocumentError and EditError."""
        file = self.file(session_id)
        if await self._read(file) is None:
            await self._write(file, None, new_chat(title, conversation))
        return file

    def emit(self, event: SessionEvent) -> None:
        """Note an event of the shown session; a task writes the document at the task's own pace."""
        if event.session_id != self._session_id:
            return
        match event.update:
            case UserMessageAdded(message=UserMessage(steers=None) as message):
                if (current := self._turns.get(event.session_id)) is not None and current.message_id == message.id:
                    return  # The same prompt again, now with its context.
                if message.id in self._begun:
                    self._end(event.session_id)  # The document still shows the turn.
                    return
                self._begun.add(message.id)
                prompt = "\n\n".join(
                    part.text for part in message.parts if isinstance(part, TextPart) and not part.synthetic
                )
                self._end(event.session_id)
                turn = self._turns[event.session_id] = _Turn(message.id, prompt)
                task = asyncio.get_running_loop().create_task(self._keep(event.session_id, turn))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            case AgentMessageChunk(part_id=part_id, offset=offset, text=text):
                if (turn := self._turns.get(event.session_id)) is not None:
                    turn.parts[part_id] = turn.parts.get(part_id, "")[:offset] + text
                    turn.news.set()
            case ToolCallUpdate(part=part):
                if (turn := self._turns.get(event.session_id)) is not None and (line := _line(part)):
                    turn.parts[part.id] = line
                    turn.news.set()
            case Plan(entries=entries):
                if (turn := self._turns.get(event.session_id)) is not None:
                    turn.todo = entries
                    turn.news.set()
            case UsageUpdate(message_id=message_id) as usage:
                if (turn := self._turns.get(event.session_id)) is not None:
                    turn.usage[message_id] = usage
                    turn.news.set()
            case TurnEnded():
                self._end(event.session_id)
            case _:
                pass

    async def close(self) -> None:
        """Write the rest of every turn."""
        for session_id in list(self._turns):
            self._end(session_id)
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _end(self, session_id: str) -> None:
        if (turn := self._turns.pop(session_id, None)) is not None:
            turn.over.set()
            turn.news.set()

    async def _keep(self, session_id: str, turn: _Turn) -> None:
        file = self.file(session_id)
        while True:
            is_over = turn.over.is_set()
            turn.news.clear()
            try:
                await self._bring_up_to_date(file, turn, is_over=is_over)
            except (DocumentError, EditError) as error:
                logger.info("%s waits: %s", file, error)
            if is_over:
                return
            await turn.news.wait()
            await _pause(turn)

    async def _bring_up_to_date(self, file: Path, turn: _Turn, *, is_over: bool) -> None:
        """Write the document once. Raises DocumentError and EditError."""
        document = await self._read(file)
        text = new_chat("Placet") if document is None else document.text
        number, shown, answer = turn.number, turn.shown, turn.answer
        written = with_answer(text, number, shown, answer) if number else None
        if written is None:
            # At first, and where the user has changed the answer: the user's text stays, and the whole answer follows
            # once more.
            if number and not is_over:
                return
            text, number = with_prompt(text, turn.prompt)
            written = with_answer(text, number, "", answer) or text
        if is_over:
            written = with_room(written)
        if document is None or written != document.text:
            await self._write(file, document, written)
        turn.number, turn.shown = number, answer

    async def _read(self, file: Path) -> Document | None:
        """Return the document, from the editor or the disk. Raises DocumentError where the document cannot be changed
        now.
        """
        try:
            if self._is_edited:
                return await self._documents.read(file)
            document = await self._disk.read(file)
        except DocumentMissing:
            return None
        open_buffer = self._buffers.find(file)
        # A buffer that was not loaded again holds the file's earlier text, and so the beginning.
        if open_buffer is not None and not document.text.startswith(open_buffer.text.rstrip()):
            raise DocumentError(f"{file} has unsaved changes in the editor.")
        return document

    async def _write(self, file: Path, document: Document | None, text: str) -> None:
        documents = self._documents if self._is_edited else self._disk
        if document is None:
            edit = FileEdit("create", file, None, text)
        else:
            edit = FileEdit("modify", file, document, text, tuple(text_edits(document.text, text)))
        for outcome in await documents.apply([edit], edit_id=new_id("chg"), label="Placet"):
            if not outcome.applied:
                raise EditError(outcome.reason or "the editor did not take it")


async def _pause(turn: _Turn) -> None:
    """Wait until the next write may be made, or the turn is over."""
    try:
        async with asyncio.timeout(BETWEEN_WRITES_SECONDS):
            await turn.over.wait()
    except TimeoutError:
        return


def _line(part: ToolPart) -> str:
    """Return an ended tool call as one line."""
    state = part.state
    match state.status:
        case "completed":
            return f"- [x] {part.tool}: {state.title}"
        case "error":
            return f"- [ ] {part.tool}: {state.title or 'failed'} ({state.shown_error.partition(chr(10))[0]})"
        case _:
            return ""
