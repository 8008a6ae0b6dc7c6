"""What the host has been told of each conversation, so that a request tells it only what is new."""

import itertools
from dataclasses import dataclass, field
from operator import is_not
from typing import Protocol

import msgspec

from placet.messages import JsonObject
from placet.model import frames
from placet.model.base import ModelRequest
from placet.model.chat_history import ChatHistory

_MOST = 8
"""Conversations remembered on both sides: those of a session, its subagents, and a few more."""


class Listener(Protocol):
    """A host that is told; a new one knows nothing."""

    def send(self, order: frames.Forget) -> None: ...


_Key = tuple[str, str, tuple[str, ...], bool]


@dataclass(slots=True, eq=False)
class _Conversation:
    """One session's talk with one model under one system prompt."""

    number: int
    history: ChatHistory
    told: list[JsonObject] = field(default_factory=list[JsonObject])
    """What the host has of it."""
    life: Listener | None = None
    """The host that has it."""


class Conversations:
    """Those that were last asked about; the others are forgotten, here and in the host."""

    def __init__(self) -> None:
        self._kept: dict[_Key, _Conversation] = {}
        """The last used last."""
        self._numbers = itertools.count(1)

    def tell(self, request: ModelRequest, ask: frames.Ask, life: Listener, *, prompted: bool = False) -> frames.Ask:
        """The ask with as much of the request's messages as this host does not have; it must be sent to it at once."""
        conversation = self._of(request, ask.model, life, prompted=prompted)
        chat = conversation.history.chat(request.messages)
        told = conversation.told if conversation.life is life else []
        differing = (place for place, differs in enumerate(map(is_not, told, chat)) if differs)
        kept = next(differing, min(len(told), len(chat)))
        conversation.told, conversation.life = chat, life
        return msgspec.structs.replace(ask, messages=chat[kept:], conversation=conversation.number, kept=kept)

    def _of(self, request: ModelRequest, model: str, life: Listener, *, prompted: bool) -> _Conversation:
        """The conversation that the request goes on with, or a new one; the eldest has to go for it."""
        key = (model, request.session_id, request.system, prompted)
        conversation = self._kept.pop(key, None)
        if conversation is None:
            history = ChatHistory(request.system, model=model, prompted=prompted)
            conversation = _Conversation(next(self._numbers), history)
        self._kept[key] = conversation
        while len(self._kept) > _MOST:
            eldest = self._kept.pop(next(iter(self._kept)))
            if eldest.life is life:
                life.send(frames.Forget(eldest.number))
        return conversation
