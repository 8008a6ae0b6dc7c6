"""Handshake with the client over stdin and stdout, before the event loop and the core are loaded.

An `initialize` request in the first place is answered here. Any other message is left to the loaded server.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from placet.core.stdio.garbage import collect_only_the_young
from placet.core.stdio.inbound import Inbound
from placet.core.stdio.lines import LineDecoder
from placet.core.stdio.wire import claim_stdio, write_whole
from placet.frontends.acp.capabilities import InvalidInitialize, initialize_result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from placet.core.framing import Malformed


@dataclass(frozen=True, slots=True)
class Handshake:
    """Begun connection to the client, made once for each process and passed to the loaded server."""

    output: int
    """File descriptor leading to the client."""
    inbound: Inbound
    """Reader of the messages behind the first message."""
    first: bytes | Malformed
    """First message of the client."""
    is_answered: bool
    """True if the client has the answer to the first message, an `initialize` request."""

    @property
    def initialize_params(self) -> Any:
        """Return the params of the answered request."""
        return json.loads(self.first)["params"] if isinstance(self.first, bytes) else None


def shake_hands() -> Handshake | None:
    """Claim stdin and stdout, wait for the client's first message, and answer an `initialize` request.

    Return None if the client is gone before the first message. Call this function first of all.
    """
    collect_only_the_young()  # Until all is loaded, in server.py.
    wire = claim_stdio()
    inbound = Inbound(wire.read, LineDecoder())
    inbound.start()
    if (first := inbound.take()) is None:
        return None
    answer = answer_to(first) if isinstance(first, bytes) else None
    if answer is not None:
        try:
            write_whole(wire.write, answer)
        except OSError:
            return None
    return Handshake(wire.write, inbound, first, answer is not None)


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
