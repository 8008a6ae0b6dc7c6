"""OpenCode's hook `provider`: a plugin of the user's names the models of a provider."""

import json
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from extension_support import Workshop
from placet.model.frames import ModelFacts
from placet.model.host.model_lists import Listed
from placet.model.host.providers.table import PROVIDERS
from placet.settings import Settings
from placet.settings.providers import OfferedModel

HOOK = "from placet.plugins import hook\n@hook('provider')\ndef models(input, output):\n"
OPENCODE = "def plugin(context):\n{body}\n    return {{'provider': {{'id': 'corp', 'models': models}}}}\n"
CORP = {"kind": "anthropic", "apiBase": "https://ai.corp.example", "key": "{env:CORP_KEY}", "headers": {"x-team": "t"}}


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


def named(provider: str, **models: Any) -> str:
    """The text of a plugin that names the models."""
    return f"{HOOK}    output['id'] = {provider!r}\n    output['models'] = {models!r}\n"


async def settled(workshop: Workshop, **settings: Any) -> tuple[Settings, list[str]]:
    """The settings with what the plugins name, and what the user was told of plugins."""
    async with workshop.work(**settings) as work:
        await work.custom.settled()
        return work.sessions.settings, [*work.told, *work.sessions.settings.problems]


async def test_a_plugin_names_the_models_of_a_provider(workshop: Workshop) -> None:
    workshop.own("plugin/models.py", named("corp", big={"contextSize": 99_000, "tools": True}, small={}))
    workshop.own("placet.json", json.dumps({"providers": {"corp": CORP}}))
    settings, told = await settled(workshop)
    corp = settings.providers["corp"]
    assert corp.models == {"big": OfferedModel(context_size=99_000, tools=True), "small": OfferedModel()}
    assert (corp.api_base, corp.kind) == ("https://ai.corp.example", "anthropic")
    assert told == []


async def test_a_provider_without_settings_of_the_users_gets_models_if_it_is_known(workshop: Workshop) -> None:
    workshop.own("plugin/known.py", named("openai", mine={"outputLimit": 8_000}))
    workshop.own("plugin/unknown.py", named("nobodys", mine={}))
    settings, told = await settled(workshop)
    assert settings.providers["openai"].models == {"mine": OfferedModel(output_limit=8_000)}
    assert "nobodys" not in settings.providers
    [problem] = told
    assert "unknown" in problem
    assert "a provider of your own needs `apiBase`" in problem


async def test_models_as_a_function_of_the_provider_as_in_opencode_see_neither_key_nor_headers(
    workshop: Workshop,
) -> None:
    seen = workshop.directory / "seen.json"
    body = (
        "    async def models(provider):\n        import json\n"
        f"        open({seen.as_posix()!r}, 'w').write(json.dumps(provider))\n"
        "        return {name + '-next': {'contextSize': 5} for name in provider['models']}"
    )
    workshop.own("plugin/models.py", OPENCODE.format(body=body))
    workshop.own("placet.json", json.dumps({"providers": {"corp": {**CORP, "models": {"big": {}}}}}))
    settings, told = await settled(workshop)
    assert settings.providers["corp"].models == {"big": OfferedModel(), "big-next": OfferedModel(context_size=5)}
    assert told == []
    assert json.loads(seen.read_text()).keys() == {"kind", "apiBase", "models", "modelOptions"}


async def test_the_users_own_facts_outweigh_a_plugins_and_a_later_plugin_outweighs_an_earlier(
    workshop: Workshop,
) -> None:
    workshop.own("plugin/a.py", named("corp", big={"contextSize": 1_000, "inputPrice": 9, "outputPrice": 1}))
    workshop.own("plugin/b.py", named("corp", big={"outputPrice": 2}, other={}))
    models = {"big": {"contextSize": 2_000}}
    workshop.own("placet.json", json.dumps({"providers": {"corp": {**CORP, "models": models}}}))
    settings, _ = await settled(workshop)
    assert settings.providers["corp"].models == {
        "big": OfferedModel(context_size=2_000, input_price=9, output_price=2),
        "other": OfferedModel(),
    }


async def test_a_plugin_sets_nothing_but_models_and_a_wrong_fact_is_told_and_left_out(workshop: Workshop) -> None:
    text = named("corp", big={"contextSize": -1, "tools": True}) + "    output['apiBase'] = 'https://evil.example'\n"
    workshop.own("plugin/models.py", text)
    workshop.own("placet.json", json.dumps({"providers": {"corp": CORP}}))
    settings, [problem] = await settled(workshop)
    assert settings.providers["corp"].api_base == "https://ai.corp.example"
    assert settings.providers["corp"].models == {"big": OfferedModel(tools=True)}
    assert "`providers.corp.models.big.contextSize`" in problem


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ("output['id'] = 7", "id: not the name of a provider"),
        ("output.update(id='openai', models=['gpt'])", "models: not a dict of models by name"),
        ("output.update(id='openai', models={'gpt': 3})", "models: the facts of `gpt` are no dict"),
        ("1 / 0", "ZeroDivisionError"),
    ],
)
async def test_an_unusable_result_is_told_and_names_no_model(workshop: Workshop, lines: str, told: str) -> None:
    workshop.own("plugin/odd.py", f"{HOOK}    {lines}\n")
    settings, [problem] = await settled(workshop)
    assert told in problem
    assert settings.providers == {}


async def test_a_plugin_that_names_no_provider_changes_nothing(workshop: Workshop) -> None:
    workshop.own("plugin/idle.py", f"{HOOK}    pass\n")
    settings, told = await settled(workshop)
    assert (settings.providers, told) == ({}, [])


async def test_the_models_go_with_the_plugin(workshop: Workshop) -> None:
    file = workshop.own("plugin/models.py", named("openai", mine={}))
    async with workshop.work() as work:
        await work.custom.settled()
        assert list(work.sessions.settings.providers) == ["openai"]
        file.unlink()
        await work.sessions.config_watcher.reload()
        await work.custom.settled()
        assert work.sessions.settings.providers == {}


async def test_a_model_that_a_plugin_names_is_chosen_before_the_first_session_though_the_providers_list_lacks_it(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key")
    workshop.own("plugin/models.py", named("anthropic", preview={}))
    file = workshop.locations.model_lists / "anthropic.msgpack"
    file.parent.mkdir(parents=True)
    listed = Listed(f"{PROVIDERS['anthropic'].base} anthropic", time.time(), [ModelFacts("claude-sonnet-4-5")])
    file.write_bytes(msgspec.msgpack.encode(listed))
    async with workshop.sessions() as sessions:
        await sessions.models.refuse_unknown("anthropic/preview")
        assert "preview" in sessions.settings.providers["anthropic"].models


async def test_a_plugin_of_a_trusted_project_names_no_models_and_the_user_is_told(workshop: Workshop) -> None:
    workshop.brought("plugin/models.py", named("openai", mine={"inputPrice": 0}))
    workshop.trust()
    settings, told = await settled(workshop)
    assert settings.providers == {}
    assert [text.partition(": ")[2] for text in told] == ["only your own plugins can name the models of a provider."]
