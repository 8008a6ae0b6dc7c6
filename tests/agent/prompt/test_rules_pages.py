import asyncio
from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from placet.agent.prompt import rules_pages
from placet.agent.prompt.rules_pages import fetch_rules, is_address
from placet.settings import Action
from web_site import Site


@pytest.fixture
async def site(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Site]:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    async with Site() as site:
        yield site


def at_home(permission: str, pattern: str) -> Action:
    return "allow" if permission == "private_address" else "ask"


async def test_a_page_of_rules_is_fetched(site: Site) -> None:
    assert await fetch_rules(site.put("/r.md", b"# Rules\n\nBe brief.", "text/markdown"), at_home) == (
        "# Rules\n\nBe brief."
    )
    assert await fetch_rules(site.put("/r", b"<h1>Rules</h1><p>Be <b>brief</b>.</p>"), at_home) == (
        "# Rules\n\nBe **brief**."
    )
    target = site.put("/there.md", b"There.", "text/plain")
    assert await fetch_rules(site.redirect("/here", target), at_home) == "There."


async def test_a_private_address_needs_a_rule(site: Site) -> None:
    def strict(permission: str, pattern: str) -> Action:
        return "ask"

    said = await fetch_rules(site.put("/r.md", b"Rules."), strict)
    assert said.startswith("(They could not be fetched: 127.0.0.1:")
    assert "which no rule allows" in said
    assert site.requests == []


async def test_a_denied_address_is_not_fetched_nor_is_one_redirected_to(site: Site) -> None:
    denied = site.put("/denied", b"Rules.")

    def judge(permission: str, pattern: str) -> Action:
        return "deny" if pattern == denied else at_home(permission, pattern)

    for url in (denied, site.redirect("/to", denied)):
        assert f"a rule denies fetching {denied}" in await fetch_rules(url, judge)


async def test_what_goes_wrong_is_a_note(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    async def silent(request: web.Request) -> web.Response:
        await asyncio.Event().wait()
        raise AssertionError

    site.pages["/silent"] = silent
    addresses = {
        site.url("/gone"): "answered 404",
        site.url("/silent"): "no answer within 0.2 seconds",
        site.put("/binary", b"\x89PNG\0\0", "image/png"): "is no text",
        site.put("/large", b"x" * 1_500_000, "text/plain"): "larger than the 1 MB",
        site.redirect("/round", site.url("/round")): "redirects more than 5 times",
        "http://": "cannot be fetched",
        "http://user:pass@example.org/": "user name or password",
    }
    for address, why in addresses.items():
        monkeypatch.setattr(rules_pages, "FETCH_SECONDS", 0.2 if address.endswith("/silent") else 60)
        said = await fetch_rules(address, at_home)
        assert said.startswith("(They could not be fetched: ")
        assert why in said


def test_an_address_is_told_from_a_pattern() -> None:
    assert is_address("https://example.org/r.md")
    assert not is_address("docs/*.md")
