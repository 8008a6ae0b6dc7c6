"""Regular expressions in the schemas of tools: OpenAI takes only expressions which Python knows. Pure."""

import re
from typing import Any

import msgspec

from placet.core.json.schema import Schema, with_inner_schemas
from placet.model.host.errors import NotDirect


def without_foreign_patterns(schema: Schema) -> Schema:
    """Return the schema without the expressions which Python does not know. Raises NotDirect.

    A schema loses only a hint for the model with such an expression.
    """
    # A walk through a schema takes much longer than the encoder.
    return _cleaned(schema) if b'"pattern' in msgspec.json.encode(schema) else schema


def _cleaned(schema: Schema) -> Schema:
    if not all(map(_is_known, schema.get("patternProperties") or ())):
        raise NotDirect("the schema of a tool names properties by an expression which Python does not know")
    kept = {key: value for key, value in schema.items() if key != "pattern" or _is_known(value)}
    return with_inner_schemas(kept, _cleaned)


def _is_known(pattern: Any) -> bool:
    """Return whether Python knows the expression; anything but a text is no expression."""
    try:
        re.compile(pattern if isinstance(pattern, str) else "")
    except (re.error, RecursionError):
        return False
    return True
