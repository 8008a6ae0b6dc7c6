"""What providers and families of models want otherwise than OpenAI's wire has it: one table of facts. Pure.

What litellm does by itself stands here no second time; tests/model/test_quirks.py shows for each row what is sent.
Done for all, elsewhere: ids of [A-Za-z0-9_-], no lone surrogates, no empty texts, calls after the text, what tools
attach in a message of the user's (chat_messages.py), kinds of attachments (host_process/attachments.py), marks for
caches (host_process/cache_marks.py).
"""

import re
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Literal

DETAILS = "reasoning_details:"
"""What the seal of thinking begins with that came as OpenRouter's `reasoning_details`; JSON of them follows. They go
back to the model that they are of, whoever serves it."""


@dataclass(frozen=True, slots=True)
class Quirks:
    """What is unlike the others; a default is how it is mostly."""

    reasoning: Literal["no", "when there is", "always"] = "no"
    """Whether unsigned thinking is told again, in `reasoning_content`: where it was thought, or, as ` `, also where
    there is none."""
    call_id_length: int | None = None
    """Ids of calls are letters and digits, exactly so many."""
    bridge: str = ""
    """An answer to put between a result and what the user says next."""
    temperature: float | None = None
    """Where nobody has set one."""
    top_p: float | None = None
    """Likewise."""
    bare_references: bool = False
    """A schema with `$ref` has nothing beside it."""
    one_item_schema: bool = False
    """`items` is one schema, never a list of them."""
    text_enums: bool = False
    """Values of an `enum` are strings."""
    strict_shapes: bool = False
    """`required` names only what is in `properties`, and an array says what its items are."""


@dataclass(frozen=True, slots=True)
class _Row:
    provider: str
    """A regular expression for the whole of litellm's name of it."""
    model: str
    """One for a part of the model's name, in any case of letters."""
    quirks: Quirks


_TABLE = (
    # https://api-docs.deepseek.com/guides/thinking_mode: thinking is passed back, or the request refused.
    _Row("deepseek", "", Quirks(reasoning="always")),
    # https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model; what is missing litellm fills in itself.
    _Row("moonshot", "", Quirks(reasoning="when there is", bare_references=True, one_item_schema=True)),
    # https://docs.z.ai/guides/capabilities/thinking-mode and https://platform.minimax.io/docs: thinking between calls.
    _Row("zai|minimax", "", Quirks(reasoning="when there is")),
    # Mistral refuses other ids, and a user who speaks right after a result.
    _Row("mistral|codestral", "", Quirks(call_id_length=9, bridge="Done.")),
    _Row(".*", r"\b(mistral|devstral|codestral|magistral|mixtral)", Quirks(call_id_length=9, bridge="Done.")),
    _Row("gemini|vertex_ai", "gemini", Quirks(text_enums=True, strict_shapes=True, one_item_schema=True)),
    _Row(".*", "kimi", Quirks(bare_references=True, one_item_schema=True)),
    # What their makers advise for work of this kind, where the server's default is another.
    _Row(".*", "qwen", Quirks(temperature=0.55, top_p=1.0)),
    _Row(".*", r"glm-4\.[67]", Quirks(temperature=1.0)),
    _Row(".*", "minimax-m2", Quirks(temperature=1.0, top_p=0.95)),
    _Row(".*", "kimi-k2", Quirks(temperature=0.6)),
    _Row(".*", "kimi-k2.*thinking|kimi-k2[.p]5", Quirks(temperature=1.0, top_p=0.95)),
)
_NONE = Quirks()


@cache
def quirks_of(model: str) -> Quirks:
    """Of a model by its name, `provider/name`; where rows differ, the later one counts."""
    provider, _, name = model.partition("/")
    found = _NONE
    for row in _TABLE:
        if re.fullmatch(row.provider, provider) and re.search(row.model, name, re.IGNORECASE):
            said = {one.name: getattr(row.quirks, one.name) for one in fields(Quirks)}
            found = replace(found, **{key: value for key, value in said.items() if value != getattr(_NONE, key)})
    return found
