"""`placet schema`: JSON Schema of the messages that Placet adds to LSP."""

import json
import sys
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from placet.core import events, messages
from placet.frontends.lsp.protocol import agent_messages, change_messages, completion_messages, editor_messages
from placet.frontends.lsp.protocol.methods import PROTOCOL_VERSION
from placet.frontends.lsp.protocol.wire import FROM_DAEMON, FROM_EDITOR
from placet.sessions.store import session_store, usage
from placet.settings.schema import field_docstrings

Json = dict[str, Any]

_DESCRIBED = (
    messages,
    events,
    session_store,
    usage,
    agent_messages,
    change_messages,
    completion_messages,
    editor_messages,
)
"""Modules whose docstrings under fields are descriptions in the schema."""


def main() -> int:
    """Print the schema."""
    sys.stdout.buffer.write((json.dumps(protocol_schema(), indent=2) + "\n").encode())
    return 0


def protocol_schema() -> Json:
    """Return all messages, and under `$defs` the types used by messages. A property which is not required may be
    absent.
    """
    table = {**FROM_EDITOR, **FROM_DAEMON}
    models = [model for message in table.values() for model in (message.params, message.result) if model]
    references, definitions = models_json_schema([(model, "validation") for model in dict.fromkeys(models)])

    def reference(model: type[BaseModel] | None) -> Json:
        return {"type": "null"} if model is None else references[model, "validation"]

    for name, docstrings in _field_docstrings().items():
        for field, docstring in docstrings.items():
            if field in (properties := definitions["$defs"].get(name, {}).get("properties", {})):
                properties[field]["description"] = docstring
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Placet's additions to LSP",
        "version": PROTOCOL_VERSION,
        "messages": {
            method: {
                "from": "editor" if method in FROM_EDITOR else "daemon",
                "kind": message.kind,
                "description": " ".join((message.params.__doc__ or "").split()),
                "params": reference(message.params),
            }
            | ({"result": reference(message.result)} if message.kind == "request" else {})
            for method, message in table.items()
        },
        "$defs": definitions["$defs"],
    }


def _field_docstrings() -> dict[str, dict[str, str]]:
    """Return the docstrings under the fields, by class and wire name. pydantic would read the docstrings on every
    start.
    """
    return {name: fields for module in _DESCRIBED for name, fields in field_docstrings(module).items()}
