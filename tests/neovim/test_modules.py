"""What a module of the plugin uses of another module exists: Lua itself would say so only when the user comes there."""

import re

from neovim_support.editor import PLUGIN, Editor
from scripts.lua_walls import modules_of

ALIAS = re.compile(r"^local (\w+) = (?:require|call_of)\('(placet[\w.]*)'\)$", re.MULTILINE)
DIRECT = re.compile(r"(?:require|use)\('(placet[\w.]*)'\)\.(\w+)")
COMMENT = re.compile(r"--[^\n]*")
MISSING = """
  local missing = {}
  for _, use in ipairs(...) do
    local place, module, field = unpack(use)
    if require(module)[field] == nil then
      missing[#missing + 1] = ('%s uses %s of %s'):format(place, field, module)
    end
  end
  return missing
"""


def uses() -> list[tuple[str, str, str]]:
    """Return each use of a field of another module: the file, the other module, and the field."""
    found: set[tuple[str, str, str]] = set()
    for path in (*modules_of(PLUGIN).values(), *(PLUGIN / "plugin").glob("*.lua"), *(PLUGIN / "lsp").glob("*.lua")):
        place = path.relative_to(PLUGIN).as_posix()
        code = COMMENT.sub("", path.read_text("utf-8"))
        found |= {(place, module, field) for module, field in DIRECT.findall(code)}
        for name, module in ALIAS.findall(code):
            found |= {(place, module, field) for field in re.findall(rf"(?<![\w.:'\"/]){name}\.(\w+)", code)}
    return sorted(found)


def test_every_field_that_a_module_uses_of_another_exists(editor: Editor) -> None:
    found = uses()
    assert len(found) > 500

    assert editor.lua(MISSING, found) == []


def test_every_subscriber_of_an_event_exists_and_every_event_that_is_emitted_is_declared(editor: Editor) -> None:
    subscribed = editor.lua("return vim.tbl_keys(require('placet.subscriptions'))")
    emitted: set[str] = set()
    for path in modules_of(PLUGIN).values():
        emitted |= set(re.findall(r"events\.emit\('(\w+)'", path.read_text("utf-8")))
    declared = re.findall(r"^---\| '(\w+)'", (PLUGIN / "lua/placet/events.lua").read_text("utf-8"), re.MULTILINE)
    missing = editor.lua("""
      local missing = {}
      for event, subscriptions in pairs(require('placet.subscriptions')) do
        for _, subscription in ipairs(subscriptions) do
          if type(require(subscription[1])[subscription[2]]) ~= 'function' then
            table.insert(missing, ('%s: %s of %s'):format(event, subscription[2], subscription[1]))
          end
        end
      end
      return missing
    """)

    assert missing == []
    assert set(declared) == emitted == set(subscribed)
