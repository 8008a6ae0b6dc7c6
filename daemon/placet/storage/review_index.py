"""Index of the changes that wait for a review: a small file beside the store, for editors that look without a daemon.

The file is JSON: `{"version": 1, "folders": {"file:///home/ada/project": {"files": 3, "sessions": 1}}}`. A folder is
listed under each root of the sessions that have files in their change sets; a folder that is not listed has none.
"""

import json
import os
import sqlite3
import tempfile
from pathlib import Path

UNDECIDED = "place NOT GLOB 'undone *' AND place NOT GLOB 'taken *'"
"""Condition for the rows of `staged` that wait for a decision; the others are kept for a way back."""

NAME = "to-review.json"

_FOLDERS = f"""
SELECT folder.value, sum(waiting.files), count(*)
FROM (
    SELECT session_id,
        count(DISTINCT CASE WHEN place GLOB 'unreviewed *' THEN substr(place, 12) ELSE place END) AS files
    FROM staged WHERE {UNDECIDED} GROUP BY session_id
) AS waiting
JOIN session ON session.id = waiting.session_id, json_each(session.roots) AS folder
GROUP BY folder.value ORDER BY folder.value
"""  # noqa: S608


class ReviewIndex:
    """Writer of the index, of one connection to the store; the Database owns the object.

    The index is written within the transaction that changes the table `staged`, whichever statement changes the table:
    so the writes of several processes keep the order of their transactions.
    """

    def __init__(self, store: Path) -> None:
        self._path = store.with_name(NAME)
        self._is_stale = True
        """True at first, as a killed process may have left an index that differs from the store."""

    def watch(self, connection: sqlite3.Connection) -> None:
        """Notice each row that comes to the table `staged` or goes, also with a deleted session."""
        connection.create_function("note_staged", 0, self._note)
        for event in ("INSERT", "DELETE"):
            connection.execute(
                f"CREATE TEMP TRIGGER note_{event} AFTER {event} ON main.staged BEGIN SELECT note_staged(); END"
            )

    def renew(self, connection: sqlite3.Connection) -> None:
        """Write the index if the table has changed, at the end of a transaction.

        An index that cannot be written is written with a later transaction: the change itself must not fail for it.
        """
        if not self._is_stale:
            return
        folders = {uri: {"files": files, "sessions": sessions} for uri, files, sessions in connection.execute(_FOLDERS)}
        text = json.dumps({"version": 1, "folders": folders})
        try:
            self._write(text)
        except OSError:
            return
        self._is_stale = False

    def _note(self) -> None:
        self._is_stale = True

    def _write(self, text: str) -> None:
        """Replace the file, if the text differs; nobody ever reads half of the text. Raises OSError."""
        if self._path.is_file() and self._path.read_text("utf-8") == text:
            return
        descriptor, temporary = tempfile.mkstemp(prefix=".to-review-", dir=self._path.parent)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
            Path(temporary).replace(self._path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
