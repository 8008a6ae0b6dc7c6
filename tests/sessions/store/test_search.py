import pytest

from placet.core.messages import TextPart
from placet.sessions.store import search
from placet.sessions.store.search import TextSearch
from services_support import TempServices


@pytest.fixture
def services(tmp_path):
    return TempServices(tmp_path)


@pytest.fixture(params=["index", "no index"])
def with_and_without_index(request, monkeypatch):
    if request.param == "no index":
        monkeypatch.setattr(search, "_has_fts5", lambda: False)
    else:
        assert search._has_fts5(), "SQLite here has no FTS5, so the index cannot be tried"


async def found(sessions, query: str) -> list[str]:
    return sorted(info.title for info in (await sessions.list(query=query))[0])


@pytest.mark.usefixtures("with_and_without_index")
async def test_sessions_are_found_by_titles_prompts_and_answers(services):
    async with services.open(services.script([{"text": "The quick brown fox_trot, Größe 全文検索."}])) as sessions:
        first = await sessions.create(title="First")
        await first.prompt([TextPart(text='Where is the 100% "parser"?')])
        await sessions.create(title="Second")

        for query in ("first", "PARSER", "pars", "quick brown", "brown quick", "first fox", "fox_trot", '"parser"'):
            assert await found(sessions, query) == ["First"], query
        for query in ("100%", "?", "is", "st pa", "trot", '100% "par', "100", "Größe", "全文", "文検索"):
            assert await found(sessions, query) == ["First"], query
        for query in ("parser second", "foxtrot", "f_x", "100_", "OR", "NEAR(quick)", 'quick"', "*"):
            assert await found(sessions, query) == [], query
        for query in ("", "  ", "s"):
            assert await found(sessions, query) == ["First", "Second"], query


@pytest.mark.usefixtures("with_and_without_index")
async def test_what_is_said_after_a_search_is_found_by_the_next_one_and_what_is_deleted_by_none(services):
    model = services.script([{"text": "One apple."}], [{"text": "One pear."}])
    async with services.open(model) as sessions:
        session = await sessions.create(title="Fruit")
        await session.prompt([TextPart(text="go")])
        assert await found(sessions, "apple") == ["Fruit"]
        assert await found(sessions, "pear") == []
        await session.prompt([TextPart(text="on")])
        assert await found(sessions, "pear") == ["Fruit"]
        copy = await sessions.fork(session.info.id)
        assert await found(sessions, "pear") == ["Fruit", "Fruit (fork)"]

        await sessions.delete(session.info.id)
        assert await found(sessions, "pear") == ["Fruit (fork)"]
        await sessions.delete(copy.info.id)
        read = sessions._services.database.read
        assert await read("SELECT * FROM text_part") == []
        if search._has_fts5():
            assert await read("SELECT * FROM text_index WHERE text_index.text LIKE '%pear%'") == []


async def test_text_that_grows_is_found_as_it_is_at_last(services):
    async with services.open() as sessions:
        store = sessions._services.store
        session = await sessions.create(title="Growing")
        await session.prompt([TextPart(text="go")])
        message = session.messages[-1]
        part = TextPart(text="first words")
        store.save_part(session.info.id, message.id, part, 1)
        assert await found(sessions, "first words") == ["Growing"]
        store.save_part(session.info.id, message.id, part.model_copy(update={"text": "later words"}), 2)
        assert await found(sessions, "later") == ["Growing"]
        assert await found(sessions, "first") == []


async def test_what_placet_adds_to_a_prompt_and_what_tools_say_is_not_searched(services):
    (services.project / "a.txt").write_text("needle\n")
    async with services.open(
        services.script([{"call": "read", "arguments": {"filePath": "a.txt"}}], [{"text": "Read."}])
    ) as s:
        session = await s.create(title="T")
        await session.prompt([TextPart(text="go"), TextPart(text="a needle", synthetic=True)])
        assert await found(s, "needle") == []


async def test_pages_of_what_was_found_follow_one_another(services):
    async with services.open() as sessions:
        made = [(await sessions.create(title=f"Talk {number}")).info.id for number in range(5)]
        first, cursor = await sessions.list(query="talk", limit=2)
        second, cursor = await sessions.list(query="talk", limit=2, cursor=cursor)
        third, end = await sessions.list(query="talk", limit=2, cursor=cursor)
    assert sorted(info.id for info in (*first, *second, *third)) == sorted(made)
    assert end is None


async def test_many_texts_are_indexed_in_portions(services, monkeypatch):
    monkeypatch.setattr(search, "PARTS_AT_ONCE", 3)
    async with services.open() as sessions:
        session = await sessions.create(title="T")
        await session.prompt([TextPart(text=f"part number{number}") for number in range(10)])
        assert await found(sessions, "number9") == ["T"]
        assert isinstance(sessions._services.store._search, TextSearch)


async def test_sessions_of_any_of_the_folders_are_listed(services):
    folders = {name: services.directory / name for name in ("added", "elsewhere")}
    async with services.open() as sessions:
        await sessions.create(title="Before")

    async def listed(*roots) -> list[str]:
        async with services.open(roots=roots) as sessions:
            return sorted(info.title for info in (await sessions.list())[0])

    async with services.open(roots=(services.project, folders["added"])) as sessions:
        await sessions.create(title="Of both")
    assert await listed(services.project, folders["added"]) == ["Before", "Of both"]
    assert await listed(services.project) == ["Before", "Of both"]
    assert await listed(folders["added"]) == ["Of both"]
    assert await listed(folders["elsewhere"]) == []
