"""Requests of the sign-ins: the caller brings the HTTP client, and no error repeats a response."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import urlencode

from placet.auth.keys import JsonObject
from placet.core.errors import PlacetError

_LONGEST_WORDS = 200


class SubscriptionFailed(PlacetError):
    """Error of a sign-in or a renewal that the owner refuses; the text is for the user and holds no token."""


class NotReached(PlacetError):
    """Error of a request without an answer; a later attempt may succeed."""


@dataclass(frozen=True, slots=True)
class Reply:
    """Response of an owner's server."""

    status: int
    body: bytes = field(repr=False)

    @property
    def is_fine(self) -> bool:
        return 200 <= self.status < 300

    def object(self) -> JsonObject:
        """Return the JSON object of the body, or an empty object for another body."""
        try:
            value: Any = json.loads(self.body)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}

    def reason(self) -> str:
        """Return the owner's words for an error, with the status."""
        words = next((text for text in _words(self.object()) if text), "")
        status = f"status {self.status}"
        return f"{' '.join(words.split())[:_LONGEST_WORDS].rstrip('. ')} ({status})" if words else status


class Send(Protocol):
    """Function which sends one request, and follows no redirect."""

    async def __call__(self, method: str, url: str, headers: Mapping[str, str], body: bytes = b"") -> Reply:
        """Return the response. Raises NotReached."""
        ...


async def post_json(send: Send, url: str, values: Mapping[str, str], headers: Mapping[str, str] | None = None) -> Reply:
    """Post the values as JSON. Raises NotReached."""
    named = {"accept": "application/json", "content-type": "application/json", **(headers or {})}
    return await send("POST", url, named, json.dumps(values).encode())


async def post_form(send: Send, url: str, values: Mapping[str, str]) -> Reply:
    """Post the values as a form. Raises NotReached."""
    headers = {"accept": "application/json", "content-type": "application/x-www-form-urlencoded"}
    return await send("POST", url, headers, urlencode(values).encode())


def text(values: JsonObject, *names: str) -> str:
    """Return the first of the values which is a text with content; an empty text without such a value."""
    return next((value for name in names if isinstance(value := values.get(name), str) and value), "")


def seconds(value: object, usual: float) -> float:
    """Return the number of seconds, which some servers send as text; `usual` for anything else."""
    try:
        number = float(value)  # pyright: ignore[reportArgumentType] - a value of another kind raises TypeError
    except (TypeError, ValueError):
        return usual
    return number if 0 <= number < float("inf") else usual


def _words(values: JsonObject) -> list[str]:
    """Return the texts in which the owners tell an error, the most telling first."""
    inner: Any = values.get("error_details") or values.get("error") or values.get("detail")
    nested = [text(inner, "message", "code", "title")] if isinstance(inner, dict) else []
    return [*nested, text(values, "error_description", "message", "error", "detail")]
