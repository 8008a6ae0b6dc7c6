"""A conversation as a Markdown document in which the user writes too: the places of prompts and answers. Pure.

The user's parts are under `## You`, the agent's under `## Placet (1)`, `(2)`, and so on. The server only ever changes
text which the server wrote under its own headings.
"""

import re
from collections.abc import Sequence

from placet.core.events import PlanEntry

USER = "## You"
SEND = "Placet: Send"
OPEN = "Placet: Open the chat"
WHILE_RUNNING = (("Placet: Stop", "placet.cancel"),)
WHILE_RESTING = (
    ("Placet: Undo the last turn", "placet.undo"),
    ("Placet: Redo", "placet.redo"),
    ("Placet: Choose agent", "placet.agent"),
    ("Placet: Choose model", "placet.model"),
    ("Placet: Choose session", "placet.sessions"),
    ("Placet: New session", "placet.new"),
    ("Placet: Sign in to a provider", "placet.login"),
)
"""Further actions in the chat document: in some editors (Kate) a code action is the only way to a command."""
_AGENT = re.compile(r"^## Placet \((\d+)\)$", re.MULTILINE)
_USER = re.compile(rf"^{USER}[ \t]*$", re.MULTILINE)


def new_chat(title: str, conversation: str = "") -> str:
    """Return a new document; `conversation` is the text of the session so far."""
    hint = f"Write below the last `{USER}` and run the code action `{SEND}`, or the command `placet.send`."
    return (
        "\n\n".join(block for block in (f"# {title}", f"<!-- {hint} -->", conversation.strip(), USER) if block) + "\n\n"
    )


def draft(text: str) -> str:
    """Return the user's text below the last of the user's headings; empty when the text is answered or the heading
    missing.
    """
    start = _last(text)
    return "" if start is None or _AGENT.search(text, start) else text[start:].partition("\n")[2].strip()


def with_prompt(text: str, prompt: str) -> tuple[str, int]:
    """Return the document with the prompt and a place for the answer, and the number of the place.

    A draft other than the prompt stays behind the prompt.
    """
    number = max((int(digits) for digits in _AGENT.findall(text)), default=0) + 1
    place = f"## Placet ({number})\n\n"
    written, start = draft(text), _last(text)
    if written == prompt.strip() and written:
        return f"{text.rstrip()}\n\n{place}", number
    if written and start is not None:
        return f"{text[:start]}{USER}\n\n{prompt.strip()}\n\n{place}{text[start:]}", number
    is_open = start is not None and not _AGENT.search(text, start)
    head = text.rstrip() if is_open else f"{text.rstrip()}\n\n{USER}"
    return f"{head}\n\n{prompt.strip()}\n\n{place}", number


def with_answer(text: str, number: int, shown: str, answer: str) -> str | None:
    """Return the document with the answer in place of the text shown so far, or None when the user has changed the
    shown text.
    """
    place = f"## Placet ({number})\n\n"
    start = text.find(place + shown)
    if start < 0:
        return None
    start += len(place)
    return text[:start] + answer + text[start + len(shown) :]


def with_room(text: str) -> str:
    """Return the document with a place for the next prompt at its end."""
    start = _last(text)
    return text if start is not None and not _AGENT.search(text, start) else f"{text.rstrip()}\n\n{USER}\n\n"


def todo_list(entries: Sequence[PlanEntry]) -> str:
    """Return the agent's todo list with each entry's progress, as Markdown."""
    if not entries:
        return ""
    marks = {"completed": "x", "cancelled": "x"}
    words = {"in_progress": "**{}**", "cancelled": "~~{}~~"}
    lines = (
        f"- [{marks.get(entry.status, ' ')}] {words.get(entry.status, '{}').format(' '.join(entry.content.split()))}"
        for entry in entries
    )
    return "\n".join(("Todo:", "", *lines))


def context_line(used: int, size: int | None, cost: str) -> str:
    """Return the fill of the context, in tokens, and the turn's cost; empty while neither is known."""
    of, share = ("", "") if size is None else (f" of {size:,}", f" ({used * 100 // max(size, 1)} %)")
    figures = [*([f"context: {used:,}{of} tokens{share}"] if used else []), *([f"cost: {cost}"] if cost else [])]
    return f"_{'; '.join(figures)}_" if figures else ""


def _last(text: str) -> int | None:
    return max((heading.start() for heading in _USER.finditer(text)), default=None)
