"""A name that is no model's is refused with near names, and any name that a provider may serve is let through."""

import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from placet.core.errors import SettingsError
from placet.model.frames import ModelFacts
from placet.model.host.model_lists import FRESH_SECONDS, Listed
from placet.model.host.providers.table import PROVIDERS
from placet.sessions.registry import Sessions
from services_support import TempServices

pytestmark = pytest.mark.asyncio

LISTED = ("claude-sonnet-4-5-20250929", "claude-opus-4-1-20250805")
OWN = {"corp": {"apiBase": "http://127.0.0.1:9/v1", "models": {"qwen3-coder": {}}}}


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    """The provider has a key, so that its list counts; nothing listens at the address if the list were asked for."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "a-key")
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")


@pytest.fixture
def services(tmp_path: Path) -> TempServices:
    return TempServices(tmp_path)


def keep_list(services: TempServices, *, age_seconds: float = 0.0, base: str = PROVIDERS["anthropic"].base) -> Path:
    """Write the list of Anthropic's models as the model host keeps lists."""
    file = services.locations.model_lists / "anthropic.msgpack"
    file.parent.mkdir(parents=True)
    listed = Listed(f"{base} anthropic", time.time() - age_seconds, [ModelFacts(name) for name in LISTED])
    file.write_bytes(msgspec.msgpack.encode(listed))
    return file


async def refusal(sessions: Sessions, name: str) -> str:
    with pytest.raises(SettingsError) as raised:
        await sessions.models.refuse_unknown(name)
    return str(raised.value)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("antropic/claude-sonnet-4-5", "no provider is called `antropic`; did you mean `anthropic/claude-sonnet-4-5`?"),
        ("antropic/claude-sonet-4-5", "did you mean `anthropic/claude-sonet-4-5` or `anthropic/claude-sonnet-4-5`?"),
        ("corpp/qwen3-coder", "did you mean `corp/qwen3-coder`?"),
        ("claude-sonnet-4-55", "a name is `provider/model`; did you mean `anthropic/claude-sonnet-4-5`"),
        ("anthropic/", "There is no model `anthropic/`"),
        ("qqqq/zzzz", "no provider is called `qqqq`. `placet models` lists models."),
        ("builtin/rulez", "the only built-in model is `builtin/rules`"),
        ("scripted/none.json", "none.json"),
    ],
)
async def test_a_name_without_a_provider_is_refused_with_near_names(
    services: TempServices, name: str, said: str
) -> None:
    async with services.open(providers=OWN) as sessions:
        assert said in await refusal(sessions, name)
        with pytest.raises(SettingsError):
            await sessions.create(model=name)
        assert await sessions.list() == ([], None)


@pytest.mark.parametrize(
    "name",
    [
        "builtin/rules",
        "corp/a-model-that-no-list-has",
        "ollama_chat/qwen-of-mine:8b",
        "lm_studio/any",
        "litellm_proxy/any",
        "openrouter/maker/model:nitro",
        "anthropic/claude-of-next-year",
        "gpt-4o",
        "vllm/any",
        "ft:gpt-4o:me::1",
    ],
)
async def test_a_name_that_a_provider_may_serve_is_let_through(services: TempServices, name: str) -> None:
    async with services.open(providers=OWN) as sessions:
        await sessions.models.refuse_unknown(name)


async def test_a_provider_that_listed_all_its_models_today_has_no_other_model(services: TempServices) -> None:
    keep_list(services)
    async with services.open() as sessions:
        said = await refusal(sessions, "anthropic/claude-opus-4-2-20250805")
        assert said.startswith("anthropic has no model `anthropic/claude-opus-4-2-20250805`; did you mean `anthropic/")
        assert "`anthropic/claude-opus-4-1-20250805`" in said
        assert "`placet models --provider anthropic --refresh`" in said
        session = await sessions.create()
        with pytest.raises(SettingsError):
            await session.choices.set_model("anthropic/claude-opus-4-2-20250805")
        assert session.info.model == "builtin/rules"
        for name in (LISTED[0], "claude-sonnet-4-5", "claude-opus-4-1-latest", "claude-opus-4-5"):
            await sessions.models.refuse_unknown(f"anthropic/{name}")


@pytest.mark.parametrize(
    ("kept", "settings"),
    [
        ({"age_seconds": FRESH_SECONDS + 60}, {}),
        ({"base": "http://127.0.0.1:9"}, {}),
        ({}, {"modelOptions": {"apiBase": "http://127.0.0.1:9"}}),
        ({}, {"providers": {"anthropic": {"apiBase": "http://127.0.0.1:9"}}}),
    ],
)
async def test_an_old_list_and_a_list_of_another_address_refuse_nothing(
    services: TempServices, kept: dict[str, float | str], settings: dict[str, Any]
) -> None:
    keep_list(services, **kept)  # pyright: ignore[reportArgumentType] - the two options of keep_list
    async with services.open("anthropic/claude-opus-4-1-20250805", **settings) as sessions:
        await sessions.models.refuse_unknown("anthropic/claude-opus-4-2-20250805")
