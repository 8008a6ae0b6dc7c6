"""The user's view in the editor, told to the model beside a prompt where the user wants so: names, no text."""

import logging
from collections.abc import Iterable
from pathlib import Path

from pydantic import ValidationError

from placet.core.errors import PlacetError
from placet.core.messages import TextPart
from placet.frontends.lsp.connection.editor_client import EditorClient, EditorError, EditorGone
from placet.frontends.lsp.protocol.editor_messages import EditorState
from placet.permissions.rules import evaluate, root_names
from placet.project.paths import Workspace, from_uri
from placet.sessions.registry import Sessions

logger = logging.getLogger(__name__)

STATE_SECONDS = 0.5
"""Longest time a prompt waits for the editor's state."""
MOST_NAMED = 10


class EditorContext:
    """View of the user of one connection."""

    def __init__(self, client: EditorClient, sessions: Sessions) -> None:
        self._client = client
        self._sessions = sessions

    async def parts(self, session_id: str) -> tuple[TextPart, ...]:
        """Return a part to go with a prompt; none where the user has not set `context.editor`, or nothing is shown."""
        if not self._sessions.settings.context.editor or not self._client.profile.can("editor/state"):
            return ()
        state = await self._state()
        text = "" if state is None else await self._description(state, session_id)
        return (TextPart(text=text, synthetic=True),) if text else ()

    async def _state(self) -> EditorState | None:
        params = {"include": ["active", "selections", "visible"]}
        try:
            return EditorState.model_validate(
                await self._client.request("editor/state", params, timeout_seconds=STATE_SECONDS)
            )
        except (EditorError, EditorGone, TimeoutError, ValidationError) as error:
            logger.info("editor/state: %s", error or "no answer in time")
            return None

    async def _description(self, state: EditorState, session_id: str) -> str:
        uris = [document.uri for document in (state.active, *(state.visible or ())) if document is not None]
        names = await self._names(dict.fromkeys(uris), session_id)
        sentences: list[str] = []
        if state.active is not None and (name := names.pop(state.active.uri, "")):
            sentences.append(f"The user's cursor is in {name}, line {state.active.line + 1}{_selected(state)}.")
        if names:
            more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
            sentences.append(f"Also visible in the editor: {', '.join(list(names.values())[:MOST_NAMED])}{more}.")
        return " ".join(sentences)

    async def _names(self, uris: Iterable[str], session_id: str) -> dict[str, str]:
        """Return names by URI, for files in the project which the session's agent may read."""
        workspace = Workspace(self._sessions.roots)
        try:
            rules = self._sessions.permissions.rules(await self._sessions.bound(session_id=session_id))
        except PlacetError:
            return {}
        roots = root_names(workspace.roots)
        names: dict[str, str] = {}
        for uri in uris:
            path: Path | None = from_uri(uri)
            if path is None or not workspace.contains(path):
                continue
            if evaluate(rules, "read", workspace.relative(path), roots).action != "deny":
                names[uri] = workspace.name(path)
        return names


def _selected(state: EditorState) -> str:
    spans = [selection for selection in state.selections or () if selection.start != selection.end]
    if not spans:
        return ""
    lines = ", ".join(f"{span.start.line + 1}-{span.end.line + 1}" for span in spans[:MOST_NAMED])
    return f"; selected there: lines {lines}"
