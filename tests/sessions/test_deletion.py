import pytest

from house_support import House
from placet.errors import RequestError
from placet.messages import TextPart

GO = [TextPart(text="Please go on.")]
USAGE = {"usage": {"input": 10, "output": 5}, "cost": 0.25}


@pytest.fixture
def house(tmp_path):
    house = House(tmp_path)
    (house.project / "a.txt").write_text("old\n")
    return house


async def test_the_sessions_of_subagents_go_with_their_parent_and_so_do_kept_texts(house):
    task = {"call": "task", "arguments": {"description": "edit", "prompt": "Edit.", "subagent_type": "general"}}
    edit = {"call": "edit", "arguments": {"filePath": "a.txt", "oldString": "old", "newString": "new"}}
    read = {"call": "read", "arguments": {"filePath": "a.txt"}}
    model = house.script([task, USAGE], [read], [edit], [{"text": "Edited."}], [{"text": "Done."}])
    async with house.open(model) as sessions:
        session = await sessions.create()
        other = await sessions.create(title="Other")
        await session.prompt(GO)
        store = sessions._house.store
        (child,) = await store.children(session.info.id)
        read = sessions._house.database.read
        assert len(await read("SELECT * FROM content")) == 2

        await sessions.delete(session.info.id)

        with pytest.raises(RequestError, match="no session"):
            await sessions.load(child)
        for table in ("message", "part", "change", "change_file", "content", "text_part", "system_prompt"):
            assert await read(f"SELECT * FROM {table}") == [], table
        assert [info.id for info in (await sessions.list())[0]] == [other.info.id]
        assert (house.project / "a.txt").read_text() == "new\n"


async def test_a_subagents_session_can_be_deleted_alone(house):
    task = {"call": "task", "arguments": {"description": "look", "prompt": "Look.", "subagent_type": "explore"}}
    async with house.open(house.script([task], [{"text": "Seen."}], [{"text": "Done."}])) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        store = sessions._house.store
        (child,) = await store.children(session.info.id)
        await sessions.delete(child)
        assert await store.children(session.info.id) == ()
        assert len((await sessions.load(session.info.id)).messages) == 3
