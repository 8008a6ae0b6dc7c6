"""`initialize`: the result, a table of constant capabilities.

The handshake answers from the table before anything else is loaded, so the module imports the version and a text alone.
"""

from __future__ import annotations

from placet import __version__
from placet.model.local.offer import OFFER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

VERSIONS = (1,)
"""Versions of the protocol that Placet speaks, oldest first."""


STORED_KEYS = "stored-keys"
"""Id of the method that signs in by the stored keys."""
LOGIN = "--login"
"""Argument behind `placet --acp` that stores a key in a terminal."""


class InvalidInitialize(ValueError):
    """The params of `initialize` are unusable; the text says why."""


def initialize_result(params: Any) -> dict[str, Any]:
    """Return the result of `initialize`. Raises InvalidInitialize."""
    version = params.get("protocolVersion") if isinstance(params, dict) else None
    if not isinstance(version, int) or isinstance(version, bool):
        raise InvalidInitialize("protocolVersion: expected an integer")
    has_terminal = _signs_in_by_terminal(params.get("clientCapabilities"))
    return {
        "protocolVersion": version if version in VERSIONS else VERSIONS[-1],
        "agentInfo": {"name": "placet", "title": "Placet", "version": __version__},
        "agentCapabilities": {
            "loadSession": True,
            "promptCapabilities": {"image": True, "audio": False, "embeddedContext": True},
            "mcpCapabilities": {"http": True, "sse": True},
            "sessionCapabilities": {
                "list": {},
                "resume": {},
                "close": {},
                "delete": {},
                "additionalDirectories": {},
                "fork": {},
                "title": {},
            },
            **({"auth": {"logout": {}}} if has_terminal else {}),
        },
        "authMethods": _auth_methods(has_terminal=has_terminal),
    }


def _auth_methods(*, has_terminal: bool) -> list[dict[str, Any]]:
    """Return the ways to sign in; a client may call the first way unasked, so the first way needs no user."""
    stored: dict[str, Any] = {
        "id": STORED_KEYS,
        "name": "Stored keys",
        "description": "Use the keys of `placet auth` and of the environment; the built-in planner needs no key. "
        + OFFER,
    }
    if not has_terminal:
        return [stored]
    login = {"name": "Store a key", "description": "Sign in to a provider in a terminal.", "args": [LOGIN]}
    return [stored, {"type": "terminal", "id": "terminal-login", **login}]


def _signs_in_by_terminal(client: Any) -> bool:
    """Return whether the client opens terminals for a sign-in, the only one that a `logout` ends."""
    auth = client.get("auth") if isinstance(client, dict) else None
    return isinstance(auth, dict) and auth.get("terminal") is True
