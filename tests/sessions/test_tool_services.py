"""What a session gives its tools: questions, the plan, another agent, names that are mended."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from corpus_support import corpus
from placet.agent.turn import tool_calls
from placet.core.messages import TextPart, ToolPart
from placet.core.ports import PermissionAnswer, PermissionRequest, Question
from placet.core.transcript import Transcript
from services_support import AnsweringUser, TempServices
from time_support import limited

GO = [TextPart(text="go")]
PLAN_MODE = {"experimental": {"planMode": True}}


class ReplyingUser(AnsweringUser):
    """Gives its replies to questions in turn, after doing what a test wants done meanwhile."""

    def __init__(self, *replies: list[list[str]] | None) -> None:
        super().__init__()
        self.replies = list(replies)
        self.questions: list[Question] = []
        self.meanwhile = lambda: None

    async def ask(self, session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        self.questions += questions
        self.meanwhile()
        return self.replies.pop(0)


class SilentUser(AnsweringUser):
    """Never answers."""

    def __init__(self) -> None:
        super().__init__()
        self.is_asked = asyncio.Event()
        self.was_taken_back = False

    async def request_permission(self, request: PermissionRequest) -> PermissionAnswer:
        await self._wait()
        raise AssertionError("it is never answered")

    async def ask(self, session_id: str, questions: Sequence[Question]) -> list[list[str]] | None:
        await self._wait()

    async def _wait(self) -> None:
        self.was_taken_back = False
        self.is_asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.was_taken_back = True


@pytest.fixture
def services(tmp_path: Path) -> TempServices:
    services = TempServices(tmp_path)
    (services.project / "a.txt").write_text("one\n")
    return services


def calls(session: Any) -> list[ToolPart]:
    transcript = Transcript()
    for event in session.replay():
        transcript.apply(event.update)
    return [part for message in transcript.messages for part in message.parts if isinstance(part, ToolPart)]


def one(tool: str, **arguments: Any) -> list[dict[str, Any]]:
    return [{"call": tool, "arguments": arguments}]


DONE = [{"text": "Done."}]


async def test_a_tool_name_in_the_wrong_case_is_mended(services: TempServices) -> None:
    async with services.open(services.script(one("READ", filePath="a.txt"), DONE)) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        [call] = calls(session)
    assert (call.tool, call.state.status) == ("read", "completed")


@pytest.mark.parametrize(
    ("other", "name", "arguments"),
    [
        ("patch", "apply_patch", {"patchText": "*** Begin Patch\n*** Add File: new.txt\n+here\n*** End Patch"}),
        ("ls", "list", {}),
        ("view", "read", {"filePath": "a.txt"}),
        ("todo", "todowrite", {"todos": []}),
    ],
)
async def test_a_tool_called_by_its_other_name_is_the_tool(
    services: TempServices, other: str, name: str, arguments: dict[str, object]
) -> None:
    async with services.open(services.script(one(other, **arguments), DONE)) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        [call] = calls(session)
    assert (call.tool, call.state.status) == (name, "completed")


async def test_a_tool_that_there_is_not_becomes_an_invalid_call_and_the_model_goes_on(
    services: TempServices,
) -> None:
    async with services.open(services.script(one("sing", song="la"), DONE)) as sessions:
        session = await sessions.create()
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        [call] = calls(session)
    assert (call.tool, call.state.status) == ("invalid", "error")
    assert call.state.input["tool"] == "sing"
    assert "There is no tool `sing`. Tools: " in call.state.error
    assert " invalid" not in call.state.error


async def test_the_list_of_things_to_do_is_shown_and_shown_again(services: TempServices) -> None:
    todos = [{"content": "look", "status": "pending"}]
    async with services.open(services.script(one("todowrite", todos=todos), one("todoread"), DONE)) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        session_id = session.info.id
        assert '"look"' in calls(session)[1].state.output
    [shown] = [event.update for event in services.screen.events if event.update.kind == "plan"]
    async with services.open() as sessions:
        again = (await sessions.load(session_id)).replay()
    assert [event.update for event in again if event.update.kind == "plan"] == [shown]
    assert shown.entries[0].content == "look"


async def test_a_question_reaches_the_user_and_the_answer_the_model(services: TempServices) -> None:
    services.user = ReplyingUser([["red"]])
    questions = [{"question": "Which?", "header": "Colour", "options": [{"label": "red", "description": ""}]}]
    async with services.open(services.script(one("question", questions=questions), DONE)) as sessions:
        session = await sessions.create()
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        assert '"Which?"="red"' in calls(session)[0].state.output


async def test_a_question_that_is_declined_ends_the_turn(services: TempServices) -> None:
    services.user = ReplyingUser(None)
    async with services.open(services.script(one("question", questions=[{"question": "Which?"}]), DONE)) as sessions:
        session = await sessions.create()
        assert (await session.prompt(GO)).stop_reason == "rejected"


@pytest.mark.parametrize(
    "asking",
    [
        pytest.param(one("question", questions=[{"question": "Which?"}]), id="a question"),
        pytest.param(one("bash", command="touch b", description="Makes b"), id="a permission"),
    ],
)
async def test_a_turn_that_waits_for_the_user_is_cancelled_without_an_answer_and_the_question_taken_back(
    services: TempServices, asking: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool_calls, "CANCEL_SECONDS", 9000)  # The call ends by itself, and is not left behind.
    services.user = waiting = SilentUser()
    async with services.open(services.script(asking)) as sessions:
        session = await sessions.create()
        turn = asyncio.create_task(session.prompt(GO))
        await waiting.is_asked.wait()
        async with limited(lambda: f"the end of the turn; the last events were {services.screen.events[-3:]}"):
            await session.cancel()
            assert (await turn).stop_reason == "cancelled"
        assert waiting.was_taken_back
        assert [call.state.status for call in calls(session)] == ["error"]


async def test_a_plan_is_made_changed_by_the_user_accepted_and_carried_out(services: TempServices) -> None:
    services.user = ReplyingUser([["Yes"]], [["Yes"]])
    async with services.open(services.script(DONE), **PLAN_MODE) as sessions:
        session = await sessions.create()
        file = services.locations.plans / f"{session.info.id}.md"
        model = services.script(
            one("plan_enter"),
            [*one("write", filePath=str(file), content="# Plan\n"), *one("write", filePath="a.txt", content="no")],
            one("plan_exit"),
            one("read", filePath="a.txt"),
            one("edit", filePath="a.txt", oldString="one", newString="two"),
            DONE,
            name="plan.json",
        )
        await session.choices.set_model(model)

        def user_changes_the_plan() -> None:
            if len(services.user.questions) == 2:
                file.write_text("# Plan of the user\n")

        services.user.meanwhile = user_changes_the_plan
        assert (await session.prompt(GO)).stop_reason == "end_turn"
        enter, write, forbidden, leave, _, edit = calls(session)
        assert session.info.agent == "build"
    assert [part.state.status for part in (enter, write, leave, edit)] == ["completed"] * 4
    assert str(file) in enter.state.output
    assert forbidden.state.status == "error"
    assert "The user changed it" in leave.state.output
    assert "# Plan of the user" in leave.state.output
    assert (services.project / "a.txt").read_text() == "two\n"
    assert [request.patterns for request in services.user.asked] == [("a.txt",)]
    modes = [event.update.agent for event in services.screen.events if event.update.kind == "current_mode_update"]
    assert modes == ["build", "plan", "build"]  # The first tells of the chosen model.
    agents = {event.update.message.agent for event in services.screen.events if event.update.kind == "agent_message"}
    assert agents == {"build", "plan"}


async def test_the_plan_agent_changes_nothing_even_where_the_user_allowed_edits(services: TempServices) -> None:
    steps = (one("read", filePath="a.txt"), one("edit", filePath="a.txt", oldString="one", newString="two"), DONE)
    permission = {"edit": "allow", "read": "allow"}
    async with services.open(services.script(*steps), permission=permission, **PLAN_MODE) as sessions:
        session = await sessions.create(agent="plan")
        await session.prompt(GO)
        assert calls(session)[1].state.status == "error"
    assert (services.project / "a.txt").read_text() == "one\n"


async def test_a_plan_that_is_not_accepted_ends_the_turn_in_the_plan_agent(services: TempServices) -> None:
    services.user = ReplyingUser([["No"]])
    async with services.open(services.script(one("plan_exit"), DONE), **PLAN_MODE) as sessions:
        session = await sessions.create(agent="plan")
        services.locations.plans.mkdir(parents=True)
        (services.locations.plans / f"{session.info.id}.md").write_text("# Plan\n")
        assert (await session.prompt(GO)).stop_reason == "rejected"
        assert session.info.agent == "plan"


async def test_an_agent_sees_only_its_own_way_between_the_two(services: TempServices) -> None:
    async with services.open(services.script(one("plan_exit"), DONE), **PLAN_MODE) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        assert "There is no tool `plan_exit`" in calls(session)[0].state.error


@pytest.mark.parametrize("review", ["ask", "stage", "apply"])
@pytest.mark.parametrize("meanwhile", ["nothing", "another text"])
async def test_after_a_restart_the_model_still_knows_the_files_that_have_not_changed(
    services: TempServices, review: str, meanwhile: str
) -> None:
    for name in ("read.txt", "edited.txt", "moved.txt"):
        (services.project / name).write_text("old\n")
    patch = "*** Begin Patch\n*** Update File: moved.txt\n*** Move to: new.txt\n-old\n+new\n*** End Patch\n"
    first = services.script(
        one("read", filePath="read.txt"),
        one("read", filePath="edited.txt"),
        one("edit", filePath="edited.txt", oldString="old", newString="new"),
        one("read", filePath="moved.txt"),
        one("apply_patch", patchText=patch),
        DONE,
    )
    settings = {"review": review}
    async with services.open(first, **settings) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        assert [call.state.status for call in calls(session)] == ["completed"] * 5
    names = ["read.txt"] if review == "stage" else ["read.txt", "edited.txt", "new.txt"]
    if meanwhile != "nothing":
        for name in names:
            (services.project / name).write_text("old new\n")
    again = services.script(
        *(
            one("edit", filePath=name, oldString="old" if name == "read.txt" else "new", newString="x")
            for name in names
        ),
        DONE,
    )
    async with services.open(again, **settings) as sessions:
        session = await sessions.load(session.info.id)
        await session.choices.set_model(again)
        await session.prompt(GO)
        outcomes = [call.state for call in calls(session)[5:]]
    if meanwhile == "nothing":
        assert [state.status for state in outcomes] == ["completed"] * len(names)
    else:
        assert all("has changed since you read it" in state.error for state in outcomes)


@pytest.mark.parametrize("review", ["ask", "stage", "apply"])
@corpus(
    ("command", "author"),
    [
        ("sed -i 's/b = 2/b  =  2/' f", ""),
        ("sed -i 's/c = 3/c  =  3/' f", "a command of yours has changed the same lines"),
        ("touch g", ""),
    ],
)
async def test_an_edit_beside_the_agents_own_command_is_made_and_a_conflict_names_the_command(
    tmp_path: Path, review: str, command: str, author: str
) -> None:
    services = TempServices(tmp_path)
    (services.project / "f").write_text("a = 1\nb = 2\nc = 3\n")
    model = services.script(
        one("read", filePath="f"),
        one("bash", command=command, description="Change"),
        one("edit", filePath="f", oldString="c = 3", newString="c = 4"),
        DONE,
    )
    async with services.open(model, review=review) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        edit = calls(session)[2].state
    assert edit.status == ("error" if author else "completed")
    assert author in (edit.error if author else "")
    assert "the user" not in (edit.error if author else edit.output).replace("The user reviews", "")


@corpus("change", ["a = 1\nb  =  2\nc  =  3\n", ""])
async def test_a_change_on_disk_of_nobody_knows_whom_is_not_called_the_users(tmp_path: Path, change: str) -> None:
    services = TempServices(tmp_path)
    file = services.project / "f"
    file.write_text("a = 1\nb = 2\nc = 3\n")
    go = tmp_path / "go"
    model = services.script(
        one("read", filePath="f"),
        [{"wait_for_file": str(go)}, *one("edit", filePath="f", oldString="c = 3", newString="c = 4")],
        DONE,
    )
    async with services.open(model) as sessions:
        session = await sessions.create()
        prompted = asyncio.create_task(session.prompt(GO))
        while not calls(session) or calls(session)[0].state.status != "completed":
            await services.screen.wait_for_more()
        file.write_text(change)
        go.touch()
        await prompted
        assert "the user or another program has changed the same lines" in calls(session)[1].state.error
