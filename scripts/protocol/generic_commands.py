"""Commands for an editor without a plugin, described for docs/PROTOCOL.md."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GenericCommand:
    """Description of a command."""

    arguments: str
    """Arguments as JSON, each form after the other."""
    does: str


COMMANDS: dict[str, GenericCommand] = {
    "placet.prompt": GenericCommand('`["text"]`', "Prompts, in the session of this editor; the first one begins it."),
    "placet.cancel": GenericCommand("`[]`", "Stops the turn that runs, or gives up a sign-in that has begun."),
    "placet.undo": GenericCommand("`[]`", "Takes back the last turn that changed anything."),
    "placet.redo": GenericCommand("`[]`", "Takes back the last undo."),
    "placet.permission": GenericCommand("`[]`", "Puts what waits for an answer on the screen again."),
    "placet.answer": GenericCommand(
        '`["once" \\| "always" \\| "reject"]`, `[…, requestId]`, `["text", …]`',
        "Answers what waits, without an id the oldest. Where only questions wait, a text for each of them: an option, "
        "its number, or the user's own words; of several options, where a question takes them, with commas.",
    ),
    "placet.hunks": GenericCommand(
        '`[requestId, "keep" \\| "drop", [[file, hunk], …]]`',
        "Decides about hunks of a change: files count from 0, and hunks have the ids of the review. "
        "The code actions of the `.diff` document use it.",
    ),
    "placet.review": GenericCommand("`[]`, `[requestId]`", "Shows the diffs of what waits, as `.diff` documents."),
    "placet.changes": GenericCommand(
        "`[]`", "Shows the change set of the session, proposed and unreviewed changes, as a `.diff` document."
    ),
    "placet.decide": GenericCommand(
        '`["accept" \\| "reject", [[uri, version, hunks]]]`',
        "Decides about changes of the set, through the code actions of a file or of the `.diff` document.",
    ),
    "placet.agent": GenericCommand("`[]`, `[name]`", "Takes another agent; without a name it asks which."),
    "placet.model": GenericCommand("`[]`, `[name]`", "Takes another model; without a name it asks which."),
    "placet.sessions": GenericCommand(
        "`[]`, `[sessionId]`", "Goes on with another session; without an id it asks which."
    ),
    "placet.login": GenericCommand(
        "`[]`, `[provider]`, `[provider, method]`",
        "Signs in to a provider, as a plugin has it; without one it asks which. `placet.answer` hands it the code.",
    ),
    "placet.new": GenericCommand("`[]`", "The next prompt starts a new session."),
    "placet.chat": GenericCommand("`[]`", "Opens the chat document of the session."),
    "placet.send": GenericCommand(
        "`[]`, `[uri]`", "Prompts with what stands below the last `## You` of the chat document."
    ),
}


def table() -> list[str]:
    """Return the lines of a Markdown table of the commands."""
    rows = [f"| `{name}` | {command.arguments} | {command.does} |" for name, command in COMMANDS.items()]
    return ["| command | arguments | |", "|---|---|---|", *rows]
