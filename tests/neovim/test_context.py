"""What can be put beside a prompt: it is listed with it, can be taken away, and goes with it."""

import subprocess
from pathlib import Path

import pytest

from neovim_support.editor import Editor
from neovim_support.scripted_server import Json, ScriptedServer

LISTED = """
  local bufnr = require('placet.compose').buffer_of('ses_1')
  local listed = {}
  for _, mark in ipairs(bufnr and vim.api.nvim_buf_get_extmarks(bufnr, -1, 0, -1, { details = true }) or {}) do
    for _, line in ipairs(mark[4].virt_lines or {}) do
      table.insert(listed, line[1][1] .. line[2][1])
    end
  end
  return listed
"""


@pytest.fixture
def path(project: Path) -> Path:
    path = project / "a.py"
    path.write_text("one\ntwo\nthree\n")
    return path


@pytest.fixture
def opened(editor: Editor, connected: ScriptedServer, path: Path) -> ScriptedServer:
    """A file is open, and the cursor in it."""
    connected.answers.pop("agent/prompt", None)
    editor.open(path)
    return connected


def add(editor: Editor, what: str, count: int = 1) -> None:
    editor.lua("require('placet').add(...)", what)
    editor.wait(f"#(function() {LISTED} end)() == {count}")


def sent(editor: Editor, server: ScriptedServer) -> list[Json]:
    """The parts of a prompt that is sent now."""
    editor.lua("require('placet.compose').open('ses_1')")
    editor.keys("ilook<Esc><CR>")
    first, *parts = server.wait_for("agent/prompt")["parts"]
    assert first == {"type": "text", "text": "look"}
    return parts


def beside(name: str, fence: str, text: str) -> Json:
    context = f"The user put beside this: {name}\n```{fence}\n{text}\n```"
    return {"type": "text", "synthetic": True, "text": context}


def test_selected_lines_go_along_and_the_cursor_stays(editor: Editor, opened: ScriptedServer, path: Path) -> None:
    editor.lua("vim.keymap.set('x', 'gp', '<Plug>(placet-add)')")
    editor.keys("jVjgp")
    editor.wait(f"#(function() {LISTED} end)() == 1")

    assert editor.lua(LISTED) == ["attached: a.py:2-3"]
    assert editor.lua("return vim.fn.expand('%:t')") == "a.py"
    assert editor.lua("return vim.api.nvim_get_mode().mode") == "n"
    lines = {"start": 2, "end": 3}
    assert sent(editor, opened) == [{"type": "file", "uri": path.as_uri(), "range": lines}]
    assert editor.lua(LISTED) == []


def test_a_buffer_and_its_diagnostics(editor: Editor, opened: ScriptedServer, path: Path) -> None:
    editor.lua("""
      local diagnostics = { { lnum = 0, col = 1, message = 'odd', severity = 2, source = 'lint' } }
      vim.diagnostic.set(vim.api.nvim_create_namespace('lint'), 0, diagnostics)
    """)
    add(editor, "buffer")
    add(editor, "diagnostic", 2)
    add(editor, "diagnostics", 3)
    add(editor, "all-diagnostics", 4)
    assert editor.lua(LISTED) == [
        "attached: a.py",
        "          diagnostics of a.py:1",
        "          diagnostics of a.py",
        "          all diagnostics",
    ]
    assert sent(editor, opened) == [
        {"type": "file", "uri": path.as_uri()},
        beside("diagnostics of a.py:1", "text", "a.py:1:2: warning: lint: odd"),
        {"type": "diagnostics", "uri": path.as_uri()},
        {"type": "diagnostics"},
    ]


def test_lists_and_what_the_window_shows(editor: Editor, opened: ScriptedServer, path: Path) -> None:
    editor.lua("""
      vim.fn.setqflist({}, ' ', { title = 'make', items = { { bufnr = 1, lnum = 2, col = 3, text = ' bad ' } } })
      vim.fn.setloclist(0, {}, ' ', { items = { { bufnr = 1, lnum = 1, text = 'there' } } })
    """)
    name = editor.lua("return vim.fn.fnamemodify(vim.api.nvim_buf_get_name(1), ':~:.')")
    add(editor, "quickfix")
    add(editor, "loclist", 2)
    add(editor, "visible", 3)
    assert sent(editor, opened) == [
        beside("quickfix list `make`, 1 entry", "text", f"{name}:2:3: bad".removeprefix(":")),
        beside("location list, 1 entry", "text", f"{name}:1:1: there".removeprefix(":")),
        {"type": "file", "uri": path.as_uri(), "range": {"start": 1, "end": 3}},
    ]


def test_what_git_sees(editor: Editor, opened: ScriptedServer, path: Path, project: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", *identity, *arguments], cwd=project, check=True, capture_output=True)

    git("init", "--quiet")
    git("add", "a.py")
    git("commit", "--quiet", "-m", "first")
    path.write_text("one\nTWO\nthree\n")
    git("add", "a.py")
    path.write_text("one\nTWO\nTHREE\n")

    add(editor, "diff")
    add(editor, "staged", 2)
    worked, staged = (part["text"] for part in sent(editor, opened))
    assert worked.startswith("The user put beside this: git diff\n```diff\ndiff --git")
    assert "-three\n+THREE" in worked
    assert "-two" not in worked
    assert staged.startswith("The user put beside this: git diff of what is staged\n```diff\n")
    assert "-two\n+TWO" in staged
    assert "THREE" not in staged


def test_a_file_and_an_image_by_their_path(editor: Editor, opened: ScriptedServer, project: Path) -> None:
    (project / "pic.png").write_bytes(b"\x89PNG")
    add(editor, "file:pic.png")
    [part] = sent(editor, opened)
    assert part == {"type": "file", "uri": (project / "pic.png").as_uri(), "name": "pic.png"}

    editor.lua("require('placet').add('file:no.png')")
    editor.wait("#_G.notices > 0")
    assert editor.notices() == ["Placet: file no.png does not exist"]


def test_a_buffer_without_a_file_goes_as_its_text(editor: Editor, opened: ScriptedServer) -> None:
    editor.command("enew")
    editor.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { '```', 'x' })")
    number = editor.lua("return vim.api.nvim_get_current_buf()")
    add(editor, "buffer")
    [part] = sent(editor, opened)
    assert part["text"] == f"The user put beside this: buffer {number}\n````\n```\nx\n````"


def test_it_can_be_chosen_and_taken_away_again(editor: Editor, opened: ScriptedServer) -> None:
    editor.lua("""
      vim.ui.select = function(items, options, choose)
        _G.offered = vim.tbl_map(options.format_item, items)
        choose(items[1], 1)
      end
    """)
    add(editor, "visible")
    editor.lua("require('placet.compose').open('ses_1')")
    editor.keys("g+")
    editor.wait(f"#(function() {LISTED} end)() == 2")
    assert "the git diff of the staged changes" in editor.lua("return _G.offered")

    editor.keys("g-")
    editor.wait(f"#(function() {LISTED} end)() == 1")
    assert editor.lua(LISTED) == ["attached: a.py"]
    editor.keys("g-")
    editor.wait(f"#(function() {LISTED} end)() == 0")


def test_the_command_takes_what_and_a_range(editor: Editor, opened: ScriptedServer) -> None:
    editor.command("2,3Placet add")
    editor.wait(f"#(function() {LISTED} end)() == 1")
    editor.command("Placet add buffer")
    editor.wait(f"#(function() {LISTED} end)() == 2")
    assert "staged" in editor.lua("return vim.fn.getcompletion('Placet add ', 'cmdline')")


def test_the_page_names_what_went_along(editor: Editor, opened: ScriptedServer, path: Path) -> None:
    add(editor, "buffer")
    parts = [{"type": "text", "text": "look"}, *sent(editor, opened), beside("git diff", "diff", "+x")]
    message = {"id": "u1", "role": "user", "parts": parts}
    opened.update({"kind": "user_message", "message": message})
    editor.wait("vim.api.nvim_buf_line_count(require('placet.chat').buffer('ses_1')) > 5")
    text = "vim.api.nvim_buf_get_lines(require('placet.chat').buffer('ses_1'), 2, 5, true)"
    assert editor.lua(f"return {text}") == ["look", "`a.py`", "`git diff`"]
