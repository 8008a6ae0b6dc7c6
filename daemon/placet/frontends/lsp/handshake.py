"""Handshake with the editor over stdin and stdout, before the event loop, pygls and the core are loaded.

An `initialize` request that comes first is answered here. Any other message is left to the loaded server, which takes
all messages in order, also the answered message.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from placet.core.framing import FrameDecoder, Malformed, frame
from placet.core.stdio.inbound import Begun, begin
from placet.core.stdio.wire import write_whole
from placet.frontends.lsp.connection.profile import Profile
from placet.frontends.lsp.initialize import InvalidSettings, editor_process_id, editor_settings, initialize_result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@dataclass(frozen=True, slots=True)
class Answered:
    """Answer of the handshake to `initialize`."""

    body: bytes
    """Body of the message with the answer."""
    process_id: int | None
    """Process of the editor, if visible when `initialize` came: the process may end while the server loads."""


@dataclass(frozen=True, slots=True)
class Handshake(Begun):
    """Begun connection to the editor; the loaded server still has to take the first message."""

    answered: Answered | None
    """Answer that the editor has to the first message; None if the loaded server has to answer."""


def shake_hands() -> Handshake | None:
    """Begin the connection (see `begin`), and answer an `initialize` request.

    Return None if the editor is gone before the first message.
    """
    if (begun := begin(FrameDecoder())) is None:
        return None
    answered = answer_to(begun.first)
    if answered is not None:
        try:
            write_whole(begun.output, frame(answered.body))
        except OSError:
            answered = None  # The editor is gone, which the loaded server hears when the server answers.
    return Handshake(begun.output, begun.inbound, begun.first, answered)


def answer_to(message: bytes | Malformed) -> Answered | None:
    """Return the answer to an `initialize` request; None for any message that must not be answered so."""
    if isinstance(message, Malformed):
        return None
    try:
        fields: Any = json.loads(message)
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict) or fields.get("method") != "initialize":
        return None
    message_id, params = fields.get("id"), fields.get("params")
    if isinstance(message_id, bool) or not isinstance(message_id, str | int) or not isinstance(params, dict):
        return None
    try:
        editor_settings(params)
    except InvalidSettings:
        return None
    result = initialize_result(Profile.of(params))
    body = json.dumps({"jsonrpc": "2.0", "id": message_id, "result": result}).encode()
    return Answered(body, editor_process_id(params))
