"""Rules on the web: an address which the user has set, fetched as by webfetch, in a few seconds or not at all."""

import asyncio
import importlib
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from placet.core.errors import PermissionDenied, ToolError
from placet.core.executor import in_thread
from placet.tools.framework.context import Judge

if TYPE_CHECKING:
    from placet.core.network_addresses import Resolve
    from placet.tools.web.client import WebResponse

FETCH_SECONDS = 5.0
MOST_BYTES = 1_000_000
MOST_REDIRECTS = 5
_ACCEPT = "text/markdown, text/plain;q=0.9, text/html;q=0.5, */*;q=0.1"


def is_address(entry: str) -> bool:
    """Return whether the entry of the setting `instructions` is an address rather than a glob."""
    return entry.startswith(("http://", "https://"))


async def fetch_rules(address: str, judge: Judge, *, resolve: "Resolve | None" = None) -> str:
    """Return the text of the page, or in brackets the reason why the page could not be fetched.

    Nobody is asked: a page which is not allowed is not fetched. `resolve` is the system's own unless given.
    """
    try:
        async with asyncio.timeout(FETCH_SECONDS):
            return await _fetch(address, judge, resolve)
    except TimeoutError:
        return f"(They could not be fetched: no answer within {FETCH_SECONDS:g} seconds.)"
    except ToolError as error:
        return f"(They could not be fetched: {error})"


async def _fetch(address: str, judge: Judge, resolve: "Resolve | None") -> str:
    # The client takes a fifth of a second to load; only a fetch pays for the load.
    client = await in_thread(importlib.import_module, "placet.tools.web.client")

    async def may_enter(addresses: Sequence[str]) -> None:
        if private := [address for address in addresses if judge("private_address", address) != "allow"]:
            raise PermissionDenied(f"{', '.join(private)} is an address of a private network, which no rule allows.")

    get = partial(
        client.fetch,
        accept=_ACCEPT,
        limits=client.Limits(MOST_BYTES),
        may_enter=may_enter,
        resolve=resolve or client.resolve_by_system,
    )
    url = client.parse_url(address)
    for _ in range(MOST_REDIRECTS + 1):
        if judge("webfetch", str(url)) == "deny":
            raise PermissionDenied(f"a rule denies fetching {url}.")
        answer: WebResponse = await get(url)
        if (target := answer.redirect) is None:
            return await _text(answer)
        url = client.parse_url(str(target))
    raise ToolError(f"{address} redirects more than {MOST_REDIRECTS} times.")


async def _text(answer: "WebResponse") -> str:
    from placet.tools.web.page import decode_page, is_binary, is_html, media_type  # Few users have rules on the web.
    from placet.tools.web.rendering import rendered

    if not 200 <= answer.status < 300:
        raise ToolError(f"{answer.url} answered {answer.status} {answer.reason}".rstrip() + ".")
    if is_binary(answer.body):
        raise ToolError(f"{answer.url} is no text.")
    media, charset = media_type(answer.headers.get("content-type", ""))
    text = await in_thread(decode_page, answer.body, charset)
    return await rendered(text, str(answer.url), "markdown") if is_html(media, answer.body) else text
