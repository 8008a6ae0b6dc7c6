"""A language server with bad manners, as real ones have them. `SLOW_SERVER` says which:

`late` publishes of a text only when the next message comes; `never` publishes nothing; `older` names the version
before; `versionless` names none; `twice` publishes an empty list first, at once; `crash` ends when a document is
opened; `loading` reports progress without end and finds nothing; `large` takes 300 MB; `stubborn` ignores shutdown,
exit and SIGTERM, and has a child that does so too.
`offers` publishes nothing, and offers requests for diagnostics from the first text on.
It judges a line with `bad` in it an error. Standard library only.
"""

import json
import os
import signal
import subprocess
import sys
import time
from typing import Any

MANNER = os.environ.get("SLOW_SERVER", "")
TEXTS: dict[str, str] = {}
"""Texts of the open documents, by URI."""
NOTICES: list[str] = []
"""Notices of files on the disk."""
HELD: list[tuple[str, int, str]] = []


def send(message: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    sys.stdout.buffer.flush()


def found_in(text: str) -> list[dict[str, Any]]:
    return [
        {
            "range": {"start": {"line": row, "character": 0}, "end": {"line": row, "character": 3}},
            "severity": 1,
            "message": "bad word",
            "source": "slow",
        }
        for row, line in enumerate(text.split("\n"))
        if "bad" in line
    ]


def publish(uri: str, version: int | None, text: str) -> None:
    found = found_in(text)
    named = {} if version is None else {"version": version}
    send({"method": "textDocument/publishDiagnostics", "params": {"uri": uri, "diagnostics": found, **named}})


def judge(uri: str, version: int, text: str) -> None:
    match MANNER:
        case "never":
            pass
        case "offers":
            registration = {"id": "one", "method": "textDocument/diagnostic"}
            send({"id": "one", "method": "client/registerCapability", "params": {"registrations": [registration]}})
        case "late":
            HELD.append((uri, version, text))
        case "older":
            publish(uri, version - 1, text)
        case "versionless":
            publish(uri, None, text)
        case "twice":
            publish(uri, version, "")
            time.sleep(0.1)
            publish(uri, version, text)
        case "crash":
            os._exit(3)
        case _:
            publish(uri, version, text)


def answer(method: str, params: Any) -> Any:
    match method:
        case "initialize":
            return {
                "capabilities": {
                    "textDocumentSync": 1,
                    "hoverProvider": True,
                    "definitionProvider": True,
                    "referencesProvider": True,
                    "signatureHelpProvider": {},
                }
            }
        case "textDocument/definition" if MANNER == "loading":
            return []
        case "textDocument/hover":
            return {"contents": f"pid {os.getpid()}"}
        case "textDocument/references":  # Every line with `bad` in it, in all the open texts.
            return [
                {"uri": uri, "range": {"start": {"line": row, "character": 0}, "end": {"line": row, "character": 3}}}
                for uri, text in sorted(TEXTS.items())
                for row, line in enumerate(text.split("\n"))
                if "bad" in line
            ]
        case "textDocument/diagnostic":
            return {"kind": "full", "items": found_in(TEXTS[params["textDocument"]["uri"]])}
        case "textDocument/signatureHelp":
            return {"signatures": [{"label": " ".join(NOTICES)}]}
        case _:
            return None


def main() -> None:
    ballast = b"x" * (300 << 20) if MANNER == "large" else b""
    if MANNER == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(1000)"
        subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    while header := sys.stdin.buffer.readline():
        if not header.lower().startswith(b"content-length"):
            continue
        length = int(header.split(b":")[1])
        while sys.stdin.buffer.readline().strip():
            pass
        message = json.loads(sys.stdin.buffer.read(length))
        for held in HELD:
            publish(*held)
        HELD.clear()
        method, params = message.get("method"), message.get("params") or {}
        if method in ("shutdown", "exit") and MANNER == "stubborn":
            continue
        if method == "exit":
            return
        if method == "initialized" and MANNER == "loading":
            send({"method": "$/progress", "params": {"token": 1, "value": {"kind": "begin", "title": "Indexing"}}})
        if method == "textDocument/didOpen":
            document = params["textDocument"]
            TEXTS[document["uri"]] = document["text"]
            judge(document["uri"], document["version"], document["text"])
        elif method == "textDocument/didChange":
            document = params["textDocument"]
            TEXTS[document["uri"]] = params["contentChanges"][-1]["text"]
            judge(document["uri"], document["version"], TEXTS[document["uri"]])
        elif method == "textDocument/didClose":
            TEXTS.pop(params["textDocument"]["uri"], None)
        elif method in ("textDocument/didSave", "workspace/didChangeWatchedFiles"):
            NOTICES.append(method)
        if "id" in message and method is not None:
            send({"id": message["id"], "result": answer(method, params)})
    del ballast
    if MANNER == "stubborn":
        time.sleep(1000)


if __name__ == "__main__":
    main()
