"""Whole journeys in the real Neovim with the real daemon, and a model that plays a script over OpenAI's wire."""

import asyncio
from pathlib import Path

from neovim_support.daemon import current_session, page, prompt, use_wire, wait_for_page, wait_for_session
from neovim_support.editor import Editor
from neovim_support.model import wire_model
from wire_servers.answers import Call, Text, Wait

AREA = "def area(w, h):\n    return w * h\n\n\ndef name():\n    return 'box'\n"
CIRCLE = "def circle(radius):\n    return 3 * radius**2\n"
LINES = "".join(f"line {number}\n" for number in range(1, 41))
ALLOWED = {"edit": "allow"}

PATCH = """*** Begin Patch
*** Update File: area.py
@@
-def area(w, h):
-    return w * h
+def area(width, height):
+    return width * height
@@
-    return 'box'
+    return 'rectangle'
*** Update File: circle.py
@@
-    return 3 * radius**2
+    return 3.14 * radius**2
*** Add File: square.py
+def square(side):
+    return side * side
*** End Patch"""


def edit(path: Path, old: str, new: str) -> Call:
    return Call("edit", {"filePath": str(path), "oldString": old, "newString": new})


def read(path: Path) -> Call:
    return Call("read", {"filePath": str(path)})


def test_three_files_are_reviewed_with_a_word_for_each_hunk(editor: Editor, project: Path) -> None:
    area, circle, square = (project / f"{name}.py" for name in ("area", "circle", "square"))
    area.write_text(AREA)
    circle.write_text(CIRCLE)
    unsaved = AREA + "# not saved yet\n"
    with wire_model((read(area), read(circle)), Call("apply_patch", {"patchText": PATCH})) as model:
        use_wire(editor, model, "gpt-local")
        editor.open(area)
        editor.lua("vim.api.nvim_buf_set_lines(0, -1, -1, true, { '# not saved yet' })")
        editor.command("Placet give them readable names")
        editor.wait("require('placet').details() and require('placet').details().waiting == 1")
        assert "not saved yet" in str(model.requests[1].messages)
        assert (editor.text(), circle.read_text(), square.exists()) == (unsaved, CIRCLE, False)

        editor.command("Placet review")
        editor.keys("ga")
        editor.wait("vim.fn.line('.') == 6")
        editor.lua("vim.ui.input = function(_, use) use('a box it stays') end")
        editor.command("Placet comment")
        editor.command("Placet reject")
        editor.wait("vim.fn.expand('%:t') == 'circle.py'")
        editor.command("Placet edit")
        editor.wait("vim.bo.buftype == 'acwrite'")
        editor.keys("ccreturn pi * radius**2<Esc>:wq<CR>")
        editor.wait("vim.fn.bufname():match('^placet%-change://.*square.py$')")
        assert editor.lua("return _G.ended") == []
        editor.command("Placet accept file")
        editor.wait("#_G.ended == 1")

        editor.wait("vim.fn.expand('%:t') == 'square.py'")
        editor.open(area)
        reviewed = unsaved.replace("w, h", "width, height").replace("w * h", "width * height")
        assert editor.text() == reviewed
        assert editor.lua("return vim.bo.modified") is True
        assert area.read_text() == AREA
        assert circle.read_text() == CIRCLE.replace("3 *", "pi *")
        assert square.read_text() == "def square(side):\n    return side * side\n"
        messages = model.told(3)
    for words in ("a box it stays", "'rectangle'", "pi * radius**2", "square.py"):
        assert words in messages

    editor.command("Placet undo")
    editor.wait("vim.iter(_G.notices):any(function(text) return text:find('Placet undo: ', 1, true) end)")
    assert editor.text() == unsaved
    assert (circle.read_text(), square.exists()) == (CIRCLE, False)


def test_what_is_typed_during_a_run_is_kept_and_an_autosaver_takes_nothing_away(editor: Editor, project: Path) -> None:
    file = project / "a.txt"
    file.write_text(LINES)
    wait = Wait(asyncio.Event())
    with wire_model(read(file), (wait, edit(file, "line 3\n", "line three\n"))) as model:
        use_wire(editor, model, permission=ALLOWED)
        editor.command("autocmd TextChanged,TextChangedI,InsertLeave * ++nested silent! update")
        editor.open(file)
        editor.command("Placet write it out")
        model.wait_for_request(2)
        editor.keys("gg10Gomine")
        editor.wait("vim.api.nvim_get_current_line() == 'mine'")
        model.go_on(wait)
        editor.wait("vim.fn.getline(3) == 'line three'")
        editor.keys(" too<Esc>")
        editor.wait("#_G.ended == 1 and vim.api.nvim_get_mode().mode == 'n'")
        typed = LINES.replace("line 10\n", "line 10\nmine too\n")
        editor.wait("not vim.bo.modified")
        assert editor.text() == file.read_text() == typed.replace("line 3\n", "line three\n")

    editor.command("Placet undo")
    editor.wait("vim.fn.getline(3) == 'line 3'")
    assert editor.text() == typed
    editor.wait("not vim.bo.modified")
    assert file.read_text() == typed
    editor.command("Placet redo")
    editor.wait("vim.fn.getline(3) == 'line three'")
    assert editor.text() == typed.replace("line 3\n", "line three\n")


def test_a_formatter_on_save_and_two_windows_and_one_undo_for_the_turn(editor: Editor, project: Path) -> None:
    file = project / "a.txt"
    file.write_text(LINES)
    calls = [edit(file, "line 2\n", "line 2   \nline two   \n"), edit(file, "line 20\n", "line twenty   \n")]
    with wire_model(read(file), *calls) as model:
        use_wire(editor, model, permission=ALLOWED)
        editor.command("autocmd BufWritePre *.txt %substitute/ *$//e")
        editor.open(file)
        editor.command("vsplit | 30 | wincmd p | 5")
        windows = editor.lua("return { vim.fn.win_getid(vim.fn.winnr('#')), vim.fn.win_getid() }")
        prompt(editor, "write them out")

        formatted = LINES.replace("line 2\n", "line 2\nline two\n").replace("line 20\n", "line twenty\n")
        assert editor.text() == file.read_text() == formatted
        assert editor.lua("return vim.bo.modified") is False
        assert editor.lua("return vim.api.nvim_get_current_win()") == windows[1]
        lines = [
            editor.lua("return vim.fn.getbufline('a.txt', vim.fn.line('.', ...))[1]", window) for window in windows
        ]
        assert lines == ["line 30", "line 5"]
        # The second edit was computed from the formatted text, of which the model was told.
        assert "line two   " not in model.told(4)

    editor.keys("u")
    editor.wait("vim.fn.getline(20) == 'line 20'")
    assert editor.text() == LINES


def test_a_prompt_steers_the_turn_that_runs_and_another_comes_after_it(editor: Editor, project: Path) -> None:
    file = project / "a.txt"
    file.write_text(LINES)
    wait = Wait(asyncio.Event())
    with wire_model((Text("I look. "), wait, read(file)), Text("Steered."), Text("And after.")) as model:
        use_wire(editor, model)
        editor.open(file)
        editor.command("Placet look at it")
        session = wait_for_session(editor, "require('placet.sessions.known').running_turn(id)")
        wait_for_page(editor, session, "I look.")
        editor.command("Placet steer be short")
        editor.command("Placet after: and then this")
        wait_for_page(editor, session, "be short")
        model.go_on(wait)
        editor.wait("#_G.ended == 2")
        assert "be short" in str(model.requests[1].messages)
        assert "and then this" not in str(model.requests[1].messages)
        assert "and then this" in str(model.requests[2].messages)
    text = page(editor, current_session(editor))
    assert text.index("Steered.") < text.index("And after.")
