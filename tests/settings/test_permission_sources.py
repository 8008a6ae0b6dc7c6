"""Where each permission rule of the settings is written, from the file to the gate's words."""

import json
from pathlib import Path
from typing import Any

import pytest

from corpus_support import corpus
from placet.core.errors import SettingsError
from placet.permissions.rules import builtin_rules, evaluate, from_settings
from placet.settings import Locations, Settings, load_settings

FILE = """{
  "model": "builtin/rules",
  "permission": {
    "bash": {
      "*": "ask",
      "git *": {"action": "allow", "match": ["git status"]}
    },
    "edit": "deny"
  },
  "tools": {
    "webfetch": false
  }
}
"""


@pytest.fixture
def locations(tmp_path: Path) -> Locations:
    tmp_path.joinpath("placet.json").write_text(FILE)
    return Locations(tmp_path, tmp_path, tmp_path, tmp_path)


def decided(settings: Settings, permission: str, pattern: str) -> str:
    builtin = builtin_rules(Path("/out"))
    return str(evaluate(builtin + from_settings(settings.written, builtin), permission, pattern))


def load(locations: Locations, permission: object = None, **sources: Any) -> Settings:
    environment = {} if permission is None else {"PLACET_PERMISSION": json.dumps(permission)}
    return load_settings(locations, environment=environment, **sources)


def test_a_rule_of_the_file_names_its_line(locations: Locations) -> None:
    file = locations.config / "placet.json"
    settings = load(locations)
    assert decided(settings, "bash", "git push") == f"`bash: git *` -> allow ({file}:6)"
    assert decided(settings, "bash", "ls") == f"`bash: *` -> ask ({file}:5)"
    assert decided(settings, "edit", "a") == f"`edit: *` -> deny ({file}:8)"
    assert decided(settings, "webfetch", "https://x.test") == f"`webfetch: *` -> deny ({file}:11)"
    assert decided(settings, "read", "a") == "`read: *` -> allow (built in)"


def test_each_other_source_is_named_and_the_later_outweighs(locations: Locations) -> None:
    editor, command_line = {"permission": {"edit": {"a": "allow"}}}, {"permission": {"edit": {"b": "allow"}}}
    settings = load(locations, {"edit": "ask"}, editor=editor, command_line=command_line)
    assert decided(settings, "edit", "x") == "`edit: *` -> ask (the environment)"
    assert decided(settings, "edit", "a") == "`edit: a` -> allow (the editor's options)"
    assert decided(settings, "edit", "b") == "`edit: b` -> allow (the command line)"


def test_what_one_source_says_keeps_its_order_whatever_a_later_one_adds(locations: Locations) -> None:
    """Merged by key, the earlier source's own last word would be moved before a rule that it overrules."""
    locations.config.joinpath("placet.json").write_text('{"permission": {"bash": {"ls *": "allow"}, "*": "deny"}}')
    settings = load(locations, {"bash": {"make *": "allow"}})
    assert decided(settings, "bash", "ls -l").startswith("`*: *` -> deny")
    assert decided(settings, "bash", "make x").startswith("`bash: make *` -> allow")


def test_settings_made_without_a_source_have_rules_all_the_same() -> None:
    settings = Settings.model_validate({"permission": {"bash": "deny"}, "tools": {"webfetch": False}})
    assert decided(settings, "bash", "ls") == "`bash: *` -> deny (your settings)"
    assert decided(settings, "webfetch", "x") == "`webfetch: *` -> deny (your settings)"


@corpus(
    ("line", "said"),
    [
        ('"git *": "yes"', ":6: setting `permission.bash.git *`: expected allow, ask or deny, and found 'yes'"),
        ('"git *": {"match": ["x"]}', ":6: setting `permission.bash.git *`: a rule with examples needs an `action`"),
        ('"git *": {"action": "allow", "match": "x"}', ": setting `permission.bash.git *.match`: expected a list"),
    ],
)
def test_what_is_no_rule_is_told_with_file_line_and_keys_and_asked(locations: Locations, line: str, said: str) -> None:
    file = locations.config / "placet.json"
    file.write_text(FILE.replace('"git *": {"action": "allow", "match": ["git status"]}', line))
    settings = load(locations)
    (told,) = settings.problems
    assert told.startswith(f"{file}")
    assert said in told
    assert decided(settings, "bash", "git push").startswith("`bash: git *` -> ask")


def test_what_is_no_rule_in_the_environment_is_told_by_its_name(locations: Locations) -> None:
    (told,) = load(locations, {"bash": 1}).problems
    assert told.startswith("the environment: setting `permission.bash`")


def test_what_is_no_rule_on_the_command_line_ends_the_command(locations: Locations) -> None:
    with pytest.raises(SettingsError, match=r"the command line: setting `permission\.bash`"):
        load(locations, command_line={"permission": {"bash": 1}})
