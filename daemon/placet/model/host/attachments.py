"""Notes in place of images and documents for a model which takes none: the provider would refuse the request."""

from typing import Any

from placet.model.frames import ModelFacts


def suited(message: dict[str, Any], facts: ModelFacts) -> dict[str, Any]:
    """Return the message with a note for each attachment which the model is known not to take."""
    content = message.get("content")
    if not isinstance(content, list):
        return message
    items = [_note(item) if _is_refused(item["type"], facts) else item for item in content]
    if all(item["type"] == "text" for item in items):
        # Plain text is understood even by the simplest OpenAI-compatible server.
        return {**message, "content": "\n\n".join(item["text"] for item in items)}
    return {**message, "content": items}


def _is_refused(kind: str, facts: ModelFacts) -> bool:
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
