"""Frames between the daemon and the model host: u32 little-endian length, then one msgpack value.

Each frame is an array which begins with the frame's kind. No frame carries a key: the host gets keys before the first
frame (auth/secret_handoff.py) and from the key store of `placet auth` (auth/keys.py).
"""

from typing import Any, Literal

import msgspec

from placet.core.effort import Effort, Level
from placet.core.length_frames import FrameCodec

VERSION = 10
"""Version of the frames, raised with every change of a shape; the host names its version in `Hello`, which never
changes."""

MAX_BODY_BYTES = 1 << 30
MAX_UNTAKEN = 16
"""Limit of batches of one answer which the reader has not taken; further text of the answer waits at the provider."""


RESPONSES = "openai-responses"
"""Kind of a provider which is asked over OpenAI's Responses API."""
OLLAMA = frozenset({"ollama", "ollama_chat"})
"""Kinds of a provider which is asked over Ollama's own interface."""


class Shape(msgspec.Struct, frozen=True, array_like=True, tag=lambda name: name.lower()):
    """Array on the wire; the first element is the class's name in lower case."""


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
    """Token counts; `input` excludes the cached tokens; the cost is in US dollars, 0 when the price is unknown."""

    input: int = 0
    output: int = 0
    reasoning: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cost: float = 0.0


class Finish(Shape, frozen=True):
    reason: str


class Notice(Shape, frozen=True):
    """Notice of the host to the user, for example that a model is being loaded."""

    code: str
    message: str
    hint: str = ""


Piece = Text | Thought | Call | Arguments | Usage | Finish | Notice

# ---------------------------------------------------------------- facts about a model


Transport = Literal["fast", "compatible"]
"""Transport of a model's answers: Placet's own readers, or litellm, which works for every provider but costs more."""


class ModelFacts(Shape, frozen=True):
    """Facts from litellm's own table, without network, or from a server on this machine; None for unknown facts."""

    name: str
    """Name of the model as `provider/name`."""
    context_size: int | None = None
    """Size of the input in tokens."""
    output_limit: int | None = None
    """Limit of the answer in tokens."""
    vision: bool | None = None
    """Ability to take images."""
    tools: bool | None = None
    input_price: float | None = None
    """Price in US dollars for a million input tokens."""
    output_price: float | None = None
    documents: bool | None = None
    """Ability to take PDF files."""
    server: str | None = None
    """Description, in words, of the server on this machine which offers the model."""
    efforts: list[Level] | None = None
    """Levels of thinking, the lowest first; None for unknown levels, and no level for a model without levels."""
    takes_budget: bool = False
    """Ability to take a budget of tokens for thinking."""
    cache_read_price: float | None = None
    """Price in US dollars for a million input tokens from the provider's cache, where the settings name the price."""
    cache_write_price: float | None = None
    context_source: str = ""
    """Who set the size of the input, in words that follow the number, for example `loaded in Ollama`."""


class Provider(Shape, frozen=True):
    """Provider of the user's settings. The key and the headers hold references, which the host replaces."""

    name: str
    """Name in the settings, with which the names of its models begin."""
    kind: str
    """Name of a provider of litellm, or `openai-responses`."""
    api_base: str | None = None
    key: str | None = None
    """Reference to the key; None: the usual variables of the name."""
    is_keyless: bool = False
    """True for a provider which gets no key."""
    headers: dict[str, str] = {}
    models: list[ModelFacts] = []
    """Facts from the settings, by the names of the models on the wire."""

    def wire_name(self, model: str) -> str:
        """Return litellm's name for the model, `kind/name`."""
        kind = "openai/responses" if self.kind == RESPONSES else self.kind
        return f"{kind}/{self.bare_name(model)}"

    def bare_name(self, model: str) -> str:
        """Return the name of the model on the wire from `provider/name` or from litellm's name."""
        name = model.partition("/")[2]
        return name.removeprefix("responses/") if self.kind == RESPONSES else name

    def facts_of(self, model: str) -> ModelFacts | None:
        """Return the facts from the settings about the model."""
        name = self.bare_name(model)
        return next((facts for facts in self.models if facts.name == name), None)


class EngineOptions(Shape, frozen=True):
    """Settings of Placet's own engine."""

    idle_seconds: float = 0.0
    """Seconds without a request after which the engine ends; 0: never."""
    threads: int | None = None
    """Number of threads; None: the host chooses."""


# ---------------------------------------------------------------- daemon to host


class Prepare(Shape, frozen=True):
    """Order to load the libraries for a call to this model; the host answers with Prepared."""

    model: str
    provider: Provider | None = None
    api_base: str | None = None
    """Address of the settings for a known provider."""


FillInterface = Literal["infill", "ollama", "mistral", "completions"]
"""Interface of a server that fills a hole: model/host/fill/wires.py."""


class Fill(Shape, frozen=True):
    """Text around a hole, for a model that fills the hole."""

    interface: FillInterface
    prefix: str
    suffix: str
    prompt: str = ""
    """Whole prompt with the control tokens of the model, for a server that does not put the tokens in."""
    files: list[tuple[str, str]] = []
    """Names and excerpts of other files."""
    stops: list[str] = []


class Ask(Shape, frozen=True):
    """Question to a model; the host answers with any number of Batch and then one Ended or Failed.

    At most MAX_UNTAKEN batches are on the way at a time.
    """

    number: int
    model: str
    messages: list[dict[str, Any]]
    """Messages in the form of OpenAI's chat-completions API."""
    tools: list[dict[str, Any]] = []
    api_base: str | None = None
    temperature: float | None = None
    max_output_tokens: int | None = None
    transport: Literal["auto", "compatible"] = "auto"
    connect_timeout_seconds: float | None = None
    conversation: int = 0
    """Number under which the host keeps the conversation until a Forget; 0: the host keeps nothing."""
    kept: int = 0
    """Number of kept messages which `messages` continue; the host drops the kept messages after this number."""
    cache: Literal["auto", "off"] = "off"
    """Prompt cache: with `auto` the host sends the marks or the key with which the provider caches the prompt."""
    cache_key: str | None = None
    """Key under which a provider may look for its cache; the same for all requests of a session."""
    options: dict[str, Any] = {}
    """Further arguments for litellm's `completion`."""
    headers: dict[str, str] = {}
    """HTTP headers beside the provider's own."""
    effort: Effort | None = None
    """Effort of thinking as the user chose; the host clamps the effort to what the model has."""
    provider: Provider | None = None
    """Provider of the user's settings which serves the model, with the facts of this model alone."""
    context_size: int | None = None
    """Size of the context that the daemon counts on; a server which takes a size gets this size."""
    fill: Fill | None = None
    """Hole to fill; the ask has no messages then."""
    engine: EngineOptions = EngineOptions()
    """Settings of Placet's own engine, for a model of the engine."""


Asking = Literal["never", "stale", "always"]
"""Providers that are asked for their models: none, those without a list of today, or all."""


class ProviderList(Shape, frozen=True):
    """List of the models of one provider."""

    name: str
    asked: float | None = None
    """Time of the list in seconds since 1970; None without a list."""
    problem: str = ""
    """Reason for which the provider could not be asked now."""
    is_complete: bool = False
    """True if the list is of today, and the provider serves no other model."""


class Forget(Shape, frozen=True):
    """Notice to the host: the daemon asks nothing more in this conversation."""

    conversation: int


class Taken(Shape, frozen=True):
    """Notice to the host: the daemon used a batch, so the host may send another batch."""

    number: int


class Cancel(Shape, frozen=True):
    """Order to stop this answer; the host does not reply."""

    number: int


class ListModels(Shape, frozen=True):
    """Question for the models of local servers and of the providers with a key; the host answers with Models."""

    number: int
    query: str = ""
    """Words to look for: a model is listed only if its name holds all the words, in any case of letters."""
    limit: int = 100
    named: list[str] = []
    """Names of models to list first, even without a key."""
    providers: list[Provider] = []
    """Providers of the user's settings."""
    ask: Asking = "never"
    ask_known: Asking = "never"
    """Whether known providers with a key are asked for their lists."""
    cache: str | None = None
    """Path of the directory for the lists of models."""
    only: str | None = None
    """Name of the provider whose models alone are listed."""


Order = Prepare | Ask | Taken | Cancel | Forget | ListModels

# ---------------------------------------------------------------- host to daemon


class Hello(Shape, frozen=True):
    """First frame of the host, sent before anything slow."""

    version: int


class Ready(Shape, frozen=True):
    """Notice to the daemon: the host can serve calls."""

    seconds: float
    """Seconds from the host's start until the host was ready."""


class Unusable(Shape, frozen=True):
    """Notice to the daemon: the host cannot work at all and ends."""

    reason: str


class Prepared(Shape, frozen=True):
    facts: ModelFacts


class Models(Shape, frozen=True):
    number: int
    models: list[ModelFacts]
    total: int
    """Number of matching models, also beyond the limit."""
    lists: list[ProviderList] = []
    """Providers whose lists of models count, or which could not be asked."""


class Carried(Shape, frozen=True):
    """Transport of this model's answers, as far as the host knows by now."""

    model: str
    transport: Transport


class Batch(Shape, frozen=True):
    """Part of an answer; a batch without pieces means that the provider is alive but has nothing to say."""

    number: int
    pieces: list[Piece]


class Ended(Shape, frozen=True):
    """End of a complete answer."""

    number: int


class Failed(Shape, frozen=True):
    """Failure of the answer; the fields follow placet.core.errors.ModelError."""

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

ORDERS: FrameCodec[Order, Order] = FrameCodec(
    _encoder.encode, _order_decoder.decode, msgspec.MsgspecError, MAX_BODY_BYTES
)
"""Codec of the frames from the daemon to the host."""
REPORTS: FrameCodec[Report, Report] = FrameCodec(
    _encoder.encode, _report_decoder.decode, msgspec.MsgspecError, MAX_BODY_BYTES
)
"""Codec of the frames from the host to the daemon."""
