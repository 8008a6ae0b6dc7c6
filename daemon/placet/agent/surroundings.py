"""What the references in a prompt are looked up in."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from placet.changes.ledger import Ledger
from placet.extensions.mcp.mentions import MentionedResources
from placet.messages import Message
from placet.ports import Document, Documents, LanguageFeatures
from placet.project.paths import Workspace
from placet.tools.define import Judge

_NO_RESOURCES = MentionedResources(tuple, Path())


@dataclass(frozen=True, slots=True)
class Surroundings:
    workspace: Workspace
    documents: Documents
    features: LanguageFeatures
    ledger: Ledger
    judge: Judge
    """Of what is shown beside what the user points at; that itself needs no permission."""
    subagents: Callable[[], Collection[str]]
    """Their names."""
    history: Callable[[], Sequence[Message]]
    """What the model still sees of the conversation."""
    resources: MentionedResources = _NO_RESOURCES
    """Of MCP servers."""

    async def read(self, path: Path) -> Document:
        """As on screen; the model has then seen it. Raises DocumentError."""
        document = await self.documents.read(path)
        self.ledger.note(document)
        return document
