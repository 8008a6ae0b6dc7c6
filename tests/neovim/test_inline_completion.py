"""Suggestions at the cursor against a scripted server: what is asked, what is drawn, and what the keys do."""

from pathlib import Path
from typing import Any

import pytest

from corpus_support import rows
from neovim_support.editor import Editor
from neovim_support.screen import Screen
from neovim_support.scripted_server import ScriptedServer

Json = dict[str, Any]
METHOD = "textDocument/inlineCompletion"
INVOKED, AUTOMATIC = 1, 2
REGISTRATION = {"id": "inline", "method": METHOD, "registerOptions": {"documentSelector": [{"scheme": "file"}]}}
DRAWN = """(function()
  local namespace = vim.api.nvim_get_namespaces()['placet.inline_completion']
  local mark = namespace and vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, { details = true })[1]
  if not mark then return '' end
  local lines = { mark[4].virt_text and mark[4].virt_text[1][1] or '' }
  for _, line in ipairs(mark[4].virt_lines or {}) do lines[#lines + 1] = line[1][1] end
  return table.concat(lines, '\\n')
end)()"""
"""In Lua: the suggestion on the screen, or an empty text."""
OWN_KEYS = """vim.tbl_filter(function(map)
  return vim.startswith(map.desc or '', 'Placet: ') and map.desc ~= 'Placet: ask for a suggestion'
end, vim.api.nvim_buf_get_keymap(0, 'i'))"""


class Typist:
    """User of Neovim in a file, with a server that completes."""

    def __init__(self, editor: Editor, server: ScriptedServer, project: Path) -> None:
        self.editor = editor
        self.server = server
        self.path = project / "a.py"
        self.texts: list[str | None] = []
        """Next answers; without any the server has no suggestion."""
        server.answers[METHOD] = self._answer
        server.answers["agent/inlineCompletion"] = lambda _: {"status": "on, with mine/small"}

    def begin(self, text: str = "", registers: bool = True) -> None:
        self.path.write_text(text, "utf-8")
        self.editor.open(self.path)
        self.server.wait_for_document(self.path.as_uri())
        if registers:
            self.registers()

    def registers(self) -> None:
        self.server.request("client/registerCapability", {"registrations": [REGISTRATION]})

    def _answer(self, params: Json) -> Json | None:
        text = self.texts.pop(0) if self.texts else None
        if text is None:
            return None
        place = params["position"]
        end = place
        if "\n" in text:
            line = self.server.documents[params["textDocument"]["uri"]].split("\n")[place["line"]]
            end = {"line": place["line"], "character": len(line.rstrip("\r").encode())}
        return {"items": [{"insertText": text, "range": {"start": place, "end": end}}]}

    def types(self, keys: str) -> None:
        self.editor.keys(keys)

    def sees(self, text: str) -> None:
        self.editor.wait(f"{DRAWN} == ...", text)

    def sees_nothing(self) -> None:
        self.sees("")
        assert self.editor.lua(f"return #{OWN_KEYS}") == 0, "keys exist only while a suggestion is shown"

    def has(self, *lines: str) -> None:
        self.editor.wait("vim.deep_equal(vim.api.nvim_buf_get_lines(0, 0, -1, true), ...)", list(lines))

    def asked(self) -> Json:
        return self.server.wait_for(METHOD)

    def pauses(self) -> None:
        """Wait until a pause of the plugin that has begun is over, and all questions are answered."""
        self.editor.lua("""
          _G.is_paused = nil
          vim.defer_fn(function()
            vim.lsp.get_clients({ name = 'placet' })[1]:request('agent/inlineCompletion', {}, function()
              _G.is_paused = true
            end)
          end, 50)
        """)
        self.editor.wait("_G.is_paused")

    def offered(self, text: str, keys: str = "ix = ", begun: str = "") -> None:
        """Type, and wait for the suggestion."""
        self.texts.append(text)
        self.begin(begun)
        self.types(keys)
        self.sees(text)
        self.asked()


@pytest.fixture
def typist(editor: Editor, connected: ScriptedServer, project: Path) -> Typist:
    return Typist(editor, connected, project)


def test_neovim_says_that_it_takes_the_registration(typist: Typist) -> None:
    typist.begin(registers=False)
    capabilities = typist.server.initialize_params["capabilities"]
    assert capabilities["textDocument"]["inlineCompletion"] == {"dynamicRegistration": True}


def test_typing_asks_once_after_a_pause_and_shows_the_answer(typist: Typist) -> None:
    typist.offered("foo(1)")
    typist.types("<Esc>")
    typist.sees_nothing()
    typist.types("o")
    typist.types("y")
    question = typist.asked()
    assert question["position"] == {"line": 1, "character": 1}
    assert question["context"] == {"triggerKind": AUTOMATIC}
    assert question["textDocument"]["uri"] == typist.path.as_uri()


def test_without_the_capability_nothing_is_asked_and_no_key_is_mapped(typist: Typist) -> None:
    typist.begin(registers=False)
    typist.types("ix = ")
    typist.has("x = ")
    assert typist.editor.lua("return package.loaded['placet.inline_completion']") is None
    assert typist.editor.lua("return vim.fn.maparg('<M-Bslash>', 'i')") == ""
    typist.registers()
    typist.editor.wait("vim.fn.maparg('<M-Bslash>', 'i', false, true).desc == 'Placet: ask for a suggestion'")
    typist.types("1")
    assert typist.asked()["position"]["character"] == 5, "the first question is after the registration"


def test_when_the_capability_goes_the_suggestion_and_the_keys_go(typist: Typist) -> None:
    typist.offered("foo(1)")
    ended = {"unregisterations": [{"id": REGISTRATION["id"], "method": METHOD}]}
    typist.server.request("client/unregisterCapability", ended)
    typist.sees_nothing()
    assert typist.editor.lua("return vim.fn.maparg('<M-Bslash>', 'i')") == ""


def test_the_keys_accept_all_a_word_or_a_line(typist: Typist) -> None:
    typist.texts = ["foo(1)\n    bar = 2"]
    typist.begin("    \n")
    typist.types("Ax = ")
    typist.sees("foo(1)\n    bar = 2")
    steps = [
        ("<M-Right>", "(1)\n    bar = 2", ["    x = foo"]),
        ("<M-C-Right>", "\n    bar = 2", ["    x = foo(1)"]),
        ("<M-C-Right>", "", ["    x = foo(1)", "    bar = 2"]),
    ]
    with rows() as failures:
        for key, left, lines in steps:
            with failures.row(f"{key} leaves {left!r}"):
                typist.types(key)
                typist.has(*lines)
                typist.sees(left)
    typist.sees_nothing()
    assert typist.editor.lua("return vim.api.nvim_win_get_cursor(0)") == [2, 11]


def test_a_suggestion_of_several_lines_replaces_the_blanks_behind_the_cursor(typist: Typist) -> None:
    typist.texts = [":\n    pass"]
    typist.begin("el  \n")
    typist.types("0ease")
    typist.sees(":\n    pass")
    typist.types("<Tab>")
    typist.has("else:", "    pass")


def test_accepted_text_is_one_undo_step_of_its_own(typist: Typist) -> None:
    typist.offered("foo()\nbar = 2")
    typist.types("<Tab>")
    typist.has("x = foo()", "bar = 2")
    typist.types("3<Esc>")
    typist.has("x = foo()", "bar = 23")
    with rows() as failures:
        for lines in (["x = foo()", "bar = 2"], ["x = "], [""]):
            with failures.row(f"{lines}"):
                typist.types("u")
                typist.has(*lines)


def test_after_an_acceptance_the_next_question_is_asked(typist: Typist) -> None:
    typist.offered("foo()")
    typist.texts = ["\nbar()"]
    typist.types("<Tab>")
    typist.sees("\nbar()")


def test_typing_along_redraws_without_a_question_and_typing_else_asks_anew(typist: Typist) -> None:
    typist.offered("foo(1)")
    with rows() as failures:
        for key, left in (("f", "oo(1)"), ("oo", "(1)"), ("<BS>", "o(1)"), ("<BS><BS>", "foo(1)"), ("fo", "o(1)")):
            with failures.row(key):
                typist.types(key)
                typist.sees(left)
    typist.types("x")
    typist.sees_nothing()
    assert typist.asked()["position"]["character"] == 7, "typing along asked nothing"


def test_typing_along_over_a_line_end_keeps_the_suggestion(typist: Typist) -> None:
    typist.editor.lua("vim.g.python_indent = {} vim.cmd('filetype indent off')")
    typist.offered("y\n  z", "ix = ")
    typist.types("y")
    typist.sees("\n  z")
    typist.types("<CR>  ")
    typist.sees("z")


def test_a_suggestion_is_drawn_before_the_screen_is_drawn_again(typist: Typist) -> None:
    screen = Screen(typist.editor.nvim, 40, 6)
    typist.offered("foo(1)")
    assert screen.draw().lines()[0] == "x = foo(1)"
    typist.types("f")
    typist.sees("oo(1)")
    assert screen.draw().lines()[0] == "x = foo(1)"


def test_a_key_that_cannot_be_used_falls_back_to_the_mapping_of_the_user(typist: Typist) -> None:
    typist.editor.command("inoremap <Tab> tabbed")
    typist.offered("foo(1)")
    typist.editor.lua("package.loaded.cmp = { visible = function() return true end }")
    typist.types("<Tab>")
    typist.has("x = tabbed")
    typist.sees_nothing()


def test_without_a_suggestion_the_keys_are_the_user_s_own(typist: Typist) -> None:
    typist.begin()
    typist.editor.command("inoremap <buffer> <Tab> tabbed")
    typist.texts = ["foo(1)"]
    typist.types("ix = ")
    typist.sees("foo(1)")
    typist.types("<Left>")
    typist.sees_nothing()
    typist.types("<Tab>")
    typist.has("x =tabbed ")


def test_a_dismissal_is_told_to_the_daemon(typist: Typist) -> None:
    typist.offered("foo(1)")
    typist.types("<C-]>")
    typist.sees_nothing()
    assert typist.server.wait_for("agent/inlineCompletion") == {"dismissedUri": typist.path.as_uri()}
    typist.has("x = ")


def test_the_user_s_key_asks_and_says_why_nothing_comes(typist: Typist) -> None:
    typist.begin()
    typist.types("ix = ")
    assert typist.asked()["context"] == {"triggerKind": AUTOMATIC}
    typist.texts = ["foo(1)"]
    typist.types("<M-Bslash>")
    assert typist.asked()["context"] == {"triggerKind": INVOKED}
    typist.sees("foo(1)")
    typist.types("<M-Bslash>")
    typist.editor.wait("_G.notices[1] ~= nil")
    assert typist.editor.notices() == ["Placet: no suggestion here. Inline completion: on, with mine/small"]
    typist.sees_nothing()


def test_the_command_switches_snoozes_and_tells_the_state(typist: Typist) -> None:
    typist.offered("foo(1)")
    typist.editor.command("Placet completion off")
    typist.sees_nothing()
    told: list[Json] = []
    typist.server.answers["agent/inlineCompletion"] = lambda params: told.append(params) or {"status": "on, with m"}
    steps = [
        ("Placet completion off", "off in this Neovim"),
        ("Placet completion", "off in this Neovim (`:Placet completion on`). State of the daemon: on, with m"),
        ("Placet completion on", "on, with m"),
        ("Placet completion status", "on, with m"),
        ("Placet completion snooze", "on, with m"),
        ("Placet completion snooze 90", "on, with m"),
    ]
    with rows() as failures:
        for command, said in steps:
            with failures.row(command):
                typist.editor.lua("_G.notices = {}")
                typist.editor.command(command)
                typist.editor.wait("_G.notices[1] ~= nil")
                assert typist.editor.notices() == [f"Placet completion: {said}"]
    assert told == [{}, {"snoozeMinutes": 0}, {}, {"snoozeMinutes": 10}, {"snoozeMinutes": 90}]
    typist.editor.completes("Placet completion s", "snooze", "snooze 60", "status")
    typist.editor.completes("Placet completion snooze 6", "60")


def test_while_switched_off_nothing_is_asked(typist: Typist) -> None:
    typist.editor.lua("require('placet').setup({ cmd = vim.g.placet.cmd, completion = { enabled = false } })")
    typist.begin()
    typist.types("ix = ")
    typist.pauses()
    typist.types("<M-Bslash>")
    typist.editor.wait("_G.notices[1] ~= nil")
    assert "no inline completion in this buffer" in typist.editor.notices()[0]
    typist.editor.command("Placet completion on")
    typist.types("1")
    assert typist.asked()["position"]["character"] == 5


def test_neovim_s_own_state_keeps_suggestions_away(typist: Typist) -> None:
    """Each state is entered while a suggestion is shown; the suggestion goes, and its keys too."""
    states = {
        "the menu of completions": ("<C-x><C-n>", ""),
        "another mode": ("<Esc>", ""),
        "a moved cursor": ("<Left>", ""),
        "another buffer": ("<Cmd>enew<CR>", "vim.cmd('silent! bprevious')"),
        "a changed line behind the cursor": ("<Cmd>lua vim.api.nvim_buf_set_text(0, 0, 4, 0, 4, { ';' })<CR>", ""),
        "a changed line before the cursor": ("<Cmd>lua vim.api.nvim_buf_set_text(0, 0, 0, 0, 1, { 'y' })<CR>", ""),
        "the menu of blink.cmp": ("<Cmd>doautocmd User BlinkCmpMenuOpen<CR>", ""),
        "the menu of nvim-cmp": ("<Cmd>lua _G.open_cmp()<CR>", ""),
        "a menu that opens later": (
            "<Cmd>set completeopt=menuone,noinsert,noselect<CR><Cmd>call complete(5, ['alpha', 'beta'])<CR>",
            "assert(vim.fn.pumvisible() == 1)",
        ),
    }
    typist.editor.lua("""
      package.loaded.cmp = { event = { on = function(_, name, open)
        assert(name == 'menu_opened')
        _G.open_cmp = open
      end } }
    """)
    typist.begin("xylophone = 1\n")
    with rows() as failures:
        for name, (keys, after) in states.items():
            with failures.row(name):
                typist.texts = ["foo(1)"]
                typist.types("<Esc><Esc>ggO<Esc>ix = ")
                typist.sees("foo(1)")
                typist.types(keys)
                typist.sees_nothing()
                typist.editor.lua(after)


def test_nothing_is_shown_for_an_answer_that_comes_in_such_a_state(typist: Typist) -> None:
    states = {
        "while a macro is recorded": "<Esc>qqa",
        "in Replace mode": "<Esc>R",
        "while another plugin's menu is open": "<Cmd>lua package.loaded['blink.cmp'] = "
        "{ is_visible = function() return true end }<CR>",
        "while Neovim's own client shows the suggestions": "<Cmd>lua vim.lsp.inline_completion = "
        "{ is_enabled = function() return true end }<CR>",
        "in a snippet": "<Cmd>lua vim.snippet.expand('f($1)')<CR>",
        "in a file that is read only": "<Cmd>set readonly<CR>",
    }
    typist.begin()
    with rows() as failures:
        for name, keys in states.items():
            with failures.row(name):
                typist.texts = ["foo(1)"] * 3
                typist.types(f"<Esc>o{keys}<M-Bslash>")
                typist.asked()
                typist.editor.lua("""
                  local client = vim.lsp.get_clients({ name = 'placet' })[1]
                  client:request_sync('agent/inlineCompletion', {}, 10000)
                """)
                typist.sees_nothing()
                typist.editor.lua("""
                  package.loaded['blink.cmp'], vim.lsp.inline_completion, vim.bo.readonly = nil, nil, false
                  vim.snippet.stop()
                """)
                if "macro" in name:
                    typist.types("<Esc>q")


def test_an_item_that_does_not_fit_the_place_is_not_shown(typist: Typist) -> None:
    def place(line: int, character: int) -> Json:
        return {"line": line, "character": character}

    at = place(0, 4)
    items = {
        "a snippet": {"insertText": {"kind": "snippet", "value": "f($1)"}, "range": {"start": at, "end": at}},
        "another line": {"insertText": "a", "range": {"start": place(1, 0), "end": place(1, 0)}},
        "behind the cursor": {"insertText": "a", "range": {"start": place(0, 5), "end": place(0, 5)}},
        "another beginning": {"insertText": "y = a", "range": {"start": place(0, 0), "end": at}},
        "a text over code": {"insertText": "a", "range": {"start": at, "end": place(0, 5)}},
        "no text": {"insertText": "", "range": {"start": at, "end": at}},
    }
    typist.begin("x = )\n")
    typist.types("A<Left>")
    with rows() as failures:
        for name, item in items.items():
            with failures.row(name):
                typist.server.answers[METHOD] = lambda _, item=item: {"items": [item]}
                typist.editor.lua("_G.notices = {}")
                typist.types("<M-Bslash>")
                typist.editor.wait("_G.notices[1] ~= nil")
                typist.sees_nothing()
        with failures.row("an item with the beginning of the line fits"):
            item = {"insertText": "x = foo(", "range": {"start": place(0, 0), "end": at}}
            typist.server.answers[METHOD] = lambda _: {"items": [item]}
            typist.types("<M-Bslash>")
            typist.sees("foo(")


def test_a_question_is_taken_back_by_the_next_key(typist: Typist) -> None:
    typist.begin()
    del typist.server.answers[METHOD]
    typist.types("ia")
    typist.asked()
    typist.types("b")
    assert "id" in typist.server.wait_for("$/cancelRequest")
    assert typist.asked()["position"]["character"] == 2


def test_a_failure_is_logged_and_says_nothing(typist: Typist) -> None:
    typist.begin()
    typist.editor.lua("_G.warnings = {} vim.lsp.log.warn = function(...) table.insert(_G.warnings, { ... }) end")
    typist.server.failures[METHOD] = "out of order"
    typist.types("ia")
    typist.editor.wait("_G.warnings[1] ~= nil")
    assert typist.editor.lua("return _G.warnings[1][2]") == "out of order"
    assert typist.editor.notices() == []


def test_a_prompt_gets_no_suggestion(typist: Typist) -> None:
    typist.begin()
    typist.editor.command("Placet")
    typist.editor.wait("vim.bo.filetype == 'placet-prompt' and #vim.lsp.get_clients({ bufnr = 0 }) == 1")
    typist.types("isay")
    typist.has("say")
    typist.pauses()
    assert typist.editor.lua("return vim.fn.maparg('<M-Bslash>', 'i')") == ""
    typist.editor.keys("<Esc>")
    typist.editor.open(typist.path)
    typist.types("ix")
    assert typist.asked()["textDocument"]["uri"] == typist.path.as_uri(), "no question about the prompt before"


def test_tabs_and_invisible_characters_are_drawn(typist: Typist) -> None:
    typist.texts = ["a\tb\u202e\n\tc"]
    typist.begin()
    typist.editor.command("setlocal tabstop=8")
    typist.types("ix = ")
    typist.sees("a   b\\u202e\n        c")
    typist.types("<Tab>")
    typist.has("x = a\tb\u202e", "\tc")


def test_positions_are_counted_as_the_server_counts(editor: Editor, project: Path) -> None:
    server = ScriptedServer("utf-16")
    try:
        editor.lua("vim.g.placet = { cmd = ... } vim.lsp.enable('placet')", server.command)
        typist = Typist(editor, server, project)
        typist.offered("ä(1)", "is😀 = ")
        typist.types("<Tab>")
        typist.has("s😀 = ä(1)")
    finally:
        server.close()


def test_a_key_of_the_user_for_asking_stays_unless_the_option_names_the_key(typist: Typist) -> None:
    typist.editor.command("inoremap <M-Bslash> mine")
    typist.begin()
    assert typist.editor.lua("return vim.fn.maparg('<M-Bslash>', 'i')") == "mine"
    typist.editor.lua("""
      local keys = { ask = '<M-Bslash>' }
      require('placet').setup({ cmd = vim.g.placet.cmd, completion = { keys = keys } })
    """)
    typist.registers()
    typist.editor.wait("vim.fn.maparg('<M-Bslash>', 'i') ~= 'mine'")
    typist.editor.command("inoremap <C-s> <Plug>(placet-suggest)")
    typist.types("ix<C-s>")
    while typist.asked()["context"] == {"triggerKind": AUTOMATIC}:
        pass


def test_a_key_that_is_switched_off_is_not_mapped(typist: Typist) -> None:
    typist.editor.lua("""
      local keys = { accept = false, dismiss = '<C-y>' }
      require('placet').setup({ cmd = vim.g.placet.cmd, completion = { keys = keys } })
    """)
    typist.offered("foo(1)")
    keys = typist.editor.lua(f"return vim.tbl_map(function(map) return map.lhs end, {OWN_KEYS})")
    assert sorted(keys) == ["<C-Y>", "<M-C-Right>", "<M-Right>"]


def test_a_stop_leaves_nothing_on_the_screen_and_no_key(typist: Typist) -> None:
    typist.offered("foo(1)")
    typist.editor.lua("require('placet').stop(function() _G.is_stopped = true end)")
    typist.editor.wait("_G.is_stopped")
    assert typist.editor.lua(f"return {DRAWN}") == ""
    assert typist.editor.lua("return #vim.api.nvim_buf_get_keymap(0, 'i')") == 0
    assert typist.editor.lua("return vim.fn.getcompletion('placet.inline_completion', 'augroup')") == []


def test_the_key_right_behind_typed_text_keeps_its_question(typist: Typist) -> None:
    typist.texts = ["foo(1)"]
    typist.begin()
    typist.types("ix = <M-Bslash>")
    assert typist.asked()["context"] == {"triggerKind": INVOKED}
    typist.sees("foo(1)")


def test_lines_for_which_the_window_has_no_room_are_counted_at_the_cursor(typist: Typist) -> None:
    screen = Screen(typist.editor.nvim, 60, 8)
    typist.texts = [":\n    a\n    b\n    c"]
    typist.begin("1\n2\n3\n4\n")
    typist.types("Goif x")
    typist.sees(":\n    a\n    b\n    c")
    assert screen.draw().lines()[4:6] == ["if x:  +2 lines below", "    a"]
    typist.types(":")
    typist.sees("\n    a\n    b\n    c")
    assert screen.draw().lines()[4] == "if x:  +2 lines below"
    typist.types("<Esc>zt")
    typist.sees_nothing()
    assert "below" not in screen.draw().text()


def test_with_the_option_paste_no_suggestion_is_shown(typist: Typist) -> None:
    typist.texts = ["foo(1)"]
    typist.begin()
    typist.editor.command("set paste")
    typist.types("ix = ")
    typist.has("x = ")
    typist.pauses()
    typist.sees_nothing()
    assert typist.texts == ["foo(1)"], "nothing was asked"


def test_a_suggestion_has_the_color_of_comments_on_the_ground_of_its_line(typist: Typist) -> None:
    screen = Screen(typist.editor.nvim, 40, 6)
    typist.editor.command("set cursorline")
    typist.offered("foo(1)")
    screen.draw()
    before, suggestion = screen.highlight_at(0, 0), screen.highlight_at(0, 5)
    comment = typist.editor.lua("return vim.api.nvim_get_hl(0, { name = 'Comment', link = false }).fg")
    assert suggestion["foreground"] == comment
    assert suggestion["background"] == before["background"]


def test_without_colors_a_suggestion_is_underlined(typist: Typist) -> None:
    screen = Screen(typist.editor.nvim, 40, 6, rgb=False, colours=1)
    typist.offered("foo(1)")
    screen.draw()
    assert screen.highlight_at(0, 5).get("underline")
    assert not screen.highlight_at(0, 0).get("underline")
