"""Interface of a model that fills a hole in a text, for inline completion."""

from collections.abc import AsyncGenerator
from typing import Protocol

from msgspec import Struct

from placet.model.base import Finished, TextDelta


class FillRequest(Struct, frozen=True):
    """Text around a hole."""

    prefix: str
    suffix: str
    path: str = ""
    """Name of the document for the model, relative to the project."""
    language: str = ""
    """LSP's language id of the document."""
    prompt: str = ""
    """Whole prompt with the control tokens of the model; empty for a model without a known format."""
    files: tuple[tuple[str, str], ...] = ()
    """Excerpts of other files, each with its name."""
    stops: tuple[str, ...] = ()
    """Texts at which the server ends the answer."""
    most_tokens: int = 64


class FillModel(Protocol):
    """Model to ask for the text of a hole. Closing the iterator early cancels the call."""

    @property
    def id(self) -> str: ...

    @property
    def is_chat(self) -> bool:
        """Return whether the model is asked in words, so that its answer may hold fences and prose."""
        ...

    def fill(self, request: FillRequest) -> AsyncGenerator[TextDelta | Finished, None]:
        """Ask the model. The last event is Finished. Raises ModelError, also in mid-answer."""
        ...
