import pytest

from placet.core.errors import RequestError
from placet.core.messages import TextPart
from services_support import TempServices

GO = [TextPart(text="Please go on.")]
USAGE = {"usage": {"input": 10, "output": 5}, "cost": 0.25}


@pytest.fixture
def services(tmp_path):
    services = TempServices(tmp_path)
    (services.project / "a.txt").write_text("old\n")
    return services


async def test_the_sessions_of_subagents_go_with_their_parent_and_so_do_kept_texts(services):
    task = {"call": "task", "arguments": {"description": "edit", "prompt": "Edit.", "subagent_type": "general"}}
    edit = {"call": "edit", "arguments": {"filePath": "a.txt", "oldString": "old", "newString": "new"}}
    read = {"call": "read", "arguments": {"filePath": "a.txt"}}
    model = services.script([task, USAGE], [read], [edit], [{"text": "Edited."}], [{"text": "Done."}])
    async with services.open(model) as sessions:
        session = await sessions.create()
        other = await sessions.create(title="Other")
        await session.prompt(GO)
        store = sessions._services.store
        (child,) = await store.children(session.info.id)
        read = sessions._services.database.read
        assert len(await read("SELECT * FROM content")) == 2

        await sessions.delete(session.info.id)

        with pytest.raises(RequestError, match="no session"):
            await sessions.load(child)
        for table in ("message", "part", "change", "change_file", "content", "text_part", "system_prompt"):
            assert await read(f"SELECT * FROM {table}") == [], table
        assert [info.id for info in (await sessions.list())[0]] == [other.info.id]
        assert (services.project / "a.txt").read_text() == "new\n"


async def test_a_subagents_session_can_be_deleted_alone(services):
    task = {"call": "task", "arguments": {"description": "look", "prompt": "Look.", "subagent_type": "explore"}}
    async with services.open(services.script([task], [{"text": "Seen."}], [{"text": "Done."}])) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        store = sessions._services.store
        (child,) = await store.children(session.info.id)
        await sessions.delete(child)
        assert await store.children(session.info.id) == ()
        assert len((await sessions.load(session.info.id)).messages) == 3
