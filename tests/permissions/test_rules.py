"""The grammar is OpenCode's; the last match wins; what nobody thought of is asked."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placet.permissions.rules import Config, Rule, builtin_rules, evaluate, from_config, matches, refuses


@pytest.mark.parametrize(
    ("pattern", "value"),
    [
        ("*", ""),
        ("*", "a/b\nc"),
        ("src/*", "src/a.py"),
        ("src/*", "src/deep/a.py"),
        ("src/**/*", "src/deep/a.py"),
        ("*.env", "config/.env"),
        ("a?c", "abc"),
        ("git *", "git"),
        ("git *", "git push origin"),
        ("src\\*", "src/a.py"),
        ("src/*", "src\\a.py"),
        ("a.(b)[c]+", "a.(b)[c]+"),
    ],
)
def test_a_pattern_matches(pattern: str, value: str) -> None:
    assert matches(pattern, value)


@pytest.mark.parametrize(
    ("pattern", "value"),
    [
        ("src/**/*", "src/a.py"),
        ("./src/*", "src/a.py"),
        ("src", "src/a.py"),
        ("a.py", "aXpy"),
        ("a?c", "ac"),
        ("git *", "gitk"),
        ("git push *", "git pull"),
        ("*.py", "a.pyc"),
        ("", "a"),
        ("[ab]", "a"),
    ],
)
def test_a_pattern_does_not_match(pattern: str, value: str) -> None:
    assert not matches(pattern, value)


@given(st.text())
def test_a_text_without_wildcards_matches_itself_alone(text: str) -> None:
    literal = text.replace("*", "").replace("?", "")
    assert matches(literal, literal)
    assert not matches(literal, literal + "x")


def test_the_last_rule_that_matches_wins() -> None:
    rules = from_config({"edit": {"*": "deny", "src/*": "allow", "src/secret/*": "ask"}}, "here")
    assert [evaluate(rules, "edit", path).action for path in ("a", "src/a", "src/secret/a")] == ["deny", "allow", "ask"]


def test_an_action_alone_is_a_rule_for_everything() -> None:
    assert from_config("deny", "here") == (Rule("*", "*", "deny", "here"),)
    assert evaluate(from_config("allow", "here"), "mcp_tool", "x").action == "allow"


def test_a_permission_may_be_a_wildcard() -> None:
    rules = from_config({"mymcp_*": "deny"}, "here")
    assert evaluate(rules, "mymcp_search", "*").action == "deny"
    assert evaluate(rules, "other_search", "*").action == "ask"


def test_what_no_rule_knows_is_asked() -> None:
    rule = evaluate(builtin_rules(Path("/data/out")), "something_new", "x")
    assert (rule.action, rule.source) == ("ask", "no rule matches")


def test_the_home_directory_is_written_with_a_tilde_or_a_variable() -> None:
    home = Path.home().as_posix()
    rules = from_config({"read": {"~/a/*": "deny", "$HOME": "deny", "~other": "deny", "b/~": "deny"}}, "here")
    assert [rule.pattern for rule in rules] == [f"{home}/a/*", home, "~other", "b/~"]


@pytest.mark.parametrize(
    ("permission", "value", "action"),
    [
        ("read", "src/a.py", "allow"),
        ("read", ".env", "ask"),
        ("read", "config/prod.env", "ask"),
        ("read", ".env.local", "ask"),
        ("read", ".env.example", "allow"),
        ("grep", "x", "allow"),
        ("glob", "*", "allow"),
        ("list", ".", "allow"),
        ("edit", "a.py", "ask"),
        ("bash", "ls", "ask"),
        ("doom_loop", "read", "ask"),
        ("external_directory", "/etc/*", "ask"),
        ("external_directory", "/data/out/*", "allow"),
        ("external_directory", "/data/outside/*", "ask"),
    ],
)
def test_the_built_in_rules(permission: str, value: str, action: str) -> None:
    assert evaluate(builtin_rules(Path("/data/out")), permission, value).action == action


def test_a_rule_in_words_says_where_it_is_written() -> None:
    (rule,) = from_config({"bash": {"rm *": "deny"}}, "the user's placet.json")
    assert str(rule) == "`bash: rm *` -> deny (the user's placet.json)"


@pytest.mark.parametrize("name", ["apply_patch", "edit", "multiedit", "patch", "write"])
def test_a_rule_for_any_tool_that_changes_files_is_a_rule_for_edit(name: str) -> None:
    rules = from_config({"edit": "allow", name: {"secret/*": "deny"}}, "test")
    assert evaluate(rules, "edit", "secret/a").action == "deny"
    if name != "edit":
        assert evaluate(rules, "edit", "a").action == "allow"


@pytest.mark.parametrize(
    ("config", "refused"),
    [
        ({"bash": "deny"}, True),
        ({"*": "deny"}, True),
        ({"bash": {"*": "deny", "git *": "allow"}}, False),
        ({"bash": {"git *": "allow", "*": "deny"}}, True),
        ({"bash": {"rm *": "deny"}}, False),
        ({"*": "deny", "bash": "ask"}, False),
    ],
)
def test_a_permission_is_refused_when_its_last_rule_denies_everything(config: Config, refused: bool) -> None:
    assert refuses(from_config(config, "the test"), "bash") is refused
