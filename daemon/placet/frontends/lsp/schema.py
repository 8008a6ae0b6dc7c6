"""`placet schema`: JSON Schema of the messages that Placet adds to LSP."""

import json
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue, models_json_schema
from pydantic_core.core_schema import DataclassSchema, ModelSchema

from placet.frontends.lsp.handlers.define import Handler
from placet.frontends.lsp.handlers.table import HANDLERS
from placet.frontends.lsp.protocol.methods import PROTOCOL_VERSION
from placet.frontends.lsp.protocol.wire import FROM_DAEMON
from placet.settings.schema import field_docstrings

Json = dict[str, Any]


def main() -> int:
    """Print the schema."""
    sys.stdout.buffer.write((json.dumps(protocol_schema(), indent=2) + "\n").encode())
    return 0


def protocol_schema(handlers: Mapping[str, Handler] = HANDLERS) -> Json:
    """Return all messages, and under `$defs` the types used by messages. A property which is not required may be
    absent.
    """
    table = {method: handler.message for method, handler in handlers.items()} | dict(FROM_DAEMON)
    models = [model for message in table.values() for model in (message.params, message.result) if model]
    references, definitions = models_json_schema(
        [(model, "validation") for model in dict.fromkeys(models)], schema_generator=_DescribedSchema
    )

    def reference(model: type[BaseModel] | None) -> Json:
        return {"type": "null"} if model is None else references[model, "validation"]

    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Placet's additions to LSP",
        "version": PROTOCOL_VERSION,
        "messages": {
            method: {
                "from": "editor" if method in handlers else "daemon",
                "kind": message.kind,
                "description": " ".join((message.params.__doc__ or "").split()),
                "params": reference(message.params),
            }
            | ({"result": reference(message.result)} if message.kind == "request" else {})
            for method, message in table.items()
        },
        "$defs": definitions["$defs"],
    }


class _DescribedSchema(GenerateJsonSchema):
    """Generator that describes fields by their docstrings, which pydantic itself would read on every start."""

    def model_schema(self, schema: ModelSchema) -> JsonSchemaValue:
        return _described(super().model_schema(schema), schema["cls"])

    def dataclass_schema(self, schema: DataclassSchema) -> JsonSchemaValue:
        return _described(super().dataclass_schema(schema), schema["cls"])


def _described(value: JsonSchemaValue, model: type[Any]) -> JsonSchemaValue:
    for name, docstring in _field_docstrings(model.__module__).get(model.__name__, {}).items():
        if name in (properties := value.get("properties", {})):
            properties[name]["description"] = docstring
    return value


@cache
def _field_docstrings(module: str) -> dict[str, dict[str, str]]:
    """Return the docstrings under the fields, by class and wire name."""
    return field_docstrings(sys.modules[module])
