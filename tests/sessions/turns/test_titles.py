import asyncio

import pytest

from corpus_support import corpus
from placet.core.messages import TextPart
from placet.sessions.turns.titles import title_in
from services_support import TempServices
from time_support import limited

GO = [TextPart(text="Make the greeting louder, please.")]
DONE = [{"text": "Done."}]


@pytest.fixture
def services(tmp_path):
    return TempServices(tmp_path)


@corpus(
    ("answer", "title"),
    [
        ("Louder greeting", "Louder greeting"),
        ("<think>\nHm.\nA title.\n</think>\n\n  Louder greeting \nand more", "Louder greeting"),
        ("<think>never closed", ""),
        ('# "Louder greeting"', "Louder greeting"),
        ("\n \n", ""),
        ("x" * 120, "x" * 99 + "…"),
    ],
)
def test_a_title_is_the_first_line_that_is_one(answer, title):
    assert title_in(answer) == title


async def test_a_small_model_finds_the_title_while_the_turn_runs(services):
    small = services.script([{"text": "Louder greeting"}], name="small.json")
    async with services.open(services.script([{"text": "I am "}, {"wait": "never"}]), smallModel=small) as sessions:
        session = await sessions.create()
        running = asyncio.create_task(session.prompt(GO))
        await services.screen.wait_for("session_info_update")

        assert session.info.title == "Louder greeting"
        assert not running.done()
        await session.cancel()
        await running

    async with services.open() as sessions:
        assert (await sessions.load(session.info.id)).info.title == "Louder greeting"


async def test_without_a_model_for_it_the_first_words_stay(services):
    async with services.open(services.script(DONE)) as sessions:
        session = await sessions.create()
        await session.prompt(GO)

        assert session.info.title == "Make the greeting louder, please."
        assert "session_info_update" not in services.screen.kinds()


async def test_a_title_that_the_user_gave_is_kept(services):
    small = services.script(
        [{"wait_for_file": str(services.directory / "go")}, {"text": "Louder greeting"}], name="s.json"
    )
    async with services.open(services.script(DONE, DONE), smallModel=small) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        await session.choices.set_title("Mine")
        (services.directory / "go").touch()
        await session._titles._search
        assert session.info.title == "Mine"

        named = await sessions.create(title="Named")
        await named.prompt(GO)
        assert named._titles._search is None


async def test_it_is_tried_twice_and_then_let_be(services):
    failing = [{"error": "overloaded"}]
    small = services.script(failing, [{"text": "\n"}], [{"text": "Too late"}], name="small.json")
    async with services.open(services.script(DONE), smallModel=small) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        await session._titles._search

        assert session.info.title == "Make the greeting louder, please."


async def test_only_the_first_prompt_looks_for_one(services):
    small = services.script([{"text": "First"}], [{"text": "Second"}], name="small.json")
    async with services.open(services.script(DONE, DONE), smallModel=small) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        await session._titles._search
        await session.prompt(GO)

        assert session.info.title == "First"


async def test_closing_does_not_wait_for_a_title(services):
    small = services.script([{"wait": "never"}], name="small.json")
    async with (
        limited(lambda: f"the end; there are {services.screen.kinds()}"),
        services.open(services.script(DONE), smallModel=small) as sessions,
    ):
        session = await sessions.create()
        assert (await session.prompt(GO)).stop_reason == "end_turn"


async def test_what_a_title_costs_is_counted_for_the_session(services):
    usage = {"usage": {"input": 40, "output": 5}, "cost": 0.5}
    small = services.script([{"text": "Louder greeting"}, usage], name="small.json")
    async with services.open(services.script(DONE), smallModel=small) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        await session._titles._search
        [call] = await sessions._services.store.accounts.other_calls(session.info.id)

    assert (call.kind, call.model, call.tokens.input, call.cost) == ("title", small, 40, 0.5)


async def test_another_model_finds_it_where_the_one_for_it_fails_for_good(services):
    failing = [{"error": "overloaded"}]
    small = services.script(failing, failing, name="small.json")
    other = services.script([{"text": "Louder greeting"}], name="other.json")
    async with services.open(services.script(DONE), smallModel=small, fallbackModels=[other]) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        await session._titles._search

        assert session.info.title == "Louder greeting"
