"""What loading the plugin costs and leaves behind: next to nothing before its first use, nothing when it is stopped."""

import re
from pathlib import Path

import pytest

from neovim_support.editor import PLUGIN, Editor
from neovim_support.scripted_server import ScriptedServer

SURROUNDINGS = """
  local inventory = { globals = {}, keys = {}, commands = {}, variables = {}, lsp_commands = {}, groups = {} }
  for name in pairs(_G) do
    table.insert(inventory.globals, name)
  end
  for _, mode in ipairs({ 'n', 'x', 's', 'o', 'i', 'c', 't', 'l' }) do
    for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do
      table.insert(inventory.keys, mode .. ' ' .. map.lhs)
    end
  end
  for name in pairs(vim.api.nvim_get_commands({})) do
    table.insert(inventory.commands, name)
  end
  for _, name in ipairs(vim.fn.getcompletion('g:', 'var')) do
    table.insert(inventory.variables, name)
  end
  for name in pairs(vim.lsp.commands) do
    table.insert(inventory.lsp_commands, name)
  end
  inventory.autocommands = {}
  for _, autocommand in ipairs(vim.api.nvim_get_autocmds({})) do
    local about = autocommand.desc or (autocommand.callback and 'a function') or autocommand.command
    local trigger = ('%s %s %s'):format(autocommand.event, autocommand.pattern, autocommand.group_name)
    table.insert(inventory.autocommands, trigger .. ' ' .. about)
  end
  inventory.groups = vim.fn.getcompletion('', 'augroup')
  inventory.buffers = vim.tbl_map(vim.api.nvim_buf_get_name, vim.api.nvim_list_bufs())
  inventory.handlers = vim.tbl_keys(vim.lsp.handlers)
  inventory.key_listeners = { tostring(vim.on_key()) }
  inventory.modules = vim.tbl_filter(function(name)
    return name:match('^placet') ~= nil
  end, vim.tbl_keys(package.loaded))
  for _, list in pairs(inventory) do
    table.sort(list)
  end
  return inventory
"""


def surroundings(editor: Editor) -> dict[str, list[str]]:
    """What every plugin shares with the others."""
    return editor.lua(SURROUNDINGS)


OF_NEOVIM = re.compile(
    r"nvim\.|vim\.lsp|^g:markdown_|^--Deleted--$|^_$"  # the global `_` is of its treesitter
)
"""What Neovim itself makes for the first server of any kind and for the first Markdown on a screen."""


def added(before: dict[str, list[str]], after: dict[str, list[str]]) -> dict[str, list[str]]:
    """What is new or gone, by kind."""
    changes = {kind: sorted(set(after[kind]) ^ set(before[kind])) for kind in before}
    ours = {kind: [name for name in names if not OF_NEOVIM.search(name)] for kind, names in changes.items()}
    return {kind: names for kind, names in ours.items() if names}


@pytest.fixture
def bare(editor: Editor) -> Editor:
    """A Neovim in which the plugin is on the path and not loaded yet."""
    editor.lua("""
      vim.api.nvim_del_user_command('Placet')
      vim.g.loaded_placet = nil
      for _, map in ipairs(vim.api.nvim_get_keymap('n')) do
        if map.lhs:match('^<Plug>%(placet') then
          vim.keymap.del('n', map.lhs)
        end
      end
      for _, autocommand in ipairs(vim.api.nvim_get_autocmds({ event = 'LspAttach' })) do
        vim.api.nvim_del_autocmd(autocommand.id)
      end
    """)
    return editor


def test_loading_the_plugin_loads_no_module_of_ours(editor: Editor) -> None:
    """What makes it cheap; `python -m bench neovim_load` says how cheap."""
    assert editor.lua("return vim.g.loaded_placet") is True
    assert surroundings(editor)["modules"] == []


def test_the_plugin_adds_one_command_and_its_plug_keys(bare: Editor) -> None:
    before = surroundings(bare)

    bare.command("runtime plugin/placet.lua")

    changes = added(before, surroundings(bare))
    keys = changes.pop("keys")
    assert [key for key in keys if not key[2:].startswith("<Plug>(placet-")] == []
    assert changes == {
        "commands": ["Placet"],
        "variables": ["g:loaded_placet"],
        "autocommands": ["LspAttach * nil Placet: record the freshness of diagnostics"],
    }


def test_the_plugin_is_loaded_once(editor: Editor) -> None:
    before = surroundings(editor)

    editor.command("runtime plugin/placet.lua")

    assert added(before, surroundings(editor)) == {}


def use(editor: Editor, server: ScriptedServer, project: Path) -> None:
    """A file followed by the daemon, a prompt, its page, a change under review."""
    path = project / "a.txt"
    path.write_text("one\n")
    editor.open(path)
    server.wait_for_document(path.as_uri())
    editor.command("Placet make it two")
    server.wait_for("agent/prompt")
    server.update({"kind": "turn_started", "turnId": "msg_1"})
    hunk = {"id": 1, "oldStart": 0, "oldLines": ["one\n"], "newStart": 0, "newLines": ["two\n"]}
    file = {
        "uri": path.as_uri(),
        "kind": "modify",
        "state": "staged",
        "version": "1",
        "hunks": [hunk],
        "waits": "chg_1",
    }
    server.answers["agent/review/list"] = lambda _: {"files": [file]}
    server.ask(
        "editor/requestPermission",
        {
            "requestId": "per_1",
            "sessionId": "ses_1",
            "origin": [],
            "toolCall": {"messageId": "m", "callId": "c", "tool": "edit"},
            "permission": "edit",
            "title": "edit a.txt",
            "patterns": ["a.txt"],
            "always": [{"scope": "session", "patterns": ["*"]}],
            "rule": "edit asks (built in)",
            "changeId": "chg_1",
        },
    )
    editor.wait("vim.fn.maparg('ga', 'n') ~= ''")


PATIENCE_MS = 3000
"""Of the plugin with a daemon that it has asked to leave."""
ANOTHER_SERVER = """
  local id = vim.lsp.start({
    name = 'another',
    cmd = function()
      return {
        request = function(method, _, answer)
          answer(nil, method == 'initialize' and { capabilities = {} } or nil)
          return true, 1
        end,
        notify = function() return true end,
        is_closing = function() return false end,
        terminate = function() end,
      }
    end,
  })
  _G.another = vim.lsp.get_client_by_id(id)
"""


def test_stopping_leaves_nothing_behind_but_the_command(editor: Editor, server: ScriptedServer, project: Path) -> None:
    editor.lua("vim.g.placet = { cmd = ... }", server.command)
    editor.command("edit " + str(project / "other.txt"))
    before = surroundings(editor)
    editor.lua("vim.lsp.enable('placet')")
    editor.lua(ANOTHER_SERVER)
    use(editor, server, project)
    assert editor.lua("return getmetatable(_G.another.handlers).placet") is True

    editor.lua("require('placet').stop(function() _G.stopped = true end)")
    editor.wait("_G.stopped")

    assert editor.lua("return getmetatable(_G.another.handlers)") is None
    names = editor.lua("return vim.tbl_map(function(client) return client.name end, vim.lsp.get_clients())")
    assert names == ["another"]
    editor.lua("_G.stopped, _G.another = nil, nil")
    changes = added(before, surroundings(editor))
    assert changes.pop("buffers") == [str(project / "a.txt")]
    assert changes.pop("modules") == ["placet.config"]
    assert changes.pop("autocommands") == ["LspAttach * nil Placet: record the freshness of diagnostics"]
    assert changes == {}
    assert editor.lua("return vim.lsp.is_enabled('placet')") is False
    assert editor.lua("return vim.fn.maparg(']c', 'n')") == ""
    assert editor.lua("return vim.wo.winbar") == ""
    assert editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, true)") == ["one"]


def test_a_stopped_plugin_starts_again_with_the_same_options(
    editor: Editor, server: ScriptedServer, project: Path
) -> None:
    (project / "a.txt").write_text("one\n")
    editor.lua("require('placet').setup({ cmd = { 'there-is-no-such-daemon' } })")
    editor.lua("require('placet').stop(function() _G.stopped = true end)")
    editor.wait("_G.stopped")
    assert editor.lua("return require('placet.config').get().cmd") == ["there-is-no-such-daemon"]

    editor.lua("require('placet').setup({ cmd = ... })", server.command)
    editor.open(project / "a.txt")
    editor.command("Placet make it two")

    assert server.wait_for("agent/prompt")["parts"][0]["text"] == "make it two"


def test_a_daemon_that_does_not_end_is_ended(editor: Editor, server: ScriptedServer, project: Path) -> None:
    editor.lua("vim.g.placet = { cmd = ... } vim.lsp.enable('placet')", server.process_command)
    (project / "a.txt").write_text("one\n")
    editor.open(project / "a.txt")
    server.wait_for_document((project / "a.txt").as_uri())
    server.answers.pop("shutdown")

    editor.lua("require('placet').stop(function() _G.stopped = true end)")
    server.wait_for("shutdown")
    assert editor.lua("return #vim.lsp.get_clients({ _uninitialized = true })") == 1
    editor.skip(PATIENCE_MS)
    editor.wait("_G.stopped")

    assert editor.lua("return #vim.lsp.get_clients()") == 0


def test_the_types_of_the_wire_are_never_loaded(editor: Editor) -> None:
    with pytest.raises(Exception, match="Cannot require a meta file"):
        editor.lua("require('placet._meta.wire')")
    users = [file for file in (PLUGIN / "lua").rglob("*.lua") if "_meta.wire" in file.read_text("utf-8")]
    assert users == []
