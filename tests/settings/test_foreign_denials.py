"""Denials of Claude Code's settings files, as rules of Placet."""

import json
from pathlib import Path

from corpus_support import corpus
from placet.permissions.rules import Rule, builtin_rules, evaluate, from_settings, root_names
from placet.settings.foreign_denials import read_denials
from placet.settings.permission import WrittenPermissions, read_permission


def denials(directory: Path, *written: object) -> tuple[tuple[Rule, ...], list[str]]:
    file = directory / ".claude" / "settings.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(json.dumps({"permissions": {"deny": written, "allow": ["Bash(*)"]}}))
    problems: list[str] = []
    source = read_denials(file, directory, problems)
    values = {} if source is None else source.values["permission"]
    rules = from_settings([WrittenPermissions(str(file), read_permission(values))], builtin_rules())
    return (*builtin_rules(), *rules), problems


@corpus(
    ("written", "permission", "denied", "open_"),
    [
        ("Read(./secrets/**)", "read", ["secrets/k", "secrets/a/b"], ["secret.txt", "a/secrets.txt"]),
        ("Read(./.env.local)", "read", [".env.local"], ["a.txt"]),
        ("Read(notes.md)", "read", ["notes.md", "a/b/notes.md"], ["notes.mdx"]),
        ("Read(/build)", "read", ["build", "build/x"], ["a/build.txt"]),
        ("Read(**/*.pem)", "read", ["a.pem", "a/b.pem"], ["a.pem.txt"]),
        ("Edit(src/**)", "edit", ["src/a", "src/a/b"], ["a/src.py"]),
        ("Write", "edit", ["a", "b/c"], []),
        ("Bash(curl:*)", "bash", ["curl", "curl -s x"], ["curly"]),
        ("Bash(npm run test)", "bash", ["npm run test"], ["npm run tests"]),
        ("Bash", "bash", ["ls"], []),
        ("WebFetch(domain:example.com)", "webfetch", ["https://example.com/a"], ["https://example.org/a"]),
        ("WebSearch", "websearch", ["x"], []),
        ("mcp__files__read", "files_read", ["*"], []),
        ("mcp__files", "files_write", ["*"], []),
    ],
)
def test_a_denial_of_claude_code_denies_the_same_here(
    tmp_path: Path, written: str, permission: str, denied: list[str], open_: list[str]
) -> None:
    rules, problems = denials(tmp_path, written)
    roots = root_names((tmp_path,))
    assert problems == []
    assert [name for name in denied if evaluate(rules, permission, name, roots).action != "deny"] == []
    assert [name for name in open_ if evaluate(rules, permission, name, roots).action == "deny"] == []


@corpus("written", ["Foo(x)", 5, "", "Task(a)", "Read(x"])
def test_a_denial_without_a_like_in_placet_is_named(tmp_path: Path, written: object) -> None:
    _, problems = denials(tmp_path, written)
    assert [repr(written) in problem and "is not used" in problem for problem in problems] == [True]


def test_what_claude_code_allows_does_not_count_and_a_broken_file_is_named(tmp_path: Path) -> None:
    rules, problems = denials(tmp_path)
    assert (rules, problems) == (builtin_rules(), [])
    (tmp_path / ".claude" / "settings.json").write_text("{")
    assert read_denials(tmp_path / ".claude" / "settings.json", tmp_path, problems) is None
    assert "its denials cannot be read" in problems[0]
    assert read_denials(tmp_path / "none.json", tmp_path, problems) is None
