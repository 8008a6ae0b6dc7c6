"""What the daemon and the model host say to each other: u32 little-endian length, then one msgpack value.

Each frame is an array that begins with its kind. No frame carries a key: the host gets those before the first
frame (handover.py) and from where `placet auth` keeps them (keys.py).
"""

import asyncio
import struct
from typing import Any, BinaryIO, Literal

import msgspec

VERSION = 5
"""Raised with every change of a frame's shape; the host names its own in `Hello`, whose shape stays."""

MAX_BODY_BYTES = 1 << 30
MAX_UNTAKEN = 16
"""Batches of one answer; what a slow reader has not taken yet stays with the provider."""
_LENGTH = struct.Struct("<I")


class BrokenFrame(Exception):
    """The bytes are no frame of this version."""


class Shape(msgspec.Struct, frozen=True, array_like=True, tag=lambda name: name.lower()):
    """An array on the wire; its first element is the class's name in lower case."""


# ---------------------------------------------------------------- pieces of an answer


class Text(Shape, frozen=True):
    text: str


class Thought(Shape, frozen=True):
    text: str = ""
    signature: str | None = None
    redacted: str | None = None


class Call(Shape, frozen=True):
    call_id: str
    name: str


class Arguments(Shape, frozen=True):
    call_id: str
    text: str


class Usage(Shape, frozen=True):
    """Tokens, where `input` excludes the cached ones; cost in US dollars, 0 when the price is unknown."""

    input: int = 0
    output: int = 0
    reasoning: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cost: float = 0.0


class Finish(Shape, frozen=True):
    reason: str


Piece = Text | Thought | Call | Arguments | Usage | Finish

# ---------------------------------------------------------------- what is known of a model


Transport = Literal["fast", "compatible"]
"""How its answers are carried: read by ourselves, or by litellm, which works for every provider but costs more."""


class ModelFacts(Shape, frozen=True):
    """From litellm's own table, without network, or from a server on this machine; None where they do not say."""

    name: str
    """`provider/name`."""
    context_size: int | None = None
    """Tokens it can take in."""
    output_limit: int | None = None
    """Tokens it can answer with."""
    vision: bool | None = None
    """Takes images."""
    tools: bool | None = None
    input_price: float | None = None
    """US dollars for a million tokens."""
    output_price: float | None = None
    documents: bool | None = None
    """Takes PDF files."""
    server: str | None = None
    """What on this machine offers it, in words."""


# ---------------------------------------------------------------- daemon to host


class Prepare(Shape, frozen=True):
    """Load what a call to this model will need; answered by Prepared."""

    model: str


class Ask(Shape, frozen=True):
    """Ask a model; answered by any number of Batch and then one Ended or Failed.

    No more than MAX_UNTAKEN batches are on their way at a time.
    """

    number: int
    model: str
    messages: list[dict[str, Any]]
    """As OpenAI's chat-completions API has them."""
    tools: list[dict[str, Any]] = []
    api_base: str | None = None
    temperature: float | None = None
    max_output_tokens: int | None = None
    transport: Literal["auto", "compatible"] = "auto"
    connect_timeout_seconds: float | None = None
    conversation: int = 0
    """The host keeps what was said under this number, until it is told to forget it; 0: nothing is kept."""
    kept: int = 0
    """`messages` go on after so many of those that are kept, and the kept ones after that are dropped."""
    cache: Literal["auto", "off"] = "off"
    """`auto`: what the provider needs to be told so that it caches the prompt."""
    cache_key: str | None = None
    """Under which a provider may look for its cache; the same for all requests of a session."""
    options: dict[str, Any] = {}
    """More arguments for litellm's `completion`."""
    headers: dict[str, str] = {}
    """HTTP headers beside the provider's own."""


class Forget(Shape, frozen=True):
    """Nothing more will be asked in this conversation."""

    conversation: int


class Taken(Shape, frozen=True):
    """A batch was used, so another one may be sent."""

    number: int


class Cancel(Shape, frozen=True):
    """Nothing more of this answer is wanted; it is not answered."""

    number: int


class ListModels(Shape, frozen=True):
    """Which models can be chosen: those of the providers whose key is there. Answered by Models."""

    number: int
    query: str = ""
    """Only names that hold all of its words, in any case of letters."""
    limit: int = 100
    named: list[str] = []
    """Told of in any case, first."""


Order = Prepare | Ask | Taken | Cancel | Forget | ListModels

# ---------------------------------------------------------------- host to daemon


class Hello(Shape, frozen=True):
    """The first frame, sent before anything slow."""

    version: int


class Ready(Shape, frozen=True):
    """The host can serve calls."""

    seconds: float
    """What getting ready took."""


class Unusable(Shape, frozen=True):
    """The host cannot work at all and ends."""

    reason: str


class Prepared(Shape, frozen=True):
    facts: ModelFacts


class Models(Shape, frozen=True):
    number: int
    models: list[ModelFacts]
    total: int
    """How many fit, also beyond the limit."""


class Carried(Shape, frozen=True):
    """How answers of this model are carried, as far as is known by now."""

    model: str
    transport: Transport


class Batch(Shape, frozen=True):
    """More of an answer; one without pieces says that the provider is alive, though it has nothing to say."""

    number: int
    pieces: list[Piece]


class Ended(Shape, frozen=True):
    """The answer is complete."""

    number: int


class Failed(Shape, frozen=True):
    """The answer failed; fields as of placet.errors.ModelError."""

    number: int
    code: str
    message: str
    hint: str = ""
    status: int | None = None
    retry_after: float | None = None


Report = Hello | Ready | Unusable | Prepared | Models | Carried | Batch | Ended | Failed

_encoder = msgspec.msgpack.Encoder()
_order_decoder: msgspec.msgpack.Decoder[Order] = msgspec.msgpack.Decoder(Order)
_report_decoder: msgspec.msgpack.Decoder[Report] = msgspec.msgpack.Decoder(Report)


def pack(frame: Order | Report) -> bytes:
    body = _encoder.encode(frame)
    return _LENGTH.pack(len(body)) + body


async def read_report(stream: asyncio.StreamReader) -> Report:
    """The next frame. Raises BrokenFrame, and asyncio.IncompleteReadError at the end of the stream."""
    (length,) = _LENGTH.unpack(await stream.readexactly(_LENGTH.size))
    body = await stream.readexactly(_checked(length))
    try:
        return _report_decoder.decode(body)
    except msgspec.MsgspecError as error:
        raise BrokenFrame(str(error)) from error


def read_order(stream: BinaryIO) -> Order | None:
    """The next frame, None at the end of the stream; blocks. Raises BrokenFrame."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    body = stream.read(_checked(length))
    if len(body) < length:
        return None
    try:
        return _order_decoder.decode(body)
    except msgspec.MsgspecError as error:
        raise BrokenFrame(str(error)) from error


def _checked(length: int) -> int:
    if length > MAX_BODY_BYTES:
        raise BrokenFrame(f"a frame of {length} bytes")
    return length
