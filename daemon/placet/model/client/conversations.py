"""Conversations with the models: the chat form of each message, made once and kept for the next request, and the
messages which the host has, so that a request sends only new messages.
"""

import itertools
from collections.abc import Sequence
from operator import is_, is_not
from typing import Protocol

import msgspec
from msgspec import Struct, field

from placet.core.messages import JsonObject, Message
from placet.model import frames
from placet.model.base import ModelRequest
from placet.model.client.messages import CallIds, bridged, call_names, chat_message, chat_system
from placet.model.client.providers import wire_name

_MOST = 8
"""Number of conversations remembered on both sides: enough for a session, the subagents, and a few more."""


class _Made(Struct, frozen=True):
    message: Message
    call_ids: tuple[str, ...]
    chat: list[JsonObject]


class ChatHistory:
    """Chat messages of a conversation; an unchanged message keeps its chat objects.

    An assistant message with thinking replays the thinking only to the model which thought: for another model the
    signature means nothing.

    A message is unchanged while the message object is the same, even if earlier messages changed: messages are frozen.
    A message also keeps its chat objects if a new message replaced it and says the same to the model. The history holds
    the messages of the last request only; a caller must not change the chat objects.
    """

    def __init__(
        self, system: Sequence[str], *, model: str, wire_name: str | None = None, prompted: bool = False
    ) -> None:
        """Create the history; `wire_name` is litellm's name of the model, if the name differs from `model`."""
        self._model = model
        self._wire_name = wire_name or model
        self._prompted = prompted
        self._system = chat_system(system)
        self._messages: Sequence[Message] = ()
        self._made: dict[str, _Made] = {}
        """Chat forms by the id of the message."""
        self._call_ids = CallIds(self._wire_name)
        self._chat = list(self._system)

    def chat(self, messages: Sequence[Message]) -> list[JsonObject]:
        """Return the system prompt as one message, then the conversation."""
        earlier_forms = self._made
        if len(messages) < len(self._messages) or not all(map(is_, self._messages, messages)):
            self._messages, self._made = (), {}
            self._call_ids, self._chat = CallIds(self._wire_name), list(self._system)
        for message in messages[len(self._messages) :]:
            call_ids = tuple(map(self._call_ids.take, call_names(message)))
            made = self._made[message.id] = self._make(message, call_ids, earlier_forms.get(message.id))
            self._chat += made.chat
        self._messages = messages
        return bridged(list(self._chat), self._wire_name)

    def _make(self, message: Message, call_ids: tuple[str, ...], earlier: _Made | None) -> _Made:
        if earlier is not None and earlier.message is message and earlier.call_ids == call_ids:
            return earlier
        chat = chat_message(message, call_ids, model=self._wire_name, author=self._model, prompted=self._prompted)
        if earlier is not None and earlier.chat == chat:
            chat = earlier.chat
        return _Made(message, call_ids, chat)


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
