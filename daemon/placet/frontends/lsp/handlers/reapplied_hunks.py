"""Hunks the user had rejected and later put into files all the same, told to the model beside the next prompt."""

from placet.core.executor import in_thread
from placet.core.hunks import Hunk
from placet.core.messages import TextPart
from placet.frontends.lsp.protocol.change_messages import ChangeList, DidPutIn, ListedHunk
from placet.project.paths import Workspace, from_uri
from placet.sessions.session import Session
from placet.text.counted import counted
from placet.text.diff import excerpt

MOST_HUNKS = 10
"""Number of hunks shown; of the rest only the number is told."""


class ReappliedHunks:
    """Rejected hunks put in through one connection. Hunks not told before the daemon ends are lost."""

    def __init__(self) -> None:
        self._untold: dict[str, list[DidPutIn]] = {}

    def note(self, params: DidPutIn) -> None:
        self._untold.setdefault(params.session_id, []).append(params)

    async def parts(self, session: Session, workspace: Workspace) -> tuple[TextPart, ...]:
        """Return a part to go with a prompt, told once; none where no hunk was put in."""
        noted = self._untold.pop(session.info.id, [])
        if not noted:
            return ()
        listed = await session.changes(change_ids=[reapplied.change_id for reapplied in noted])
        changes = await in_thread(ChangeList.model_validate, {"changes": listed})
        texts = [text for reapplied in noted if (text := _reapplied_text(reapplied, changes, workspace))]
        return (TextPart(text="\n\n".join(texts), synthetic=True),) if texts else ()


def _reapplied_text(noted: DidPutIn, changes: ChangeList, workspace: Workspace) -> str:
    path = from_uri(noted.uri)
    hunks = [
        hunk
        for change in changes.changes
        if change.id == noted.change_id
        for file in change.files
        if path is not None and from_uri(file.uri) == path
        for hunk in file.hunks or ()
        if hunk.state == "dropped" and hunk.id in noted.hunks
    ]
    if path is None or not hunks:
        return ""
    diff = "".join(excerpt(_hunk(hunk)) for hunk in hunks[:MOST_HUNKS])
    more = f"\nThe same goes for {counted(len(hunks) - MOST_HUNKS, 'more place')}." if len(hunks) > MOST_HUNKS else ""
    return (
        f"The user had refused this part of your change of {workspace.name(path)}, and has put it in since:\n"
        f"```diff\n{diff}```{more}\n"
        "Do not propose it again. Read the file before you edit it there: it has other text around it now."
    )


def _hunk(listed: ListedHunk) -> Hunk:
    return Hunk(listed.id, listed.old_start, listed.old_lines, listed.new_start, listed.new_lines)
