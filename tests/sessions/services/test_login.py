"""Whether there is a key for a model is told by names alone."""

from pathlib import Path

import pytest

from placet.auth.keys import KeyStore
from placet.sessions.services.login import login_of
from placet.settings import Settings

MODEL = "anthropic/claude-sonnet-4-5"


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    return tmp_path / "keys.json"


async def test_a_key_in_the_environment_is_named_and_not_shown(keys: Path) -> None:
    login = await login_of(MODEL, Settings(), keys, {"ANTHROPIC_API_KEY": "sk-very-secret"})

    assert (login.key, login.variables) == ("environment", ("ANTHROPIC_API_KEY",))
    assert "secret" not in login.model_dump_json()


async def test_a_key_that_was_kept_is_found_without_reading_it(keys: Path) -> None:
    assert (await login_of(MODEL, Settings(), keys, {})).key == "missing"
    place = KeyStore(keys).keep("ANTHROPIC_API_KEY", "sk-very-secret")

    login = await login_of(MODEL, Settings(), keys, {})

    assert login.key == place
    assert "secret" not in login.model_dump_json()


async def test_what_is_built_in_or_ones_own_needs_no_key(keys: Path) -> None:
    own = Settings.model_validate({"modelOptions": {"apiBase": "http://127.0.0.1:1/v1"}})

    assert (await login_of("builtin/rules", Settings(), keys, {})).key == "not_needed"
    assert (await login_of("ollama/llama3", Settings(), keys, {})).key == "not_needed"
    assert (await login_of(MODEL, own, keys, {})).key == "not_needed"


async def test_a_file_of_keys_that_cannot_be_read_has_no_key(keys: Path) -> None:
    keys.write_text("no JSON")

    assert (await login_of(MODEL, Settings(), keys, {})).key == "missing"
