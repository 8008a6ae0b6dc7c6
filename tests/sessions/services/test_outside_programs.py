"""Places of the project that run outside of the sandbox by the user's settings: commands cannot change them unasked."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from corpus_support import corpus
from extension_support import DONE, Workshop, call
from placet.extensions.command_hooks.table import HookOwner, read_hooks
from placet.project.named_scripts import named_places
from placet.project.processes import programs
from placet.sessions.services.config import Config
from placet.sessions.services.outside_programs import outside_programs
from placet.settings import Locations, Settings

ROOT = Path(os.path.abspath("/project"))


@corpus(
    ("words", "names"),
    [
        (("scripts/check.py", "--fix"), ["scripts/check.py"]),
        (("jq -r .path | xargs ./bin/format",), ["bin/format"]),
        (('"$CLAUDE_PROJECT_DIR"/.claude/look.sh',), [".claude/look.sh"]),
        (("node", "server.js"), ["server.js"]),
        (("python3", "-m", "tools.server"), ["tools/server.py", "tools/server"]),
        (
            ("npx", "-y", "@scope/server@1.2"),
            ["@scope/server@1.2", "node_modules/@scope/server", "node_modules/.bin/server"],
        ),
        (("npx --no-install prettier",), ["node_modules/prettier", "node_modules/.bin/prettier"]),
        (("ruff", "format"), []),
    ],
)
def test_the_places_that_a_command_names(words: Sequence[str], names: Sequence[str]) -> None:
    found = {path.relative_to(ROOT).as_posix() for path in named_places(words, [ROOT])}
    assert found.issuperset(names)
    assert bool(found) == bool(names)


def config(**settings: Any) -> Config:
    locations = Locations(*(Path(name) for name in ("config", "data", "cache", "log")))
    read = Settings.model_validate({key: value for key, value in settings.items() if key != "hooks"})
    hooks = read_hooks(settings.get("hooks", {}), "your settings", HookOwner(), [])
    return Config(read, locations, hooks=hooks)


def hook(**fields: Any) -> dict[str, Any]:
    return {"Stop": [{"hooks": [{"type": "command", "command": "./own.sh", **fields}]}]}


@corpus(
    ("settings", "names"),
    [
        ({"mcp": {"notes": {"command": ["node", "server.js"]}}}, ["server.js"]),
        ({"mcp": {"notes": {"command": "./server", "cwd": "tools"}}}, ["tools/server"]),
        ({"mcp": {"notes": {"command": "./server", "sandbox": True}}}, []),
        ({"hooks": hook()}, []),
        ({"hooks": hook(sandbox=False)}, ["own.sh"]),
        ({"hooks": hook(), "plugins": {"sandbox": False}}, ["own.sh"]),
        ({"languages": {"own": True, "servers": {"x": {"command": ["./lsp"], "suffixes": [".x"]}}}}, []),
        (
            {
                "languages": {
                    "own": True,
                    "sandbox": False,
                    "servers": {"x": {"command": ["./lsp"], "suffixes": [".x"]}},
                }
            },
            ["lsp"],
        ),
    ],
)
def test_only_programs_outside_of_the_sandbox_are_kept_as_they_are(settings: Any, names: Sequence[str]) -> None:
    found = {*outside_programs(config(**settings), [ROOT])} - {*outside_programs(config(), [ROOT])}
    assert sorted(path.relative_to(ROOT).as_posix() for path in found) == names


def test_a_pager_or_an_editor_in_the_project_is_kept_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    before = outside_programs(config(), [ROOT])
    monkeypatch.setenv("PAGER", f"{ROOT}/tools/page")
    monkeypatch.setenv("VISUAL", "vi")
    assert {*outside_programs(config(), [ROOT])} - {*before} == {ROOT / "tools/page"}


async def test_a_script_that_a_hook_runs_outside_of_the_sandbox_is_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "_NAMED", {})
    workshop = Workshop(tmp_path)
    for name in ("own.sh", "other.sh"):
        writes = call("write", filePath=name, content="exit 0\n")
        async with workshop.work(writes, DONE, hooks=hook(sandbox=False), permission={"edit": "allow"}) as work:
            await work.prompt()
    assert [request.permission for request in workshop.user.asked] == ["edit_sensitive"]
