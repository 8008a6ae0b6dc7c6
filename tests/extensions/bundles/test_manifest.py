"""Manifests of bundles: names, places of components, marketplaces, and everything that a manifest gets wrong."""

import json
from typing import Any

import pytest

from corpus_support import corpus
from placet.extensions.bundles.files import BundleError, BundleFile, Files
from placet.extensions.bundles.manifest import Bundle, read_bundle, read_marketplace, with_manifest
from placet.extensions.bundles.summary import changes, summary


def files(*paths: str, **contents: Any) -> Files:
    """Files with the paths, and JSON files by `path_with__for_slash`."""
    made = {path: BundleFile(b"---\ndescription: A\n---\nText") for path in paths}
    return made | {path: BundleFile(json.dumps(value).encode()) for path, value in contents.items()}


def manifest(*paths: str, **fields: Any) -> Bundle:
    return read_bundle({**files(*paths), **files(**{".claude-plugin/plugin.json": fields})}, fallback="fallback")


def test_the_usual_directories_need_no_manifest() -> None:
    bundle = read_bundle(files("commands/a.md", "skills/s/SKILL.md", "agents/b.md"), fallback="plain")
    assert bundle == Bundle("plain", commands=("commands",), agents=("agents",), skills=("skills",))


def test_paths_of_commands_and_agents_replace_the_usual_directory_and_paths_of_skills_come_beside_it() -> None:
    bundle = manifest(
        *("commands/a.md", "agents/b.md", "skills/s/SKILL.md", "own/c.md", "own/t/SKILL.md"),
        commands=["./own/c.md"],
        agents="./own",
        skills=["./own/t"],
    )
    assert (bundle.commands, bundle.agents, bundle.skills) == (("own/c.md",), ("own",), ("skills", "own/t"))


def test_a_skill_at_the_top_is_the_only_skill() -> None:
    assert manifest("SKILL.md", name="one").skills == ("SKILL.md",)
    assert manifest("SKILL.md", "skills/s/SKILL.md", name="one").skills == ("skills",)


@pytest.mark.parametrize("place", [".cursor-plugin", ".codex-plugin", ".github/plugin"])
def test_manifests_of_other_programs_are_read(place: str) -> None:
    named = files("skills/s/SKILL.md", **{f"{place}/plugin.json": {"name": "kin"}})
    assert read_bundle(named, fallback="fallback").name == "kin"


def test_hooks_and_servers_come_from_the_usual_file_and_the_manifest() -> None:
    servers = {"mcpServers": {"one": {"command": "one"}}}
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}
    bundle = read_bundle(
        files(
            **{
                ".mcp.json": servers,
                "more.json": {"three": {"url": "https://example.org"}},
                ".claude-plugin/plugin.json": {
                    "name": "both",
                    "mcpServers": [{"two": {"command": "two"}}, "./more.json"],
                    "hooks": {"hooks": hooks},
                },
            }
        )
    )
    assert [name for part in bundle.servers for name in part.values] == ["one", "three", "two"]
    assert bundle.hooks[0].values == hooks


@corpus(
    ("fields", "problem"),
    [
        ({"name": "../evil"}, "cannot be the name of a bundle"),
        ({"name": "a b"}, "cannot be the name of a bundle"),
        ({"name": ["x"]}, "cannot be the name of a bundle"),
        ({"commands": "../../etc"}, "leads out of the bundle"),
        ({"commands": "/etc"}, "leads out of the bundle"),
        ({"hooks": "./..\\x.json"}, "leads out of the bundle"),
        ({"commands": "./missing"}, "which the bundle does not have"),
        ({"commands": 7}, "a value that is no path"),
        ({"mcpServers": 7}, "neither a path nor an object"),
    ],
)
def test_a_wrong_manifest_is_refused(fields: dict[str, Any], problem: str) -> None:
    with pytest.raises(BundleError, match=problem):
        manifest("commands/a.md", **fields)


@corpus("text", [b"{", b"[]", b"\xff", b"[" * 5000])
def test_a_manifest_that_is_no_object_is_refused(text: bytes) -> None:
    with pytest.raises(BundleError, match=r"plugin\.json of the bundle"):
        read_bundle({"commands/a.md": BundleFile(b"x"), ".claude-plugin/plugin.json": BundleFile(text)})


def test_a_directory_without_anything_for_placet_is_no_bundle() -> None:
    with pytest.raises(BundleError, match="is no bundle"):
        manifest("README.md", name="empty")


def test_parts_without_a_use_are_named() -> None:
    servers = ["./x.mcpb", "https://example.org/x.mcpb"]
    named = ("commands/a.md", "bin/tool", "x.mcpb")
    assert manifest(*named, name="more", monitors="./m.json", mcpServers=servers, keywords=[]).ignored == (
        "mcpServers: https://example.org/x.mcpb (Placet fetches nothing for a bundle)",
        "mcpServers: x.mcpb (Placet reads JSON alone)",
        "monitors",
        "bin/",
    )


def test_a_marketplace_lists_bundles_and_stands_in_for_a_missing_manifest() -> None:
    market = {
        "plugins": [
            {"name": "inner", "source": "./plugins/inner", "description": "Inner."},
            {"name": "far", "source": {"source": "github", "repo": "team/far"}},
        ]
    }
    inner, far = read_marketplace(files(**{".claude-plugin/marketplace.json": market}))
    assert (inner.directory, far.directory) == ("plugins/inner", None)
    bundle = read_bundle(with_manifest(files("commands/a.md"), inner))
    assert (bundle.name, bundle.description) == ("inner", "Inner.")


def test_a_marketplace_cannot_name_a_directory_outside() -> None:
    market = {"plugins": [{"name": "evil", "source": "./../../home"}]}
    with pytest.raises(BundleError, match="leads out of the bundle"):
        read_marketplace(files(**{".claude-plugin/marketplace.json": market}))


def test_the_summary_shows_in_full_what_runs_and_spells_out_what_hides() -> None:
    long = "x" * 500
    hooks = {"Stop": [{"matcher": "a|b", "hooks": [{"type": "command", "command": f"one\n\n\n\n\ntwo \u202e{long}"}]}]}
    servers = {"s": {"command": "npx", "args": ["-y", "a b"], "headers": {"X": "${TOKEN}"}}}
    all_files = {
        **files(**{"hooks/hooks.json": {"hooks": hooks}, ".mcp.json": servers}),
        "commands/go.md": BundleFile(b"Go !`rm -rf x`"),
        "run.sh": BundleFile(b"", True),
    }
    lines = summary(read_bundle(all_files, fallback="b"), all_files)
    assert lines == [
        "hook at Stop of a|b:",
        "    one",
        "    … 4 empty lines …",
        f"    two \\u202e{long}",
        "MCP server b:s:",
        '    npx -y "a b"',
        '    {"headers":{"X":"${TOKEN}"}}',
        "command b:go (commands/go.md)",
        "    runs, after your rules: rm -rf x",
        "program run.sh",
    ]


def test_the_changes_show_new_changed_and_gone_files_and_new_programs() -> None:
    old = {"a": BundleFile(b"one\ntwo\n"), "gone": BundleFile(b"\0"), "p": BundleFile(b"same")}
    new = {"a": BundleFile(b"one\nthree\n"), "new.sh": BundleFile(b"evil\x1b"), "p": BundleFile(b"same", True)}
    told = changes(old, new)
    assert "-two" in told
    assert "+three" in told
    assert "gone is gone (not a text)" in told
    assert "+evil\\u001b" in told
    assert "p is now a program" in told
    assert changes(old, old) == []
