"""Session opened by the client."""

import asyncio
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from placet.core.events import SessionEvent, UserMessageAdded
from placet.core.messages import UserMessage
from placet.frontends.acp.connection.dispatcher import cancel_once
from placet.frontends.acp.connection.update_queue import UpdateQueue
from placet.frontends.acp.protocol.requests import ConfigOption
from placet.frontends.acp.protocol.updates import ConfigOptionUpdate, SessionUpdate
from placet.frontends.acp.updates.conversation import Conversation, user_chunks

CURRENT_SESSION: ContextVar[str | None] = ContextVar("current_session", default=None)
"""Session of the client's prompt that is being worked on; set in the task of the prompt, and so in all tasks below."""


class ClientSession:
    """Session opened by the client, from the answer to `session/new`, `load` or `resume` until `close` or the end."""

    def __init__(self, session_id: str, conversation: Conversation, updates: UpdateQueue) -> None:
        self.id = session_id
        self.conversation = conversation
        self.updates = updates
        self.announced = asyncio.Event()
        """Set once the client has the answer to `session/new`, `load` or `resume`: clients drop earlier updates."""
        self._prompts: set[asyncio.Task[Any]] = set()
        self._behind_replay: list[tuple[SessionEvent, str]] | None = None
        """Events since the replay began, each with the subagent; None without a replay."""
        self._shown_prompt = ""
        """Last prompt of another process."""
        self._options: tuple[ConfigOption, ...] = ()
        """Options as the client has seen the options last."""
        self._choices = 0
        """Number of options that the client is choosing: the answer tells the client of the choice."""

    def emit(self, event: SessionEvent, agent: str) -> None:
        """Show an event of the session, or of a subagent of the session as `agent`.

        A prompt is shown if the prompt came by another process: the client shows its own prompts.
        """
        if self.announced.is_set():
            if not agent and not self._prompts and isinstance(event.update, UserMessageAdded):
                self._show_prompt(event.update.message)
            for update in self.conversation.live(event.update, session_id=event.session_id, agent=agent):
                self.show(update)
        elif self._behind_replay is not None:
            self._behind_replay.append((event, agent))

    async def replay(self, events: Iterable[SessionEvent]) -> None:
        """Show the stored conversation; later events wait until the client has the answer to `session/load`."""
        was_announced = self.announced.is_set()
        self.announced.clear()
        self._behind_replay = []
        try:
            await self.updates.put_all(self.id, self.conversation.replay(event.update for event in events))
        except BaseException:
            self._behind_replay = None
            if was_announced:
                self.announced.set()
            raise

    def announce(self) -> None:
        """Note that the client knows the session, and show the events that waited for the end of a replay."""
        self.announced.set()
        waiting, self._behind_replay = self._behind_replay, None
        for event, agent in waiting or ():
            self.emit(event, agent)

    def _show_prompt(self, message: UserMessage) -> None:
        if message.id != self._shown_prompt:  # A prompt comes again with the content of its references.
            self._shown_prompt = message.id
            for chunk in user_chunks(message):
                self.show(chunk)

    def show(self, update: SessionUpdate) -> None:
        self.updates.put(self.id, update)

    def show_all(self, updates: Iterable[SessionUpdate]) -> None:
        for update in updates:
            self.show(update)

    def say(self, text: str) -> None:
        """Show words of Placet's own, which are no answer of the model."""
        self.show(self.conversation.news(text))

    def note_options(self, options: tuple[ConfigOption, ...]) -> tuple[ConfigOption, ...]:
        """Return the options, which the client sees in the answer of the caller."""
        self._options = options
        return options

    def show_options(self, options: tuple[ConfigOption, ...]) -> None:
        """Show the options, if the client has seen other options last."""
        if self.announced.is_set() and not self._choices and options != self._options:
            self.show(ConfigOptionUpdate(self.note_options(options)))

    @contextmanager
    def choosing(self) -> Generator[None]:
        """Show no options while the block runs."""
        self._choices += 1
        try:
            yield
        finally:
            self._choices -= 1

    def begin_prompt(self) -> None:
        """Note the current task as a prompt of the session that `cancel_prompts` can cancel, until the task ends."""
        task = asyncio.current_task()
        assert task is not None
        CURRENT_SESSION.set(self.id)
        self._prompts.add(task)
        task.add_done_callback(self._prompts.discard)

    def cancel_prompts(self) -> None:
        """Cancel the running prompt and all waiting prompts of the session: the user has seen all these prompts."""
        for task in self._prompts:
            cancel_once(task)
