"""Options with which models are asked."""

from typing import Annotated, Literal

from pydantic import Field

from placet.core.effort import Level
from placet.settings.section import Section

EffortSetting = Level | Annotated[int, Field(ge=0, le=2**31 - 1, strict=True)]
"""Level of thinking, or a budget in tokens."""


class RequestOptions(Section):
    """Options of the requests to a model."""

    temperature: float | None = None
    """Sampling temperature of the model."""
    max_output_tokens: int | None = None
    """Largest number of tokens in an answer."""
    effort: EffortSetting | None = None
    """How much the model thinks before it answers: a level, or a budget in tokens. A level that the model lacks counts
    as the nearest level of the model; not set, the model's own default counts: docs/MODELS.md.
    """
    idle_timeout_seconds: float = 120.0
    """Seconds of silence after which a stream counts as lost."""
    first_byte_timeout_seconds: float | None = None
    """Seconds until an answer must begin; `idleTimeoutSeconds`, if not set."""
    connect_timeout_seconds: float = 20.0
    """Seconds for connecting to the provider."""
    max_retry_wait_seconds: float = Field(default=60.0, ge=0)
    """Longest wait, in seconds, before another try if the provider asks for a wait; 0: no further try."""
    tools: Literal["auto", "native", "prompted"] = "auto"
    """Form of tool calls. `prompted` describes tools in the prompt and reads calls from the text of the answer, for a
    model without native tool calls. `auto` does so for models and servers that are known to need prompted calls.
    """
    transport: Literal["auto", "compatible"] = "auto"
    """Way to the model. `compatible` leaves requests and answers to litellm, for a provider that Placet misreads."""
    cache: Literal["auto", "off"] = "auto"
    """Marks for the cache of a provider. `off` sends no marks."""


class ModelSettings(RequestOptions):
    api_base: str | None = None
    """Address of an OpenAI-compatible server, in place of the provider's own address.

    The address also holds for other models of the same provider.
    """
    host_idle_seconds: float = Field(default=600.0, ge=0)
    """Seconds without a call after which the model host ends; the next call starts the host again. 0: never.

    A new value counts from the next call on.
    """
