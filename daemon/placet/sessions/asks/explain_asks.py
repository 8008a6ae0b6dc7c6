"""Questions of a call, for `placet permissions explain`: made by the functions with which the tools ask."""

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from placet.core.network_addresses import is_private, shown
from placet.permissions.ask import Ask
from placet.permissions.protection import conditions_for_writing
from placet.permissions.rules import permission_named
from placet.project.paths import Workspace
from placet.sandbox.containment import CommandSandbox
from placet.tools.framework.access import names_of, outside_ask

if TYPE_CHECKING:
    from placet.tools.framework.context import Judge

OF_FILES = ("edit", "list", "read")
"""Permissions of tools that take the path of a file or a directory."""


@dataclass(frozen=True, slots=True)
class Questions:
    asks: tuple[Ask, ...]
    """Permission asks, in the order of asking."""
    unasked: tuple[str, ...] = ()
    """Commands of a line that need no rule, as such a command does nothing by itself."""
    refusal: str = ""
    """Reason why the call would be refused, whatever the asks allow."""


def questions_of(
    permission: str,
    subject: str,
    workspace: Workspace,
    judge: "Judge",
    *,
    only_reads: bool = False,
    sandbox: CommandSandbox | None = None,
) -> Questions:
    """Return the questions of a call with this subject: a command line for `bash`, a path for files, else a pattern.

    `permission` may be the name of a tool; `only_reads` is as for `asks_for_command`. Looks at the disk. Raises
    ToolError for a subject that is no path.
    """
    permission = permission_named(permission)
    if permission == "bash":
        return _of_command(subject, workspace, judge, only_reads=only_reads, sandbox=sandbox)
    if permission in OF_FILES:
        path = workspace.resolve(subject)
        outside = outside_ask(workspace, (path,))
        names = tuple(names_of(workspace, path))
        conditions = conditions_for_writing(workspace, (path,)) if permission == "edit" else ()
        asked = Ask(permission, names, (), f"{permission} {subject}", conditions=conditions)
        return Questions((asked,) if outside is None else (outside, asked))
    if permission == "external_directory" and not subject.endswith("*"):
        outside = outside_ask(workspace, (workspace.resolve(subject),))
        return Questions(() if outside is None else (outside,))
    asked = Ask(permission, (subject,), (), f"{permission} {subject}")
    private = _private_address(subject) if permission == "webfetch" else None
    if private is None:
        return Questions((asked,))
    return Questions((asked, Ask("private_address", (private,), (), f"private_address {private}")))


def _private_address(url: str) -> str | None:
    """Return the pattern to ask about for a host written as an address; a name is looked up only for a fetch."""
    try:
        parts = urlsplit(url.strip())
        host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
        address = "127.0.0.1" if host == "localhost" else host
        return shown(address, port) if is_private(address) else None
    except ValueError:
        return None


def _of_command(
    line: str, workspace: Workspace, judge: "Judge", *, only_reads: bool, sandbox: CommandSandbox | None
) -> Questions:
    from placet.tools.shell.permission import asks_for_command, findings_of  # Only a command line is analysed.

    findings = findings_of(line, workspace.root)
    directory = workspace.root
    asked = asks_for_command(workspace, line, findings, directory, judge, only_reads=only_reads, sandbox=sandbox)
    patterns = {pattern for ask in asked.asks for pattern in ask.patterns}
    texts = dict.fromkeys(command.text for command in findings.commands if not command.targets)
    return Questions(asked.asks, tuple(text for text in texts if text not in patterns), asked.refusal)
