"""Diagnostics to which the user points, one per line: `path:line:column severity message`."""

from collections.abc import Sequence
from pathlib import Path

from placet.core.ports import Diagnostic, DiagnosticsReport, LanguageFeatures
from placet.project.paths import Workspace

MOST = 100
WAIT_SECONDS = 3.0
_SEVERITIES = {1: "error", 2: "warning", 3: "information", 4: "hint"}


async def known_diagnostics(path: Path | None, features: LanguageFeatures, workspace: Workspace) -> str:
    """Return the diagnostics of the file, or (None) all known diagnostics, as text for the model."""
    report = await features.diagnostics(None if path is None else [path], timeout_seconds=WAIT_SECONDS)
    scope = "" if path is None else f" of {workspace.name(path)}"
    if path is not None and path in report.unserved:
        return f"The user attached the diagnostics{scope}, but no language server here knows any of it."
    source = f" (from {report.provider})" if report.provider else ""
    lines = [_line(diagnostic, workspace) for diagnostic in _chosen(report.diagnostics)]
    listed = "\n".join(lines) if lines else "(None are known.)"
    notes = _notes(report, path, len(lines))
    return f"The user attached the diagnostics{scope}{source}:\n<diagnostics>\n{listed}\n</diagnostics>{notes}"


def _chosen(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return the diagnostics in the order of their places; if too many, only the gravest."""
    gravest = sorted(diagnostics, key=lambda diagnostic: (diagnostic.severity, _place(diagnostic)))[:MOST]
    return sorted(gravest, key=lambda diagnostic: (_place(diagnostic), diagnostic.severity))


def _place(diagnostic: Diagnostic) -> tuple[str, int, int]:
    return str(diagnostic.path), diagnostic.line, diagnostic.column


def _line(diagnostic: Diagnostic, workspace: Workspace) -> str:
    place = f"{workspace.name(diagnostic.path)}:{diagnostic.line + 1}:{diagnostic.column + 1}"
    origin = " ".join(filter(None, (diagnostic.source, diagnostic.code)))
    message = " ".join(diagnostic.message.split())
    return f"{place} {_SEVERITIES[diagnostic.severity]} {message}" + (f" [{origin}]" if origin else "")


def _notes(report: DiagnosticsReport, path: Path | None, shown: int) -> str:
    notes: list[str] = []
    if shown < len(report.diagnostics):
        notes.append(f"(The {shown} gravest of {len(report.diagnostics)}.)")
    elif report.truncated:
        notes.append("(There are more.)")
    if path is not None and path not in report.fresh:
        notes.append("(They may be outdated.)")
    return "".join(f"\n{note}" for note in notes)
