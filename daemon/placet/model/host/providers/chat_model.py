"""Model which is asked over the chat-completions wire."""

from dataclasses import dataclass, field
from typing import Any, TypeVar
from urllib.parse import urlsplit

from placet.model.host.errors import NotDirect
from placet.model.host.model_table import Row

_T = TypeVar("_T")

_OPENAI_HOST = "openai.com"


@dataclass(frozen=True, slots=True)
class ChatModel:
    """Asked model with the facts on which the form of its requests depends."""

    name: str
    """Name on the wire."""
    row: Row = field(repr=False)
    """Row of the model in litellm's table; empty if the table does not have the model."""
    base: str
    """Address of the server."""

    def supports(self, ability: str) -> bool:
        """Return whether the table names the ability; the table lists the abilities of a model."""
        return self.row.get(f"supports_{ability}") is True

    def lacks(self, ability: str) -> bool:
        """Return whether the table denies the ability."""
        return self.row.get(f"supports_{ability}") is False

    @property
    def is_hosted_by_openai(self) -> bool:
        host = urlsplit(self.base).hostname or ""
        return host == _OPENAI_HOST or host.endswith(f".{_OPENAI_HOST}")


def expect(value: Any, shape: type[_T], name: str) -> _T:
    """Return the value of a parameter in its usual shape. Raises NotDirect for another shape."""
    if not isinstance(value, shape):
        raise NotDirect(f"the parameter `{name}` has an unusual value")
    return value
