"""EDITS.md rule 21: what the model is told of errors is what its edit did, and only of results that are fresh."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest

from changes_support.desk import Desk
from language_server_support.no_features import NoFeatures
from placet.changes.propose import diagnostics_delta
from placet.changes.propose.report import describe
from placet.core.events import DiagnosticsDelta
from placet.core.ports import Diagnostic, DiagnosticsReport, FeatureAnswer, RelatedPlace
from placet.core.values import replace
from placet.project.paths import Workspace
from placet.settings import DiagnosticsSettings
from placet.text.plan import EditPlan, PlannedFile
from time_support import HeldClock

_SEVERITIES: tuple[tuple[str, Literal[1, 2]], ...] = (("bad", 1), ("poor", 2))


class Linter(NoFeatures):
    """Judges the files as they are on disk: each line with `bad` in it is an error, with `poor` a warning."""

    def __init__(self) -> None:
        self.is_fresh: Callable[[Path], bool] = lambda _: True
        self.judges: Callable[[Path], bool] = lambda path: path.suffix == ".py"
        self.everywhere: list[Diagnostic] = []
        self.related: tuple[RelatedPlace, ...] = ()
        self.asked: list[Mapping[Path, int] | None] = []
        self.fixes: list[Any] = []
        self.message = ""

    async def diagnostics(
        self,
        paths: Sequence[Path] | None,
        *,
        after: Mapping[Path, int] | None = None,
        timeout_seconds: float = 3.0,
    ) -> DiagnosticsReport:
        if paths is None:
            return DiagnosticsReport(tuple(self.everywhere), frozenset(), "linter")
        self.asked.append(after)
        served = [path for path in paths if self.judges(path)]
        return DiagnosticsReport(
            tuple(one for path in served for one in self._of(path)),
            fresh=frozenset(path for path in served if self.is_fresh(path)),
            provider="linter",
            unserved=frozenset(paths) - frozenset(served),
        )

    async def request(self, method: str, params: Any, *, timeout_seconds: float = 5.0) -> FeatureAnswer:
        assert method == "textDocument/codeAction"
        return FeatureAnswer("ok", self.fixes) if self.fixes else FeatureAnswer("noProvider")

    def _of(self, path: Path) -> list[Diagnostic]:
        lines = path.read_text("utf-8").split("\n")
        return [
            Diagnostic(
                path,
                row,
                line.index(word),
                row,
                len(line),
                severity,
                self.message or f"{word} word",
                "linter",
                related=self.related,
            )
            for row, line in enumerate(lines)
            for word, severity in _SEVERITIES
            if word in line
        ]


@pytest.fixture
def linter() -> Linter:
    return Linter()


@pytest.fixture
def desk(tmp_path: Path, linter: Linter, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setattr(
        diagnostics_delta, "time", HeldClock(lambda: False)
    )  # However slow the machine is, it takes no time.
    return Desk(tmp_path, features=linter)


async def told(desk: Desk, name: str, old: str | None, new: str) -> str:
    """What the model is told when the file goes from `old` to `new`."""
    if old is None:
        plan = PlannedFile("create", desk.path(name), "", new)
    else:
        desk.write(name, old)
        plan = await desk.plan(name, new)
    result = await desk.changes.propose(EditPlan(f"Edit {name}", (plan,)))
    return describe(result, Workspace((desk.root,)))


OLD_ERRORS = "".join(f"bad {number}\n" for number in range(10))


async def test_one_new_and_one_fixed_are_told_though_ten_old_ones_have_moved(desk: Desk) -> None:
    text = await told(desk, "a.py", f"bad start\nfine\n{OLD_ERRORS}", f"mended\nfine\nx = bad\nmore\n{OLD_ERRORS}")
    assert "Diagnostics (linter; fresh, 0.0 s): 1 error fixed, 1 error new. (10 from before remain.)" in text
    assert "a.py:3:5: error: bad word (linter)" in text
    assert text.count("bad word") == 1
    [delta] = [event for event in desk.events if isinstance(event, DiagnosticsDelta)]
    assert ([one["line"] for one in delta.added], len(delta.removed), delta.fresh) == ([3], 1, True)


async def test_an_edit_that_does_no_harm_says_nothing_new(desk: Desk) -> None:
    assert "fresh, 0.0 s): nothing new." in await told(desk, "a.py", "x\n", "y\n")


async def test_what_is_not_fresh_is_never_called_free_of_errors(desk: Desk, linter: Linter) -> None:
    linter.is_fresh = lambda path: "y" not in path.read_text("utf-8")
    text = await told(desk, "a.py", "x\n", "y\n")
    assert "the edited text had not been judged" in text
    assert "may be outdated" in text
    assert "nothing new" not in text


async def test_without_a_fresh_look_before_all_there_is_is_told_and_that_it_may_be_old(
    desk: Desk, linter: Linter
) -> None:
    linter.is_fresh = lambda path: "y" in path.read_text("utf-8")
    text = await told(desk, "a.py", "bad x\n", "bad y\n")
    assert "1 error now; which of them are new is not known." in text
    assert "a.py:1:1: error" in text


async def test_a_new_file_has_all_its_errors_new(desk: Desk) -> None:
    assert "1 error, 1 warning new." in await told(desk, "new.py", None, "bad\npoor\n")


async def test_of_files_that_nobody_judges_nothing_is_said(desk: Desk) -> None:
    text = await told(desk, "notes.txt", "bad\n", "worse bad\n")
    assert "Diagnostics" not in text


async def test_files_that_were_not_edited_are_told_after_those_that_were(desk: Desk, linter: Linter) -> None:
    other = Diagnostic(desk.path("b.py"), 4, 0, 4, 1, 1, "no attribute `x`", "linter")
    desk.write("a.py", "x\n")
    plan = await desk.plan("a.py", "y bad\n")
    linter.everywhere = [replace(other, message="from before")]

    def more(_: Path) -> bool:
        if "y" in desk.path("a.py").read_text("utf-8"):
            linter.everywhere = [replace(other, message="from before"), other]
        return True

    linter.is_fresh = more
    text = describe(await desk.changes.propose(EditPlan("Edit", (plan,))), Workspace((desk.root,)))
    assert text.index("a.py:1:3: error") < text.index(
        "In files that were not edited:\nb.py:5:1: error: no attribute `x`"
    )
    assert "from before`" not in text


async def test_related_places_and_quick_fixes_come_with_a_new_error(desk: Desk, linter: Linter) -> None:
    linter.related = (RelatedPlace(desk.path("b.py"), 6, "declared here"),)
    linter.fixes = [{"title": "Import bad"}, {"title": "Ignore it"}]
    text = await told(desk, "a.py", "x\n", "bad\n")
    assert "    see b.py:7: declared here\n" in text
    assert "    quick fixes (lsp tool, codeAction): Import bad; Ignore it" in text


async def test_a_message_of_several_lines_is_told_in_one(desk: Desk, linter: Linter) -> None:
    linter.message = "bad word\n\n  of its kind"
    assert "a.py:1:1: error: bad word of its kind (linter)" in await told(desk, "a.py", "x\n", "bad\n")


async def test_settings_leave_out_severities_and_sources(tmp_path: Path, linter: Linter) -> None:
    errors_only = Desk(tmp_path / "a", features=linter, diagnostics=DiagnosticsSettings(min_severity="error"))
    assert "1 error new" in await told(errors_only, "a.py", "x\n", "bad\npoor\n")
    ignoring = Desk(tmp_path / "b", features=linter, diagnostics=DiagnosticsSettings(ignore_sources=("linter",)))
    assert "nothing new" in await told(ignoring, "a.py", "x\n", "bad\npoor\n")


async def test_switched_off_nobody_is_asked(tmp_path: Path, linter: Linter) -> None:
    desk = Desk(tmp_path, features=linter, diagnostics=DiagnosticsSettings(after_edits=False))
    assert "Diagnostics" not in await told(desk, "a.py", "x\n", "bad\n")
    assert linter.asked == []


async def test_of_very_many_new_ones_the_first_are_told_and_the_others_counted(desk: Desk) -> None:
    text = await told(desk, "a.py", "x\n", "bad\n" * 30)
    assert text.count(": error: bad word") == 20
    assert "... and 10 more in a.py" in text
