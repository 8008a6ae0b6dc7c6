"""An MCP server (2025-11-25, stdio) that behaves as its argument says: `python odd.py KIND [PORT]`.

What happens to it is told to the port of 127.0.0.1, a line each. It is without the SDK, so that it starts at once.
"""

import json
import os
import socket
import subprocess
import sys
import time
from typing import Any

KIND = sys.argv[1]
LISTENER = socket.create_connection(("127.0.0.1", int(sys.argv[2]))) if len(sys.argv) > 2 else None
FOREVER = 10_000


def say(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def note(text: str) -> None:
    if LISTENER is not None:
        LISTENER.sendall(text.encode() + b"\n")


def read() -> dict[str, Any]:
    line = sys.stdin.readline()
    if not line:
        note("stdin closed")
        sys.exit(0)
    message = json.loads(line)
    note(message.get("method", "answer"))
    return message


def ask(method: str, params: dict[str, Any]) -> Any:
    """Of the client, and wait for its answer."""
    say(id=f"asked-{method}", method=method, params=params)
    while True:
        message = read()
        if message.get("id") == f"asked-{method}":
            return message.get("result", message.get("error"))


def tool(name: str, schema: Any = None, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": f"Does {name}.", "inputSchema": schema or {"type": "object"}, **more}


FORM = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "title": "Name"},
        "age": {"type": "integer"},
        "sure": {"type": "boolean"},
        "colour": {"type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"]},
    },
    "required": ["name", "age"],
}
BAD = [
    tool(
        "good",
        {"type": "object", "properties": {"x": {"$ref": "#/definitions/X"}}, "definitions": {"X": {"type": "string"}}},
    ),
    tool("no_reference", {"type": "object", "properties": {"x": {"$ref": "#/nowhere/X"}}}),
    {"name": "no_schema"},
    tool("a_string", {"type": "string"}),
    tool(
        "bomb",
        {
            "type": "object",
            "properties": {"x": {"$ref": "#/$defs/a0"}},
            "$defs": {f"a{n}": {"anyOf": [{"$ref": f"#/$defs/a{n + 1}"}] * 10} for n in range(20)}
            | {"a20": {"type": "string"}},
        },
    ),
    {"name": 5, "inputSchema": {"type": "object"}},
    {"inputSchema": {"type": "object"}},
    {**tool("a_number"), "description": 5},
    tool("required", {"type": "object", "required": "a"}),
    tool("no_type", {"type": "object", "properties": {"x": {"type": "str"}}}),
    tool("deep", json.loads('{"items":' * 200 + "{}" + "}" * 200)),
    tool(
        "recursive",
        {
            "type": "object",
            "properties": {"x": {"$ref": "#/$defs/T"}},
            "$defs": {"T": {"type": "object", "properties": {"t": {"$ref": "#/$defs/T"}}}},
        },
    ),
    tool("lies", outputSchema={"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}),
]
VERBS = ("list", "create", "change", "delete")
THINGS = ("invoice", "customer", "ticket", "calendar", "wiki_page")
LARGE = {
    "type": "object",
    "properties": {
        f"field{n}": {"type": "string", "description": "One of the fields that many servers describe at length."}
        for n in range(5)
    },
}
CHANGES = {"count": 0}
INSTRUCTIONS = {"instructs": "Ask `do` before `echo`.\U000e0041", "lectures": "Again. " * 2000}


def tools(cursor: str | None) -> dict[str, Any]:
    match KIND:
        case "schemas":
            return {"tools": BAD}
        case "pages":
            page = int(cursor or 0)
            listed = {"tools": [tool(f"t{page}_{n}") for n in range(10)]}
            return listed if page == 4 else {**listed, "nextCursor": str(page + 1)}
        case "changing":
            return {"tools": [tool("change"), *(tool(f"new{n}") for n in range(CHANGES["count"]))]}
        case "names":
            return {"tools": [tool("a b/c"), tool("a.b.c"), tool("x" * 80), tool("directory")]}
        case "many":
            return {"tools": [tool(f"{verb}_{thing}", LARGE) for verb in VERBS for thing in THINGS]}
        case "hints":
            both = {"readOnlyHint": True, "destructiveHint": True}
            return {"tools": [tool("drop", annotations={"destructiveHint": True}), tool("look", annotations=both)]}
        case "leaks":
            leak = tool("do", description=f"Does it with {os.environ['GIVEN']}.")
            return {"tools": [leak, tool("ask"), tool(os.environ["GIVEN"])]}
        case _:
            return {"tools": [tool("do"), tool("ask"), tool("echo", annotations={"readOnlyHint": True})]}


def call(number: Any, params: dict[str, Any]) -> None:
    name = params["name"]
    note(f"call {name}")
    match KIND:
        case "hangs":
            if name == "echo":
                return answer(number, "echoed")
            return None
        case "deaf":
            note("deaf")
            time.sleep(FOREVER)
        case "dies":
            sys.stderr.write("Out of luck.\n")
            sys.stderr.flush()
            os._exit(3)
        case "huge":
            return answer(number, "x" * 99 + "\n", 100_000)
        case "floods":
            for n in range(3000):
                say(method="notifications/message", params={"level": "info", "data": f"line {n}"})
            return answer(number, "after the flood")
        case "changing":
            CHANGES["count"] += 1
            say(method="notifications/tools/list_changed")
            return answer(number, "changed")
        case "prompting":
            CHANGES["count"] += 1
            say(method="notifications/prompts/list_changed")
            return answer(number, "changed")
        case "elicits":
            got = ask("elicitation/create", {"message": "Who are you?", "requestedSchema": FORM})
            return answer(number, json.dumps(got))
        case "opens":
            got = ask(
                "elicitation/create",
                {"mode": "url", "message": "Sign", "url": "https://example.org/x", "elicitationId": "1"},
            )
            return answer(number, json.dumps(got))
        case "samples":
            message = {"role": "user", "content": {"type": "text", "text": "What is two and two?"}}
            got = ask("sampling/createMessage", {"messages": [message], "maxTokens": 50, "systemPrompt": "Be brief."})
            return answer(number, json.dumps(got))
        case "roots":
            return answer(number, json.dumps(ask("roots/list", {})))
        case "leaks" if name == "ask":
            return say(id=number, error={"code": -32603, "message": f"no rights for {os.environ['GIVEN']}"})
        case "leaks":
            say(method="notifications/message", params={"level": "info", "data": {"given": os.environ["GIVEN"]}})
            return answer(number, json.dumps(dict(os.environ)))
        case "environment":
            return answer(number, json.dumps(dict(os.environ)))
        case "meta":
            return answer(number, json.dumps(params.get("_meta")))
        case "progress":
            token = params["_meta"]["progressToken"]
            for n in range(1, 4):
                say(
                    method="notifications/progress",
                    params={"progressToken": token, "progress": n, "total": 3, "message": f"step {n}"},
                )
            return answer(number, "done")
        case "schemas":
            return say(id=number, result={"content": [], "structuredContent": {"n": "no number"}})
        case "unreadable":
            return spoil(number, name)
        case "content":
            return say(id=number, result={"content": CONTENT, "isError": name == "ask"})
        case _:
            return answer(number, f"{name} {json.dumps(params.get('arguments'))}")
    return None


PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
CONTENT = [
    {"type": "text", "text": "one"},
    {"type": "text", "text": "two"},
    {"type": "image", "data": PNG, "mimeType": "image/png"},
    {"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
    {"type": "resource", "resource": {"uri": "test://a", "text": "held"}},
    {"type": "resource_link", "uri": "test://b", "name": "b"},
]


def spoil(number: Any, name: str) -> None:
    """Answer with a text that is no message, or with content of which a part is none."""
    lines = {
        "do": '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"cut \\ud83d"}]}}',
        "ask": '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":',
        "echo": '\ufeff{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"zzz"},{"type":"text","text":"t"}]}}',
    }
    sys.stdout.write(lines[name] % json.dumps(number) + "\n")
    sys.stdout.flush()


def answer(number: Any, text: str, times: int = 1) -> None:
    say(id=number, result={"content": [{"type": "text", "text": text * times}]})


def serve() -> None:
    note(f"started {os.getpid()}")
    if "GIVEN" in os.environ:
        note(f"given {os.environ['GIVEN']}")
    if KIND == "leaks":
        sys.stderr.write(f"Started with {os.environ['GIVEN']}.\n")
        sys.stdout.write(f"My value is {os.environ['GIVEN']}!\n")
    if KIND == "refuses":
        sys.stderr.write("x" * 495 + f"{os.environ['GIVEN']} is wrong.\n")
        sys.exit(1)
    if KIND == "never":
        time.sleep(FOREVER)
    if KIND == "broken":
        sys.stderr.write("No such thing as a free lunch.\n")
        sys.exit(1)
    if KIND == "chatters":
        sys.stdout.write("Welcome to this server!\n")
    if KIND == "family":
        program = [sys.executable, "-c", "import time; time.sleep(10000)"]
        child = subprocess.Popen(program, start_new_session=True)
        note(f"child {child.pid}")
    while True:
        message = read()
        number, params = message.get("id"), message.get("params") or {}
        match message.get("method"):
            case "initialize":
                changes = {"listChanged": True}
                said = {"tools": changes, "prompts": changes, "resources": changes, "logging": {}}
                if KIND == "completes":
                    said["completions"] = {}
                info = {"name": "odd", "version": "1"}
                known = {"protocolVersion": "2025-11-25", "capabilities": said, "serverInfo": info}
                say(
                    id=number,
                    result={**known, **({"instructions": INSTRUCTIONS[KIND]} if KIND in INSTRUCTIONS else {})},
                )
            case "tools/list":
                say(id=number, result=tools(params.get("cursor")))
            case "prompts/list":
                asked = [{"name": "topic", "required": True}, {"name": "tone"}]
                prompts = [{"name": "write", "description": "Write.", "arguments": asked}]
                prompts += [{"name": f"new{n}", "description": "New."} for n in range(CHANGES["count"])]
                say(id=number, result={"prompts": prompts})
            case "prompts/get":
                said = {"type": "text", "text": json.dumps(params["arguments"])}
                say(id=number, result={"messages": [{"role": "user", "content": said}]})
            case "resources/list":
                say(id=number, result={"resources": [{"uri": "test://note", "name": "note", "mimeType": "text/plain"}]})
            case "resources/templates/list":
                templates = [{"uriTemplate": "test://{id}", "name": "any"}]
                if KIND == "completes":
                    templates = [{"uriTemplate": "doc://{shelf}/books/{title}", "name": "book"}]
                say(id=number, result={"resourceTemplates": templates})
            case "resources/read":
                if params["uri"] == "test://missing":
                    say(id=number, error={"code": -32002, "message": "no such resource"})
                else:
                    say(id=number, result={"contents": [{"uri": params["uri"], "text": "what is noted"}]})
            case "completion/complete":
                known = "".join(f"+{value}" for value in params.get("context", {}).get("arguments", {}).values())
                begun = f"{params['argument']['name']}-{params['argument']['value']}"
                values = [begun + known * ("uri" in params["ref"]), "two words", "bell\a"]
                say(id=number, result={"completion": {"values": values}})
            case "tools/call":
                call(number, params)
            case "ping":
                say(id=number, result={})
            case None:
                pass
            case method if number is not None:
                say(id=number, error={"code": -32601, "message": f"no {method}"})
            case _:
                pass


if __name__ == "__main__":
    serve()
