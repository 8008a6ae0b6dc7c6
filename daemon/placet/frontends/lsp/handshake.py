"""Handshake with the editor over stdin and stdout, before the event loop, pygls and the core are loaded.

An `initialize` request that comes first is answered here. Any other message is left to the loaded server, which takes
all messages in order, also the answered message.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass

from placet.core.framing import Malformed, frame
from placet.frontends.lsp.connection.garbage import collect_only_the_young
from placet.frontends.lsp.connection.inbound import Inbound
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
class Handshake:
    """Begun connection to the editor, made once for each process and passed to the loaded server."""

    output: int
    """File descriptor leading to the editor."""
    inbound: Inbound
    """Reader of the messages behind the first message."""
    first: bytes | Malformed
    """First message of the editor, which the loaded server still has to take."""
    answered: Answered | None
    """Answer that the editor has to the first message; None if the loaded server has to answer."""


@dataclass(frozen=True, slots=True)
class Wire:
    """File descriptors leading to the editor; children do not inherit the descriptors."""

    read: int
    write: int


def claim_stdio() -> Wire:
    """Take stdin and stdout for the wire. Call this function first of all.

    From then on descriptor 1 leads where stderr does, so that a print of any library, also from C, does no harm;
    descriptor 0 is empty, so that no child reads the editor's messages.
    """
    sys.stdout.flush()
    wire = Wire(read=os.dup(0), write=os.dup(1))
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:
        # The editor gave us no stderr.
        os.dup2(nothing, 1)
    os.close(nothing)
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(wire.read, os.O_BINARY)
        msvcrt.setmode(wire.write, os.O_BINARY)
    return wire


def shake_hands() -> Handshake | None:
    """Claim stdin and stdout, wait for the editor's first message, and answer an `initialize` request.

    Return None if the editor is gone before the first message. Call this function first of all.
    """
    collect_only_the_young()  # Until all is loaded, in lsp_server.py.
    wire = claim_stdio()
    inbound = Inbound(wire.read)
    inbound.start()
    if (first := inbound.take()) is None:
        return None
    answered = answer_to(first)
    if answered is not None:
        try:
            _write(wire.write, frame(answered.body))
        except OSError:
            answered = None  # The editor is gone, which the loaded server hears when the server answers.
    return Handshake(wire.write, inbound, first, answered)


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


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
