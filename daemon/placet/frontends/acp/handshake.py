"""Handshake with the client over stdin and stdout, before the event loop and the core are loaded.

An `initialize` request in the first place is answered here. Any other message is left to the loaded server.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from placet.core.stdio.inbound import Begun, begin
from placet.core.stdio.lines import LineDecoder
from placet.core.stdio.wire import write_whole
from placet.frontends.acp.capabilities import InvalidInitialize, initialize_result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@dataclass(frozen=True, slots=True)
class Handshake(Begun):
    """Begun connection to the client, and whether the first message is answered."""

    is_answered: bool
    """True if the client has the answer to the first message, an `initialize` request."""

    @property
    def initialize_params(self) -> Any:
        """Return the params of the answered request."""
        return json.loads(self.first)["params"] if isinstance(self.first, bytes) else None


def shake_hands() -> Handshake | None:
    """Begin the connection (see `begin`), and answer an `initialize` request.

    Return None if the client is gone.
    """
    if (begun := begin(LineDecoder())) is None:
        return None
    answer = answer_to(begun.first) if isinstance(begun.first, bytes) else None
    if answer is not None:
        try:
            write_whole(begun.output, answer)
        except OSError:
            return None
    return Handshake(begun.output, begun.inbound, begun.first, answer is not None)


def answer_to(message: bytes) -> bytes | None:
    """Return the line with the answer to an `initialize` request; None for any other message."""
    try:
        fields: Any = json.loads(message)
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict) or fields.get("method") != "initialize" or "id" not in fields:
        return None
    message_id = fields["id"]
    if isinstance(message_id, bool) or not isinstance(message_id, str | int | None):
        return None
    try:
        result = initialize_result(fields.get("params"))
    except InvalidInitialize:
        return None
    return json.dumps({"jsonrpc": "2.0", "id": message_id, "result": result}).encode() + b"\n"
