"""The walls of the Neovim plugin that `make check` holds (scripts/lua_walls.py)."""

import shutil
from pathlib import Path

import pytest

from scripts.lua_walls import PLUGIN, faults, modules_of, references

ROOT = Path(__file__).parents[2]


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """A copy of the plugin's modules and rows."""
    shutil.copytree(PLUGIN / "lua", tmp_path / "lua")
    shutil.copy(PLUGIN / "rows.txt", tmp_path)
    return tmp_path


def add(plugin: Path, file: str, text: str) -> int:
    """Append the text to a module, which may be new; return the number of the text's first line."""
    path = plugin / "lua" / "placet" / file
    path.parent.mkdir(exist_ok=True)
    before = path.read_text("utf-8") if path.exists() else ""
    path.write_text(before + text + "\n", "utf-8")
    return before.count("\n") + 1


def named(plugin: Path) -> list[str]:
    """Return the faults without circles and reasons, in order."""
    return sorted(fault.split(", but")[0] for fault in faults(plugin) if not fault.startswith("circle: "))


def test_the_plugin_breaks_no_wall_and_architecture_shows_its_rows() -> None:
    assert list(faults(PLUGIN)) == []
    assert f"```\n{(PLUGIN / 'rows.txt').read_text('utf-8')}```" in (ROOT / "ARCHITECTURE.md").read_text("utf-8")


def test_a_module_of_no_lower_row_is_found_wherever_a_string_names_the_module(plugin: Path) -> None:
    upward = (
        ("ui/words.lua", "placet.editor.text", "local text = require('placet.editor.text')"),
        ("daemon/client.lua", "placet.chat", "function M.late()\n  require('placet.chat').show('ses_1')\nend"),
        ("chat/page.lua", "placet.compose.history", 'local history = require "placet.compose.history"'),
        ("sessions/known.lua", "placet.status", "local status = package.loaded['placet.status']"),
        ("editor/focus.lua", "placet.daemon", "local HANDLERS = { { module = 'placet.daemon', name = 'with' } }"),
        ("hunks/order.lua", "placet.permission", "local beside = require([[placet.permission]])"),
        ("chat/folds.lua", "placet.compose", "vim.wo.foldexpr = \"v:lua.require'placet.compose'.level(v:lnum)\""),
        ("config.lua", "placet", "require('placet').setup()"),
        ("status.lua", "placet.picker.nothing", "require('placet.picker.nothing')"),
    )
    wanted: list[str] = []
    for file, target, lua in upward:
        line = add(plugin, file, lua) + lua[: lua.index("placet")].count("\n")
        wanted.append(f"lua/placet/{file}:{line} names {target}")

    assert named(plugin) == sorted(wanted)


def test_a_computed_name_counts_for_every_module_that_the_name_can_mean(plugin: Path) -> None:
    joined = add(plugin, "ui/words.lua", "function M.load(name)\n  return require('placet.picker.' .. name)\nend") + 1
    filled = add(
        plugin, "ui/popup.lua", "function M.load(name)\n  return require(('placet.picker.%s'):format(name))\nend"
    )

    adapters = [name for name in modules_of(plugin) if name.startswith("placet.picker.")]
    assert len(adapters) > 1
    assert named(plugin) == sorted(
        f"lua/placet/ui/{place} names {name}"
        for place in (f"words.lua:{joined}", f"popup.lua:{filled + 1}")
        for name in adapters
    )


def test_a_circle_inside_of_a_room_is_found(plugin: Path) -> None:
    for name, other in (("first", "second"), ("second", "third"), ("third", "first")):
        add(plugin, f"ui/{name}.lua", f"function M.go()\n  require('placet.ui.{other}').go()\nend")

    assert list(faults(plugin)) == ["circle: placet.ui.first placet.ui.second placet.ui.third"]


def test_a_room_needs_one_row_and_a_row_needs_a_room(plugin: Path) -> None:
    add(plugin, "tutor/init.lua", "return {}")
    (plugin / "rows.txt").write_text("guide | health\n" + (plugin / "rows.txt").read_text("utf-8"), "utf-8")

    assert list(faults(plugin)) == [
        "health stands in 2 rows",
        "tutor stands in no row",
        "guide stands in a row, but there is no such room",
    ]


def test_comments_and_names_of_groups_are_no_references() -> None:
    lua = """
      -- See require('placet.chat').
      --[[ require('placet.chat') ]]
      --[==[ require('placet.chat')
      ]==]
      vim.api.nvim_create_augroup('placet.chat', { clear = true })
      vim.api.nvim_create_namespace("placet.chat")
      vim.lsp.get_clients({ name = 'placet' })
      vim.startswith(name, 'placet.')
    """
    assert list(references("placet.ui.words", lua, modules_of(PLUGIN))) == []
