"""Rules that do nothing are found, and no others."""

from pathlib import Path

from corpus_support import corpus
from placet.permissions.lint import warnings
from placet.permissions.rules import Config, builtin_rules, from_config


def warned(config: Config) -> dict[str, str]:
    rules = builtin_rules(Path("/data/out")) + from_config(config, "a.json")
    return {f"{rule.permission}: {rule.pattern}": why for rule, why in warnings(rules).items()}


@corpus(
    ("config", "rule", "why"),
    [
        ({"bash": {"git  status": "allow"}}, "bash: git  status", "one space"),
        ({"bash": {" ls": "allow"}}, "bash:  ls", "one space"),
        ({"edit": {"../x": "deny"}}, "edit: ../x", "without `..`"),
        ({"read": {"src/../x": "deny"}}, "read: src/../x", "without `..`"),
        ({"edit": {"src/": "deny"}}, "edit: src/", "write `src/*`"),
        ({"external_directory": {"/srv/data": "allow"}}, "external_directory: /srv/data", "write `/srv/data/*`"),
        ({"external_directory": {"data/*": "allow"}}, "external_directory: data/*", "are absolute"),
        ({"bash": {"git *": "allow", "*": "ask"}}, "bash: git *", "comes later"),
        ({"edit": {"src/*": "deny"}, "*": "allow"}, "edit: src/*", "comes later"),
    ],
)
def test_a_rule_that_does_nothing_is_told_with_the_reason(config: Config, rule: str, why: str) -> None:
    found = warned(config)
    assert list(found) == [rule]
    assert why in found[rule]


@corpus(
    "config",
    [
        "allow",
        {"bash": {"*": "ask", "git *": "allow", "rm *": "deny"}},
        {"bash": {"git": "allow", "git status *": "allow"}},
        {"edit": {"~/x/*": "deny", "./src/**/*.ts": "allow", "a..b/x": "deny", "src": "deny"}},
        {"external_directory": {"*": "ask", "~/notes/*": "allow", "/srv/*": "deny", "*/public/*": "allow"}},
        {"webfetch": {"https://x.test/": "allow"}},
        {"mcp_*": "allow", "mcp_x": "deny"},
        {"edit_sensitive": {".vscode/*": "deny"}, "*": "allow"},
    ],
)
def test_a_rule_that_may_decide_is_not_told(config: Config) -> None:
    assert warned(config) == {}
