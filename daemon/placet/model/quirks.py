"""Differences of providers and families of models from OpenAI's wire: one table of facts. Pure.

The table leaves out the work of litellm and of the direct wires (host/providers/table.py);
tests/model/test_quirks.py shows the sent request for each row. Other modules do the work for all models: ids of
[A-Za-z0-9_-], no lone surrogates, no empty texts, calls after the text, attachments of tools in a user message
(client/messages.py), kinds of attachments (host/prompt.py), marks for caches (host/cache_marks.py).
"""

import re
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Literal

DETAILS = "reasoning_details:"
"""Prefix of the seal of thinking which came as OpenRouter's `reasoning_details`; JSON of the details follows.

Every server of the same model gets the details back."""


REASONING_ITEM = "reasoning_item:"
"""Prefix of the seal of encrypted thinking of OpenAI's Responses API; the JSON of the item follows."""

REASONING_ITEMS = "reasoning_items"
"""Field of a chat message with such items, as litellm calls the field."""


@dataclass(frozen=True, slots=True)
class Quirks:
    """Differences of one model; a default is the usual behaviour."""

    reasoning: Literal["no", "when there is", "always"] = "no"
    """Replay of unsigned thinking in `reasoning_content`: for answers with thinking, or always, with ` ` for none."""
    call_id_length: int | None = None
    """Length of call ids; the ids are letters and digits."""
    bridge: str = ""
    """Answer to put between a result and the next user message."""
    temperature: float | None = None
    """Temperature where nobody has set a temperature."""
    top_p: float | None = None
    """Top-p where nobody has set a top-p."""
    bare_references: bool = False
    """True if a schema with `$ref` may hold nothing beside `$ref`."""
    one_item_schema: bool = False
    """True if `items` is one schema, never a list of schemas."""
    text_enums: bool = False
    """True if values of an `enum` must be strings."""
    strict_shapes: bool = False
    """True if `required` may name only keys of `properties`, and an array must describe its items."""


@dataclass(frozen=True, slots=True)
class _Row:
    provider: str
    """Regular expression for the whole name of the provider in litellm."""
    model: str
    """Regular expression for a part of the model's name, in any case of letters."""
    quirks: Quirks


_TABLE = (
    # https://api-docs.deepseek.com/guides/thinking_mode: thinking is passed back, or the request refused.
    _Row("deepseek", "", Quirks(reasoning="always")),
    # https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model; what is missing litellm fills in itself.
    _Row("moonshot", "", Quirks(reasoning="when there is", bare_references=True, one_item_schema=True)),
    # https://docs.z.ai/guides/capabilities/thinking-mode and https://platform.minimax.io/docs: thinking between calls.
    _Row("zai|minimax", "", Quirks(reasoning="when there is")),
    # Mistral refuses other ids, and a user message right after a result.
    _Row("mistral|codestral", "", Quirks(call_id_length=9, bridge="Done.")),
    _Row(".*", r"\b(mistral|devstral|codestral|magistral|mixtral)", Quirks(call_id_length=9, bridge="Done.")),
    _Row("gemini|vertex_ai", "gemini", Quirks(text_enums=True, strict_shapes=True, one_item_schema=True)),
    _Row(".*", "kimi", Quirks(bare_references=True, one_item_schema=True)),
    # Advice of the makers for this kind of work, where the server's default differs.
    _Row(".*", "qwen", Quirks(temperature=0.55, top_p=1.0)),
    _Row(".*", r"glm-4\.[67]", Quirks(temperature=1.0)),
    _Row(".*", "minimax-m2", Quirks(temperature=1.0, top_p=0.95)),
    _Row(".*", "kimi-k2", Quirks(temperature=0.6)),
    _Row(".*", "kimi-k2.*thinking|kimi-k2[.p]5", Quirks(temperature=1.0, top_p=0.95)),
)
_NONE = Quirks()


@cache
def quirks_of(model: str) -> Quirks:
    """Return the quirks of a model by its name, `provider/name`; where rows differ, the later row counts."""
    provider, _, name = model.partition("/")
    quirks = _NONE
    for row in _TABLE:
        if re.fullmatch(row.provider, provider) and re.search(row.model, name, re.IGNORECASE):
            values = {entry.name: getattr(row.quirks, entry.name) for entry in fields(Quirks)}
            quirks = replace(quirks, **{key: value for key, value in values.items() if value != getattr(_NONE, key)})
    return quirks
