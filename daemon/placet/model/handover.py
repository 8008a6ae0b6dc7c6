"""The secrets of the daemon's environment, handed to the host on its stdin before the first frame: u32 length, JSON.

Not by the environment of the new process: any other process of the user could read it in /proc before it is closed.
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
    """What `packed` made, read from the descriptor and not a byte more. Blocks; raises EOFError."""
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
