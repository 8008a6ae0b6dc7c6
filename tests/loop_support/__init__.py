"""What tests of the loop give its calls, where no session is there to make it."""

import asyncio
from pathlib import Path
from typing import Any

from placet.permissions.ask import Caller
from placet.project.paths import Workspace
from placet.tools.framework.context import ToolContext


def bare_context(ask: Any, *, message_id: str, call_id: str, tool: str, progress: Any) -> ToolContext:
    """The context of a call that touches nothing and can only ask."""
    nothing: Any = None
    return ToolContext(
        caller=Caller("ses_1", message_id, call_id, tool, (), ()),
        agent="build",
        abort=asyncio.Event(),
        messages=(),
        workspace=Workspace((Path("unused"),)),
        documents=nothing,
        features=nothing,
        changes=nothing,
        metadata=progress,
        ask=ask,
        output_directory=Path("unused"),
        judge=nothing,
    )
