"""One daemon with two sets of folders that have a session in common."""

import asyncio

import pytest

from placet.core.errors import RequestError
from placet.core.messages import TextPart
from services_support import TempServices

GO = [TextPart(text="Please go on.")]


async def test_a_session_at_work_in_one_set_of_folders_is_not_taken_from_it_by_another(tmp_path):
    services = TempServices(tmp_path)
    model = services.script([{"text": "Begun. "}, {"wait_for_file": str(tmp_path / "go")}], [{"text": "More."}])
    async with services.open(model) as sessions, services.open(model) as others:
        session = await sessions.create(title="T")
        turn = asyncio.create_task(session.prompt(GO))
        await services.screen.wait_for("agent_message_chunk")
        with pytest.raises(RequestError, match="in use by another Placet"):
            await others.load(session.info.id)
        (tmp_path / "go").touch()
        assert (await turn).stop_reason == "end_turn"
        await session.catch_up()  # That it has ended is stored.

        found = await others.load(session.info.id)
        assert (await found.prompt(GO)).stop_reason == "end_turn"
        assert len(session.messages) == 2
        await found.catch_up()
        await sessions.follow()
        assert [message.id for message in session.messages] == [message.id for message in found.messages]
        assert len(session.messages) == 4
