"""Of which text a server speaks, as far as that can be known."""

from typing import Any

import pytest

from placet.languages.servers import diagnostics_freshness as module
from placet.languages.servers.diagnostics_freshness import (
    SILENT_SECONDS,
    VERSIONLESS_QUIET_SECONDS,
    DiagnosticsFreshness,
)

URI = "file:///a.ts"


class Clock:
    """Stands until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    return clock


def published(*messages: str, version: int | None = None) -> dict[str, Any]:
    named = {} if version is None else {"version": version}
    return {"uri": URI, "diagnostics": [{"message": one} for one in messages], **named}


def test_a_named_version_is_fresh_after_the_quiet_and_an_older_one_changes_nothing(clock: Clock) -> None:
    freshness = DiagnosticsFreshness()
    freshness.sent(URI, 1)
    freshness.sent(URI, 2)
    freshness.published(published("new", version=2))
    freshness.published(published("old", version=1))
    assert [one["message"] for one in freshness.of(URI)] == ["new"]
    assert freshness.wait_seconds(URI, 0.3) == pytest.approx(0.3)
    clock.now += 0.5
    assert freshness.wait_seconds(URI, 0.3) == 0


def test_without_a_version_as_many_words_as_texts_are_needed_and_a_longer_quiet(clock: Clock) -> None:
    freshness = DiagnosticsFreshness()
    freshness.sent(URI, 1)
    freshness.sent(URI, 2)
    freshness.published(published("of the first"))
    assert freshness.wait_seconds(URI, 0.3) is None
    freshness.published(published("of the second"))
    assert freshness.wait_seconds(URI, 0.3) == pytest.approx(VERSIONLESS_QUIET_SECONDS)
    clock.now += VERSIONLESS_QUIET_SECONDS
    assert freshness.wait_seconds(URI, 0.3) == 0


def test_a_server_that_says_nothing_of_what_has_not_changed_is_not_late_for_ever(clock: Clock) -> None:
    freshness = DiagnosticsFreshness()
    freshness.sent(URI, 1)
    clock.now += SILENT_SECONDS + 1
    freshness.sent(URI, 2)
    freshness.published(published("of the second"))
    clock.now += VERSIONLESS_QUIET_SECONDS
    assert freshness.wait_seconds(URI, 0.3) == 0


def test_an_answer_is_fresh_at_once_unless_the_text_is_another_by_now(clock: Clock) -> None:
    freshness = DiagnosticsFreshness()
    freshness.sent(URI, 1)
    freshness.pulled(URI, 1, {"kind": "full", "items": [{"message": "asked"}]})
    assert freshness.wait_seconds(URI, 0.3) == 0
    freshness.sent(URI, 2)
    freshness.pulled(URI, 1, {"kind": "full", "items": []})
    assert freshness.wait_seconds(URI, 0.3) is None
