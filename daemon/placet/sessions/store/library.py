"""Work on stored sessions without running them: find, copy, export, import, rename, delete.

A list needs neither archives nor the journal, so these are imported by the methods that use them.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from placet import __version__
from placet.core.executor import in_thread
from placet.core.ids import new_id, now
from placet.core.messages import Message, whole_characters
from placet.sandbox.removal import remove_tree
from placet.sessions.store.records import SessionInfo
from placet.sessions.store.session_store import SessionStore

if TYPE_CHECKING:
    from placet.changes.journal.journal import Journal
    from placet.sessions.store.archive import ArchivedSession

Form = Literal["json", "markdown"]


class Library:
    """The stored sessions of some folders (of all sessions, if the folders are empty)."""

    def __init__(
        self, store: SessionStore, journal: "Callable[[], Journal]", kept: Path, roots: Sequence[Path] = ()
    ) -> None:
        """Open the folders' sessions; `journal` returns the journal of changes, for an export with contents.

        `kept` is the directory of the files that were moved away from sessions' commands.
        """
        self._store = store
        self._journal = journal
        self._kept = kept
        self._roots = tuple(roots)

    def open_in(self, roots: Sequence[Path]) -> None:
        """Find and bring in sessions of these folders from now on."""
        self._roots = tuple(roots)

    async def list(
        self, *, query: str = "", limit: int = 50, cursor: str | None = None
    ) -> tuple[Sequence[SessionInfo], str | None]:
        """List the sessions of these folders, newest first, with the next page's cursor; see SessionStore.list."""
        return await self._store.list(roots=self._roots, query=query, limit=limit, cursor=cursor)

    async def info(self, session_id: str) -> SessionInfo:
        """Return the session's info with its usage. Raises RequestError for an unknown session."""
        return await self._store.info(session_id)

    async def whole_id(self, beginning: str) -> str:
        """Return the whole id of a session; see SessionStore.whole_id."""
        return await self._store.whole_id(beginning)

    async def read(self, session_id: str) -> tuple[Message, ...]:
        """Return the messages of the session. Raises RequestError for an unknown session."""
        return (await self._store.read(session_id, at_work_elsewhere=True)).messages

    async def rename(self, session_id: str, title: str) -> SessionInfo:
        """Rename the session.

        Raises RequestError for an unknown session, or if another process is at work in the session.
        """
        async with self._store.claimed(session_id):
            stored = await self._store.read(session_id)
            info = stored.info.model_copy(update={"title": whole_characters(title), "updated": now()})
            self._store.save_session(info, stored.seq)
        await self._store.flushed()  # Every other process sees the change from here on.
        return info

    async def delete(self, session_id: str) -> tuple[str, ...]:
        """Delete the session and its subagents' sessions; return the ids. Changed files stay changed.

        Raises RequestError. See SessionStore.delete for the changes that can still be undone.
        """
        deleted = await self._store.delete(session_id)
        for session in deleted:
            await in_thread(remove_tree, self._kept / session)
        return deleted

    async def fork(self, session_id: str, message_id: str | None = None) -> str:
        """Create a session from all messages before the prompt, or from all messages; return the new id.

        Files stay as they are, and the first session can still undo its changes. Raises RequestError.
        """
        from placet.sessions.store.fork import before, fork_title, with_fresh_ids

        stored = await self._store.read(session_id, at_work_elsewhere=True)
        messages = await in_thread(lambda: with_fresh_ids(before(stored.messages, message_id)))
        moment = now()
        info = stored.info.model_copy(
            update={
                "id": new_id("ses"),
                "parent_id": None,
                "title": fork_title(stored.info.title),
                "created": moment,
                "updated": moment,
                "forked_from": session_id,
            }
        )
        await self._store.add_copy(info, messages)
        return info.id

    async def export(self, session_id: str, form: Form, *, contents: bool = False) -> str:
        """Return the session as text; `contents`: with the texts of the changed files. Raises RequestError."""
        from placet.sessions.store.archive import FORMAT, VERSION, Archive, to_json

        session = await self._archived(session_id, contents)
        if form == "markdown":
            from placet.sessions.store.markdown import as_markdown

            return await in_thread(as_markdown, session)
        archive = Archive(format=FORMAT, version=VERSION, placet=__version__, exported=now(), session=session)
        return await in_thread(to_json, archive)

    async def import_(self, text: str) -> str:
        """Create a session of these folders from an exported session; return the new id. Raises RequestError."""
        from placet.sessions.store.archive import read_archive, with_new_ids

        roots = tuple(root.as_uri() for root in self._roots)
        session = await in_thread(lambda: with_new_ids(read_archive(text).session, roots))
        await self._keep(session)
        return session.info.id

    async def _archived(self, session_id: str, contents: bool) -> "ArchivedSession":
        from placet.sessions.store.archive import ArchivedSession, archived_change

        stored = await self._store.read(session_id, at_work_elsewhere=True)
        children = [await self._archived(child, contents) for child in await self._store.children(session_id)]
        changes = None
        if contents:
            journal = self._journal()
            records = await journal.with_files(await journal.changes(session_id))
            changes = tuple(map(archived_change, records))
        return ArchivedSession(
            info=stored.info,
            messages=stored.messages,
            other_calls=tuple(await self._store.accounts.other_calls(session_id)),
            children=tuple(children),
            changes=changes,
        )

    async def _keep(self, session: "ArchivedSession") -> None:
        await self._store.add_copy(session.info, session.messages, session.other_calls)
        for child in session.children:
            await self._keep(child)
