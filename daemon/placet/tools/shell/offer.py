"""The tool `bash` as a request names the tool: a request must not import what runs a command."""

import os

from placet.tools.framework.define import AgentView
from placet.tools.texts import text_for

HAS_SANDBOXES = os.name != "nt"
"""Whether systems of this kind have a sandbox for commands."""


async def describe_bash(agent: AgentView) -> str:
    """Return the description of `bash`, with the name of the shell, and with the sandbox if a command may be inside."""
    from placet.tools.shell.program import for_shell

    parts = [for_shell(text_for("bash"))]
    if _may_be_contained(agent):
        parts.append(text_for("bash_sandbox"))
        if agent.settings.sandbox.leaving == "ask":
            parts.append(text_for("bash_outside"))
    return "\n\n".join(parts)


def left_out_of_bash(agent: AgentView) -> frozenset[str]:
    """Return the arguments of `bash` that the agent does not have."""
    if not _may_be_contained(agent):
        return frozenset(("outside", "files"))
    return frozenset() if agent.settings.sandbox.leaving == "ask" else frozenset(("outside",))


def _may_be_contained(agent: AgentView) -> bool:
    return HAS_SANDBOXES and agent.settings.sandbox.mode != "off"
