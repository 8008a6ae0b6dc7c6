"""Pages as text, converted where a limit can end it."""

import asyncio

import psutil
import pytest

from corpus_support import corpus
from placet.core.errors import ToolError
from placet.tools.web.page import render
from placet.tools.web.rendering import SMALL_CHARACTERS, rendered
from process_support import children_running

BASE = "https://a.example/docs/p.html"
BOMB = "<pre>x" * 30_000


def conversions() -> list[psutil.Process]:
    return children_running("placet.tools.web.render_process")


@corpus("page_format", ["markdown", "text"])
async def test_a_large_page_is_converted_as_a_small_one_is(page_format):
    page = "<p>Grüße, <a href='x.html'>x</a>\n" * (SMALL_CHARACTERS // 20)
    assert await rendered(page, BASE, page_format) == render(page, BASE, page_format)


@pytest.mark.parametrize(
    ("page", "limit_seconds"),
    [
        pytest.param(BOMB, 0.02, id="time"),  # No process has started by then.
        pytest.param(BOMB * 10, 60.0, id="memory"),
    ],
)
async def test_a_page_whose_conversion_goes_beyond_a_limit_is_told_and_ended(page: str, limit_seconds: float):
    with pytest.raises(ToolError, match="cannot be turned into markdown"):
        await rendered(page, BASE, "markdown", limit_seconds=limit_seconds)
    assert conversions() == []


async def test_a_conversion_is_ended_with_its_call():
    task = asyncio.create_task(rendered(BOMB, BASE, "markdown", limit_seconds=60.0))
    while not (running := await asyncio.to_thread(conversions)):
        pass
    running[0].suspend()  # So it cannot end by itself.
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert conversions() == []
