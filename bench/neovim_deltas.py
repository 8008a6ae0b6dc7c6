"""20,000 deltas shown in Neovim: its longest work at a stretch, and all of it, beside a handler that drops them.

While it works it can neither take a key nor draw. In CPU time, as other programs have their share of the clock.
Once as they stream, a batch when the one before is taken; once all at once, when Neovim's own LSP client has a
backlog before anyone hears of it.
"""

import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from bench.report import Figure

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from neovim_support.editor import Editor, open_editor
from neovim_support.screen import Screen
from neovim_support.scripted_server import ScriptedServer

DELTAS = 20_000
LETTERS = 6
BATCH = 20
FRAME_LIMIT = "(limit: 50 ms)"

WATCH = """
  local timer, last = vim.uv.new_timer(), os.clock()
  _G.longest, _G.first = 0, last
  timer:start(0, 1, vim.schedule_wrap(function()
    local now = os.clock()
    _G.longest, last = math.max(_G.longest, (now - last) * 1000), now
  end))
  _G.stop = function()
    timer:close()
    return { _G.longest, (os.clock() - _G.first) * 1000 }
  end
"""
DROP = """
  _G.taken = 0
  local client = vim.lsp.get_clients({ name = 'placet' })[1]
  client.handlers['agent/update'] = function()
    _G.taken = _G.taken + 1
  end
"""
PAGE = "vim.api.nvim_buf_get_lines(require('placet.chat').buffer('ses_1'), 0, -1, true)"


async def measure() -> list[Figure]:
    figures: list[Figure] = []
    for name, streams in (("as they stream", True), ("all at once", False)):
        floor_longest, floor_whole = _run(streams=streams, drops=True)
        longest, whole = _run(streams=streams, drops=False)
        note = FRAME_LIMIT if streams else ""
        figures += [
            Figure(f"{name}: longest at a stretch", longest, "ms", floor_longest, "dropped", note=note),
            Figure(f"{name}: until all is shown", whole, "ms", floor_whole, "dropped"),
        ]
    return figures


def _run(*, streams: bool, drops: bool) -> tuple[float, float]:
    """Milliseconds of Neovim's CPU: the most at a stretch, and from the first delta until the last is shown."""
    with _prompted() as (editor, server):
        if drops:
            editor.lua(DROP)
        editor.lua(WATCH)
        for number in range(DELTAS):
            server.update(_delta(number))
            if streams and number % BATCH == 0:
                server.request("editor/readDocuments", {"uris": []})
        if drops:
            editor.wait("_G.taken == ...", DELTAS)
        else:
            editor.wait(f"table.concat({PAGE}):find('w{DELTAS - 1:05d}', 1, true)")
        longest, whole = editor.lua("return _G.stop()")
        return longest, whole


def _delta(number: int) -> dict[str, object]:
    """A word; every twelfth ends a line, every sixtieth a paragraph."""
    end = "\n\n" if number % 60 == 59 else "\n" if number % 12 == 11 else " "
    longer = number // 60 + number % 60 // 60
    return {
        "kind": "agent_message_chunk",
        "messageId": "m1",
        "partId": "p1",
        "offset": number * (LETTERS + 1) + longer,
        "text": f"w{number:05d}{end}",
    }


@contextmanager
def _prompted() -> Generator[tuple[Editor, ScriptedServer]]:
    """A Neovim with a screen, whose prompt is being answered."""
    with tempfile.TemporaryDirectory() as directory, open_editor(Path(directory)) as editor:
        server = ScriptedServer()
        try:
            screen = Screen(editor.nvim, 120, 40)
            server.answers.pop("agent/prompt", None)
            editor.lua("vim.g.placet = { cmd = ... }", server.command)
            editor.command("Placet say much")
            server.wait_for("agent/prompt")
            screen.draw()
            yield editor, server
        finally:
            server.close()
