"""docs/MODELS.md: each of its examples is read as a file of settings, and its tables say what is so."""

import re
from pathlib import Path

from corpus_support import corpus
from placet.model.client.call_reader import CallReader
from placet.model.client.host import HostedModel, ModelHost
from placet.model.host.catalog.local_servers import KNOWN, LocalServer
from placet.model.select import open_model
from placet.settings import Locations, load_settings

PAGE = Path(__file__).parents[2].joinpath("docs", "MODELS.md").read_text("utf-8")
EXAMPLES = re.findall(r"^```jsonc\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@corpus("example", EXAMPLES)
async def test_an_example_is_read_and_its_models_can_be_opened(tmp_path: Path, example: str) -> None:
    locations = Locations(tmp_path, tmp_path, tmp_path, tmp_path)
    (tmp_path / "placet.jsonc").write_text(example, "utf-8")

    settings = load_settings(locations, environment={})

    assert settings.problems == ()
    for name in (settings.model, *settings.fallback_models):
        assert isinstance(open_model(name, settings, ModelHost(environment={})), HostedModel)


def test_the_page_has_examples() -> None:
    assert len(EXAMPLES) == 12


@corpus("server", KNOWN)
def test_the_table_has_each_server(server: LocalServer) -> None:
    row = f"| {server.title} | `{server.provider}/NAME` | `{server.address}` | `{server.variable}` |"

    assert row in PAGE


def test_the_form_of_a_call_is_the_one_that_is_read() -> None:
    (form,) = re.findall(r"^````text\n(.*?)^````", PAGE, re.MULTILINE | re.DOTALL)
    reader = CallReader()

    events = [*reader.take(form), *reader.finish("stop")]

    assert [type(event).__name__ for event in events] == ["CallStarted", "CallDelta", "Finished"]
    assert events[0].name == "read"  # type: ignore[union-attr]
