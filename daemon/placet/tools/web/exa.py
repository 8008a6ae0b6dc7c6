"""Search with Exa over its MCP endpoint: a single `tools/call` per search, answered as JSON or as an event stream."""

import re
from collections.abc import Iterator
from typing import Any

from placet.core.errors import ToolError
from placet.core.json.shallow import loads
from placet.core.messages import JsonObject
from placet.settings import SearchSettings
from placet.tools.web.client import Limits, WebResponse, parse_url, post_json

MAX_BYTES = 5_000_000

_LINE_END = re.compile(r"\r\n|\n|\r")


async def call_exa(settings: SearchSettings, tool: str, arguments: JsonObject) -> str:
    """Return the text of the tool's answer, empty if nothing was found. Raises ToolError."""
    headers = {"Accept": "application/json, text/event-stream"}
    if settings.api_key is not None:
        headers["x-api-key"] = settings.api_key.get_secret_value()
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    answer = await post_json(parse_url(settings.address), request, headers=headers, limits=Limits(MAX_BYTES))
    _check_status(answer)
    return _text(_response(answer))


def _check_status(answer: WebResponse) -> None:
    match answer.status:
        case 200:
            return
        case 401 | 403:
            raise ToolError("The search service refused the key. Tell the user to check EXA_API_KEY.")
        case 402 | 429:
            raise ToolError("The search service has had enough requests for now. Do without it, or try again later.")
        case status:
            raise ToolError(f"The search service answered {status} {answer.reason}".rstrip() + ".")


def _response(answer: WebResponse) -> JsonObject:
    """Return the JSON-RPC response within the answer. Raises ToolError."""
    body = answer.body.decode("utf-8", "replace")
    if answer.headers.get("content-type", "").partition(";")[0].strip() != "text/event-stream":
        candidates = iter((body,))
    else:
        candidates = _event_data(body)
    for candidate in candidates:
        try:
            message: Any = loads(candidate)
        except ValueError:
            continue
        if isinstance(message, dict) and ("result" in message or "error" in message):
            return message
    raise ToolError("The search service's answer cannot be read: there is no JSON-RPC response in it.")


def _event_data(stream: str) -> Iterator[str]:
    """Yield the data of each event; lines of an event belong together (HTML Standard, Server-sent events)."""
    data: list[str] = []
    for line in (*_LINE_END.split(stream), ""):
        if not line and data:
            yield "\n".join(data)
            data = []
        elif line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))


def _text(response: JsonObject) -> str:
    if error := response.get("error"):
        raise ToolError(f"The search failed: {_message(error)}")
    result = response.get("result")
    content = result.get("content") if isinstance(result, dict) else None
    texts = [
        str(item["text"])
        for item in (content if isinstance(content, list) else ())
        if isinstance(item, dict) and item.get("type") == "text" and item.get("text")
    ]
    text = "\n\n".join(texts).strip()
    if isinstance(result, dict) and result.get("isError"):
        raise ToolError(f"The search failed: {text or 'no reason was given.'}")
    return text


def _message(error: Any) -> str:
    return str(error.get("message") or error) if isinstance(error, dict) else str(error)
