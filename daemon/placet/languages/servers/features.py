"""LanguageFeatures by servers that Placet starts: every server of a file is asked, and the answers are merged."""

import asyncio
import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

from placet.core.errors import DocumentError
from placet.core.messages import JsonObject
from placet.core.ports import Diagnostic, DiagnosticsReport, Document, Documents, FeatureAnswer, JsonValue
from placet.languages.lsp_diagnostics import from_lsp
from placet.languages.servers.pool import ServerPool
from placet.languages.servers.process import ServerGone, ServerRefused
from placet.languages.servers.server import MOST_OPEN, LanguageServer
from placet.languages.servers.text_views import PRESENT, TextViews
from placet.project.paths import from_uri
from placet.text.lines import split_lines
from placet.text.positions import column_at

logger = logging.getLogger(__name__)

QUIET_SECONDS = 0.3
LIMIT = 200
MOST_UNSAVED = MOST_OPEN - 10
"""Highest number of unsaved documents told beside the file of a question; the newest are told."""
START_SECONDS = 30.0
"""Extra time for the first question, because a server starts for the question."""
_SINGLE = ("textDocument/hover", "textDocument/signatureHelp", "textDocument/rename", "textDocument/formatting")
"""Methods without merging: the first server with a result answers."""
_ONE_ALONE = ("textDocument/rename", "textDocument/formatting")
"""Methods for a single server, as two answers would be two changes: the first server that offers the method answers."""


@dataclass(frozen=True, slots=True)
class _Judged:
    """Diagnostics of one file from the file's servers; without a named server, no server serves the file."""

    path: Path
    servers: tuple[str, ...] = ()
    is_fresh: bool = False
    diagnostics: tuple[Diagnostic, ...] = ()


class ServerFeatures:
    """Features of the servers of one pool, over one view of the texts; OwnServers owns the object."""

    def __init__(
        self, documents: Documents, pool: ServerPool, views: TextViews | None = None, view: str = PRESENT
    ) -> None:
        self._documents = documents
        self._pool = pool
        self._views = TextViews() if views is None else views
        self._view = view

    def over(self, documents: Documents, view: str) -> "ServerFeatures":
        """Return the features of the same servers over another view of the texts."""
        return ServerFeatures(documents, self._pool, self._views, view)

    def shares_server(self, path: Path, others: Iterable[Path]) -> bool:
        """Return whether a server of the file also serves any of the other files."""
        return self._pool.shares_server(path, others)

    async def diagnostics(
        self,
        paths: Sequence[Path] | None,
        *,
        after: Mapping[Path, int] | None = None,
        timeout_seconds: float = 3.0,
    ) -> DiagnosticsReport:
        """Return diagnostics as the port says. The text is always the text on screen now, so `after` is satisfied."""
        async with self._views.entered(self._view, self._tell_again):
            if paths is None:
                return self._known_diagnostics()
            deadline = time.monotonic() + timeout_seconds
            judged = await asyncio.gather(*(self._judged(path, deadline) for path in paths))
        diagnostics = [diagnostic for file in judged for diagnostic in file.diagnostics]
        return DiagnosticsReport(
            tuple(diagnostics[:LIMIT]),
            fresh=frozenset(file.path for file in judged if file.is_fresh),
            provider=", ".join(dict.fromkeys(name for file in judged for name in file.servers)),
            truncated=len(diagnostics) > LIMIT,
            unserved=frozenset(file.path for file in judged if not file.servers),
        )

    async def request(self, method: str, params: JsonValue, *, timeout_seconds: float = 5.0) -> FeatureAnswer:
        """Answer a request as the port says."""
        async with self._views.entered(self._view, self._tell_again):
            return await self._answer(method, params, timeout_seconds)

    async def _answer(self, method: str, params: JsonValue, timeout_seconds: float) -> FeatureAnswer:
        try:
            async with asyncio.timeout(timeout_seconds + START_SECONDS):
                servers = await self._servers_for(method, params)
        except (TimeoutError, DocumentError):
            return FeatureAnswer("noProvider")
        servers = [server for server in servers if server.offers(method)]
        if method in _ONE_ALONE:
            servers = servers[:1]
        if not servers:
            return FeatureAnswer("noProvider")
        asked = [self._asked(server, method, params, timeout_seconds) for server in servers]
        answers = dict(zip(servers, await asyncio.gather(*asked), strict=True))
        given = {server: answer for server, answer in answers.items() if not isinstance(answer, Exception)}
        result = _merged(method, [(server.kind.name, answer) for server, answer in given.items()])
        providers = tuple(server.kind.name for server in given)
        if not result and any(server.is_loading for server in servers):
            return FeatureAnswer("loading", providers=tuple(server.kind.name for server in servers))
        if not given:
            late = any(isinstance(answer, TimeoutError) for answer in answers.values())
            return FeatureAnswer("timeout" if late else "noProvider")
        return FeatureAnswer("ok", unversioned(result), providers)

    async def close(self) -> None:
        await self._pool.close()

    # ---------------------------------------------------------------- diagnostics

    async def _judged(self, path: Path, deadline: float) -> _Judged:
        if not self._pool.serves(path):
            return _Judged(path)
        try:
            document = await self._documents.read(path)
        except DocumentError:
            self._forget(path)
            return _Judged(path)
        if self._view != PRESENT:
            await self._tell_unsaved(await self._pool.servers_of(path), path)
        servers = await self._synced_servers(path, document)
        waits = [self._wait(server, path.as_uri(), version, deadline) for server, version in servers]
        is_fresh = all(await asyncio.gather(*waits)) and bool(servers)
        diagnostics = tuple(diagnostic for server, _ in servers for diagnostic in _diagnostics(server, document))
        return _Judged(path, tuple(server.kind.name for server, _ in servers), is_fresh, diagnostics)

    async def _wait(self, server: LanguageServer, uri: str, version: int, deadline: float) -> bool:
        """Return whether the server has judged the text: by a request if the server takes requests, else by waiting."""
        try:
            async with asyncio.timeout(max(deadline - time.monotonic(), 0.05)):
                # Some servers offer this a while after their start, and then publish nothing unasked.
                takes_requests = partial(server.offers, "textDocument/diagnostic")
                await server.judgements.until_fresh(uri, QUIET_SECONDS, takes_requests)
                if takes_requests():
                    params = {"textDocument": {"uri": uri}}
                    report = await server.request("textDocument/diagnostic", params, timeout_seconds=60.0)
                    server.judgements.pulled(uri, version, report)
                return True
        except (TimeoutError, ServerGone, ServerRefused) as error:
            logger.debug("%s has not judged %s: %s", server.kind.name, uri, error or "no time")
            return False

    def _known_diagnostics(self) -> DiagnosticsReport:
        """Return the diagnostics of files asked about before; positions are from the time of the judgement."""
        diagnostics: list[Diagnostic] = []
        for server in self._pool.running:
            for uri in server.judgements.uris:
                if (path := from_uri(uri)) is not None:
                    of_file = (from_lsp(path, diagnostic, _as_it_is) for diagnostic in server.judgements.of(uri))
                    diagnostics += [diagnostic for diagnostic in of_file if diagnostic is not None]
        return DiagnosticsReport(tuple(diagnostics[:LIMIT]), frozenset(), "", truncated=len(diagnostics) > LIMIT)

    # ---------------------------------------------------------------- requests

    async def _servers_for(self, method: str, params: JsonValue) -> list[LanguageServer]:
        """Return the servers for the request, each told of the present texts. Raises DocumentError."""
        if method == "workspace/symbol":
            await self._tell_unsaved(self._pool.running)
            return self._pool.running
        if method.startswith("callHierarchy/"):
            name = params["item"].get("data", {}).get("server")
            return [server for server in self._pool.running if server.kind.name == name]
        path = from_uri(params["textDocument"]["uri"])
        if path is None or not self._pool.serves(path):
            return []
        await self._tell_unsaved(await self._pool.servers_of(path), path)
        return [server for server, _ in await self._synced_servers(path, await self._documents.read(path))]

    async def _synced_servers(self, path: Path, document: Document) -> list[tuple[LanguageServer, int]]:
        """Return the servers of the file, each told of the present text, with the version that each server knows."""
        synced: list[tuple[LanguageServer, int]] = []
        for server in await self._pool.servers_of(path):
            version = _tell(server, document)
            if version is not None:
                synced.append((server, version))
        return synced

    async def _tell_unsaved(self, servers: Sequence[LanguageServer], asked: Path | None = None) -> None:
        """Tell the servers of the texts that are on no disk, and of the files that were told so before.

        `asked` is the file of the question, of which the servers are told afterwards. Raises DocumentError.
        """
        unsaved = {document.path: document for document in await self._documents.unsaved() if document.path != asked}
        for server in servers:
            for path in server.unsaved_paths:
                if path != asked and path not in unsaved:
                    await self._tell_server(server, path)
            for document in list(unsaved.values())[-MOST_UNSAVED:]:
                if document.path.is_relative_to(server.root):
                    _tell(server, document)

    async def _tell_again(self) -> None:
        """Replace the texts of another view in every server; the other files are judged again when asked about."""
        for server in self._pool.running:
            versions = {path: server.version_of(path) for path in server.open_paths}
            for path in versions:
                await self._tell_server(server, path)
            same = [path for path in server.open_paths if server.version_of(path) == versions.get(path)]
            if len(same) < len(versions):
                server.judge_again(same)

    async def _tell_server(self, server: LanguageServer, path: Path) -> None:
        try:
            _tell(server, await self._documents.read(path))
        except DocumentError:
            self._forget_in(server, path)

    def _forget(self, path: Path) -> None:
        for server in self._pool.running:
            self._forget_in(server, path)

    def _forget_in(self, server: LanguageServer, path: Path) -> None:
        try:
            server.forget(path, is_deleted=self._view == PRESENT)
        except ServerGone as error:
            logger.debug("%s", error)

    async def _asked(self, server: LanguageServer, method: str, params: JsonValue, timeout_seconds: float) -> Any:
        """Return the server's answer, or the exception in its place."""
        if method.startswith("callHierarchy/"):
            item = {**params["item"], "data": params["item"]["data"].get("data")}
            params = {**params, "item": item}
        try:
            result = await server.request(method, params, timeout_seconds=timeout_seconds)
            if method == "textDocument/codeAction":
                return await self._resolved(server, cast("list[JsonObject]", result or []), timeout_seconds)
        except (ServerGone, ServerRefused, TimeoutError) as error:
            logger.info("%s", error)
            return error
        return result

    async def _resolved(
        self, server: LanguageServer, actions: list[JsonObject], timeout_seconds: float
    ) -> list[JsonObject]:
        """Return the actions with their edits; some servers send the edits only after a further request."""
        resolved: list[JsonObject] = []
        for action in actions:
            if "edit" not in action and "data" in action and not isinstance(action.get("command"), str):
                action = await server.request("codeAction/resolve", action, timeout_seconds=timeout_seconds)
            resolved.append(action)
        return resolved


def _tell(server: LanguageServer, document: Document) -> int | None:
    """Tell the server of the text; return the version, or None where the server is gone or does not serve the file."""
    try:
        return server.tell(document)
    except ServerGone as error:
        logger.warning("%s", error)
        return None


def _diagnostics(server: LanguageServer, document: Document) -> list[Diagnostic]:
    lines = split_lines(document.text)

    def column(_: Path, number: int, character: int) -> int:
        return column_at(lines[number].rstrip("\r\n"), character, "utf-16") if number < len(lines) else character

    published = server.judgements.of(document.path.as_uri())
    diagnostics = (from_lsp(document.path, diagnostic, column) for diagnostic in published)
    return [diagnostic for diagnostic in diagnostics if diagnostic is not None]


def _merged(method: str, answers: Sequence[tuple[str, Any]]) -> Any:
    """Return the answers (server, LSP result) merged, without duplicates; items of a call hierarchy name the server."""
    results = [(name, result) for name, result in answers if result not in (None, [])]
    if not results:
        return None
    if method in _SINGLE:
        return results[0][1]
    together: list[JsonObject] = []
    for name, result in results:
        for entry in cast("list[JsonObject]", result if isinstance(result, list) else [result]):
            item = {**entry, "data": {"server": name, "data": entry.get("data")}} if "prepareCall" in method else entry
            if item not in together:
                together.append(item)
    return together


def _as_it_is(_path: Path, _line: int, character: int) -> int:
    return character


def unversioned(result: Any) -> Any:
    """Return the result without the servers' own versions of documents, which are no versions of the editor."""
    match result:
        case list():
            return [unversioned(entry) for entry in cast("list[Any]", result)]
        case dict():
            fields = cast("JsonObject", result)
            is_identifier = fields.keys() == {"uri", "version"}
            return {
                key: unversioned(entry) for key, entry in fields.items() if not (is_identifier and key == "version")
            }
        case _:
            return result
