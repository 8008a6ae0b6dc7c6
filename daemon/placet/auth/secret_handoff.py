"""Handover of the secrets in the daemon's environment to the host, on stdin before the first frame: u32 length, JSON.

The environment of the new process cannot carry the secrets: any other process of the user could read the environment in
/proc before the host closes this access.
"""

import json
import os
from collections.abc import Mapping

from placet.core.length_frames import FrameCodec

_SECRETS: FrameCodec[dict[str, str], dict[str, str]] = FrameCodec(
    lambda secrets: json.dumps(secrets).encode("ascii"), json.loads
)


def packed(secrets: Mapping[str, str]) -> bytes:
    return _SECRETS.pack(dict(secrets))


def received(descriptor: int) -> dict[str, str]:
    """Return the secrets which `packed` made, read from the descriptor and not a byte more. Blocks. Raises EOFError."""
    with os.fdopen(descriptor, "rb", buffering=0, closefd=False) as source:
        secrets = _SECRETS.read(source)
    if secrets is None:
        raise EOFError
    return secrets
