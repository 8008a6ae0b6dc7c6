"""Which model a name stands for."""

from pathlib import Path

import pytest

from placet.core.errors import SettingsError
from placet.model.client.host import HostedModel, ModelHost
from placet.model.rules import BuiltinRules
from placet.model.scripted import ScriptedModel
from placet.model.select import open_model
from placet.settings import Settings

SCRIPT = Path(__file__).with_name("script.json")


def test_the_built_in_model_needs_no_host():
    host = ModelHost()

    assert isinstance(open_model("builtin/rules", Settings(), host), BuiltinRules)
    assert host.process_id is None


def test_a_script_is_read_from_its_path():
    model = open_model(f"scripted/{SCRIPT}", Settings(), ModelHost())

    assert isinstance(model, ScriptedModel)
    assert model.id == f"scripted/{SCRIPT}"


def test_any_other_name_is_a_model_of_the_host():
    model = open_model("anthropic/claude-sonnet-4-5", Settings(), ModelHost())

    assert isinstance(model, HostedModel)
    assert model.id == "anthropic/claude-sonnet-4-5"


def test_a_built_in_model_that_does_not_exist_is_told():
    with pytest.raises(SettingsError, match="builtin/rules"):
        open_model("builtin/magic", Settings(), ModelHost())


def test_the_name_of_a_model_holds_no_address_to_which_a_key_would_go():
    with pytest.raises(SettingsError, match="holds an address"):
        open_model("huggingface/https://evil.test/v1", Settings(), ModelHost())
