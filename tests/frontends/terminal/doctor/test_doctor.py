"""`placet doctor` as it is run: what it finds, what it says to do, and that it needs nothing to be in order."""

import json
import os
import platform
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from fork_support.completed import run_forked
from model_support.ollama_server import MODEL, OllamaServer
from model_support.provider_server import ProviderServer, json_reply
from placet.core.executor import in_thread
from placet.storage.migrations import STEPS
from wire_servers.answers import Status, Text
from wire_servers.server import WireServer

FOLDERS = {"CONFIG": "config", "DATA": "data", "CACHE": "cache", "STATE": "log"}


@dataclass
class Place:
    directory: Path

    @property
    def config(self) -> Path:
        return self.directory / "CONFIG" / "placet"

    def settings(self, text: str | None = None, **values: object) -> None:
        self.config.mkdir(parents=True, exist_ok=True)
        (self.config / "placet.jsonc").write_text(json.dumps(values) if text is None else text, "utf-8")

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return self.placet("doctor", "--cwd", str(self.directory / "project"), *arguments, **environment)

    def placet(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        project = self.directory / "project"
        project.mkdir(exist_ok=True)
        homes = {f"XDG_{name}_HOME": str(self.directory / name) for name in FOLDERS}
        kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
        given = {name: value for name, value in {**kept, **homes, **environment}.items() if value}
        return run_forked(*arguments, environment=given)

    def found(self, *arguments: str, code: int, **environment: str) -> list[dict[str, Any]]:
        done = self.run("--json", *arguments, **environment)
        assert done.returncode == code, (done.stdout, done.stderr)
        told = json.loads(done.stdout)
        assert told["problems"] == sum(one["state"] == "problem" for one in told["findings"])
        return told["findings"]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def about(findings: list[dict[str, Any]], name: str) -> dict[str, Any]:
    (finding,) = (one for one in findings if one["about"] == name)
    return finding


def problems(findings: list[dict[str, Any]]) -> list[str]:
    return [one["about"] for one in findings if one["state"] == "problem"]


@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("bwrap"), reason="needs bubblewrap")
def test_the_sandbox_is_found_with_its_limits_and_the_system(place: Place) -> None:
    (place.directory / "project" / ".vscode").mkdir(parents=True)
    (place.directory / "project" / ".env").write_text("")
    (place.directory / "project" / "a").write_text("")
    (place.directory / "project" / "b").hardlink_to(place.directory / "project" / "a")
    findings = place.found(code=0)

    assert about(findings, "sandbox")["told"].startswith("bubblewrap ")
    assert f"kernel {platform.release()}, Landlock " in about(findings, "sandbox system")["told"]
    limits = about(findings, "sandbox limits")["told"]
    assert limits.startswith("1 protected path and 1 hidden file in the project, ")
    assert about(findings, "sandbox network")["told"]
    assert about(findings, "sandbox proposals")["told"].startswith("changes by ")
    assert about(findings, "sandbox links")["told"].startswith("2 files of the project with further names")


@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("bwrap"), reason="needs bubblewrap")
def test_a_sandbox_that_hides_no_file_is_told_with_the_reason(place: Place) -> None:
    place.settings(permission={"read": "ask"})
    limits = about(place.found(code=0), "sandbox limits")
    assert limits["state"] == "note"
    assert limits["told"].endswith("; each command is asked. A rule for `read` does not allow every file")


def test_a_sandbox_that_is_off_or_set_wrongly_is_told(place: Place) -> None:
    place.settings(sandbox={"mode": "off"})
    assert about(place.found(code=0), "sandbox")["told"].startswith("off by the setting `sandbox.mode`; ")
    if shutil.which("bwrap"):
        place.settings(sandbox={"write": ["relative"]})
        finding = about(place.found(code=1), "sandbox settings")
        assert finding["told"] == "sandbox.write: 'relative' is neither absolute nor below `~/`"


def test_a_new_machine_without_a_home_has_no_problem(place: Place) -> None:
    findings = place.found(code=0)

    assert about(findings, "model")["told"] == "builtin/rules: no key is needed"
    for name in ("python", "placet", "litellm", "system", "git", "rg", "sandbox", "store", "trust", "log"):
        assert about(findings, name)["told"]
    assert not place.config.exists(), "looking makes nothing"
    assert "No problems." in place.run().stdout


def test_a_path_into_the_project_is_told_and_nothing_is_taken_from_there(place: Place) -> None:
    programs = place.directory / "project" / ".venv" / "bin"
    programs.mkdir(parents=True)
    for name in ("git", "rg"):
        (programs / name).write_text("#!/bin/sh\n")
        (programs / name).chmod(0o755)
    findings = place.found(code=0, PATH=f"{programs}{os.pathsep}{os.environ['PATH']}")
    assert f"leads into {programs}, where commands can write" in about(findings, "PATH")["told"]
    assert not about(findings, "git")["told"].startswith(str(programs))
    assert "PATH" not in {finding["about"] for finding in place.found(code=0)}


def test_the_memories_are_listed(place: Place) -> None:
    assert "memory" not in [finding["about"] for finding in place.found(code=0)]
    memory = place.directory / "project" / "MEMORY.md"
    memory.write_text("- One.\n")
    assert about(place.found(code=0), "memory")["told"] == str(memory)


def test_the_rules_for_agents_are_listed(place: Place) -> None:
    assert "no AGENTS.md" in about(place.found(code=0), "rules")["told"]
    (place.directory / "project" / ".cursor" / "rules").mkdir(parents=True)
    rules = place.directory / "project" / ".cursor" / "rules" / "style.mdc"
    rules.write_text("---\nalwaysApply: true\n---\nBe brief.")
    assert about(place.found(code=0), "rules")["told"] == str(rules)
    rules.write_text("---\nalwaysApply: true\n---\n" + "Be brief.\n" * 3000)
    cut = about(place.found(code=0), "rules")
    assert (cut["state"], "the first 20,000 of 30,0" in cut["told"]) == ("note", True)


def test_folders_that_cannot_be_made_are_told_with_what_to_do(place: Place) -> None:
    file = place.directory / "file"
    file.touch()
    nowhere = {f"XDG_{name}_HOME": str(file / "home") for name in FOLDERS}

    findings = place.found(code=1, **nowhere)

    assert {f"folder {name}" for name in FOLDERS.values()} <= set(problems(findings))
    assert "XDG_DATA_HOME" in about(findings, "folder data")["advice"]


def test_a_home_that_does_not_exist_is_no_end(place: Place) -> None:
    nowhere = dict.fromkeys((f"XDG_{name}_HOME" for name in FOLDERS), "")
    file = place.directory / "file"
    file.touch()

    assert "folder config" in problems(place.found(code=1, HOME=str(file / "home"), **nowhere))


def test_keys_are_named_and_never_shown(place: Place) -> None:
    place.settings(model="anthropic/claude-sonnet-4-5")
    (place.config / "keys.json").write_text(json.dumps({"MISTRAL_API_KEY": {"value": "kept-value"}}))

    findings = place.found(code=0, ANTHROPIC_API_KEY="shown-value")

    keys = [one["told"] for one in findings if one["about"] == "key"]
    assert keys == ["ANTHROPIC_API_KEY (environment)", f"MISTRAL_API_KEY ({place.config / 'keys.json'})"]
    assert "value" not in json.dumps(findings)
    assert about(findings, "model")["told"].endswith("the key is in the environment")
    assert "--online" in about(findings, "answer")["advice"]


def test_a_missing_key_is_a_problem(place: Place) -> None:
    place.settings(model="anthropic/claude-sonnet-4-5", fallbackModels=["openai/gpt-4o"])

    findings = place.found(code=1)

    assert problems(findings) == ["model", "other model"]
    assert "placet auth set anthropic" in about(findings, "model")["advice"]
    assert "openai/gpt-4o" in about(findings, "other model")["told"]


def test_settings_that_are_wrong_are_told_with_their_place(place: Place) -> None:
    place.settings('{\n  "maxSteps": "many"\n}')

    finding = about(place.found(code=1), "settings")

    assert f"{place.config / 'placet.jsonc'}:2" in finding["told"]


def test_mcp_servers_whose_program_is_not_there_are_told(place: Place) -> None:
    servers = {
        "good": {"command": [sys.executable, "-V"]},
        "bad": {"command": "no-such-program --stdio"},
        "off": {"command": "no-such-program", "enabled": False},
        "far": {"url": "https://example.org/mcp"},
    }
    place.settings(mcp=servers)

    findings = place.found(code=1)

    assert problems(findings) == ["MCP bad"]
    assert "mcp.bad.command" in about(findings, "MCP bad")["advice"]
    for name in servers:
        assert str(place.config / "placet.jsonc") in about(findings, f"MCP {name}")["told"]


def test_a_store_is_described_and_a_newer_one_refused(place: Place) -> None:
    store = place.directory / "DATA" / "placet" / "placet.db"
    store.parent.mkdir(parents=True)
    with closing(sqlite3.connect(store)) as connection:
        connection.execute(f"PRAGMA user_version = {len(STEPS)}")
        connection.execute("CREATE TABLE t (x)")
        connection.commit()
    assert f"schema {len(STEPS)} of {len(STEPS)}" in about(place.found(code=0), "store")["told"]

    with closing(sqlite3.connect(store)) as connection:
        connection.execute(f"PRAGMA user_version = {len(STEPS) + 1}")
    assert "newer Placet" in about(place.found(code=1), "store")["told"]

    store.write_bytes(b"SQLite format 3\x00 and then nonsense" * 100)
    assert problems(place.found(code=1)) == ["store"]


def test_a_store_with_overwritten_pages_is_a_problem(place: Place) -> None:
    store = place.directory / "DATA" / "placet" / "placet.db"
    store.parent.mkdir(parents=True)
    with closing(sqlite3.connect(store)) as connection:
        connection.execute(f"PRAGMA user_version = {len(STEPS)}")
        connection.execute("CREATE TABLE t (x)")
        connection.executemany("INSERT INTO t VALUES (?)", [("x" * 4_000,) for _ in range(50)])
        connection.commit()
    with store.open("r+b") as file:
        file.seek(5 * 4096)
        file.write(b"\xff" * 3 * 4096)
    found = about(place.found(code=1), "store")
    assert found["state"] == "problem"
    assert "start a new store" in found["advice"]


def test_a_project_nobody_has_decided_about_is_a_note(place: Place) -> None:
    brought = place.directory / "project" / ".placet" / "tool"
    brought.mkdir(parents=True)
    (brought / "x.py").write_text("raise SystemExit")
    (place.directory / "project" / ".git").mkdir()

    finding = about(place.found(code=0), "trust")

    assert finding["state"] == "note"
    assert "await your decision" in finding["told"]


async def test_a_server_of_ones_own_is_looked_for(place: Place) -> None:
    listed = json_reply({"object": "list", "data": [{"id": "qwen3"}]})
    async with ProviderServer(pages={"/v1/models": listed}) as server:
        base = f"{server.address}/v1"
        place.settings(model="lm_studio/qwen3")
        findings = await in_thread(lambda: place.found(code=0, LM_STUDIO_API_BASE=base))
        assert server.asked == [], "nothing is asked of a model"
    assert f"LM Studio at {base}: lm_studio/qwen3" in [one["told"] for one in findings]

    gone = await in_thread(lambda: place.found(code=1, LM_STUDIO_API_BASE=base))
    assert problems(gone) == ["reachable"]
    assert base in about(gone, "reachable")["told"]


async def test_the_size_of_the_context_is_told_with_who_set_it_and_a_small_one_is_a_problem(place: Place) -> None:
    async with OllamaServer() as server:
        place.settings(model=f"ollama_chat/{MODEL}", profile="full")
        usual = await in_thread(lambda: place.found(code=0, OLLAMA_API_BASE=server.address))
        providers = {"ollama_chat": {"models": {MODEL: {"contextSize": 4096}}}}
        place.settings(model=f"ollama_chat/{MODEL}", providers=providers, profile="full")
        small = await in_thread(lambda: place.found(code=1, OLLAMA_API_BASE=server.address))
        place.settings(model=f"ollama_chat/{MODEL}", providers=providers)
        enough = await in_thread(lambda: place.found(code=0, OLLAMA_API_BASE=server.address))

    assert about(usual, "context")["told"].endswith("tokens, asked of Ollama by Placet")
    assert problems(small) == ["context"]
    assert "4,096 tokens, set in your settings" in about(small, "context")["told"]
    assert "`contextSize`" in about(small, "context")["advice"]
    words = "4,096 tokens, set in your settings; profile small, as its name says 8 billion parameters"
    assert about(enough, "context")["told"].endswith(words)


async def test_online_the_model_is_asked_for_a_word(place: Place) -> None:
    async with WireServer([(Text("ok"),), (Status(401, "no such key"),)]) as server:
        place.settings(model="openai/gpt-4o", modelOptions={"apiBase": server.openai_base})
        good = await in_thread(lambda: place.found("--online", code=0, OPENAI_API_KEY="sk-key"))
        bad = await in_thread(lambda: place.found("--online", code=1, OPENAI_API_KEY="sk-key"))

    assert about(good, "answer")["told"] == "openai/gpt-4o answers"
    assert "rejected the key" in about(bad, "answer")["told"]
    assert "OPENAI_API_KEY" in about(bad, "answer")["advice"]


def test_the_hooks_in_use_are_listed_and_those_of_an_untrusted_project_are_not(tmp_path: Path) -> None:
    place = Place(tmp_path)
    entries = [{"matcher": "Bash", "hooks": [{"type": "command", "command": "look here"}]}]
    place.settings(hooks={"PreToolUse": entries})
    file = tmp_path / "project" / ".claude" / "settings.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "look away"}]}]}}))
    found = place.found(code=0, HOME=str(tmp_path))
    assert [one["told"] for one in found if one["about"] == "hook"] == [
        f"PreToolUse Bash: look here ({place.config / 'placet.jsonc'})"
    ]
    assert any("await your decision" in one["told"] for one in found if one["about"] == "trust")


def test_the_address_of_models_in_a_trusted_project_is_told_and_gets_no_key(place: Place) -> None:
    project = place.directory / "project"
    project.mkdir()
    file = project / "placet.json"
    file.write_text(json.dumps({"modelOptions": {"apiBase": "http://127.0.0.1:9/v1"}}))
    place.settings(model="openai/gpt-4o")
    place.placet("trust", "--yes", str(project))

    finding = about(place.found(code=1, OPENAI_API_KEY="sk-key"), "settings")

    assert finding["told"].startswith(f"{file}:1: setting `modelOptions.apiBase`: only your own settings can set")
