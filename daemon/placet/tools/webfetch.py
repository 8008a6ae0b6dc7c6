"""Fetch an address: a page as Markdown, text or HTML, an image as an attachment."""

import asyncio
import base64
import importlib
import time
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from pydantic import Field

from placet.core.errors import ToolError
from placet.core.executor import in_thread
from placet.core.messages import FilePart
from placet.permissions.ask import Ask
from placet.tools.framework.context import ToolContext
from placet.tools.framework.define import Arguments, Definition, ToolResult, define_tool
from placet.tools.framework.facts import ToolFacts
from placet.tools.texts import text_for
from placet.tools.web.page import Format, decode_page, image_type, is_binary, is_html, media_type
from placet.tools.web.rendering import rendered

if TYPE_CHECKING:
    import httpx2

    from placet.core.network_addresses import Resolve
    from placet.tools.web.client import WebResponse

    Get = Callable[[httpx2.URL], Awaitable[WebResponse]]
    MayFollow = Callable[[httpx2.URL], Awaitable[None]]

DEFAULT_SECONDS = 30
MAX_SECONDS = 120
MAX_BYTES = 5_000_000
MAX_REDIRECTS = 10
SHOW_EVERY_SECONDS = 0.25

_ACCEPTS: dict[Format, str] = {
    "markdown": "text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.1",
    "text": "text/plain, text/markdown;q=0.9, text/html;q=0.8, */*;q=0.1",
    "html": "text/html, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.1",
}


class WebFetchArguments(Arguments):
    url: str = Field(min_length=1, description="The address, with http:// or https://.")
    format: Format = Field(default="markdown", description="How a page comes.")
    timeout: float | None = Field(
        default=None, gt=0, description=f"Seconds it may take (default {DEFAULT_SECONDS}, at most {MAX_SECONDS})."
    )


async def execute(arguments: WebFetchArguments, context: ToolContext) -> ToolResult:
    return await fetch_page(arguments, context)


async def fetch_page(
    arguments: WebFetchArguments, context: ToolContext, resolve: "Resolve | None" = None
) -> ToolResult:
    """Fetch the page. Raises ToolError and the gate's errors. `resolve` is the system's resolver unless given."""
    # The client takes a fifth of a second to load; only a fetch pays for the load.
    client = await in_thread(importlib.import_module, "placet.tools.web.client")
    url: httpx2.URL = client.parse_url(arguments.url)
    context.metadata(title=str(url), metadata={"url": str(url), "bytes": 0})
    always = (f"{client.origin_of(url)}/*",)
    await context.ask(Ask("webfetch", (str(url),), always, f"Fetch {url}", url=str(url)))
    seconds = min(arguments.timeout or DEFAULT_SECONDS, MAX_SECONDS)
    limit = asyncio.timeout(seconds)

    async def ask(request: Ask) -> None:
        limit.reschedule(None)  # The user's time to answer is not the server's.
        await context.ask(request)
        limit.reschedule(asyncio.get_running_loop().time() + seconds)

    async def may_enter(addresses: Sequence[str]) -> None:
        title = f"Fetch from a private address: {', '.join(addresses)}"
        await ask(Ask("private_address", tuple(addresses), tuple(addresses), title, url=str(url)))

    async def may_follow(target: "httpx2.URL") -> None:
        """Ask about a redirect like a fetch, unless only the scheme or a slash of the same page changes."""
        if context.judge("webfetch", str(target)) == "ask" and _is_same_page(url, target):
            return
        title = f"Fetch {target}, to which {url} redirects"
        await ask(Ask("webfetch", (str(target),), always, title, url=str(target)))

    get: Get = partial(
        client.fetch,
        accept=_ACCEPTS[arguments.format],
        limits=client.Limits(MAX_BYTES, _progress(context, str(url))),
        may_enter=may_enter,
        resolve=resolve or client.resolve_by_system,
    )
    try:
        async with limit:
            answer = await _follow(url, get, may_follow)
    except TimeoutError as error:
        raise ToolError(
            f"{url} took longer than {seconds:g} seconds. A larger `timeout` (at most {MAX_SECONDS}) may help."
        ) from error
    if (target := answer.redirect) is not None:
        return _redirected(answer.url, target)
    if not 200 <= answer.status < 300:
        raise ToolError(f"{answer.url} answered {answer.status} {answer.reason}".rstrip() + ".")
    return await _result(answer, arguments.format)


async def _follow(url: "httpx2.URL", get: "Get", may_follow: "MayFollow") -> "WebResponse":
    """Return the answer at the end of the redirects within the host, or the redirect to another host.

    Raises ToolError, and the errors of `may_follow`.
    """
    answer = await get(url)
    for _ in range(MAX_REDIRECTS):
        target = answer.redirect
        if target is None or not _stays(answer.url, target):
            return answer
        await may_follow(target)
        answer = await get(target)
    raise ToolError(f"{url} redirects more than {MAX_REDIRECTS} times.")


def _stays(url: "httpx2.URL", target: "httpx2.URL") -> bool:
    """Return whether the redirect leads to the same host and port, or from http to https."""
    schemes = (url.scheme, target.scheme)
    is_upgrade = schemes == ("http", "https") and url.port is None
    return url.netloc == target.netloc and (url.scheme == target.scheme or is_upgrade)


def _is_same_page(url: "httpx2.URL", target: "httpx2.URL") -> bool:
    """Return whether the two addresses differ only by the scheme or a slash at the end."""
    return (url.netloc, url.path.rstrip("/"), url.query) == (target.netloc, target.path.rstrip("/"), target.query)


def _redirected(url: "httpx2.URL", target: "httpx2.URL") -> ToolResult:
    return ToolResult(
        title=f"{url} -> {target}",
        output=f"{url} redirects to another host, which was not followed. "
        f"To fetch it, call webfetch with this address:\n{target}",
        metadata={"url": str(url), "redirect": str(target)},
    )


async def _result(answer: "WebResponse", page_format: Format) -> ToolResult:
    media, charset = media_type(answer.headers.get("content-type", ""))
    title = f"{answer.url} ({media or 'unknown type'})"
    metadata = {"url": str(answer.url), "contentType": media, "bytes": len(answer.body)}
    if (mime := image_type(answer.body)) is not None:
        data = await in_thread(lambda: base64.b64encode(answer.body).decode("ascii"))
        name = answer.url.path.rpartition("/")[2] or "image"
        image = FilePart(uri=f"data:{mime};base64,{data}", mime=mime, name=name)
        return ToolResult(title, f"The image at {answer.url} is attached.", metadata, (image,))
    if is_binary(answer.body):
        raise ToolError(f"{answer.url} is neither text nor an image ({media or 'of unknown type'}).")
    text = await in_thread(decode_page, answer.body, charset)
    if is_html(media, answer.body):
        text = await rendered(text, str(answer.url), page_format)
    return ToolResult(title, text or "(The page has no text.)", metadata)


def _progress(context: ToolContext, url: str) -> Callable[[int], None]:
    """Shows how much has come, a few times a second."""
    shown = time.monotonic()

    def note(count: int) -> None:
        nonlocal shown
        if time.monotonic() - shown > SHOW_EVERY_SECONDS:
            shown = time.monotonic()
            context.metadata(metadata={"url": url, "bytes": count})

    return note


FACTS = ToolFacts("webfetch", order=130, kind="fetch", rule="ask", reads_web=True, is_prose=True)
TOOL = define_tool(FACTS.name, Definition(text_for("webfetch"), WebFetchArguments, execute, concurrent=True))
