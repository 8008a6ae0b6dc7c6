"""The user's own pager and editor, run in the user's terminal while Placet waits."""

import asyncio
import os
import shlex
import signal
import tempfile
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

from rich.console import Console, RenderableType

from placet.frontends.terminal.output import complain
from placet.project.processes.programs import find_program

_NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


async def page(console: Console, shown: RenderableType) -> None:
    """Show in the user's pager; print where no pager is to be had. A cancellation ends the pager."""
    command = None if not console.is_terminal or console.is_dumb_terminal else _pager()
    if command is None:
        console.print(shown)
        return
    with console.capture() as capture:
        console.print(shown)
    # As git does: colours, no pager for a single screen, and the text stays on the screen.
    async with _run(command, {"LESS": os.environ.get("LESS", "FRX")}, has_input=True) as process:
        assert process.stdin is not None
        with suppress(BrokenPipeError, ConnectionResetError):  # The user has left the pager early.
            process.stdin.write(capture.get().encode())
            await process.stdin.drain()
        process.stdin.close()
        await process.wait()


async def edit(text: str, name: str) -> str | None:
    """Return the text as the user has left the text in the editor; None, with a message, without an editor.

    The file of the editor carries the last part of `name`, by which editors choose the syntax.
    """
    command = _editor()
    if command is None:
        complain("no editor was found: set VISUAL or EDITOR")
        return None
    file_name = "".join(character if character in _NAME_CHARACTERS else "_" for character in Path(name).name)
    with tempfile.TemporaryDirectory(prefix="placet-") as directory:
        file = Path(directory, file_name.lstrip("-") or "text")
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        quoted = f'"{file}"' if os.name == "nt" else shlex.quote(str(file))
        async with _run(f"{command} {quoted}", {}) as process:
            code = await process.wait()
        if code != 0:
            complain(f"the editor ended with {code}; nothing was taken over")
            return None
        try:
            return file.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
        except (OSError, UnicodeDecodeError) as error:
            complain(f"the edited text cannot be read: {error}")
            return None


def _pager() -> str | None:
    if (pager := os.environ.get("PAGER")) is not None:
        return pager.strip() or None
    return next((name for name in ("less", "more") if find_program(name) is not None), None)


def _editor() -> str | None:
    if editor := (os.environ.get("VISUAL") or os.environ.get("EDITOR") or "").strip():
        return editor
    names = ("notepad",) if os.name == "nt" else ("nano", "vi")
    return next((name for name in names if find_program(name) is not None), None)


@asynccontextmanager
async def _run(
    command: str, environment: dict[str, str], *, has_input: bool = False
) -> AsyncGenerator[asyncio.subprocess.Process]:
    """Run the user's command line by the shell, as git does with these variables; the command ends with the context."""
    with _undisturbed():
        process = await asyncio.create_subprocess_shell(
            command, stdin=asyncio.subprocess.PIPE if has_input else None, env={**os.environ, **environment}
        )
        try:
            yield process
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    process.terminate()
                await process.wait()


@contextmanager
def _undisturbed() -> Generator[None]:
    """Leave Ctrl-C to the user's program. The program starts without this handler."""
    before = signal.signal(signal.SIGINT, lambda _number, _frame: None)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
