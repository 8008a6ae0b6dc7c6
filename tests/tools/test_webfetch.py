import asyncio
import base64
import gzip
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from corpus_support import corpus
from placet.core.errors import InvalidArguments, PermissionDenied, Rejected, ToolError
from placet.core.ports import PermissionAnswer, PermissionRequest
from placet.permissions.gate import Gate
from placet.tools import webfetch
from placet.tools.webfetch import TOOL, WebFetchArguments, fetch_page
from time_support import LoopClock, wait_seconds
from tools_support.workbench import UserAtHand, Workbench
from web_site import Site

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
AT_HOME = {"webfetch": "allow", "private_address": {"127.0.0.1:*": "allow"}}


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with Site() as site:
        yield site


@pytest.fixture
async def home(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    """A bench whose rules let it fetch from the site."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    bench.permission = AT_HOME
    return bench


async def test_a_page_comes_as_markdown(home: Workbench, site: Site) -> None:
    url = site.put("/docs/a", "<html><h1>Head</h1><p>né <a href='b'>b</a></p></html>".encode())
    result = await home.run(TOOL, url=url)
    assert result.output == f"# Head\n\nné [b]({site.url('/docs/b')})"
    assert result.title == f"{url} (text/html)"
    assert result.metadata["truncated"] is False


@corpus(("page_format", "output"), [("text", "Head\n\nText"), ("html", "<h1>Head</h1><p>Text</p>")])
async def test_a_page_comes_as_text_or_html(home: Workbench, site: Site, page_format: str, output: str) -> None:
    assert (await home.run(TOOL, url=site.put("/", b"<h1>Head</h1><p>Text</p>"), format=page_format)).output == output


async def test_what_is_no_page_comes_as_it_is(home: Workbench, site: Site) -> None:
    url = site.put("/a.json", b'{"a": "<b>"}', "application/json")
    assert (await home.run(TOOL, url=url)).output == '{"a": "<b>"}'


async def test_an_image_is_attached(home: Workbench, site: Site) -> None:
    result = await home.run(TOOL, url=site.put("/pic.png", PNG, "application/octet-stream"))
    [image] = result.attachments
    assert (image.mime, image.name) == ("image/png", "pic.png")
    assert base64.b64decode(image.uri.partition(",")[2]) == PNG


async def test_other_binary_content_is_refused(home: Workbench, site: Site) -> None:
    with pytest.raises(ToolError, match=r"neither text nor an image \(application/zip\)"):
        await home.run(TOOL, url=site.put("/a.zip", b"PK\x03\x04\0\0", "application/zip"))


async def test_a_packed_page_is_unpacked(home: Workbench, site: Site) -> None:
    url = site.put("/", gzip.compress(b"packed text"), "text/plain", **{"Content-Encoding": "gzip"})
    assert (await home.run(TOOL, url=url)).output == "packed text"
    assert site.requests[0].headers["Accept-Encoding"] == "gzip, deflate"
    assert site.requests[0].headers["User-Agent"].startswith("Placet/")


async def test_an_error_of_the_server_is_told(home: Workbench, site: Site) -> None:
    with pytest.raises(ToolError, match=r"/gone answered 404 Not Found\.$"):
        await home.run(TOOL, url=site.url("/gone"))


async def test_a_server_that_is_not_there_is_told(home: Workbench, site: Site) -> None:
    async with Site() as other:
        url = other.url("/")
    with pytest.raises(ToolError, match="cannot be reached"):
        await home.run(TOOL, url=url)


async def test_a_host_that_is_not_there_is_told(home: Workbench) -> None:
    with pytest.raises(ToolError, match=r"nowhere\.invalid cannot be found"):
        await home.run(TOOL, url="http://nowhere.invalid/")


@corpus(
    "url",
    [
        "ftp://a.example/",
        "file:///etc/passwd",
        "a.example",
        "http://",
        "http://a:99999/",
        "http://[::1",
        "javascript:1",
    ],
)
async def test_only_web_addresses_are_fetched(home: Workbench, url: str) -> None:
    with pytest.raises(ToolError, match=r"cannot be fetched|is not an address|impossible port"):
        await home.run(TOOL, url=url)


async def test_an_address_with_a_password_is_refused_before_anyone_is_asked(home: Workbench) -> None:
    with pytest.raises(ToolError, match="user name or password"):
        await home.run(TOOL, url="https://good.example@evil.example/")
    assert home.user.asked == []


async def test_the_address_is_what_permission_is_asked_for(home: Workbench, site: Site) -> None:
    home.permission = {"private_address": "allow"}
    url = site.put("/b", b"x", "text/plain")
    await home.run(TOOL, url=site.url("/a/../b#top"))
    [request] = home.user.requests
    assert (request.permission, request.patterns, request.url) == ("webfetch", (url,), url)
    assert request.always[0].patterns == (site.url("/*"),)


async def test_a_refusal_fetches_nothing(home: Workbench, site: Site) -> None:
    home.permission, home.user.answers = {"private_address": "allow"}, [PermissionAnswer("reject")]
    with pytest.raises(Rejected):
        await home.run(TOOL, url=site.url("/"))
    assert site.requests == []


@corpus("host", ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001"])
async def test_this_machine_is_not_reached_without_a_rule(home: Workbench, site: Site, host: str) -> None:
    home.permission = {"webfetch": "allow"}
    with pytest.raises(PermissionDenied, match="private_address"):
        await home.run(TOOL, url=site.url("/", host))
    assert site.requests == []


@corpus("address", ["10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "fe80::1"])
async def test_a_name_that_leads_to_a_private_address_is_refused(home: Workbench, address: str) -> None:
    async def resolve(host: str, port: int) -> list[str]:
        return ["8.8.8.8", address]

    with pytest.raises(PermissionDenied, match="private_address"):
        await fetch_page(WebFetchArguments(url="http://inside.example/"), home.context("webfetch"), resolve)


async def test_a_name_is_resolved_once_and_the_address_that_was_checked_is_connected_to(
    home: Workbench, site: Site
) -> None:
    asked: list[tuple[str, int]] = []

    async def resolve(host: str, port: int) -> list[str]:
        asked.append((host, port))
        return ["127.0.0.1"] if len(asked) == 1 else ["10.9.9.9"]

    site.put("/", b"here", "text/plain")
    url = site.url("/", "rebound.example")
    result = await fetch_page(WebFetchArguments(url=url), home.context("webfetch"), resolve)
    assert result.output == "here"
    assert asked == [("rebound.example", site.port)]
    assert site.requests[0].headers["Host"] == f"rebound.example:{site.port}"


async def test_the_next_address_is_tried_when_one_does_not_answer(home: Workbench, site: Site) -> None:
    async def resolve(host: str, port: int) -> list[str]:
        return ["127.0.0.2", "127.0.0.1"]

    home.permission = {"webfetch": "allow", "private_address": "allow"}
    site.put("/", b"here", "text/plain")
    arguments = WebFetchArguments(url=site.url("/", "two.example"))
    assert (await fetch_page(arguments, home.context("webfetch"), resolve)).output == "here"


async def test_a_redirect_within_the_host_is_followed(home: Workbench, site: Site) -> None:
    site.put("/there", b"arrived", "text/plain")
    site.redirect("/then", "/there", 307)
    result = await home.run(TOOL, url=site.redirect("/", site.url("/then")))
    assert result.output == "arrived"
    assert result.metadata["url"] == site.url("/there")


@corpus("location", ["https://other.example/x", "//other.example/x", "http://127.0.0.1:1/x", "ftp://a/x"])
async def test_a_redirect_elsewhere_is_told_and_not_followed(home: Workbench, site: Site, location: str) -> None:
    site.requests.clear()
    result = await home.run(TOOL, url=site.redirect("/", location))
    assert result.metadata["redirect"].endswith("/x")
    assert result.metadata["redirect"] in result.output
    assert len(site.requests) == 1


async def test_a_redirect_to_what_a_rule_denies_is_not_followed(home: Workbench, site: Site) -> None:
    home.permission = {**AT_HOME, "webfetch": {"*": "allow", "*/secret": "deny"}}
    with pytest.raises(PermissionDenied, match="/secret"):
        await home.run(TOOL, url=site.redirect("/", "/secret"))
    assert [request.path for request in site.requests] == ["/"]


async def test_a_redirect_to_what_no_rule_allows_is_asked_for(home: Workbench, site: Site) -> None:
    home.permission = {**AT_HOME, "webfetch": {site.url("/pub/*"): "allow"}}
    site.put("/private/page", b"arrived", "text/plain")
    page = site.redirect("/pub/page", "/private/page")
    assert (await home.run(TOOL, url=page)).output == "arrived"
    assert home.user.asked == [("webfetch", (site.url("/private/page"),))]
    home.user.answers = [PermissionAnswer("reject")]
    site.requests.clear()
    with pytest.raises(Rejected):
        await home.run(TOOL, url=page)
    assert [request.path for request in site.requests] == ["/pub/page"]


async def test_a_redirect_to_the_same_page_is_not_asked_for_again(home: Workbench, site: Site) -> None:
    home.permission = {**AT_HOME, "webfetch": "ask"}
    site.put("/docs/", b"arrived", "text/plain")
    assert (await home.run(TOOL, url=site.redirect("/docs", "/docs/"))).output == "arrived"
    assert home.user.asked == [("webfetch", (site.url("/docs"),))]


async def test_redirects_in_a_circle_end(home: Workbench, site: Site) -> None:
    with pytest.raises(ToolError, match="redirects more than 10 times"):
        await home.run(TOOL, url=site.redirect("/", "/"))


async def endless(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/plain"})
    await response.prepare(request)
    while True:
        await response.write(b"x" * 65536)


async def test_an_endless_body_is_cut_off(home: Workbench, site: Site) -> None:
    site.pages["/"] = endless
    with pytest.raises(ToolError, match="larger than the 5 MB"):
        await home.run(TOOL, url=site.url("/"))
    await asyncio.wait_for(site.left.wait(), wait_seconds())


async def never(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/plain"})
    await response.prepare(request)
    await response.write(b"a beginning")
    await asyncio.Event().wait()
    return response


async def test_a_body_that_does_not_end_runs_into_the_time_limit(
    home: Workbench, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = LoopClock(monkeypatch)
    site.pages["/"] = never
    fetching = asyncio.create_task(home.run(TOOL, url=site.url("/"), timeout=60))
    await site.asked.wait()
    clock.skip(60)
    with pytest.raises(ToolError, match=r"took longer than 60 seconds"):
        await fetching
    await asyncio.wait_for(site.left.wait(), wait_seconds())


async def test_the_users_time_to_answer_is_not_the_servers(
    home: Workbench, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = LoopClock(monkeypatch)

    class SlowUser(UserAtHand):
        async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
            clock.skip(100)
            await asyncio.sleep(0.01)
            return await super().request_permission(request)

    home.gate = Gate(SlowUser())
    home.permission = {"webfetch": "allow", "private_address": "ask"}
    url = site.put("/", b"here", "text/plain")
    assert (await home.run(TOOL, url=url, timeout=60)).output == "here"


@pytest.mark.timeout(30)  # Nothing else ends the wait of a stop that needs time.
async def test_a_stop_needs_no_time(home: Workbench, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.pages["/"] = never
    fetching = asyncio.create_task(home.run(TOOL, url=site.url("/")))
    await site.asked.wait()
    clock = LoopClock(monkeypatch, stands_still=True)
    fetching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await fetching
    clock.skip(0)
    await asyncio.wait_for(site.left.wait(), wait_seconds())


async def test_an_answer_that_breaks_off_is_told(home: Workbench, site: Site) -> None:
    async def broken(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/plain", "Content-Length": "100"})
        await response.prepare(request)
        await response.write(b"ten bytes.")
        request.transport.abort()
        return response

    site.pages["/"] = broken
    with pytest.raises(ToolError, match="broke off"):
        await home.run(TOOL, url=site.url("/"))


async def test_a_long_page_is_bounded_and_kept(home: Workbench, site: Site) -> None:
    result = await home.run(TOOL, url=site.put("/", b"line\n" * 5000, "text/plain"))
    assert result.metadata["truncated"] is True
    assert len(Path(result.metadata["outputPath"]).read_bytes()) == 25_000


async def test_a_timeout_must_be_positive(home: Workbench) -> None:
    with pytest.raises(InvalidArguments, match="timeout"):
        await home.run(TOOL, url="https://a.example", timeout=0)


async def test_a_proxy_is_given_the_name(home: Workbench, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{site.port}")
    monkeypatch.setenv("no_proxy", "")
    site.put("/page", b"through the proxy", "text/plain")
    assert (await home.run(TOOL, url="http://only-the-proxy-knows.invalid/page")).output == "through the proxy"
    assert site.requests[0].headers["Host"] == "only-the-proxy-knows.invalid"


def test_no_more_than_two_minutes_are_waited() -> None:
    assert webfetch.MAX_SECONDS == 120
