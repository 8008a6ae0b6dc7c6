"""Claim of stdin and stdout for the messages of a client. The handshakes import the module, so it imports little."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wire:
    """File descriptors leading to the client; children do not inherit the descriptors."""

    read: int
    write: int


def claim_stdio() -> Wire:
    """Take stdin and stdout for the wire. Call this function first of all.

    From then on descriptor 1 leads where stderr does, so that a print of any library, also from C, does no harm;
    descriptor 0 is empty, so that no child reads the client's messages.
    """
    sys.stdout.flush()
    wire = Wire(read=os.dup(0), write=os.dup(1))
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:
        # The client gave us no stderr.
        os.dup2(nothing, 1)
    os.close(nothing)
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(wire.read, os.O_BINARY)
        msvcrt.setmode(wire.write, os.O_BINARY)
    return wire


def write_whole(descriptor: int, data: bytes) -> None:
    """Write all of the data. Raises OSError when the client is gone."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
