"""Order of the model host to the engine's process, and the report of the process: a line of JSON each."""

from collections.abc import Callable

import msgspec

KEY_VARIABLE = "PLACET_LOCAL_API_KEY"
"""Variable of the host's own memory with the secret of the engine."""


class Order(msgspec.Struct):
    """Model to serve, with the means and the secret."""

    name: str
    """Name of the model on the wire."""
    file: str
    context_size: int
    threads: int
    secret: str
    """Key of every request."""
    program: str = ""
    """Path of `llama-server`; empty for the package `xllamacpp`."""


class Up(msgspec.Struct, tag="up"):
    address: str


class Down(msgspec.Struct, tag="down"):
    reason: str


Report = Up | Down
encode = msgspec.json.Encoder().encode
read_report: Callable[[bytes], Report] = msgspec.json.Decoder(Report).decode
read_order = msgspec.json.Decoder(Order).decode
