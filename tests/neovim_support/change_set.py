"""A change set as the daemon lists it, for Neovim and a server that the test plays."""

import threading
from pathlib import Path
from typing import Any

from neovim_support.editor import Editor
from neovim_support.review import HUNKS, hunk, permission
from neovim_support.scripted_server import Inquiry, ScriptedServer
from time_support import wait_seconds

Json = dict[str, Any]

SESSION = "ses_1"


def listed(path: Path, hunks: list[Json] = HUNKS, state: str = "staged", **more: Any) -> Json:
    """A file of the set; its version follows from its hunks."""
    return {
        "uri": path.as_uri(),
        "kind": "modify",
        "state": state,
        "version": f"v{abs(hash(str((path, hunks, state, more)))) % 10**8}",
        "additions": sum(len(one["newLines"]) for one in hunks),
        "deletions": sum(len(one["oldLines"]) for one in hunks),
        "hunks": hunks,
        "diff": "",
        **more,
    }


def created(path: Path, text: str, state: str = "staged") -> Json:
    return listed(path, [hunk(1, 0, [], 0, text.splitlines(keepends=True))], state, kind="create")


def deleted(path: Path, text: str, state: str = "staged") -> Json:
    return listed(path, [hunk(1, 0, text.splitlines(keepends=True), 0, [])], state, kind="delete")


def renamed(path: Path, to: Path, hunks: list[Json] = HUNKS) -> Json:
    return listed(to, hunks, kind="rename", oldUri=path.as_uri())


class PlayedChangeSet:
    """The daemon's side of one session's change set: it lists what the test says, and keeps what was decided."""

    def __init__(self, editor: Editor, server: ScriptedServer) -> None:
        self._editor = editor
        self._server = server
        self.files: list[Json] = []
        self.decided: list[list[Json]] = []
        self.lists = 0
        self.outcome: Json = {"status": "written"}
        self.after: list[Json] | None = None
        """Files of the set once something was decided; by default none."""
        self._listed = threading.Condition()
        self._asked: dict[str, Inquiry] = {}
        """Requests about changes that wait, by change id."""
        session = {"id": SESSION, "title": "", "agent": "build", "model": "acme/large"}
        server.answers["agent/session/new"] = lambda _: session
        server.answers["agent/session/list"] = lambda _: {"sessions": []}
        server.answers["agent/review/list"] = self._list
        server.answers["agent/review/decide"] = self._decide

    def begin(self) -> None:
        """Have a current session, and no window of its chat."""
        self._editor.command("Placet new")
        self._editor.wait("vim.fn.bufwinid('^placet://chat/ses_1$') ~= -1")
        self._editor.command("wincmd o")

    def stage(self, *files: Json) -> None:
        """Change the set, and wait until Neovim shows it."""
        self.files = list(files)
        self._editor.lua("""
          _G.change_sets = {}
          vim.api.nvim_create_autocmd('User', { pattern = 'PlacetChangeSetChanged', callback = function(event)
            table.insert(_G.change_sets, event.data)
          end })
        """)
        self.announce()
        self._editor.wait("#_G.change_sets > 0 and _G.change_sets[#_G.change_sets].files == ...", len(files))

    def ask(self, *files: Json, change: str = "chg_1", title: str = "edit shapes.py", **more: Any) -> Inquiry:
        """Ask about files that wait in the set, beside the files that are there, and wait for the plugin's queue."""
        self.files = [*self.files, *({**file, "waits": change} for file in files)]
        self.announce()
        waiting = self._editor.lua("return require('placet').details().waiting")
        inquiry = self._server.ask("editor/requestPermission", permission(title, changeId=change, **more))
        self._asked[change] = inquiry
        self._editor.wait("require('placet').details().waiting == ...", waiting + 1)
        return inquiry

    def answer(self, change: str = "chg_1") -> Any:
        """Return the user's answer to the request, after which its files leave the set."""
        answer = self._asked.pop(change).answer()
        self.files = [file for file in self.files if file.get("waits") != change]
        self.announce()
        return answer

    def cancel(self, change: str = "chg_1") -> None:
        """Take the request and its files away, as when the turn is cancelled."""
        self._server.cancel(self._asked.pop(change))
        self.files = [file for file in self.files if file.get("waits") != change]
        self.announce()

    def announce(self) -> None:
        self._server.update({"kind": "change_set_update", "sessionId": SESSION, "files": len(self.files)})

    def wait_for_decision(self, count: int = 1) -> list[Json]:
        """What was decided at that time, from 1."""
        with self._listed:
            assert self._listed.wait_for(lambda: len(self.decided) >= count, wait_seconds()), self.decided
        return self.decided[count - 1]

    def wait_for_lists(self, count: int) -> None:
        with self._listed:
            assert self._listed.wait_for(lambda: self.lists >= count, wait_seconds()), self.lists

    def _list(self, params: Json) -> Json:
        with self._listed:
            self.lists += 1
            self._listed.notify_all()
        return {"files": self.files if params["sessionId"] == SESSION else []}

    def _decide(self, params: Json) -> Json:
        uris = list(dict.fromkeys(decision["uri"] for decision in params["decisions"]))
        if self.outcome["status"] in ("written", "rejected", "kept", "undone"):
            self.files = self.after or []
        for change in self._asked.keys() - {file.get("waits") for file in self.files}:
            self._server.cancel(self._asked.pop(change))
        with self._listed:
            self.decided.append(params["decisions"])
            self._listed.notify_all()
        self.announce()
        return {"files": [{"uri": uri, **self.outcome} for uri in uris]}
