"""Events of a session, and its page as the user has it."""

from typing import Any

from neovim_support.editor import Editor

Json = dict[str, Any]

PAGE = """
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(bufnr):match('^placet://chat/') and vim.api.nvim_buf_is_loaded(bufnr) then
      return table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), '\\n')
    end
  end
"""
SESSION = "ses_1"


def page(editor: Editor) -> str:
    """The text of the first session's page."""
    return editor.lua(PAGE)


def wait_for_page(editor: Editor, text: str) -> None:
    editor.wait(f"((function() {PAGE} end)() or ''):find(..., 1, true)", text)


def user_message(text: str, message: str = "u1", created: int = 1_000, **fields: Any) -> Json:
    parts = fields.pop("parts", [{"type": "text", "text": text}])
    of = {"id": message, "role": "user", "created": created, "agent": "build", "model": "local/small", **fields}
    return {"kind": "user_message", "message": {**of, "parts": parts}}


def answer(message: str = "m1", turn: str = "u1", **fields: Any) -> Json:
    """An answer began; with `completed`, it ended."""
    tokens = {"input": 1200, "output": 85, "reasoning": 0, "cacheRead": 0, "cacheWrite": 0}
    of = {"id": message, "role": "assistant", "parentId": turn, "cost": 0.0, "tokens": tokens, "parts": []}
    return {"kind": "agent_message", "message": {**of, **fields}}


def chunk(offset: int, text: str, kind: str = "agent_message_chunk", part: str = "p1") -> Json:
    return {"kind": kind, "messageId": "m1", "partId": part, "offset": offset, "text": text}


def thought(offset: int, text: str, part: str = "r1") -> Json:
    return chunk(offset, text, "agent_thought_chunk", part)


def call(status: str, tool: str = "edit", call: str = "c1", **state: Any) -> Json:
    """A tool's call as it stands."""
    part = {"id": "t" + call, "type": "tool", "callId": call, "tool": tool, "state": {"status": status, **state}}
    return {"kind": "tool_call_update", "messageId": "m1", "part": part}


def started(turn: str = "u1") -> Json:
    return {"kind": "turn_started", "turnId": turn}


def ended(reason: str = "end_turn", turn: str = "u1", **fields: Any) -> Json:
    return {"kind": "turn_ended", "turnId": turn, "stopReason": reason, **fields}


def show(editor: Editor, updates: list[Json], session: str = SESSION) -> None:
    """Give events to the plugin as its handler does, with no daemon, and let it write them."""
    editor.lua(
        """
        local session, updates = ...
        require('placet.subscriptions')
        local chat = require('placet.chat')
        chat.show(session)
        for _, update in ipairs(updates) do
          chat.update(session, update)
        end
        """,
        session,
        updates,
    )
    editor.lua("require('placet.chat').replay(..., {})", session)
