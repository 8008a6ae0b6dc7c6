"""Text that streams is written in few pieces, and all of it is there. bench/neovim_deltas.py says how long it takes."""

from neovim_support.conversation import Json, answer, call, chunk, ended, page, show, user_message
from neovim_support.editor import Editor

TICK = "return vim.b[require('placet.chat').buffer('ses_1')].changedtick"
STREAM = """
  local count = ...
  local chat, offset = require('placet.chat'), 0
  for number = 1, count do
    local text = ('w%05d%s'):format(number, number % 12 == 0 and '\\n' or ' ')
    chat.update('ses_1', {
      kind = 'agent_message_chunk', messageId = 'm1', partId = 'p1', offset = offset, text = text,
    })
    offset = offset + #text
  end
"""


def test_twenty_thousand_deltas_that_came_at_once_are_written_at_once(editor: Editor) -> None:
    show(editor, [user_message("say much"), answer()])
    before = editor.lua(TICK)
    editor.lua(STREAM, 20_000)
    editor.wait(
        f"(function() {TICK} end)() > ... + 1 or #vim.fn.getbufline('placet://chat/ses_1', 1, '$') > 1600", before
    )
    assert editor.lua(TICK) - before <= 2

    words = page(editor).split("## Placet\n\n")[1].split()
    assert words == [f"w{number:05d}" for number in range(1, 20_001)]


def test_what_ends_is_written_at_once(editor: Editor) -> None:
    show(editor, [user_message("go"), answer(completed=3_000)])
    state: Json = {"title": "a.py", "input": {}, "output": "", "metadata": {}, "start": 0, "end": 1}
    for update, text in (
        (chunk(0, "Some text."), ""),
        (call("completed", "read", **state), "- ✓ `read` a.py"),
        (ended(), "> *Done (2.0 s)*"),
    ):
        editor.lua("require('placet.chat').update('ses_1', ...)", update)
        assert text in page(editor)


def test_a_long_page_is_coloured_by_what_is_on_the_screen_alone(editor: Editor) -> None:
    show(editor, [user_message("say much"), answer(), chunk(0, "Short.")])
    active = "return vim.treesitter.highlighter.active[require('placet.chat').buffer('ses_1')] ~= nil"
    assert editor.lua(active) is True

    show(editor, [chunk(6, "\n\nLong." * 300)])
    assert editor.lua(active) is False
    assert editor.lua("return vim.bo[require('placet.chat').buffer('ses_1')].syntax") == "placet-page"
