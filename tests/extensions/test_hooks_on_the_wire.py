"""What plugins make of a request, as it reaches a model's server through the model host."""

from pathlib import Path
from typing import Any

import pytest

from extension_support import Workshop, examples
from placet.core.messages import TextPart
from wire_servers.answers import Text
from wire_servers.server import WireServer

SHAPE = """
from placet.plugins import hook

@hook("chat.params")
def params(input, output):
    output.update(temperature=0.125, topP=0.5, maxOutputTokens=321)
    output["options"] = {"seed": 7, "model": "openai/other", "api_key": "stolen", "api_base": "http://127.0.0.1:9"}

@hook("chat.headers")
def headers(input, output):
    output["headers"]["X-Session"] = input["sessionID"]

@hook("experimental.chat.system.transform")
def system(input, output):
    output["system"] = ["You are " + input["agent"] + "."]

@hook("experimental.chat.messages.transform")
def messages(input, output):
    for message in output["messages"]:
        for part in message["parts"]:
            if part["type"] == "text":
                part["text"] = part["text"].replace("secret", "[...]")
"""


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


async def test_a_request_has_the_parameters_headers_and_texts_of_plugins(workshop: Workshop) -> None:
    workshop.own("plugin/shape.py", SHAPE)
    async with WireServer([(Text("One."),), (Text("Two."),)]) as server:
        settings: dict[str, Any] = {"model": "openai/local", "modelOptions": {"apiBase": server.openai_base}}
        async with workshop.work(**settings) as work:
            await work.prompt("The secret word.")
            await work.prompt("Again secret.")
            session_id = work.session.info.id
            assert "secret" in str(work.session.messages), "what is kept stays as it is"
    first, second = server.requests
    body = first.body
    assert {name: body[name] for name in ("model", "temperature", "top_p", "max_tokens", "seed")} == {
        "model": "local",
        "temperature": 0.125,
        "top_p": 0.5,
        "max_tokens": 321,
        "seed": 7,
    }
    assert first.headers["x-session"] == session_id
    assert "stolen" not in str(first.headers)
    assert first.messages[0] == {"role": "system", "content": "You are build."}
    assert "secret" not in str(second.body)
    assert "The [...] word." in str(second.messages)


async def test_the_example_polite_is_heard_by_the_model(workshop: Workshop) -> None:
    workshop.own("plugin/polite.py", dict(examples("PLUGINS.md"))["plugin/polite.py"])
    async with WireServer([(Text("Certainly."),)]) as server:
        settings: dict[str, Any] = {"model": "openai/local", "modelOptions": {"apiBase": server.openai_base}}
        async with workshop.work(**settings) as work:
            await work.prompt()
    assert server.requests[0].body["temperature"] == 0.2
    assert server.requests[0].messages[0]["content"].endswith("Be polite.")


async def test_a_summary_is_asked_for_with_what_plugins_add(workshop: Workshop) -> None:
    workshop.own("plugin/notes.py", dict(examples("PLUGINS.md"))["plugin/notes.py"])
    (workshop.project / "notes.txt").write_text("The user likes tea.")
    long = " ".join(map(str, range(4000)))
    answers = [(Text(long),), (Text(long),), (Text("## Goal\nTea."),)]
    async with WireServer(answers) as server:
        settings: dict[str, Any] = {
            "model": "openai/local",
            "modelOptions": {"apiBase": server.openai_base},
            "compaction": {"keepTokens": 1},
        }
        async with workshop.work(**settings) as work:
            await work.prompt("First.")
            await work.session.prompt([TextPart(text="Second.")])
            await work.session.compact()
            assert work.told == []
    assert "The user likes tea." in str(server.requests[-1].messages[-1])
    assert all("likes tea" not in str(request.messages) for request in server.requests[:-1])
