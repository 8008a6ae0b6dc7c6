"""Messages of `agent/back/*`: going back to an earlier prompt in talk and files, and forward again."""

from typing import Literal

from pydantic import Field

from placet.core.messages import PromptPart, Value
from placet.frontends.lsp.protocol.agent_messages import UndoneFile

What = Literal["all", "talk", "files"]


class PreviewBack(Value):
    """Describe what going back to a prompt would do now; nothing is changed."""

    session_id: str
    message_id: str
    """Prompt to go back to."""
    what: What = "all"
    """`talk`: the messages alone; `files`: the files alone."""


class BackFile(Value):
    uri: str
    status: Literal["restored", "conflict", "unchanged"]
    """`conflict`: the user has edited the same lines since, and the file would be left alone."""
    reason: str | None = None
    additions: int = 0
    """Lines that going back would add to the present file."""
    deletions: int = 0


class OutsideEffect(Value):
    """Effect that stays when the user goes back."""

    kind: Literal["command", "job", "tool", "file"]
    """`command`: a command ran outside of a sandbox. `job`: a background job ran or still runs. `tool`: a tool of an
    MCP server or an extension ran. `file`: a command changed a file that undo does not cover.
    """
    text: str


class BackPreview(Value):
    files: tuple[BackFile, ...]
    staged: tuple[str, ...] = ()
    """URIs of files whose changes of these turns would leave the change set."""
    prompts: int
    """Number of prompts from the named prompt on."""
    effects: tuple[OutsideEffect, ...] = ()
    """Effects that are not Placet's to undo."""


class GoBack(Value):
    """Go back to a prompt: hide the prompt and all later messages, restore the files to the state before the prompt, or
    both. Files are restored as by `agent/undo`: a file in which the user has edited the same lines since is left alone.

    Proposed changes of the hidden turns leave the change set. The hidden messages are kept until the next prompt, and
    `agent/back/redo` brings everything back. While a turn runs the request fails: cancel the turn first. The session
    says in `backTo` that messages are hidden, and in `filesBack` that the files alone went back; the event
    `session_back` tells all clients.
    """

    session_id: str
    message_id: str
    what: What = "all"
    """`talk`: the messages alone; `files`: the files alone."""


class BackResult(Value):
    files: tuple[UndoneFile, ...]
    staged: tuple[str, ...] = ()
    """URIs of files whose share in the change set changed."""
    parts: tuple[PromptPart, ...] = Field(default=())
    """Prompt to which the user went back, to be edited and sent again; empty for the files alone, and for a redo."""


class RedoBack(Value):
    """Take back the last act of going back: messages, files and the change set are as before. Several acts are redone
    one by one, the last first; a prompt ends the way forward.
    """

    session_id: str
