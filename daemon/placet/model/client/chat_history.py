"""Chat form of one conversation, made once for each message and kept for the next request."""

from collections.abc import Sequence
from operator import is_

from msgspec import Struct

from placet.core.messages import JsonObject, Message
from placet.model.client.messages import CallIds, bridged, call_names, chat_message, chat_system


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
