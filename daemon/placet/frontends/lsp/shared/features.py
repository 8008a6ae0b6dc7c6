"""The LanguageFeatures port for editors sharing sessions: the editor with a document open is asked about the
document.
"""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from placet.core.ports import DiagnosticsReport, FeatureAnswer, JsonValue
from placet.frontends.lsp.shared.connected_editor import ConnectedEditor
from placet.frontends.lsp.shared.connected_editors import ConnectedEditors
from placet.project.paths import from_uri


class SharedFeatures:
    def __init__(self, editors: ConnectedEditors) -> None:
        self._editors = editors

    async def diagnostics(
        self,
        paths: Sequence[Path] | None,
        *,
        after: Mapping[Path, int] | None = None,
        timeout_seconds: float = 3.0,
    ) -> DiagnosticsReport:
        """Return diagnostics as the port says. `after` counts the versions of the editor which has the document
        open.
        """
        able = self._able("editor/diagnostics")
        if not able:
            return DiagnosticsReport((), frozenset(), provider="", unserved=frozenset(paths or ()))
        if paths is None:
            return await able[0].features.diagnostics(None, after=after, timeout_seconds=timeout_seconds)
        shares: dict[ConnectedEditor, list[Path]] = {}
        unserved: set[Path] = set()
        for path in paths:
            if (editor := self._editor_for(path, able)) is None:
                unserved.add(path)
            else:
                shares.setdefault(editor, []).append(path)
        reports = await asyncio.gather(
            *(
                editor.features.diagnostics(share, after=_only(share, after), timeout_seconds=timeout_seconds)
                for editor, share in shares.items()
            )
        )
        return DiagnosticsReport(
            tuple(diagnostic for report in reports for diagnostic in report.diagnostics),
            fresh=frozenset(path for report in reports for path in report.fresh),
            provider=", ".join(dict.fromkeys(report.provider for report in reports if report.provider)),
            truncated=any(report.truncated for report in reports),
            unserved=frozenset(unserved.union(*(report.unserved for report in reports))),
        )

    async def request(self, method: str, params: JsonValue, *, timeout_seconds: float = 5.0) -> FeatureAnswer:
        """Return the answer to a request as the port says."""
        able = [editor for editor in self._able("editor/languageFeature") if method in editor.profile.language_features]
        path = _document(params)
        editor = (able[0] if able else None) if path is None else self._editor_for(path, able)
        if editor is None:
            return FeatureAnswer("noProvider")
        return await editor.features.request(method, params, timeout_seconds=timeout_seconds)

    async def close(self) -> None:
        """Do nothing: no server was started."""

    def _able(self, request: str) -> list[ConnectedEditor]:
        return [editor for editor in self._editors.in_order() if editor.profile.can(request)]

    def _editor_for(self, path: Path, able: Sequence[ConnectedEditor]) -> ConnectedEditor | None:
        """Return an able editor with the file open; if the file is open nowhere, any able editor; if the file is open
        only in other editors, none.

        A server's view of a file open in another editor may be of an older text.
        """
        open_in = [editor for editor in self._editors.in_order() if editor.buffers.find(path) is not None]
        if not open_in:
            return able[0] if able else None
        return next((editor for editor in open_in if editor in able), None)


def _only(paths: Sequence[Path], after: Mapping[Path, int] | None) -> dict[Path, int]:
    return {path: version for path, version in (after or {}).items() if path in paths}


def _document(params: Any) -> Path | None:
    """Return the path of the document in the request, if the request names a document."""
    document = cast("dict[str, Any]", params).get("textDocument") if isinstance(params, dict) else None
    uri = cast("dict[str, Any]", document).get("uri") if isinstance(document, dict) else None
    return from_uri(uri) if isinstance(uri, str) else None
