"""The table `providers`: what is taken, what is refused with which words, and who may set it."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from corpus_support import corpus
from placet.settings import Locations, Settings, load_settings
from placet.settings.provider_kinds import PROVIDERS, SERVED
from placet.settings.sources import ProjectFile

BASE = "http://127.0.0.1:1/v1"


@pytest.fixture
def locations(tmp_path: Path) -> Locations:
    (tmp_path / "config").mkdir()
    return Locations(*(tmp_path / name for name in ("config", "data", "cache", "log")))


def loaded(locations: Locations, providers: object, environment: dict[str, str] | None = None) -> Settings:
    (locations.config / "placet.json").write_text(json.dumps({"providers": providers}, indent=1))
    return load_settings(locations, environment=environment or {})


@corpus(
    ("name", "provider", "kind"),
    [
        ("corp", {"apiBase": BASE}, "openai"),
        ("corp", {"kind": "anthropic", "apiBase": BASE}, "anthropic"),
        ("work-openai", {"kind": "openai"}, "openai"),
        ("openai", {"headers": {"X-A": "b"}}, "openai"),
        ("openai", {"kind": "openai-responses", "apiBase": BASE}, "openai-responses"),
        ("ollama_chat", {"apiBase": BASE}, "ollama_chat"),
    ],
)
def test_a_provider_has_a_kind(locations: Locations, name: str, provider: dict[str, Any], kind: str) -> None:
    settings = loaded(locations, {name: provider})
    assert settings.problems == ()
    assert settings.providers[name].kind == kind


@corpus(
    ("name", "provider", "problem"),
    [
        ("corp", {"kind": "opnai", "apiBase": BASE}, "there is no such kind; did you mean `openai`?"),
        ("corp", {"kind": "zzzzzz", "apiBase": BASE}, "there is no such kind; `openai` suits most servers"),
        ("corp", {}, "a provider of your own needs `apiBase`"),
        ("corp", {"kind": "litellm_proxy"}, "a provider of your own needs `apiBase`"),
        ("openai", {"kind": "anthropic"}, "openai is a provider already"),
        ("builtin", {"apiBase": BASE}, "this name belongs to Placet's own models"),
        ("My Corp", {"apiBase": BASE}, "expected a name of small letters"),
        ("corp", {"apiBase": "127.0.0.1:1/v1"}, "expected an address that begins with http:// or https://"),
        ("corp", {"apiBase": BASE, "headers": {"X Team": "b"}}, "'X Team' is not the name of a header"),
        ("corp", {"apiBase": BASE, "headers": {"X-Team": "a\nb"}}, "the value of the header `X-Team` is not one line"),
        ("corp", {"apiBase": BASE, "key": "sk-a-key-itself"}, "a key itself does not belong here"),
        ("corp", {"apiBase": BASE, "modles": {}}, "there is no such setting"),
        ("corp", {"apiBase": BASE, "models": {"a": {"contextSize": 0}}}, "greater than or equal to 1"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_loses_no_other_provider(
    locations: Locations, name: str, provider: dict[str, Any], problem: str
) -> None:
    settings = loaded(locations, {"fine": {"apiBase": BASE}, name: provider})
    (told,) = settings.problems
    assert "placet.json:" in told
    assert f"setting `providers.{name}" in told
    assert problem in told
    assert "sk-a-key-itself" not in told
    assert "fine" in settings.providers


@corpus(
    "broken",
    [
        {"kind": "opnai", "apiBase": BASE},
        {"kind": "openai", "apiBase": "nowhere"},
        {"kind": "openai", "apiBase": "{env:NOBODY_SETS}"},
        {"kind": "openai", "apiBase": BASE, "key": "sk-1"},
    ],
)
def test_a_provider_with_a_broken_address_or_login_is_left_out_and_asks_no_other_server(
    locations: Locations, broken: dict[str, Any]
) -> None:
    assert loaded(locations, {"corp": broken}).providers == {}


def test_a_fault_in_the_facts_of_a_model_leaves_the_provider(locations: Locations) -> None:
    settings = loaded(locations, {"corp": {"apiBase": BASE, "models": {"a": {"vision": "perhaps"}}}})
    assert settings.providers["corp"].api_base == BASE


def test_references_in_keys_and_headers_are_left_to_the_model_host(locations: Locations) -> None:
    provider = {
        "apiBase": "http://{env:BOX}:1/v1",
        "key": "{file:keys/corp}",
        "headers": {"X-A": "{env:CORP_API_KEY}"},
    }
    settings = loaded(locations, {"corp": provider}, {"BOX": "box", "CORP_API_KEY": "the-key"})
    corp = settings.providers["corp"]
    assert corp.api_base == "http://box:1/v1"
    assert corp.key == f"{{file:{locations.config / 'keys/corp'}}}"
    assert corp.headers == {"X-A": "{env:CORP_API_KEY}"}


def test_the_name_of_a_variable_is_a_reference(locations: Locations) -> None:
    settings = loaded(locations, {"corp": {"apiBase": BASE, "key": "TEAM_API_KEY"}})
    assert settings.providers["corp"].key == "{env:TEAM_API_KEY}"


@corpus("is_trusted", [True, False])
def test_a_project_sets_no_provider_and_changes_none(locations: Locations, tmp_path: Path, is_trusted: bool) -> None:
    loaded(locations, {"corp": {"apiBase": BASE}})
    file = tmp_path / "placet.json"
    file.write_text(json.dumps({"providers": {"corp": {"apiBase": "http://evil.test"}, "openai": {"apiBase": BASE}}}))
    digest = hashlib.sha256(file.read_bytes()).hexdigest() if is_trusted else None
    settings = load_settings(locations, environment={}, project=(ProjectFile(file, digest),))
    assert {name: provider.api_base for name, provider in settings.providers.items()} == {"corp": BASE}
    assert ["only your own settings can set providers, which get your keys" in told for told in settings.problems] == [
        True
    ] * is_trusted


def test_a_plugin_sets_no_provider(locations: Locations) -> None:
    plugins = (("p", {"providers": {"openai": {"apiBase": "http://evil.test"}}}),)
    settings = load_settings(locations, environment={}, plugins=plugins)
    assert settings.providers == {}


def test_options_of_a_provider_outweigh_the_options_for_all_models() -> None:
    settings = Settings.model_validate(
        {
            "modelOptions": {"temperature": 0.1, "effort": "low"},
            "providers": {"corp": {"apiBase": BASE, "modelOptions": {"effort": "high"}}},
        }
    )
    assert (settings.options_of("corp/x").effort, settings.options_of("corp/x").temperature) == ("high", 0.1)
    assert settings.options_of("openai/x").effort == "low"


def test_the_kinds_are_litellms_providers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    from litellm.types.utils import LlmProviders

    from placet.model.host import model_table
    from placet.model.host.providers.table import PROVIDERS as DIRECT

    with_chat = {name.partition("/")[0] for name in model_table.chat_models()} - {"fal_ai"}
    assert with_chat | DIRECT.keys() <= PROVIDERS
    assert with_chat | {provider.value for provider in LlmProviders} >= PROVIDERS
    assert with_chat | {provider.value for provider in LlmProviders} <= SERVED
