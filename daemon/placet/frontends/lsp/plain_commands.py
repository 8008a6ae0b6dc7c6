"""Commands of a plain editor, described for docs/PROTOCOL.md; plain.py runs the commands."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlainCommand:
    arguments: str
    """Arguments as JSON, each form after the other."""
    does: str


PLAIN: dict[str, PlainCommand] = {
    "placet.prompt": PlainCommand('`["text"]`', "Prompts, in the session of this editor; the first one begins it."),
    "placet.cancel": PlainCommand("`[]`", "Stops the turn that runs, or gives up a sign-in that has begun."),
    "placet.undo": PlainCommand("`[]`", "Takes back the last turn that changed anything."),
    "placet.redo": PlainCommand("`[]`", "Takes back the last undo."),
    "placet.permission": PlainCommand("`[]`", "Puts what waits for an answer on the screen again."),
    "placet.answer": PlainCommand(
        '`["once" \\| "always" \\| "reject"]`, `[…, requestId]`, `["text", …]`',
        "Answers what waits, without an id the oldest. Where only questions wait, a text for each of them: an option, "
        "its number, or the user's own words; of several options, where a question takes them, with commas.",
    ),
    "placet.hunks": PlainCommand(
        '`[requestId, "keep" \\| "drop", [[file, hunk], …]]`',
        "Decides about hunks of a change: files count from 0, and hunks have the ids of the review. "
        "The code actions of the `.diff` document use it.",
    ),
    "placet.review": PlainCommand("`[]`, `[requestId]`", "Shows the diffs of what waits, as `.diff` documents."),
    "placet.agent": PlainCommand("`[]`, `[name]`", "Takes another agent; without a name it asks which."),
    "placet.model": PlainCommand("`[]`, `[name]`", "Takes another model; without a name it asks which."),
    "placet.sessions": PlainCommand(
        "`[]`, `[sessionId]`", "Goes on with another session; without an id it asks which."
    ),
    "placet.login": PlainCommand(
        "`[]`, `[provider]`, `[provider, method]`",
        "Signs in to a provider, as a plugin has it; without one it asks which. `placet.answer` hands it the code.",
    ),
    "placet.new": PlainCommand("`[]`", "The next prompt begins a new session."),
    "placet.chat": PlainCommand("`[]`", "Opens the chat document of the session."),
    "placet.send": PlainCommand(
        "`[]`, `[uri]`", "Prompts with what stands below the last `## You` of the chat document."
    ),
}


def table() -> list[str]:
    """Return the lines of a Markdown table of the commands."""
    rows = [f"| `{name}` | {one.arguments} | {one.does} |" for name, one in PLAIN.items()]
    return ["| command | arguments | |", "|---|---|---|", *rows]
