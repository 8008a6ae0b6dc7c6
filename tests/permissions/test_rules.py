"""The grammar is OpenCode's; the last match wins; what nobody thought of is asked."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus_support import corpus, examples
from placet.core.errors import SettingsError
from placet.permissions.patterns import matches
from placet.permissions.rules import (
    Config,
    Rule,
    builtin_rules,
    decider,
    evaluate,
    from_config,
    from_settings,
    refuses,
    root_names,
)
from placet.settings.permission import WrittenPermissions
from work_support import steps


@corpus(
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


@corpus(
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


@settings(max_examples=examples(100))
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


@corpus(
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


@corpus("name", ["apply_patch", "edit", "multiedit", "patch", "write"])
def test_a_rule_for_any_tool_that_changes_files_is_a_rule_for_edit(name: str) -> None:
    rules = from_config({"edit": "allow", name: {"secret/*": "deny"}}, "test")
    assert evaluate(rules, "edit", "secret/a").action == "deny"
    if name != "edit":
        assert evaluate(rules, "edit", "a").action == "allow"


@corpus(
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


# ---------------------------------------------------------------- paths


def action(config: Config, permission: str, name: str, *roots: Path) -> str:
    return evaluate(from_config(config, "here"), permission, name, root_names(roots)).action


@corpus("permission", ["edit", "glob", "list", "read"])
def test_an_absolute_pattern_holds_for_names_relative_to_the_workspace(permission: str, tmp_path: Path) -> None:
    config: Config = {permission: {"*": "deny", f"{tmp_path.as_posix()}/src/*": "allow"}}
    assert action(config, permission, "src/a.py", tmp_path) == "allow"
    assert action(config, permission, "docs/a.md", tmp_path) == "deny"
    assert action(config, permission, "src/a.py", tmp_path / "other") == "deny"
    assert action(config, permission, f"{tmp_path.as_posix()}/src/a.py", tmp_path / "other") == "allow"


def test_a_pattern_from_the_home_directory_holds_in_a_workspace_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    config: Config = {"edit": {"*": "deny", "~/project/**/*.py": "allow", "$HOME/project/secret/*": "ask"}}
    assert action(config, "edit", "a.py", tmp_path / "project") == "allow"
    assert action(config, "edit", "secret/a.py", tmp_path / "project") == "ask"
    assert action(config, "edit", "a.md", tmp_path / "project") == "deny"


def test_the_root_itself_is_within_it(tmp_path: Path) -> None:
    for pattern in (tmp_path.as_posix(), f"{tmp_path.as_posix()}/*"):
        assert action({"list": {"*": "deny", pattern: "allow"}}, "list", ".", tmp_path) == "allow"


def test_a_workspace_goes_by_its_name_and_by_what_it_links_to(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    for name in ("link", "real"):
        config: Config = {"read": {"*": "allow", f"{tmp_path.as_posix()}/{name}/secret/*": "deny"}}
        assert action(config, "read", "secret/x", tmp_path / "link") == "deny"
        assert action(config, "read", "open/x", tmp_path / "link") == "allow"


def test_a_pattern_by_a_link_holds_for_the_real_place(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    config: Config = {"external_directory": {f"{tmp_path.as_posix()}/link/*": "deny"}}
    assert action(config, "external_directory", f"{tmp_path.as_posix()}/real/*", tmp_path / "work") == "deny"


def test_where_a_name_may_be_in_either_of_two_folders_the_stricter_rule_decides(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    config: Config = {"edit": {"*": "ask", f"{one.as_posix()}/*": "allow"}}
    assert action(config, "edit", "a.py", one) == "allow"
    assert action(config, "edit", "a.py", one, two) == "ask"
    assert action({"edit": {"*": "ask", f"{two.as_posix()}/*": "deny"}}, "edit", "a.py", one, two) == "deny"


def test_a_permission_that_is_a_wildcard_reads_patterns_as_the_permission_asked_for_does() -> None:
    config: Config = {"*": {"./src/**/x": "deny"}}
    assert action(config, "read", "src/x") == "deny"
    assert action(config, "bash", "src/x") == "ask"


def test_a_file_is_judged_in_a_few_steps(tmp_path: Path) -> None:
    rules = builtin_rules(tmp_path) + from_config({"read": {f"{tmp_path.as_posix()}/secret/**/*.key": "deny"}}, "here")
    decide = decider(rules, "read", root_names([tmp_path]))
    files = [f"src/module_{number}/file_{number}.py" for number in range(100)]
    assert decide("src/module/file.py").action != "deny"
    assert steps(lambda: [decide(file) for file in files]) < 50 * len(files)


# ---------------------------------------------------------------- where rules are written, and their examples


def test_a_rule_knows_the_line_it_is_written_at() -> None:
    lines = {("permission", "bash", "rm *"): 7, ("permission", "edit"): 8, ("permission",): 5}
    assert [str(rule) for rule in from_config({"bash": {"rm *": "deny"}, "edit": "ask"}, "a.json", lines)] == [
        "`bash: rm *` -> deny (a.json:7)",
        "`edit: *` -> ask (a.json:8)",
    ]
    assert str(from_config("ask", "a.json", lines)[0]) == "`*: *` -> ask (a.json:5)"


def test_examples_that_are_right_are_passed_over() -> None:
    config = {
        "bash": {
            "git status *": {"action": "allow", "match": ["git status", "git status -s"], "not_match": ["git push"]}
        },
        "edit": {"src/**/*.ts": {"action": "allow", "match": ["src/a.ts"], "notMatch": ["a.ts"]}},
        "read": {"~/notes/*": {"action": "allow", "match": ["~/notes/x"]}},
    }
    assert [rule.action for rule in from_config(config, "here")] == ["allow"] * 3


@corpus(
    ("rule", "said"),
    [
        ({"action": "allow", "match": ["git status", "git push"]}, "must match `git push` and does not"),
        ({"action": "allow", "not_match": ["git status -s"]}, "must not match `git status -s` and does"),
    ],
)
def test_a_rule_that_is_wrong_about_its_example_is_refused_with_its_place(rule: object, said: str) -> None:
    with pytest.raises(SettingsError) as error:
        from_config({"bash": {"git status *": rule}}, "a.json", {("permission", "bash", "git status *"): 4})
    assert str(error.value).startswith("a.json:4: the rule `bash: git status *` -> allow")
    assert said in str(error.value)


@corpus(
    ("config", "path"),
    [
        ("maybe", "permission"),
        ({"bash": "maybe"}, "permission.bash"),
        ({"bash": {"x": "maybe"}}, "permission.bash.x"),
        ({"bash": {"x": {"match": ["x"]}}}, "permission.bash.x"),
        ({"bash": {"x": {"action": "allow", "matches": ["x"]}}}, "permission.bash.x"),
        ({"bash": {"x": {"action": "allow", "match": "x"}}}, "permission.bash.x.match"),
        ({"bash": ["x"]}, "permission.bash"),
        (["bash"], "permission"),
        (None, "permission"),
    ],
)
def test_what_is_no_rule_is_refused_with_the_keys_that_lead_to_it(config: object, path: str) -> None:
    with pytest.raises(SettingsError, match=rf"^here: {re.escape(path)}: "):
        from_config(config, "here")


# ---------------------------------------------------------------- several sources, and the older form


def of_sources(*sources: WrittenPermissions) -> tuple[Rule, ...]:
    builtin = builtin_rules(Path("/data/out"))
    return builtin + from_settings(sources, builtin)


def said(source: str, permission: Config | None = None, **tools: bool) -> WrittenPermissions:
    return WrittenPermissions(source, permission or {}, tools)


def test_a_later_source_outweighs_an_earlier_one_and_each_rule_keeps_its_own() -> None:
    rules = of_sources(said("file", {"bash": {"rm *": "deny"}}), said("command line", {"bash": {"*": "allow"}}))
    assert str(evaluate(rules, "bash", "rm x")) == "`bash: *` -> allow (command line)"
    rules = of_sources(said("file", {"bash": "allow"}), said("environment", {"bash": {"rm *": "deny"}}))
    assert str(evaluate(rules, "bash", "rm x")) == "`bash: rm *` -> deny (environment)"
    assert evaluate(rules, "bash", "ls").source == "file"


def test_a_tool_that_is_switched_off_is_denied_before_what_permission_says() -> None:
    assert refuses(of_sources(said("file", bash=False)), "bash")
    rules = of_sources(said("file", {"bash": {"git *": "allow"}}), said("command line", bash=False))
    assert evaluate(rules, "bash", "ls").source == "command line"
    assert evaluate(rules, "bash", "git push").action == "allow"


@corpus("name", ["edit", "patch", "write"])
def test_switching_off_a_tool_that_writes_denies_every_edit(name: str) -> None:
    assert refuses(of_sources(said("file", **{name: False})), "edit")


def test_a_tool_that_is_switched_on_is_allowed_no_more_than_without_the_switch() -> None:
    rules = of_sources(said("file", edit=True, bash=True))
    assert [evaluate(rules, name, "x").action for name in ("edit", "bash")] == ["ask", "ask"]


def test_a_switch_that_is_on_takes_back_one_that_was_off() -> None:
    rules = of_sources(WrittenPermissions("file", tools={"*": False, "read": True, "bash": True, "mcp_x": True}))
    assert refuses(rules, "webfetch")
    assert evaluate(rules, "read", "a.py").action == "allow"
    assert evaluate(rules, "read", ".env").action == "ask"
    assert evaluate(rules, "bash", "ls").action == "ask"
    assert evaluate(rules, "mcp_x", "y").action == "ask"
