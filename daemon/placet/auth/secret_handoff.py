"""Handover of the secrets in the daemon's environment to the host, on stdin before the first frame: u32 length, JSON.

The environment of the new process cannot carry the secrets: any other process of the user could read the environment in
/proc before the host closes this access.
"""

import json
import os
import struct
from collections.abc import Mapping

_LENGTH = struct.Struct("<I")


def packed(secrets: Mapping[str, str]) -> bytes:
    body = json.dumps(dict(secrets)).encode("ascii")
    return _LENGTH.pack(len(body)) + body


def received(descriptor: int) -> dict[str, str]:
    """Return the secrets which `packed` made, read from the descriptor and not a byte more. Blocks. Raises EOFError."""
    (length,) = _LENGTH.unpack(_read(descriptor, _LENGTH.size))
    return json.loads(_read(descriptor, length))


def _read(descriptor: int, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = os.read(descriptor, size - len(data))
        if not more:
            raise EOFError
        data += more
    return data
