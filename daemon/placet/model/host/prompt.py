"""Messages of one request: marked for the provider's cache, without invisible attachments, and as few as possible."""

from collections.abc import Iterable
from typing import Any

from placet.model import frames
from placet.model.host import cache_marks, model_facts
from placet.model.host.conversations import CachedMessage, Conversation
from placet.model.host.rounds import IN_ROUNDS, Splice


class Prompt:
    """Messages to litellm from a conversation for one request."""

    def __init__(self, conversation: Conversation, ask: frames.Ask, provider: str) -> None:
        self._conversation = conversation
        self._provider = provider
        self._facts = model_facts.facts(ask.model)
        self._can_be_spliced = provider in IN_ROUNDS and bool(ask.tools)
        marks = ask.cache == "auto" and cache_marks.wants_marks(provider, ask.model)
        self._marked = cache_marks.marked(conversation.messages) if marks else frozenset[CachedMessage]()

    def splice(self) -> Splice[CachedMessage] | None:
        """Return the splice which leaves out already translated rounds, or None if litellm needs every message."""
        rounds, opening = self._conversation.rounds, self._conversation.opening
        is_opened = any(message.role != "system" for message in opening)
        if not (self._can_be_spliced and rounds and is_opened) or self._conversation.messages[-1].role == "assistant":
            return None
        # A mark moves on with the next request, and headers may tell of a file: such rounds are sent every time.
        passing = {round_ for round_ in rounds[-2:] if not self._marked.isdisjoint(round_.messages)}
        passing |= {
            round_
            for round_ in rounds
            if round_.rendered is None and not all(message.is_text for message in round_.messages)
        }
        sent = [round_ for round_ in rounds if round_.rendered is None or round_ in passing]
        return Splice(rounds, sent, [round_ for round_ in sent if round_ not in passing])

    def messages(self, splice: Splice[CachedMessage] | None = None) -> list[dict[str, Any]]:
        """Return the messages for litellm: all messages, or the messages which litellm needs again for the splice."""
        if splice is None:
            return self._made(self._conversation.messages)
        return self._made(
            [*self._conversation.opening, *(message for round_ in splice.sent for message in round_.messages)]
        )

    def _made(self, conversation: Iterable[CachedMessage]) -> list[dict[str, Any]]:
        return [self._message(message) for message in conversation]

    def _message(self, cached: CachedMessage) -> dict[str, Any]:
        message = _suited(cached.message(), self._facts)
        if cached in self._marked:
            cache_marks.mark(message, self._provider)
        return message


def _suited(message: dict[str, Any], facts: frames.ModelFacts) -> dict[str, Any]:
    """Return the message with a note for each attachment which the model is known not to take."""
    content = message.get("content")
    if not isinstance(content, list):
        return message
    items = [_note(item) if _is_refused(item["type"], facts) else item for item in content]
    if all(item["type"] == "text" for item in items):
        # Plain text is understood even by the simplest OpenAI-compatible server.
        return {**message, "content": "\n\n".join(item["text"] for item in items)}
    return {**message, "content": items}


def _is_refused(kind: str, facts: frames.ModelFacts) -> bool:
    """Return whether the model is known not to take this kind; an unknown ability counts as an ability."""
    return (kind == "image_url" and facts.vision is False) or (kind == "file" and facts.documents is False)


def _note(item: dict[str, Any]) -> dict[str, Any]:
    if item["type"] == "file":
        name = item["file"]["filename"]
        text = f"(Attached, but not shown, as this model takes no documents: `{name}`.)"
    else:
        mime = item["image_url"]["url"].partition(";")[0].removeprefix("data:")
        text = f"(An image was attached, {mime}, but is not shown, as this model takes none.)"
    return {"type": "text", "text": text}
