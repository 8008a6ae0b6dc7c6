"""The profile `smallest` in a session: found files, a single question, whole files, and one more try."""

from pathlib import Path
from typing import Any

import pytest

from corpus_support import corpus
from placet.agent.whole_files.progress import progress_of
from placet.core.messages import AssistantMessage, TextPart, ToolCompleted, ToolPart, UserMessage
from placet.core.ports import Documents, LanguageFeatures, PermissionAnswer, StagedPaths
from placet.languages.syntax_features import SyntaxFeatures
from placet.model.base import ModelRequest
from placet.model.scripted import ScriptedModel
from services_support import AnsweringUser, TempServices

CALC = "def mean(xs):\n    return sum(xs) / len(xs)\n\n\ndef double(x):\n    return 2 * x\n"
MENDED = CALC.replace("    return sum", "    if not xs:\n        return 0\n    return sum")
TASK = "In calc.py, make mean() return 0 for an empty list."


class SyntaxLanguages(SyntaxFeatures):
    """Knowledge by grammars alone, also about staged texts."""

    def over(self, documents: Documents, session_id: str, staged: StagedPaths) -> LanguageFeatures:
        return SyntaxFeatures(documents, self._roots)


@pytest.fixture
def services(tmp_path: Path) -> TempServices:
    return opened(tmp_path)


def opened(tmp_path: Path) -> TempServices:
    services = TempServices(tmp_path)
    services.features = SyntaxLanguages(services.documents, [services.project])
    (services.project / "calc.py").write_text(CALC)
    (services.project / "shape.py").write_text("def area(w, h):\n    return w * h\n")
    return services


def said(text: str) -> list[dict[str, Any]]:
    return [{"text": text}]


def fenced(text: str, name: str = "calc.py") -> str:
    return f"{name}\n```python\n{text}```\n"


def requests(session: Any) -> list[ModelRequest]:
    [model] = session.models.values()
    assert isinstance(model, ScriptedModel)
    return model.requests


def asked(request: ModelRequest) -> str:
    return "".join(part.text for part in request.messages[-1].parts if isinstance(part, TextPart))


def calls(session: Any) -> list[ToolPart]:
    parts = (part for message in session.messages for part in message.parts)
    return [part for part in parts if isinstance(part, ToolPart)]


def answer(session: Any) -> str:
    texts = (part.text for part in session.messages[-1].parts if isinstance(part, TextPart))
    assert isinstance(session.messages[-1], AssistantMessage)
    return "".join(texts)


def notices(services: TempServices) -> list[str]:
    return [event.update.code for event in services.screen.events if event.update.kind == "notice"]


async def test_a_named_file_is_shown_and_its_whole_new_text_is_staged(services: TempServices) -> None:
    model = services.script(said(f"Done.\n\n{fenced(MENDED)}"))
    async with services.open(model, profile="smallest", review="stage") as sessions:
        session = await sessions.create()
        result = await session.prompt([TextPart(text=TASK)])

        assert result.stop_reason == "end_turn"
        assert [call.tool for call in calls(session)] == ["read", "write"]
        [request] = requests(session)
        assert request.tools == ()
        assert asked(request) == f"calc.py\n```\n{CALC}```\n\nTask: {TASK}"
        assert (services.project / "calc.py").read_text() == CALC
        [view] = await session.change_set.views()
        assert view.file.state == "staged"
        assert (await session.tree()).is_changed(services.project / "calc.py")
        assert answer(session) == "calc.py: proposed; nothing is written before you accept."


async def test_a_function_that_the_prompt_names_is_searched_for(services: TempServices) -> None:
    for number in range(4):
        (services.project / f"other{number}.py").write_text("from calc import mean\n\nmean([1])\nmean([2])\n")
    model = services.script(said(fenced(MENDED)))
    async with services.open(model, profile="smallest", review="stage") as sessions:
        session = await sessions.create()
        await session.prompt([TextPart(text="Make mean() return 0 for an empty list.")])

        assert [call.tool for call in calls(session)] == ["grep", "read", "read", "write"]
        [request] = requests(session)
        assert asked(request).startswith(f"calc.py\n```\n{CALC}```\n")


async def test_no_other_files_are_shown_where_a_search_finds_nothing(services: TempServices) -> None:
    for number in range(4):
        (services.project / f"other{number}.py").write_text("x = 1\n")
    async with services.open(services.script(said("I see no file.")), profile="smallest") as sessions:
        session = await sessions.create()
        await session.prompt([TextPart(text="What does `no_such_name` do?")])

        assert [call.tool for call in calls(session)] == ["grep"]
        assert answer(session) == "I see no file."


async def test_the_user_is_asked_as_about_any_edit_and_a_rejection_ends_the_turn(services: TempServices) -> None:
    services.user = AnsweringUser(lambda _: PermissionAnswer("reject"))
    async with services.open(services.script(said(fenced(MENDED))), profile="smallest", review="ask") as sessions:
        session = await sessions.create()
        result = await session.prompt([TextPart(text=TASK)])

        assert result.stop_reason == "rejected"
        assert [request.permission for request in services.user.asked] == ["edit"]
        assert (services.project / "calc.py").read_text() == CALC


async def test_a_rule_that_denies_edits_leaves_the_answer_as_text(services: TempServices) -> None:
    model = services.script(said(fenced(MENDED)))
    async with services.open(model, profile="smallest", permission={"edit": "deny"}) as sessions:
        session = await sessions.create()
        await session.prompt([TextPart(text=TASK)])

        assert [call.tool for call in calls(session)] == ["read"]
        assert answer(session) == fenced(MENDED)


async def test_a_question_is_answered_by_text(services: TempServices) -> None:
    async with services.open(services.script(said("It divides by zero.")), profile="smallest") as sessions:
        session = await sessions.create()
        await session.prompt([TextPart(text="What is wrong in calc.py?")])

        assert answer(session) == "It divides by zero."
        assert [call.tool for call in calls(session)] == ["read"]


async def test_a_text_that_comes_back_unchanged_is_told(services: TempServices) -> None:
    async with services.open(services.script(said(fenced(CALC))), profile="smallest") as sessions:
        session = await sessions.create()
        await session.prompt([TextPart(text=TASK)])

        assert "unchanged_file" in notices(services)
        assert not await session.change_set.views()


async def test_a_question_is_answered_with_the_quoted_code(services: TempServices) -> None:
    async with services.open(services.script(said(f"So:\n\n{fenced(CALC)}")), profile="smallest") as sessions:
        session = await sessions.create()
        await session.prompt([TextPart(text="What does calc.py hold?")])

        assert answer(session) == f"So:\n\n{fenced(CALC)}"
        assert "unchanged_file" not in notices(services)


async def test_a_syntax_error_goes_into_one_more_try_from_a_fresh_prompt(services: TempServices) -> None:
    broken = MENDED.replace("if not xs:", "if not xs")
    model = services.script(said(fenced(broken)), said(fenced(MENDED)))
    async with services.open(model, profile="smallest", review="apply") as sessions:
        session = await sessions.create()
        await session.prompt([TextPart(text=TASK)])

        first, second = requests(session)
        assert [call.tool for call in calls(session)] == ["read", "write", "read", "write"]
        assert broken in asked(second)
        assert "first try" in asked(second)
        assert len(second.messages) == len(first.messages) == 1
        assert (services.project / "calc.py").read_text() == MENDED


async def test_tests_that_the_user_allows_are_run_and_their_words_go_into_one_more_try(services: TempServices) -> None:
    (services.project / "test_calc.py").write_text(
        "from calc import mean\n\n\ndef test_empty():\n    assert mean([]) == 0\n"
    )
    wrong = MENDED.replace("return 0", "return 1")
    model = services.script(said(fenced(wrong)), said(fenced(MENDED)))
    rules = {"bash": {"python3 -m pytest*": "allow"}}
    async with services.open(model, profile="smallest", review="apply", permission=rules) as sessions:
        session = await sessions.create()
        await session.prompt([TextPart(text=TASK)])

        assert [call.tool for call in calls(session)] == ["read", "write", "bash", "read", "write", "bash"]
        assert "assert 1 == 0" in asked(requests(session)[1])
        last = calls(session)[-1].state
        assert isinstance(last, ToolCompleted)
        assert "1 passed" in last.output


async def test_tests_that_fail_for_another_reason_make_no_second_try(services: TempServices) -> None:
    (services.project / "test_shape.py").write_text(
        "from shape import area\n\n\ndef test_area():\n    assert area(2, 3) == 5\n"
    )
    model = services.script(said(fenced(MENDED)), said(fenced(CALC)))
    rules = {"bash": {"python3 -m pytest*": "allow"}}
    async with services.open(model, profile="smallest", review="apply", permission=rules) as sessions:
        session = await sessions.create()
        await session.prompt([TextPart(text=TASK)])

        assert len(requests(session)) == 1
        assert "This names no changed file, and may have been wrong before" in answer(session)


async def test_tests_that_the_user_does_not_allow_are_not_run(services: TempServices) -> None:
    (services.project / "test_calc.py").write_text(
        "from calc import mean\n\n\ndef test_empty():\n    assert mean([]) == 0\n"
    )
    async with services.open(services.script(said(fenced(MENDED))), profile="smallest", review="apply") as sessions:
        session = await sessions.create()
        await session.prompt([TextPart(text=TASK)])

        assert [call.tool for call in calls(session)] == ["read", "write"]
        assert services.user.asked == []


async def test_tests_are_not_run_on_files_without_the_proposed_change(services: TempServices) -> None:
    (services.project / "test_calc.py").write_text(
        "from calc import mean\n\n\ndef test_empty():\n    assert mean([]) == 0\n"
    )
    rules = {"bash": {"python3 -m pytest*": "allow"}}
    model = services.script(said(fenced(MENDED)))
    async with services.open(model, profile="smallest", review="stage", permission=rules) as sessions:
        session = await sessions.create()
        await session.prompt([TextPart(text=TASK)])

        assert [call.tool for call in calls(session)] == ["read", "write"]


async def test_a_guessed_file_that_the_rules_ask_about_is_not_read_and_a_named_file_is_asked(
    services: TempServices,
) -> None:
    rules = {"read": {"*": "allow", "calc.py": "ask"}}
    model = services.script(said("I see."), said("I see it."))
    async with services.open(model, profile="smallest", permission=rules) as sessions:
        session = await sessions.create()
        await session.prompt([TextPart(text="What is in the project?")])
        assert [call.state.input["filePath"] for call in calls(session)] == ["shape.py"]
        assert services.user.asked == []

        await session.prompt([TextPart(text="What is in calc.py?")])
        assert [request.permission for request in services.user.asked] == ["read"]


async def test_the_words_by_which_the_user_steers_are_part_of_the_task(services: TempServices) -> None:
    opening = UserMessage(parts=(TextPart(text="Mend calc.py."), TextPart(text="a reminder", synthetic=True)))
    steered = UserMessage(parts=(TextPart(text="And shape.py."),), steers=opening.id)
    progress = progress_of([opening, AssistantMessage(parent_id=opening.id, agent="build", model="m"), steered])

    assert progress is not None
    assert progress.prompt == "Mend calc.py.\nAnd shape.py."


async def test_no_third_try_is_made_and_the_rest_is_told(services: TempServices) -> None:
    broken = MENDED.replace("if not xs:", "if not xs")
    other = broken.replace("return 0", "return 1")
    model = services.script(said(fenced(broken)), said(fenced(other)), said(fenced(MENDED)))
    async with services.open(model, profile="smallest", review="apply") as sessions:
        session = await sessions.create()
        await session.prompt([TextPart(text=TASK)])

        assert len(requests(session)) == 2
        assert "This is still wrong" in answer(session)


async def test_a_file_beyond_the_context_is_left_out_and_told(services: TempServices) -> None:
    (services.project / "calc.py").write_text("x = 1\n" * 4000)
    async with services.open(services.script(said("I cannot see it.")), profile="smallest") as sessions:
        session = await sessions.create()
        await session.prompt([TextPart(text=TASK)])

        assert "left_out_files" in notices(services)
        assert asked(requests(session)[0]) == f"Task: {TASK}"


@corpus("finish", ["length", "content_filter"])
async def test_an_answer_that_was_cut_off_is_shown_and_changes_nothing(tmp_path: Path, finish: str) -> None:
    services = opened(tmp_path)
    text = f"{fenced(MENDED)}\nshape.py\n```python\ndef area"
    turn = [{"text": text}, {"finish": finish}]
    async with services.open(services.script(turn), profile="smallest", review="apply") as sessions:
        session = await sessions.create()
        result = await session.prompt([TextPart(text=TASK)])

        assert result.stop_reason in ("error", "refused")
        assert "return 0" in answer(session)
        assert "def area" in answer(session)
        assert (services.project / "calc.py").read_text() == CALC


async def test_an_answer_with_a_providers_own_word_for_its_end_is_whole(services: TempServices) -> None:
    turn = [{"text": fenced(MENDED)}, {"finish": "eos"}]
    async with services.open(services.script(turn), profile="smallest", review="apply") as sessions:
        session = await sessions.create()
        await session.prompt([TextPart(text=TASK)])

        assert (services.project / "calc.py").read_text() == MENDED
