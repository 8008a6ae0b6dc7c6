"""Turn HTML into Markdown or plain text, within a time limit: a page can make the conversion endless."""

import asyncio
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from placet.core.errors import ToolError
from placet.core.executor import in_thread
from placet.project.processes.environment import without_secrets
from placet.tools.web.page import Format, render

SMALL_CHARACTERS = 4_000
"""Largest page converted in this process: a small page cannot take longer than the start of a process."""
RENDER_SECONDS = 15.0

_CREATION_FLAGS = getattr(subprocess, "CREATE_NO_WINDOW", 0)


async def rendered(html: str, base: str, wanted: Format, *, limit_seconds: float = RENDER_SECONDS) -> str:
    """Return the page in the wanted format, with absolute links.

    Raises ToolError where the conversion takes too long or too much memory. Cancelling ends the conversion.
    """
    if wanted == "html" or len(html) <= SMALL_CHARACTERS:
        return await in_thread(render, html, base, wanted)
    try:
        async with asyncio.timeout(limit_seconds):
            text = await _in_process(f"{base}\n{wanted}\n{html}".encode("utf-8", "surrogatepass"))
    except TimeoutError:
        text = None
    if text is None:
        raise ToolError(f"The page cannot be turned into {wanted} within the limits; fetch it with the format `html`.")
    return text


async def _in_process(order: bytes) -> str | None:
    """Return the output of the process, or None if the process failed."""
    process = await asyncio.create_subprocess_exec(
        # -P: no file of the working directory is a module.
        *(sys.executable, "-P", "-m", "placet.tools.web.render_process", str(os.getpid())),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=without_secrets(os.environ),
        cwd=Path(sys.executable).parent,  # Not the project: a relative entry of PYTHONPATH must not lead there.
        creationflags=_CREATION_FLAGS,
    )
    try:
        text, _ = await process.communicate(order)
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    return text.decode("utf-8", "surrogatepass") if process.returncode == 0 else None
