"""ReferenceContext in which the references of a prompt are looked up."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from placet.changes.ledger import Ledger
from placet.core.messages import Message
from placet.core.ports import Document, Documents, LanguageFeatures
from placet.extensions.mcp.offers.mentions import MentionedResources
from placet.project.paths import Workspace
from placet.tools.framework.define import Judge

_NO_RESOURCES = MentionedResources(tuple, Path())


@dataclass(frozen=True, slots=True)
class ReferenceContext:
    workspace: Workspace
    documents: Documents
    features: LanguageFeatures
    ledger: Ledger
    judge: Judge
    """Judge of content shown beside the things to which the user points; the things themselves need no permission."""
    subagents: Callable[[], Collection[str]]
    """Function which returns the subagents' names."""
    history: Callable[[], Sequence[Message]]
    """Function which returns the part of the conversation which the model still sees."""
    resources: MentionedResources = _NO_RESOURCES
    """Resources of MCP servers."""

    async def read(self, path: Path) -> Document:
        """Return the document as on screen, and note the document as seen by the model. Raises DocumentError."""
        document = await self.documents.read(path)
        self.ledger.note(document)
        return document
