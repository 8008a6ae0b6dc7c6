"""Answers that a subscription covers have no price, and a cap of the cost does not report the price as unknown."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from placet.core.events import Notice
from placet.core.messages import TextPart, Tokens
from placet.model.base import ModelEvent, UsageReport
from services_support import TempServices


@pytest.mark.parametrize(("is_covered", "codes"), [(True, []), (False, ["cost_unknown"])])
async def test_only_a_price_that_is_unknown_is_reported(tmp_path: Path, is_covered: bool, codes: list[str]) -> None:
    report = UsageReport(Tokens(input=10, output=5), is_covered=is_covered)

    async def answer() -> AsyncIterator[ModelEvent]:
        yield report

    services = TempServices(tmp_path)
    async with services.open(services.script([{"text": "Done."}]), maxCost={"turn": 0.5}) as sessions:
        session = await sessions.create()
        await session.prompt([TextPart(text="Please go on.")])
        assert [event async for event in session.budget.meter(answer())] == [report]
    notices = [event.update for event in services.screen.events if isinstance(event.update, Notice)]
    assert [notice.code for notice in notices] == codes
