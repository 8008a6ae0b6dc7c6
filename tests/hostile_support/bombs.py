"""Bombs that a repository, a model or a command sends to the real daemon, and the daemon that they are sent to."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lsp_link.process import ServerProcess

ALLOWED = dict.fromkeys(("bash", "edit", "webfetch", "private_address"), "allow")
"""By the user; looking is allowed by default, and what the project denies comes after that."""

Turns = list[list[dict[str, Any]]]
Lay = Callable[[Path], Turns]
"""Puts the bomb into the project, and returns what the model does."""


class Daemon(ServerProcess):
    """`placet --stdio` of a user who allows what is asked otherwise."""

    def __init__(self, directory: Path) -> None:
        super().__init__("ours", directory)
        self._environment |= {f"XDG_{name}_HOME": str(directory / name.lower()) for name in ("CONFIG", "DATA", "CACHE")}
        self._command = [sys.executable, "-P", "-m", "placet", "--stdio"]

    async def open(self, project: Path, turns: Turns) -> str:
        """A session in the project, whose model plays the turns."""
        script = project.parent / "script.json"
        script.write_text(json.dumps({"turns": [{"events": turn} for turn in turns]}))
        settings = {"model": f"scripted/{script}", "permission": ALLOWED, "agent": {"title": {"disable": True}}}
        options = {"agent": {"protocol": 1}, "settings": settings}
        await self.handshake(rootUri=project.as_uri(), initializationOptions=options)
        return (await self.call("agent/session/new", {"title": "t"}))["result"]["id"]

    def prompt(self, session_id: str) -> int:
        return self.begin("agent/prompt", {"sessionId": session_id, "parts": [{"type": "text", "text": "Go."}]})

    def is_answered(self, request: int) -> bool:
        return any("method" not in message and message.get("id") == request for message in self.messages)

    async def look(self) -> None:
        """Have a question answered that any editor may put at any time."""
        assert "result" in await self.call("agent/status")


def call(tool: str, **arguments: Any) -> list[dict[str, Any]]:
    return [{"call": tool, "arguments": arguments}]


DONE = [{"text": "Done."}]


def settings_file(text: str) -> Lay:
    def lay(project: Path) -> Turns:
        (project / "placet.json").write_text(text)
        return [call("read", filePath="a" * 60), call("grep", pattern="x"), DONE]

    return lay


def pipes(project: Path) -> Turns:
    for name in ("placet.json", ".placet/tools/x.py", ".placet/commands/x.md", ".git/HEAD"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(project / name)
    return [call("read", filePath="a.txt"), DONE]


def overwritten_line(project: Path) -> Turns:
    (project / "big.txt").write_text("50%\r100%\n" + "x" * 119_000)
    return [call("bash", command="cat big.txt; sleep 0.3"), DONE]


def quotation(name: str, content: str, old: str) -> Lay:
    def lay(project: Path) -> Turns:
        (project / name).write_text(content)
        return [call("read", filePath=name), call("edit", filePath=name, oldString=old, newString="b"), DONE]

    return lay


def deep_arguments(project: Path) -> Turns:
    deep = [{"call": "read", "arguments": '{"filePath":' + "[" * 100_000 + "]" * 100_000 + "}"}]
    shallower = [{"call": "todowrite", "arguments": '{"todos":' + "[" * 300 + "]" * 300 + "}"}]
    return [deep, shallower, DONE]


OF_SETTINGS: dict[str, Lay] = {
    "a pattern of many wildcards": settings_file(json.dumps({"permission": {"read": {"*?" * 12 + "X": "deny"}}})),
    "brackets": settings_file("[" * 200_000),
    "comments without an end": settings_file("/* " * 60_000),
    "very many rules": settings_file(json.dumps({"permission": {"bash": {f"x{n}": "deny" for n in range(9_000)}}})),
    "pipes": pipes,
}
"""A daemon reads the settings of a project once."""
OF_TURNS: dict[str, Lay] = {
    "a line that is overwritten": overwritten_line,
    "a quotation of one letter": quotation("letters.txt", "a" * 2_000_000, "a" * 100_000 + "b"),
    "a quotation of equal lines": quotation("lines.txt", "a\n" * 200_000, "a\n" * 3_000 + "b"),
    "arguments that are nested deeply": deep_arguments,
}
"""These go off in one project, one after the other."""
