"""Record of the messages which the host has of each conversation, so that a request sends only new messages."""

import itertools
from operator import is_not
from typing import Protocol

import msgspec
from msgspec import Struct, field

from placet.core.messages import JsonObject
from placet.model import frames
from placet.model.base import ModelRequest
from placet.model.client.chat_history import ChatHistory
from placet.model.client.providers import wire_name

_MOST = 8
"""Number of conversations remembered on both sides: enough for a session, the subagents, and a few more."""


class Listener(Protocol):
    """Host which receives orders; a new host knows no conversation."""

    def send(self, order: frames.Forget) -> None: ...


_Key = tuple[str, str, str, tuple[str, ...], bool]


class _Conversation(Struct, eq=False):
    """Conversation of one session with one model under one system prompt."""

    number: int
    history: ChatHistory
    sent: list[JsonObject] = field(default_factory=list[JsonObject])
    """Messages which the host has of this conversation."""
    life: Listener | None = None
    """Host which has the messages."""


class Conversations:
    """Most recently used conversations; older conversations are forgotten, here and in the host."""

    def __init__(self) -> None:
        self._conversations: dict[_Key, _Conversation] = {}
        """Conversations by key; the last used stands last."""
        self._numbers = itertools.count(1)

    def tell(self, request: ModelRequest, ask: frames.Ask, life: Listener, *, prompted: bool = False) -> frames.Ask:
        """Return the ask with the messages which this host lacks; the caller must send the ask at once."""
        conversation = self._of(request, ask, life, prompted=prompted)
        chat = conversation.history.chat(request.messages)
        sent = conversation.sent if conversation.life is life else []
        differing = (place for place, differs in enumerate(map(is_not, sent, chat)) if differs)
        unchanged = next(differing, min(len(sent), len(chat)))
        conversation.sent, conversation.life = chat, life
        return msgspec.structs.replace(ask, messages=chat[unchanged:], conversation=conversation.number, kept=unchanged)

    def _of(self, request: ModelRequest, ask: frames.Ask, life: Listener, *, prompted: bool) -> _Conversation:
        """Return the conversation which the request continues, or a new conversation, which may replace the oldest."""
        wire = wire_name(ask.model, ask.provider)
        key = (ask.model, wire, request.session_id, request.system, prompted)
        conversation = self._conversations.pop(key, None)
        if conversation is None:
            history = ChatHistory(request.system, model=ask.model, wire_name=wire, prompted=prompted)
            conversation = _Conversation(next(self._numbers), history)
        self._conversations[key] = conversation
        while len(self._conversations) > _MOST:
            eldest = self._conversations.pop(next(iter(self._conversations)))
            if eldest.life is life:
                life.send(frames.Forget(eldest.number))
        return conversation
