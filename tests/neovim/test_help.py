"""doc/placet.txt and what there is: a tag for each thing a user can name, and no tag for what is not there."""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from neovim_support.editor import PLUGIN, Editor

HELP = PLUGIN / "doc" / "placet.txt"
TEXT = HELP.read_text("utf-8")
TAGS = re.findall(r"(?:^|\s)\*([^*\s|]+)\*(?=\s|$)", TEXT, re.MULTILINE)

OPTIONS = """
  local defaults = {}
  local function collect(path, options)
    for name, value in pairs(options) do
      local here = path .. '.' .. name
      table.insert(defaults, { here, type(value) == 'string' and value or '' })
      if type(value) == 'table' and not vim.islist(value) and next(value) then
        collect(here, value)
      end
    end
  end
  collect('g:placet', require('placet.config').defaults)
  return defaults
"""


def tags(pattern: str) -> set[str]:
    return {tag for tag in TAGS if re.fullmatch(pattern, tag)}


@pytest.fixture
def options(editor: Editor) -> dict[str, str]:
    """Every option by its tag, with its default where that is a text."""
    return dict(editor.lua(OPTIONS))


def test_every_subcommand_has_a_tag(editor: Editor) -> None:
    names = editor.lua("return require('placet.commands.subcommands').names()")

    assert tags(":Placet-.*") == {f":Placet-{name}" for name in names}
    assert ":Placet" in TAGS


def test_what_a_subcommand_takes_stands_below_its_tag(editor: Editor) -> None:
    lines = TEXT.splitlines()
    wrong: list[str] = []
    for subcommand in editor.lua("""
      return vim.tbl_map(function(subcommand) return { name = subcommand.name, usage = subcommand.usage or '' } end,
        require('placet.commands.subcommands').LIST)
    """):
        at = next(number for number, line in enumerate(lines) if f"*:Placet-{subcommand['name']}*" in line)
        shape = rf":(\[range\])?Placet(\[!\])? {subcommand['name']} ?{re.escape(subcommand['usage'])}(\s.*)?"
        if not re.fullmatch(shape, lines[at + 1]):
            wrong.append(f"{subcommand['name']} {subcommand['usage']}: {lines[at + 1]}")

    assert wrong == []


def test_what_can_go_with_a_prompt_is_listed(editor: Editor) -> None:
    section = TEXT.split("*placet-context*")[1].split("*placet-slash*")[0]

    assert re.findall(r"^    ([a-z-]+) ", section, re.MULTILINE) == editor.lua(
        "return require('placet.compose.context').names()"
    )


def test_the_words_behind_a_slash_are_listed(editor: Editor) -> None:
    section = TEXT.split("*placet-slash*")[1].split("=" * 78)[0]
    words = editor.lua("""
      return vim.tbl_filter(function(name)
        return require('placet.commands.slash_commands').parse('/' .. name) ~= nil
      end, require('placet.commands.subcommands').names())
    """)

    assert set(re.findall(r"/([a-z-]+)", section)) == set(words)


def test_every_plug_key_has_a_tag(editor: Editor) -> None:
    keys = editor.lua("""
      local keys = {}
      for _, mode in ipairs({ 'n', 'x', 'i' }) do
        for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do
          keys[#keys + 1] = map.lhs:match('^<Plug>%(placet.*')
        end
      end
      return keys
    """)

    assert tags(r"<Plug>\(.*") == set(keys)


def test_the_keys_of_a_review_are_plug_keys_that_there_are(editor: Editor) -> None:
    used = editor.lua("""
      local keys = require('placet.hunks.keys')
      return vim.tbl_map(function(key) return ('<Plug>(placet-%s)'):format(key.plug) end, keys.ALL)
    """)

    assert set(used) <= tags(r"<Plug>\(.*")


def test_every_option_has_a_tag(options: dict[str, str]) -> None:
    assert tags(r"g:placet\..*") == set(options)


def test_every_default_key_stands_beside_its_tag(options: dict[str, str]) -> None:
    """In the line of the tag, or in the one below it."""
    lines = TEXT.splitlines()
    wrong: list[str] = []
    for tag, key in options.items():
        if re.search(r"\.keys\.", tag):
            at = next(number for number, line in enumerate(lines) if f"*{tag}*" in line)
            if not any(key in line.split() for line in lines[at : at + 2]):
                wrong.append(f"{tag} is {key}")

    assert wrong == []


def test_every_highlight_group_has_a_tag(editor: Editor) -> None:
    groups = editor.lua("""
      require('placet.hunks.highlights').define()
      return vim.fn.getcompletion('Placet', 'highlight')
    """)
    used = {name for name in _words_in_code("Placet") if _is_group(name)}

    assert tags("hl-.*") == {f"hl-{name}" for name in groups}
    assert used <= set(groups)


def _is_group(name: str) -> bool:
    return (
        re.match(r"Placet(Add|Conflict|Delete|Proposed|Unreviewed|Rejected|Comment|Hint|Suggestion)", name) is not None
    )


def _words_in_code(prefix: str) -> set[str]:
    """The names that stand in strings of the plugin's code."""
    names: set[str] = set()
    for file in (PLUGIN / "lua").rglob("*.lua"):
        code = "\n".join(line for line in file.read_text("utf-8").splitlines() if not line.lstrip().startswith("--"))
        names.update(re.findall(rf"[#'\"]({prefix}[A-Z]\w*)[#'\"]", code))
    return names


def test_every_event_has_a_tag() -> None:
    events = {name for name in _words_in_code("Placet") if not _is_group(name)}

    assert tags("Placet[A-Z].*") == events


def test_every_public_function_has_a_tag(editor: Editor) -> None:
    names: Any = editor.lua("return vim.tbl_keys(require('placet'))")

    assert tags(r"placet\.\w+\(\)") == {f"placet.{name}()" for name in names}


def test_every_other_tag_is_in_the_contents_or_stands_above_a_section() -> None:
    """What is none of the above is a section, and sections can be jumped to from the contents."""
    kinds = (":Placet.*", r"<Plug>\(.*", r"g:placet(\..*)?", "hl-.*", "Placet[A-Z].*", r"placet\.\w+\(\)")
    rest = [tag for tag in TAGS if not any(re.fullmatch(kind, tag) for kind in kinds)]
    contents = TEXT.split("=" * 78)[0]

    assert [tag for tag in rest if f"|{tag}|" not in contents] == ["placet.txt", "placet", "placet.nvim"]


def test_every_link_leads_somewhere(editor: Editor) -> None:
    """To a tag of ours, or of Neovim's own help."""
    own = editor.lua("""
      local tags = {}
      for _, path in ipairs(vim.api.nvim_get_runtime_file('doc/tags', true)) do
        for line in io.lines(path) do
          tags[#tags + 1] = line:match('^[^\\t]+')
        end
      end
      return tags
    """)
    links = re.findall(r"\|([^|\s]+)\|", TEXT)

    assert len(links) > 50
    assert [link for link in links if link not in {*TAGS, *own}] == []


def test_every_hint_in_the_code_leads_somewhere() -> None:
    """`see :help placet-install` and its like."""
    hints: set[str] = set()
    for file in (PLUGIN / "lua").rglob("*.lua"):
        hints.update(re.findall(r":help (placet[\w.-]*|g:placet[\w.]*|:Placet[\w-]*)", file.read_text("utf-8")))

    assert {hint for hint in hints if hint.rstrip(".") not in TAGS} == set()


def test_vim_makes_tags_of_it_without_a_duplicate(editor: Editor, tmp_path: Path) -> None:
    shutil.copy(HELP, tmp_path / "placet.txt")

    editor.command(f"helptags {tmp_path}")

    made = [line.split("\t")[0] for line in (tmp_path / "tags").read_text("utf-8").splitlines()]
    assert sorted(made) == sorted(set(TAGS))
    assert len(TAGS) == len(set(TAGS))


def test_lines_fit_into_78_columns() -> None:
    assert [line for line in TEXT.splitlines() if len(line) > 78] == []


def test_placet_help_opens_the_manual_at_a_subcommand(editor: Editor, tmp_path: Path) -> None:
    (tmp_path / "doc").mkdir()
    shutil.copy(HELP, tmp_path / "doc" / "placet.txt")
    editor.command(f"helptags {tmp_path / 'doc'}")
    editor.command(f"set runtimepath+={tmp_path}")

    editor.command("Placet help undo")

    assert editor.lua("return vim.bo.filetype") == "help"
    assert "*:Placet-undo*" in editor.lua("return vim.api.nvim_get_current_line()")
