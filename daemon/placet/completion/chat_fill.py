"""Filling of a hole by a model that knows only conversations: the hole is marked, and the answer is its text."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

from placet.core.messages import TextPart, UserMessage
from placet.model.base import Finished, Model, ModelRequest, TextDelta
from placet.model.fill import FillRequest

HOLE = "<FILL_HERE>"
"""Mark of the hole; a document that holds the mark is not sent (formats.py)."""
_SESSION = "completion"
"""Name of the requests' session: completions belong to no conversation."""


class ChatFill:
    """Model of conversations as placet.model.fill.FillModel."""

    is_chat = True

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def id(self) -> str:
        return self._model.id

    async def fill(self, request: FillRequest) -> AsyncGenerator[TextDelta | Finished, None]:
        asked = ModelRequest(
            system=(instructions(),),
            messages=(UserMessage(parts=(TextPart(text=_marked(request)),)),),
            tools=(),
            session_id=_SESSION,
            temperature=0.0,
            max_output_tokens=request.most_tokens,
            effort="none",
        )
        async with aclosing(self._model.stream(asked)) as events:  # pyright: ignore[reportArgumentType] - a generator
            async for event in events:
                if isinstance(event, TextDelta | Finished):
                    yield event


def instructions() -> str:
    """Return the system prompt."""
    return (Path(__file__).parent / "texts" / "hole.md").read_text("utf-8").strip()


def _marked(request: FillRequest) -> str:
    others = "".join(f"File {path}:\n{text}\n\n" for path, text in request.files)
    name = f"File {request.path}" if request.path else "File"
    language = f" ({request.language})" if request.language else ""
    return f"{others}{name}{language}:\n{request.prefix}{HOLE}{request.suffix}"
