"""Messages of one request: marked for the provider's cache, and without attachments which the model does not take."""

from collections.abc import Mapping
from typing import Any

from placet.model import frames
from placet.model.host import cache_marks
from placet.model.host.conversations import CachedMessage, Conversation, Render


class ProviderPrompt:
    """Messages of a conversation for one request to a provider, in the form of OpenAI's chat-completions API."""

    def __init__(
        self,
        conversation: Conversation,
        ask: frames.Ask,
        provider: str,
        facts: frames.ModelFacts,
        entry: Mapping[str, Any],
    ) -> None:
        self.facts = facts
        """Facts of the model."""
        self.entry = entry
        """Row of the model in litellm's table; empty if the table does not have the model."""
        self.messages = conversation.messages
        marks = ask.cache == "auto" and cache_marks.wants_marks(provider, ask.model)
        self._provider = provider
        self._marked = cache_marks.marked(conversation.messages) if marks else frozenset[CachedMessage]()

    def chat(self) -> list[dict[str, Any]]:
        """Return all messages, each a new object."""
        return [self.message(cached) for cached in self.messages]

    def message(self, cached: CachedMessage) -> dict[str, Any]:
        """Return the message as a new object, with `cache_control` if the message has a mark for the cache."""
        message = _suited(cached.message(), self.facts)
        if cached in self._marked:
            cache_marks.mark(message, self._provider)
        return message

    def rendered(self, cached: CachedMessage, render: Render) -> bytes:
        """Return the bytes which `render` makes of the message, made once for the life of the conversation.

        A message with a mark is made anew, because the mark moves on with the next request. `render` must depend on
        nothing but the message and the model.
        """
        if cached in self._marked:
            return render(self.message(cached))
        # The wire of a model may change with the options of a request.
        name = f"{render.__module__}.{render.__qualname__}"
        if cached.rendered is None or cached.rendered[0] != name:
            cached.rendered = name, render(self.message(cached))
        return cached.rendered[1]


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
