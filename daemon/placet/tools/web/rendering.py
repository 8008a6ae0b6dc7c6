"""Turn HTML into Markdown or plain text, within a time limit: a page can make the conversion endless."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

from placet.core.errors import ToolError
from placet.core.executor import in_thread
from placet.project.processes.child import ManagedChild, python_command
from placet.project.processes.environment import without_secrets
from placet.tools.web.page import Format, render

SMALL_CHARACTERS = 4_000
"""Largest page converted in this process: a small page cannot take longer than the start of a process."""
RENDER_SECONDS = 15.0


async def rendered(html: str, base: str, page_format: Format, *, limit_seconds: float = RENDER_SECONDS) -> str:
    """Return the page in the wanted format, with absolute links.

    Raises ToolError where the conversion takes too long or too much memory. Cancelling ends the conversion.
    """
    if page_format == "html" or len(html) <= SMALL_CHARACTERS:
        return await in_thread(render, html, base, page_format)
    try:
        async with asyncio.timeout(limit_seconds):
            text = await _in_process(f"{base}\n{page_format}\n{html}".encode("utf-8", "surrogatepass"))
    except TimeoutError:
        text = None
    if text is None:
        raise ToolError(
            f"The page cannot be turned into {page_format} within the limits; fetch it with the format `html`."
        )
    return text


async def _in_process(order: bytes) -> str | None:
    """Return the output of the process, or None if the process failed."""
    child = await ManagedChild.start_python(
        python_command(
            "placet.tools.web.render_process",
            directory=Path(sys.executable).parent,  # Not the project: a relative entry of PYTHONPATH can lead there.
            environment=without_secrets(os.environ),
        ),
        log=subprocess.DEVNULL,
    )
    try:
        child.stdin.write(order)
        child.stdin.close()
        text = await child.stdout.read()
        code = await child.wait()
    finally:
        await child.end()
    return text.decode("utf-8", "surrogatepass") if code == 0 else None
