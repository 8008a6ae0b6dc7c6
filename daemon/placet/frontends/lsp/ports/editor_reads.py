"""`editor/readDocuments`: documents that the editor has open without having told the daemon."""

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from placet.core.ports import Document
from placet.frontends.lsp.connection.editor_client import EditorClient, EditorError, EditorGone

log = logging.getLogger(__name__)

READ_SECONDS = 3.0


class EditorReads:
    """Reads of one connection, owned by the connection's documents.

    Reads that begin in the same step of the event loop share one request, as a look at a change set reads all files.
    """

    def __init__(self, client: EditorClient) -> None:
        self._client = client
        self._waiting: dict[Path, asyncio.Future[Document | None]] = {}
        self._requests: set[asyncio.Task[None]] = set()

    async def read(self, path: Path) -> Document | None:
        """Return the document in the editor; None for a file that the editor does not have open, and for an editor
        without an answer in time.
        """
        if not self._client.profile.can("editor/readDocuments"):
            return None
        loop = asyncio.get_running_loop()
        if not self._waiting:
            loop.call_soon(self._send)
        answer = self._waiting.setdefault(path, loop.create_future())
        return await asyncio.shield(answer)  # Another read may wait for the same answer.

    def _send(self) -> None:
        waiting, self._waiting = self._waiting, {}
        request = asyncio.create_task(self._request(waiting), name="editor/readDocuments")
        self._requests.add(request)
        request.add_done_callback(self._requests.discard)

    async def _request(self, waiting: dict[Path, "asyncio.Future[Document | None]"]) -> None:
        paths = list(waiting)
        documents: Sequence[Document | None] = [None] * len(paths)
        try:
            params = {"uris": [path.as_uri() for path in paths]}
            answer = await self._client.request("editor/readDocuments", params, timeout_seconds=READ_SECONDS)
            documents = _documents(answer, paths)
        except (EditorError, EditorGone, TimeoutError) as error:
            log.warning("editor/readDocuments: %s", error or "no answer in time")
        finally:
            for path, document in zip(paths, documents, strict=True):
                waiting[path].set_result(document)


def _documents(answer: Any, paths: Sequence[Path]) -> list[Document | None]:
    """Return the document of each path; malformed parts of the answer count as absent."""
    items = answer.get("items") if isinstance(answer, dict) else None
    read = cast("list[Any]", items) if isinstance(items, list) else []
    return [_document(path, item) for path, item in zip(paths, [*read, *[None] * len(paths)], strict=False)]


def _document(path: Path, item: Any) -> Document | None:
    if not isinstance(item, dict):
        return None
    fields = cast("dict[str, Any]", item)
    if fields.get("open") is not True or not isinstance(fields.get("text"), str):
        return None
    return Document(
        path=path,
        text=fields["text"],
        source="editor",
        version=fields.get("version"),
        dirty=fields.get("dirty") is True,
        encoding=fields.get("encoding") or "utf-8",
        bom=fields.get("bom") is True,
    )
