import asyncio

import pytest

from placet.core.errors import InvalidArguments, NobodyToAsk, Rejected
from placet.core.ports import QuestionOption
from placet.tools.question import TOOL
from time_support import wait_seconds
from tools_support.workbench import Workbench

COLOUR = {
    "question": "Which colour?",
    "header": "Colour",
    "options": [{"label": "red", "description": "warm"}, {"label": "blue"}],
    "multiple": True,
}
NAME = {"question": "Which name?", "header": "A header that is longer than is shown", "options": []}


async def test_the_answers_come_back_beside_their_questions(bench: Workbench) -> None:
    bench.user.replies = [["red", "blue"], []]
    result = await bench.run(TOOL, questions=[COLOUR, NAME])
    assert '"Which colour?"="red, blue"\n"Which name?"="Unanswered"' in result.output
    assert result.metadata["answers"] == [["red", "blue"], []]
    assert result.title == "Asked 2 questions"


async def test_the_user_sees_the_question_with_its_options(bench: Workbench) -> None:
    bench.user.replies = [[], []]
    await bench.run(TOOL, questions=[COLOUR, NAME])
    colour, name = bench.user.questions
    assert colour.options == (QuestionOption("red", "warm"), QuestionOption("blue"))
    assert (colour.multiple, name.multiple) == (True, False)
    assert name.header == "A header that is longer than …"
    assert len(name.header) == 30


async def test_declining_rejects_the_call(bench: Workbench) -> None:
    bench.user.replies = None
    with pytest.raises(Rejected):
        await bench.run(TOOL, questions=[COLOUR])


async def test_it_fails_at_once_where_nobody_is(bench: Workbench) -> None:
    bench.user.answers = []
    with pytest.raises(NobodyToAsk):
        async with asyncio.timeout(wait_seconds()):
            await bench.run(TOOL, questions=[COLOUR])


async def test_no_question_is_a_mistake(bench: Workbench) -> None:
    with pytest.raises(InvalidArguments, match="questions"):
        await bench.run(TOOL, questions=[])
