"""The offer of a model inside Placet: what every front end says to a user without a model."""

import sys
from pathlib import Path
from subprocess import run

from fork_support.completed import run_forked
from model_support.asking import answer, text_of
from model_support.local_engine import Machine
from placet.frontends.acp.capabilities import initialize_result
from placet.model.local.catalog import MODELS, size_text
from placet.model.local.offer import COMMAND, OFFER
from placet.model.rules import BuiltinRules


def test_the_offer_says_what_the_catalog_says():
    model = MODELS[0]
    assert f"placet models pull {model.name}" == COMMAND
    assert f"`{COMMAND}` ({size_text(model.size_bytes)}, {model.license}). {model.abilities}" in OFFER


def test_the_words_cost_the_handshake_no_import():
    program = "import sys, placet.model.local.offer; print([name for name in sys.modules if name == 'msgspec'])"
    assert run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


async def test_the_built_in_planner_offers_the_model_where_it_cannot_help():
    assert OFFER in text_of(await answer(BuiltinRules(), "write a poem"))


def test_clients_of_the_agent_client_protocol_see_the_offer_beside_the_sign_ins():
    methods = initialize_result({"protocolVersion": 1})["authMethods"]
    assert OFFER in methods[0]["description"]


def test_the_doctor_says_what_a_local_model_lacks_and_where_its_parts_are(tmp_path: Path):
    project, machine = tmp_path / "project", Machine(tmp_path, has_engine=False)
    project.mkdir()
    for name in ("CONFIG", "DATA", "STATE"):
        machine.environment[f"XDG_{name}_HOME"] = str(tmp_path / name.lower())
    machine.environment["PLACET_MODEL"] = MODELS[0].full_name
    told = run_forked("doctor", directory=project, environment=machine.environment).stdout
    assert f"`{COMMAND}` fetches the file" in told
    assert "there is no engine for local models" in told
    machine.models = tmp_path / "data/placet/models"
    path, program = machine.put_file(), machine.put_program()
    told = run_forked("doctor", directory=project, environment=machine.environment).stdout
    assert f"{path} (Placet); about " in told
    assert str(program) in told
    assert "32,768 tokens, chosen by the memory of this machine" in told


def test_the_doctor_and_the_list_of_models_offer_the_model_to_a_user_without_a_key(tmp_path: Path):
    machine = Machine(tmp_path, has_engine=False)
    environment = {name: value for name, value in machine.environment.items() if not name.endswith(("_KEY", "_TOKEN"))}
    for name in ("CONFIG", "DATA", "STATE"):
        environment[f"XDG_{name}_HOME"] = str(tmp_path / name.lower())
    environment |= {"PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring", "OLLAMA_API_BASE": "http://127.0.0.1:9"}
    done = run_forked("doctor", directory=tmp_path, environment=environment)
    assert " ".join(OFFER.split()) in " ".join(done.stdout.split())
    done = run_forked("models", directory=tmp_path, environment=environment)
    assert OFFER in done.stdout
