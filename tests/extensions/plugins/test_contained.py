"""Tools and plugins run in the sandbox by the setting `plugins.sandbox`: a project's do, the user's own do not."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from extension_support import Workshop
from placet.extensions.plugins.manager import CustomExtensions
from placet.extensions.plugins.process import ExtensionProcess
from placet.project.processes.child import Command
from placet.sandbox.programs import Program
from placet.sessions.services.config import ConfigLoader
from placet.sessions.services.plugins import owners_of
from placet.tools.framework.define import Tool
from sandbox_support import FakeSandbox

OWN = "from placet.tools import tool\n@tool\ndef mine() -> str:\n    return ''\n"
BROUGHT = "from placet.tools import tool\n@tool\ndef theirs() -> str:\n    return ''\n"


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    workshop = Workshop(tmp_path)
    workshop.own("tools/mine.py", OWN)
    workshop.brought("tools/theirs.py", BROUGHT)
    workshop.trust()
    return workshop


async def offered(workshop: Workshop, fake: FakeSandbox, **plugins: object) -> tuple[list[str], list[str]]:
    """Return the names of the tools and the messages for the user, after the end of all processes."""
    loader = ConfigLoader(workshop.locations, (workshop.project,), editor={"plugins": plugins}, environment=dict)
    messages: list[str] = []
    custom = CustomExtensions(workshop.directory / "extensions.log", contain=fake.contain)
    custom.on_trouble(messages.append)
    try:
        config = loader.read()
        custom.follow(owners_of(config, (workshop.project,)), config.settings.plugins)
        custom.begin()
        await custom.settled()
        tools: list[Tool] = [*await custom.tools()]
    finally:
        await custom.close()
    assert fake.running == [], "each sandbox ends with its process"
    return [tool.id for tool in tools], messages


@pytest.mark.parametrize(("sandbox", "contained"), [(None, ["theirs"]), (True, ["mine", "theirs"]), (False, [])])
async def test_the_setting_says_whose_tools_are_contained(
    workshop: Workshop, sandbox: bool | None, contained: list[str]
) -> None:
    fake = FakeSandbox()
    ids, messages = await offered(workshop, fake, sandbox=sandbox)
    assert (ids, messages) == (["mine", "theirs"], [])
    owner = {"mine": "yours", "theirs": str(workshop.project)}
    assert fake.programs == [
        Program(f"the tools and plugins of {owner[name]}", (workshop.project,)) for name in contained
    ]


async def test_tools_that_cannot_be_contained_are_not_imported_and_the_user_is_told(workshop: Workshop) -> None:
    _, messages = await offered(workshop, FakeSandbox("There is no sandbox here."))
    (message,) = messages
    assert message.endswith("theirs.py is ignored: its process cannot be started: There is no sandbox here.")


async def test_a_cancelled_close_leaves_the_sandbox_to_end_with_the_process(tmp_path: Path) -> None:
    is_ending, may_end, is_over = asyncio.Event(), asyncio.Event(), asyncio.Event()

    @asynccontextmanager
    async def slow_to_end(command: Command) -> AsyncGenerator[Command]:
        yield command
        is_ending.set()
        await may_end.wait()
        is_over.set()

    process = await ExtensionProcess.start(tmp_path, tmp_path / "log", lambda: None, slow_to_end)
    closing = asyncio.create_task(process.close())
    await is_ending.wait()
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    may_end.set()
    await process.close()
    assert is_over.is_set()
