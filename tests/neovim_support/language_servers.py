"""Language servers that Neovim itself starts, beside ours, and short ways to ask them through it."""

from pathlib import Path
from typing import Any

from language_server_support import SLOW, environment, place
from neovim_support.editor import Editor
from neovim_support.scripted_server import Json, ScriptedServer

PATIENT_SECONDS = 150.0
"""A server has to start, on a machine that others use."""

REAL = {
    "pyright": (["pyright-langserver", "--stdio"], ["python"]),
    "ruff": (["ruff", "server"], ["python"]),
    "typescript": (["typescript-language-server", "--stdio"], ["typescript"]),
    "clangd": (["clangd"], ["c"]),
    "bash": (["bash-language-server", "start"], ["sh"]),
}


def enable(editor: Editor, *names: str) -> None:
    """Have Neovim start these for every file of theirs that it opens."""
    editor.lua("vim.env.PATH = ...", environment()["PATH"])
    for name in names:
        command, filetypes = REAL[name]
        _enable(editor, name, cmd=command, filetypes=filetypes)


def enable_slow(editor: Editor, manner: str, name: str = "slow") -> None:
    """The server with bad manners, for `.slow` files."""
    editor.lua("vim.filetype.add({ extension = { slow = 'slow' } })")
    _enable(editor, name, cmd=list(SLOW), cmd_env={"SLOW_SERVER": manner}, filetypes=["slow"])


def enable_scripted(editor: Editor, server: ScriptedServer, filetype: str, name: str = "inner") -> None:
    """One that the test plays."""
    _enable(editor, name, cmd=server.command, filetypes=[filetype])


def _enable(editor: Editor, name: str, **config: Any) -> None:
    editor.lua("vim.lsp.config(..., select(2, ...)) vim.lsp.enable(...)", name, {"root_markers": [".git"], **config})


class Inquirer:
    """Asks as the daemon does, by the server that the test plays."""

    def __init__(self, server: ScriptedServer) -> None:
        self.server = server

    def diagnostics(self, path: Path, *, timeout_seconds: float = PATIENT_SECONDS, **more: Any) -> Json:
        """The item of one file."""
        params = {"uris": [path.as_uri()], "quietMs": 300, "timeoutMs": int(timeout_seconds * 1000), **more}
        [item] = self.server.ask("editor/diagnostics", params).result(timeout_seconds + 20)["items"]
        return item

    def errors(self, path: Path) -> list[str]:
        """What the servers say of the text as it is: `Source 3: message`, lines from 1."""
        item = self.diagnostics(path)
        assert item["fresh"], item
        return [
            f"{diagnostic.get('source')} {diagnostic['range']['start']['line'] + 1}: {diagnostic['message']}"
            for diagnostic in item["diagnostics"]
        ]

    def feature(self, method: str, params: Json, *, timeout_seconds: float = PATIENT_SECONDS) -> Json:
        asked = {"method": method, "params": params, "timeoutMs": int(timeout_seconds * 1000)}
        return self.server.ask("editor/languageFeature", asked).result(timeout_seconds + 20)

    def ask(self, method: str, path: Path, line: int, character: int, **more: Any) -> Any:
        """The result for a place, counted from 0."""
        place = {"textDocument": {"uri": path.as_uri()}, "position": {"line": line, "character": character}}
        answer = self.feature(method, {**place, **more})
        assert answer["status"] == "ok", (method, answer)
        return answer["result"]

    def places(self, method: str, path: Path, line: int, character: int, **more: Any) -> set[tuple[str, int]]:
        """Names of files and lines (from 0)."""
        return {place(location) for location in self.ask(method, path, line, character, **more)}
