"""`placet models`: the models of all providers, and why a provider could not be asked."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from fork_support.completed import run_forked
from model_support.ollama_server import MODEL, OllamaServer
from wire_servers.server import WireServer

pytestmark = pytest.mark.asyncio


async def run(directory: Path, providers: dict[str, Any], *arguments: str, **variables: str) -> tuple[int, str, str]:
    """Run the command as a user whose files are in the directory; return its code, stdout and stderr."""
    for name in ("config", "data"):
        (directory / name / "placet").mkdir(parents=True, exist_ok=True)
    (directory / "config/placet/placet.json").write_text(json.dumps({"providers": providers}))
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    for name in ("CONFIG", "DATA", "CACHE", "STATE"):
        environment[f"XDG_{name}_HOME"] = str(directory / name.lower())
    environment |= {"HOME": str(directory), "CORP_API_KEY": "key-of-corp", **variables}
    done = await asyncio.to_thread(run_forked, "models", *arguments, directory=directory, environment=environment)
    return done.returncode, done.stdout, done.stderr


async def test_the_list_has_context_prices_abilities_and_the_reason_for_a_silent_provider(tmp_path: Path) -> None:
    async with WireServer() as server:
        server.listed = {"data": [{"id": "qwen", "max_model_len": 32768}, {"id": "gpt-4o"}]}
        models = {"qwen": {"inputPrice": 0.25, "outputPrice": 1}}
        providers = {
            "corp": {"apiBase": server.openai_base, "models": models},
            "gone": {"apiBase": "http://127.0.0.1:9/v1"},
        }
        (tmp_path / "data/placet").mkdir(parents=True)
        (tmp_path / "data/placet/models.json").write_text(json.dumps({"favourite": ["corp/gpt-4o"]}))
        code, out, problems = await run(tmp_path, providers)
    assert code == 0
    assert [line.split() for line in out.splitlines()[1:3]] == [
        ["*", "corp/gpt-4o", "128k", "2.5", "10", "tools", "image", "pdf"],
        ["corp/qwen", "33k", "0.25", "1", "-"],
    ]
    assert "gone: it cannot be reached" in problems
    assert "key-of-corp" not in out + problems


async def test_words_and_the_provider_choose_models_and_json_has_all_facts(tmp_path: Path) -> None:
    async with WireServer() as server:
        server.listed = {"data": [{"id": "qwen-a"}, {"id": "qwen-b"}, {"id": "other"}]}
        providers = {name: {"apiBase": server.openai_base} for name in ("corp", "spare")}
        _, out, _ = await run(tmp_path, providers, "QWEN", "--provider", "corp", "--json")
        assert [model["id"] for model in json.loads(out)] == ["corp/qwen-a", "corp/qwen-b"]
        _, out, _ = await run(tmp_path, providers, "nothing-has-this")
        assert out == "No model has `nothing-has-this` in its name.\n"
        server.listed = {"data": [{"id": "new"}]}
        _, out, _ = await run(tmp_path, providers, "--provider", "corp", "--json")
        assert [model["id"] for model in json.loads(out)] == ["corp/other", "corp/qwen-a", "corp/qwen-b"]
        _, out, _ = await run(tmp_path, providers, "--provider", "corp", "--json", "--refresh")
        assert [model["id"] for model in json.loads(out)] == ["corp/new"]


async def test_a_model_on_this_machine_is_listed_with_who_set_the_size_of_its_context(tmp_path: Path) -> None:
    async with OllamaServer() as server:
        _, out, beside = await run(tmp_path, {}, "--provider", "ollama_chat", OLLAMA_API_BASE=server.address)
        _, plain, _ = await run(tmp_path, {}, "--provider", "ollama_chat", "--json", OLLAMA_API_BASE=server.address)

    (model,) = json.loads(plain)
    assert f"ollama_chat/{MODEL}" in out
    assert f"ollama_chat/{MODEL}: {model['contextSize']:,} tokens, asked of Ollama by Placet\n" in beside
    assert model["contextSource"] == "asked of Ollama by Placet"


async def test_models_of_a_subscription_are_covered_and_a_line_says_by_what(tmp_path: Path) -> None:
    _, out, said = await run(tmp_path, {}, "--provider", "chatgpt", CHATGPT_API_KEY="signed-in")
    rows = [line.split() for line in out.splitlines()[1:]]
    assert rows
    assert {tuple(row[2:4]) for row in rows} == {("covered", "covered")}
    assert "covered: covered by the subscription that you signed in to" in said
    _, out, _ = await run(tmp_path, {}, "--provider", "chatgpt", "--json", CHATGPT_API_KEY="signed-in")
    assert {model["subscription"] for model in json.loads(out)} == {True}


async def test_models_that_a_plugin_names_are_listed_and_a_fault_of_the_plugin_is_told(tmp_path: Path) -> None:
    plugins = tmp_path / "config/placet/plugin"
    plugins.mkdir(parents=True)
    text = "def plugin(context):\n    return {{'provider': {{'id': 'corp', 'models': lambda provider: {body}}}}}\n"
    facts = "{'house': {'contextSize': 77_000, 'inputPrice': 3}}"
    (plugins / "house.py").write_text(text.format(body=facts))
    (plugins / "odd.py").write_text(text.format(body="1 / 0"))
    async with WireServer() as server:
        server.listed = {"data": [{"id": "qwen"}]}
        code, out, problems = await run(tmp_path, {"corp": {"apiBase": server.openai_base}}, "--provider", "corp")
    assert code == 0
    assert [line.split()[:3] for line in out.splitlines()[1:]] == [["corp/house", "77k", "3"], ["corp/qwen", "-", "-"]]
    assert "its hook `provider` failed: ZeroDivisionError" in problems
