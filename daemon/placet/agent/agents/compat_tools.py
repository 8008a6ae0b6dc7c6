"""Names of tools in Claude Code's agents (`tools: Read, Grep, Bash`), and the names of these tools here. Pure."""

import re
from collections.abc import Sequence

from placet.permissions.rules import permission_named
from placet.tools.framework.builtin import tool_specs

_HERE = {
    "agent": "task",
    "askuserquestion": "question",
    "bashoutput": "bash",
    "exitplanmode": "plan_exit",
    "killbash": "bash",
    "killshell": "bash",
    "ls": "list",
    "notebookedit": "edit",
    "notebookread": "read",
    "patch": "edit",
    "taskoutput": "task",
    "todo": "todowrite",
}
_SAME = frozenset(spec.name for spec in tool_specs() if not spec.hidden)
# `Bash(git diff:*)` names a tool with its permissions; here the permission rules hold them.
_NAME = re.compile(r"([^\s,(]+)(?:\([^)]*\))?")


def named_tools(written: object) -> tuple[frozenset[str], tuple[str, ...]]:
    """Return (the permissions of the tools, names without a meaning here) for a list or for a text with commas or
    blanks."""
    texts: Sequence[object] = written if isinstance(written, list) else (written,)
    names = [match[1] for text in texts for match in _NAME.finditer(str(text))]
    permissions = {name: _here(name) for name in names}
    return (
        frozenset(here for here in permissions.values() if here),
        tuple(name for name, here in permissions.items() if not here),
    )


def _here(name: str) -> str:
    """Return the permission of the tool, or an empty string if the name means nothing here."""
    if name.startswith("mcp__"):
        return "_".join(part for part in name.removeprefix("mcp__").split("__") if part)
    low = name.lower()
    tool = _HERE.get(low, low)
    return permission_named(tool) if tool in _SAME else ""
