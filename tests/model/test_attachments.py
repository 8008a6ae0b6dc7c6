"""Images and documents for models that take them, that do not, and of which nothing is known."""

import pytest

from corpus_support import corpus
from model_support.asking import answer, assistant, completed, request, user
from placet.core.messages import FilePart
from placet.model.client.host import ModelHost
from placet.settings import Settings
from wire_servers.answers import Text
from wire_servers.server import WireServer

pytestmark = pytest.mark.asyncio(loop_scope="session")

IMAGE = FilePart(uri="data:image/png;base64,iVBORw0KGgo=", mime="image/png", name="x.png")
PAPER = FilePart(uri="data:application/pdf;base64,AAAA", mime="application/pdf", name="paper.pdf")
SEES, BLIND, UNKNOWN = "openai/gpt-4o", "openai/gpt-3.5-turbo", "openai/my-own"


async def contents(host: ModelHost, server: WireServer, name: str, *attached: FilePart) -> list[object]:
    server.play([(Text("ok"),)])
    settings = Settings.model_validate({"modelOptions": {"apiBase": server.openai_base}})
    read = completed("read", {}, "an image", call_id="a", attachments=attached)
    await answer(host.model(name, settings), request(user("look", *attached), assistant(read)))
    return [message.get("content") for message in server.requests[-1].messages]


@corpus("name", [SEES, UNKNOWN], server=WireServer)
async def test_what_a_model_may_see_is_sent(host: ModelHost, server: WireServer, name: str):
    _, asked, *_, attached = await contents(host, server, name, IMAGE, PAPER)

    assert [item["type"] for item in asked] == ["text", "image_url", "file"]
    assert [item["type"] for item in attached] == ["text", "image_url", "file"]


async def test_a_model_that_takes_none_is_told_of_them(host: ModelHost, server: WireServer):
    _, asked, *_, attached = await contents(host, server, BLIND, IMAGE, PAPER)

    for text in (asked, attached):
        assert isinstance(text, str)
        assert "An image was attached, image/png, but is not shown" in text
        assert "`paper.pdf`" in text
        assert "base64" not in text
