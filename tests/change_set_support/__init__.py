"""A session's change set in tests: steps of a scripted model, what the session shows, and the user's decisions."""

from typing import Any

from placet.changes.review.parts import DecisionOutcome
from placet.changes.review.staged_file import StagedView
from placet.core.hunks import Decision
from placet.core.messages import TextPart, ToolCompleted, ToolPart, UserMessage
from placet.sessions.session import Session
from services_support import TempServices

GO = [TextPart(text="Please go on.")]
DONE = [{"text": "Done."}]


def call(tool: str, **arguments: Any) -> list[dict[str, Any]]:
    """Return the model's step with one call."""
    return [{"call": tool, "arguments": arguments}]


def read(name: str) -> list[dict[str, Any]]:
    return call("read", filePath=name)


def edit(name: str, number: int, new: str) -> list[dict[str, Any]]:
    """Return the step that replaces the line `NAME NUMBER` of the file."""
    return call("edit", filePath=name, oldString=f"{name} {number}\n", newString=new)


def files(services: TempServices) -> dict[str, str]:
    """Return the texts of the files of the project, by name."""
    return {path.name: path.read_text() for path in services.project.iterdir() if path.name != ".git"}


def outputs(session: Session) -> list[str]:
    """Return the outputs of the session's calls, which have all succeeded."""
    parts = [part for message in session.messages for part in message.parts if isinstance(part, ToolPart)]
    assert all(isinstance(part.state, ToolCompleted) for part in parts), [part.state for part in parts]
    return [part.state.output for part in parts if isinstance(part.state, ToolCompleted)]


def told(session: Session) -> str:
    """Return the texts that the model was told beside the user's own words."""
    parts = [part for message in session.messages if isinstance(message, UserMessage) for part in message.parts]
    return "\n".join(part.text for part in parts if isinstance(part, TextPart) and part.synthetic)


def whole(view: StagedView, outcome: Any, **more: Any) -> Decision:
    """Return the decision about the whole file."""
    return Decision(view.file.place, view.version, outcome, **more)


async def decide(session: Session, *decisions: Decision) -> list[str]:
    """Carry out the decisions, and return the status of each file."""
    decided: list[DecisionOutcome] = await session.change_set.decide(decisions)
    return [file.status for file in decided]
