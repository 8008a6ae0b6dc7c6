"""Messages of a server, read part by part: what cannot be read is named, and spoils nothing beside it.

The SDK refuses a whole message for half a character, and a whole list or answer for one invalid entry. Neither is the
model's fault, nor the fault of the entries beside it.
"""

import json
import logging
import re
from collections.abc import Callable
from typing import Any, cast

from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, jsonrpc_message_adapter
from mcp_types import methods
from pydantic import ValidationError

from placet.core.messages import JsonObject

logger = logging.getLogger(__name__)

UNUSABLE = "placet/unusable"
"""Key in a tool's `_meta` for the reason why the tool cannot be used; only Placet sets the key."""
_PARSE_ERROR = -32700
_NOT_READ = "its answer cannot be read"
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
_ID = re.compile(rb'"id"\s*:\s*(?:(\d{1,15})|"([^"\\]{1,200})")\s*[,}]')
_LISTS = {
    "tools": "tools/list",
    "prompts": "prompts/list",
    "resources": "resources/list",
    "resourceTemplates": "resources/templates/list",
    "content": "tools/call",
    "contents": "resources/read",
    "messages": "prompts/get",
}
"""Method of the answer that holds each list."""


def read_message(line: bytes) -> SessionMessage | None:
    """Return the message on the line, or None for another text.

    Half a character becomes U+FFFD. An answer that cannot be read becomes an error, so that its call ends at once.
    """
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError:
        pass
    try:
        message = _with_whole_characters(json.loads(line.decode("utf-8-sig", "replace")))
        return SessionMessage(jsonrpc_message_adapter.validate_python(message, by_name=False))
    except (ValueError, RecursionError):
        return _unreadable_answer(line)


def _unreadable_answer(line: bytes) -> SessionMessage | None:
    is_answer = line.lstrip().startswith(b"{") and b'"method"' not in line and b'"jsonrpc"' in line
    if not is_answer or (found := _ID.search(line)) is None:
        return None
    id = int(found[1]) if found[1] else found[2].decode("utf-8", "replace")
    error = {"code": _PARSE_ERROR, "message": _NOT_READ}
    return SessionMessage(JSONRPCError.model_validate({"jsonrpc": "2.0", "id": id, "error": error}))


def _with_whole_characters(value: Any) -> Any:
    match value:
        case str():
            return _HALF_CHARACTER.sub("\N{REPLACEMENT CHARACTER}", value)
        case list():
            return [_with_whole_characters(item) for item in cast("list[Any]", value)]
        case dict():
            items = cast("JsonObject", value).items()
            return {_with_whole_characters(key): _with_whole_characters(item) for key, item in items}
        case _:
            return value


def mend_result(server: str, version: Callable[[], str], result: JsonObject) -> None:
    """Change the lists of a result to entries that the SDK can read. `version`: of the protocol, once known.

    An invalid tool keeps its name, with the reason in `_meta`; an invalid prompt or resource goes; invalid content is
    named in its place. Schemas of results go, as a result outside of its own schema is no reason to lose the result.
    """
    if isinstance(tools := result.get("tools"), list):
        result["tools"] = [_without_result_schema(tool) for tool in cast("list[Any]", tools)]
    for field, method in _LISTS.items():
        entries = result.get(field)
        if isinstance(entries, list) and _fault(method, version(), result):
            mended = (_mended(server, version(), result, field, entry) for entry in cast("list[Any]", entries))
            result[field] = [entry for entry in mended if entry is not None]


def _mended(server: str, version: str, result: JsonObject, field: str, entry: Any) -> JsonObject | None:
    """Return the entry if the SDK can read it, else what stands in its place."""
    fault = _fault(_LISTS[field], version, {**result, field: [entry]})
    if not fault:
        return entry
    named = cast("JsonObject", entry) if isinstance(entry, dict) else {}
    name = named.get("name") if isinstance(named.get("name"), str) else ""
    match field:
        case "tools":
            return {
                "name": name or "(a tool without a name)",
                "inputSchema": {"type": "object"},
                "_meta": {UNUSABLE: fault},
            }
        case "content":
            kind = str(named.get("type"))[:50]
            return {"type": "text", "text": f"(content of the kind {kind}, which cannot be shown)"}
        case _:
            logger.warning("The MCP server %s has one of its %s left out: %.100r: %s", server, field, entry, fault)
            return None


def _fault(method: str, version: str, result: JsonObject) -> str:
    """Return why the SDK cannot read the result, or "" if it can."""
    try:
        methods.parse_server_result(method, version, result)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"][1:] if not isinstance(part, int))
        return f"{where}: {first['msg']}"[:200]
    except KeyError:
        return ""  # The version has no such method: the SDK says so itself.
    except (ValueError, RecursionError) as error:
        return str(error)[:200]  # Nested too deep.
    return ""


def _without_result_schema(tool: Any) -> Any:
    if not isinstance(tool, dict):
        return tool
    kept = {name: value for name, value in cast("JsonObject", tool).items() if name != "outputSchema"}
    schema = kept.get("inputSchema")
    return {**kept, "inputSchema": {"type": "object", **schema}} if isinstance(schema, dict) else kept
