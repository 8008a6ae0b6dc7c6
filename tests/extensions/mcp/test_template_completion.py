"""Completion of a mention: an MCP server's values for the variables of its templates of resources."""

from pathlib import Path

from mcp_support import odd
from placet.sessions.registry import Sessions
from services_support import TempServices


async def connected(sessions: Sessions, name: str) -> None:
    mcp = sessions.extensions.mcp
    while mcp.find(name).state != "connected":
        await mcp.changed()


async def test_a_servers_values_for_the_variables_of_a_template_are_offered(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    titles = {"title": {"disable": True}}
    async with services.open(mcp={"odd": odd("completes"), "plain": odd("plain")}, agent=titles) as sessions:
        await sessions.create(title="t")
        await connected(sessions, "odd")
        await connected(sessions, "plain")

        async def offered(text: str) -> list[str]:
            found = await sessions.completion.complete(text, len(text))
            return [offer.text for offer in found.offers if offer.kind == "resource"]

        assert await offered("Follow @odd:doc://Po") == [
            "@odd:doc://shelf-Po/books/",
            "@odd:doc://two%20words/books/",
            "@odd:doc://bell%07/books/",
        ]
        assert (await offered("Follow @odd:doc://a%20b/books/E"))[0] == "@odd:doc://a%20b/books/title-E%2Ba%20b"
        assert await offered("Follow @odd:doc:/") == []
        assert await offered("Follow @plain:test://n") == ["@plain:test://note"]
