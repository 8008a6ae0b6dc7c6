"""The true daemon for a Neovim, with a model that plays a script: each session has it from its first turn."""

import json
import os
import signal
from pathlib import Path
from typing import Any

from fork_support import placet_command
from neovim_support.editor import Editor
from neovim_support.model import WireModel
from time_support import wait_seconds

Json = dict[str, Any]
Turn = list[Json] | Json
"""Events, or `{"events", "expect"}`: words that the request of the turn contains, else the model fails."""


SANDBOXED: Json = {"sandbox": {"mode": "auto"}}
"""More settings, for a fact about commands: without them the sandbox is off, and the daemon tries none at its start."""


def use_daemon(editor: Editor, directory: Path, *turns: Turn, **settings: Any) -> None:
    """Have this Neovim start it, with the script kept in the directory."""
    _use(editor, {"model": script_of(directory / "script.json", *turns), **settings}, "ask")


def script_of(file: Path, *turns: Turn) -> str:
    """Return the model that plays the turns, kept in the file."""
    file.write_text(json.dumps({"turns": [turn if isinstance(turn, dict) else {"events": turn} for turn in turns]}))
    return f"scripted/{file}"


def use_wire(editor: Editor, model: WireModel, name: str = "local", way: str = "ask", **settings: Any) -> None:
    """Have this Neovim start it, with a model behind OpenAI's wire; `way` is the way of reviewing changes."""
    editor.lua("vim.env.OPENAI_API_KEY = 'a-key'")
    _use(editor, {"model": f"openai/{name}", "modelOptions": {"apiBase": model.base}, **settings}, way)


def _use(editor: Editor, settings: Json, review: str) -> None:
    editor.lua(
        "vim.g.placet = { cmd = ..., review = { mode = select(3, ...) }, settings = select(2, ...) }",
        placet_command("--stdio"),
        {"sandbox": {"mode": "off"}, **settings},
        review,
    )
    editor.lua("""
      _G.ended = {}
      vim.api.nvim_create_autocmd('User', { pattern = 'PlacetTurnEnded', callback = function(event)
        table.insert(_G.ended, event.data.stopReason)
      end })
    """)


def prompt(editor: Editor, text: str) -> None:
    """Ask, and wait for the turn's end."""
    turns = editor.lua("return #_G.ended")
    editor.command(f"Placet {text}")
    editor.wait("#_G.ended > ...", turns)


def asked(editor: Editor, method: str, **params: Any) -> Any:
    """What the daemon of this Neovim answers."""
    answer = editor.lua(
        """
        local method, params, wait_ms = ...
        local answer, failure = vim.lsp.get_clients({ name = 'placet' })[1]:request_sync(method, params, wait_ms)
        return answer or { err = failure }
        """,
        method,
        params,
        int(wait_seconds() * 1000),
    )
    assert "result" in answer, (method, answer, editor.situation())
    return answer["result"]


def current_session(editor: Editor) -> str:
    return editor.lua("local _, id = require('placet.sessions.known').session() return id")


def wait_for_session(editor: Editor, condition: str, *arguments: Any) -> str:
    """Until there is a current session for which the Lua expression over `id` holds."""
    editor.wait(
        "(function(...) local _, id = require('placet.sessions.known').session() "
        f"return id and ({condition}) end)(...)",
        *arguments,
    )
    return current_session(editor)


def page(editor: Editor, session_id: str) -> str:
    """What stands in the session's page; '' if it has none."""
    return editor.lua(
        """
        local bufnr = require('placet.chat').buffer_of(...)
        return bufnr and table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), '\\n') or ''
        """,
        session_id,
    )


def wait_for_page(editor: Editor, session_id: str, text: str) -> None:
    editor.wait(
        """(function(id, text)
          local bufnr = require('placet.chat').buffer_of(id)
          local page = bufnr and table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), '\\n') or ''
          return page:find(text, 1, true) ~= nil
        end)(...)""",
        session_id,
        text,
    )


def choose(editor: Editor, *labels: str) -> None:
    """Answer `vim.ui.select` by what the line of an item contains, one after the other; what was asked is kept."""
    editor.lua(
        """
        local labels = { ... }
        _G.asked = {}
        vim.ui.select = function(items, options, on_choice)
          local label = table.remove(labels, 1)
          local format = options.format_item or tostring
          local lines = vim.tbl_map(format, items)
          table.insert(_G.asked, { prompt = options.prompt, kind = options.kind, lines = lines })
          for index, line in ipairs(lines) do
            if label and line:find(label, 1, true) then
              return on_choice(items[index], index)
            end
          end
          on_choice(nil)
        end
        """,
        *labels,
    )


def kill_daemon(editor: Editor) -> None:
    """SIGKILL, and wait until Neovim has noticed."""
    os.kill(asked(editor, "agent/status")["pid"], signal.SIGKILL)
    editor.wait("#vim.lsp.get_clients({ name = 'placet', _uninitialized = true }) == 0")
