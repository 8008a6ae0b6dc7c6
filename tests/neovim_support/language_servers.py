"""Language servers that Neovim itself starts, beside ours, and short ways to ask them through it."""

from pathlib import Path
from typing import Any

from language_server_support import SLOW, environment, place
from neovim_support.editor import Editor
from neovim_support.scripted_server import Inquiry, Json, ScriptedServer

LONG_MS = 600_000
"""A time limit of a question that is never reached: the wait of the test ends before."""
LIMIT_MS = 5_000
"""A time limit that is over when the test says so."""

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

    def __init__(self, server: ScriptedServer, quiet_ms: int = 300) -> None:
        self.server = server
        self._quiet_ms = quiet_ms

    def diagnostics(self, path: Path, **more: Any) -> Json:
        """The item of one file."""
        [item] = self._ask_for(path, LONG_MS, **more).answer()["items"]
        return item

    def diagnostics_in_vain(self, editor: Editor, path: Path, **more: Any) -> Json:
        """The item of one file when the time of the question is over, which is when the question has been heard."""
        inquiry = self._ask_for(path, LIMIT_MS, **more)
        self.server.request("editor/state", {})
        assert not inquiry.done(), inquiry.answer()
        editor.skip(LIMIT_MS)
        answer = inquiry.answer()
        assert answer["timedOut"] is True
        [item] = answer["items"]
        return item

    def _ask_for(self, path: Path, timeout_ms: int, **more: Any) -> Inquiry:
        params = {"uris": [path.as_uri()], "quietMs": self._quiet_ms, "timeoutMs": timeout_ms, **more}
        return self.server.ask("editor/diagnostics", params)

    def errors(self, path: Path) -> list[str]:
        """What the servers say of the text as it is: `Source 3: message`, lines from 1."""
        item = self.diagnostics(path)
        assert item["fresh"], item
        return [
            f"{diagnostic.get('source')} {diagnostic['range']['start']['line'] + 1}: {diagnostic['message']}"
            for diagnostic in item["diagnostics"]
        ]

    def feature(self, method: str, params: Json) -> Json:
        return self.server.request("editor/languageFeature", {"method": method, "params": params, "timeoutMs": LONG_MS})

    def ask(self, method: str, path: Path, line: int, character: int, **more: Any) -> Any:
        """The result for a place, counted from 0."""
        place = {"textDocument": {"uri": path.as_uri()}, "position": {"line": line, "character": character}}
        answer = self.feature(method, {**place, **more})
        assert answer["status"] == "ok", (method, answer)
        return answer["result"]

    def places(self, method: str, path: Path, line: int, character: int, **more: Any) -> set[tuple[str, int]]:
        """Names of files and lines (from 0)."""
        return {place(location) for location in self.ask(method, path, line, character, **more)}
