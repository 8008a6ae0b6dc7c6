"""Diagnosis in words for the model and as an event for the screen. Never "no errors" when no service has looked."""

from collections.abc import Iterable, Sequence

from placet.changes.propose.diagnostics_delta import SEVERITIES
from placet.changes.propose.result import Diagnosis, FileDiagnosis
from placet.core.events import DiagnosticsDelta
from placet.core.messages import JsonObject
from placet.core.ports import Diagnostic
from placet.permissions.gate import Caller
from placet.project.paths import Workspace

MOST_OF_A_FILE = 20
_NAMES = {number: name for name, number in SEVERITIES.items()}


def describe_diagnosis(diagnosis: Diagnosis, workspace: Workspace) -> str:
    """Return the counts of fixed and new diagnostics, then the new diagnostics in full; or say why these
    are not known.
    """
    lines = [_headline(diagnosis)]
    for file in diagnosis.files:
        lines += _file_lines(file, workspace)
    if diagnosis.others:
        lines.append("In files that were not edited:")
        for file in diagnosis.others:
            lines += _file_lines(file, workspace)
    return "\n".join(lines)


def delta_event(diagnosis: Diagnosis, change_id: str, caller: Caller) -> DiagnosticsDelta:
    """Return the event with the new and the fixed diagnostics, for the screen."""
    return DiagnosticsDelta(
        message_id=caller.message_id,
        change_id=change_id,
        added=tuple(map(_data, diagnosis.new)),
        removed=tuple(map(_data, diagnosis.fixed)),
        fresh=diagnosis.is_fresh,
        proposed=diagnosis.is_proposed or None,
    )


def _headline(diagnosis: Diagnosis) -> str:
    provider = diagnosis.provider or "language servers"
    if diagnosis.is_proposed:
        provider += ", asked by Placet about the proposed text"
    after = f"{diagnosis.seconds:.1f} s"
    if not diagnosis.is_fresh:
        stale = not any(file.is_fresh for file in diagnosis.files)
        subject = "the edited text" if stale else "all of the edited files"
        return f"Diagnostics ({provider}): {subject} had not been judged after {after}; what is known may be outdated."
    if not all(file.has_baseline for file in diagnosis.files):
        count = _count(diagnosis.new)
        return f"Diagnostics ({provider}; fresh, {after}): {count or 'none'} now; which of them are new is not known."
    kept = sum(file.difference.kept for file in diagnosis.files)
    fixed, new = _count(diagnosis.fixed), _count(diagnosis.new)
    parts = [f"{fixed} fixed" if fixed else "", f"{new} new" if new else "nothing new"]
    left = f" ({kept} from before remain.)" if kept else ""
    return f"Diagnostics ({provider}; fresh, {after}): {', '.join(filter(None, parts))}.{left}"


def _count(diagnostics: Sequence[Diagnostic]) -> str:
    """Return the counts, like `2 errors, 1 warning`."""
    counted: list[str] = []
    for severity, name in _NAMES.items():
        if number := sum(diagnostic.severity == severity for diagnostic in diagnostics):
            plural = "" if number == 1 or name == "information" else "s"
            counted.append(f"{number} {name}{plural}")
    return ", ".join(counted)


def _file_lines(file: FileDiagnosis, workspace: Workspace) -> Iterable[str]:
    new = file.difference.new
    for diagnostic in new[:MOST_OF_A_FILE]:
        yield diagnostic_line(diagnostic, workspace)
        for place in diagnostic.related:
            yield f"    see {workspace.name(place.path)}:{place.line + 1}: {place.message}"
        if titles := file.fixes.get(diagnostic):
            yield f"    quick fixes (lsp tool, codeAction): {'; '.join(titles)}"
    if len(new) > MOST_OF_A_FILE:
        yield f"... and {len(new) - MOST_OF_A_FILE} more in {workspace.name(file.path)}"


def diagnostic_line(diagnostic: Diagnostic, workspace: Workspace) -> str:
    """Return `path:line:column: severity: message (source code)`, counted from 1."""
    origin = " ".join(filter(None, (diagnostic.source, diagnostic.code)))
    place = f"{workspace.name(diagnostic.path)}:{diagnostic.line + 1}:{diagnostic.column + 1}"
    message = " ".join(diagnostic.message.split())  # Servers write several lines, some empty.
    return f"{place}: {_NAMES[diagnostic.severity]}: {message}{f' ({origin})' if origin else ''}"


def _data(diagnostic: Diagnostic) -> JsonObject:
    """Return the diagnostic for people: line and column count from 1, the column in code points."""
    return {
        "uri": diagnostic.path.as_uri(),
        "line": diagnostic.line + 1,
        "column": diagnostic.column + 1,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "source": diagnostic.source,
        "code": diagnostic.code,
    }
