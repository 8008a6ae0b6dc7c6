"""What is set of an agent is what its turns go by: model, temperature, steps, prompt, rules."""

import pytest

from placet.core.errors import RequestError
from placet.core.messages import AssistantMessage, TextPart, ToolPart
from placet.core.ports import PermissionAnswer, PermissionRequest, Question
from services_support import TempServices

GO = [TextPart(text="Please go on.")]
DONE = [{"text": "Done."}]
READ = {"call": "read", "arguments": {"filePath": "a.txt"}}
EDIT = {"call": "edit", "arguments": {"filePath": "a.txt", "oldString": "old", "newString": "new"}}
TASK = {"call": "task", "arguments": {"description": "a piece", "prompt": "Do it.", "subagent_type": "helper"}}


@pytest.fixture
def services(tmp_path):
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "a.txt").write_text("old\n")
    return TempServices(tmp_path)


def answered_by(session) -> list[tuple[str, str]]:
    """Agent and model of each answer."""
    return [(one.agent, one.model) for one in session.messages if isinstance(one, AssistantMessage)]


def calls(session) -> list[ToolPart]:
    return [part for message in session.messages for part in message.parts if isinstance(part, ToolPart)]


async def agree(session_id: str, questions: list[Question]) -> list[list[str]]:
    return [["Yes"]]


async def test_an_agents_model_temperature_and_prompt_are_what_the_model_is_asked_with(services):
    own = services.script(DONE, name="own.json")
    agent = {"x": {"model": own, "temperature": 0, "prompt": "You are x."}}
    async with services.open(agent=agent, modelOptions={"temperature": 0.7}) as sessions:
        session = await sessions.create(agent="x")
        assert (session.info.model, session.info.base_model) == (own, "builtin/rules")
        assert (await session.prompt(GO)).stop_reason == "end_turn"

        [request] = session.models[own].requests
        assert request.temperature == 0
        assert request.system[0].startswith("You are x.")
        assert answered_by(session) == [("x", own)]


async def test_what_an_agent_does_not_set_is_the_sessions(services):
    model = services.script(DONE)
    async with services.open(model, agent={"x": {}}, modelOptions={"temperature": 0.7}) as sessions:
        session = await sessions.create(agent="x")
        await session.prompt(GO)

        assert session.models[model].requests[0].temperature == 0.7
        assert answered_by(session) == [("x", model)]


async def test_the_steps_of_an_agent_end_its_turn(services):
    async with services.open(services.script([READ], DONE, DONE), agent={"x": {"steps": 1}}, maxSteps=9) as sessions:
        session = await sessions.create(agent="x")
        assert (await session.prompt(GO)).stop_reason == "max_steps"


async def test_the_agents_own_rules_outweigh_those_for_all(services):
    model = services.script([READ], [EDIT], DONE)
    async with services.open(
        model, permission={"edit": "deny"}, agent={"x": {"permission": {"edit": "allow"}}}
    ) as sessions:
        session = await sessions.create(agent="x")
        await session.prompt(GO)

        assert services.user.asked == []
        assert (services.project / "a.txt").read_text() == "new\n"


async def test_tools_that_an_agent_denies_are_not_offered_to_the_model(services):
    model = services.script(DONE)
    async with services.open(model, agent={"x": {"tools": {"*": False, "read": True}}}) as sessions:
        session = await sessions.create(agent="x")
        await session.prompt(GO)

        assert [tool.name for tool in session.models[model].requests[0].tools] == ["read"]


async def test_a_model_chosen_after_the_agent_outweighs_the_agents_own_until_another_is_chosen(services):
    async with services.open(agent={"x": {"model": "a/x"}, "y": {"model": "a/y"}}) as sessions:
        session = await sessions.create(agent="x")
        chosen = services.script(DONE, name="chosen.json")
        assert (await session.choices.set_model(chosen)).model == chosen
        assert (await session.choices.set_agent("y")).model == "a/y"
        assert (await session.choices.set_agent("build")).model == chosen
        assert (await session.choices.set_agent("x")).model == "a/x"


async def test_a_model_given_with_the_agent_outweighs_the_agents_own(services):
    async with services.open(agent={"x": {"model": "a/x"}}) as sessions:
        assert (await sessions.create(agent="x", model="builtin/rules")).info.model == "builtin/rules"


async def test_the_chosen_model_is_known_after_a_restart(services):
    async with services.open(agent={"x": {"model": "a/x"}}) as sessions:
        session = await sessions.create(model="builtin/rules")
        await session.choices.set_agent("x")
    async with services.open(agent={"x": {"model": "a/x"}}) as sessions:
        again = await sessions.load(session.info.id)
        assert (again.info.model, again.info.base_model) == ("a/x", "builtin/rules")


async def test_the_screen_hears_which_model_the_new_agent_answers_with(services):
    async with services.open(agent={"x": {"model": "a/x"}}) as sessions:
        session = await sessions.create()
        await session.choices.set_agent("x")
        [told] = [event.update for event in services.screen.events if event.update.kind == "current_mode_update"]
        assert (told.agent, told.model) == ("x", "a/x")


async def test_the_effort_is_the_sessions_else_the_agents_else_that_of_the_settings(services):
    model = services.script(DONE, DONE, DONE, DONE)
    agent = {"x": {"effort": "low"}}
    async with services.open(model, agent=agent, modelOptions={"effort": 2048}) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        await session.choices.set_agent("x")
        await session.prompt(GO)
        assert (await session.choices.set_effort("max")).effort == "max"
        await session.prompt(GO)
        await session.choices.set_effort(None)
        await session.prompt(GO)

        asked = [request.effort for request in session.models[model].requests]
        assert asked == [2048, "low", "max", "low"]


async def test_a_command_has_its_own_effort_for_its_turn_alone(services):
    model = services.script(DONE, DONE)
    command = {"deep": {"template": "Think.", "effort": "xhigh"}}
    async with services.open(model, command=command) as sessions:
        session = await sessions.create()
        await session.choices.set_effort("low")
        await session.prompt([TextPart(text="/deep")])
        await session.prompt(GO)

        assert [request.effort for request in session.models[model].requests] == ["xhigh", "low"]


async def test_a_subagent_thinks_as_much_as_its_employer_or_as_its_own_agent_says(services):
    tasks = [
        {"call": "task", "arguments": {"description": "d", "prompt": "p", "subagent_type": name}}
        for name in ("general", "own")
    ]
    model = services.script([tasks[0]], DONE, [tasks[1]], DONE, DONE)
    agent = {"own": {"mode": "subagent", "effort": 512}}
    async with services.open(model, agent=agent) as sessions:
        session = await sessions.create()
        await session.choices.set_effort("high")
        await session.prompt(GO)

        asked = [request.effort for request in session.models[model].requests]
        assert asked == ["high", "high", "high", 512, "high"]


async def test_an_effort_chosen_within_a_turn_holds_from_the_next_call_of_the_model_on(services):
    model = services.script([{"call": "bash", "arguments": {"command": "true 1", "description": "t"}}], DONE)
    async with services.open(model) as sessions:
        session = await sessions.create()

        async def choose() -> None:
            await session.choices.set_effort("minimal")

        def allow(request: PermissionRequest) -> PermissionAnswer:
            session.keep_running(choose())
            return PermissionAnswer("once")

        services.user.answer = allow
        await session.choices.set_caution("more")
        await session.prompt(GO)

        assert [request.effort for request in session.models[model].requests] == [None, "minimal"]


async def test_the_effort_is_kept_with_the_session_and_its_forks_and_told_to_other_processes(services):
    async with services.open() as sessions, TempServices(services.directory).open() as others:
        session = await sessions.create(title="T")
        theirs = await others.load(session.info.id)
        await session.choices.set_effort("high")
        await (await others.load(theirs.info.id)).choices.set_effort(4096)
        assert (await sessions.load(session.info.id)).info.effort == 4096
        updates = [event.update for event in services.screen.events if event.update.kind == "effort_update"]
        assert [update.effort for update in updates] == ["high", 4096]
        assert (await sessions.fork(session.info.id)).info.effort == 4096
    async with services.open() as sessions:
        assert (await sessions.load(session.info.id)).info.effort == 4096


async def test_a_turn_that_a_call_hands_over_goes_on_with_the_other_agents_model_and_comes_back(services):
    services.user.ask = agree
    base = services.script([{"call": "plan_enter"}], DONE)
    planning = services.script([{"text": "A plan."}], [{"call": "plan_exit"}], name="planning.json")
    agent = {"plan": {"model": planning, "temperature": 0.25}}
    async with services.open(base, agent=agent, experimental={"planMode": True}) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        assert answered_by(session) == [("build", base), ("plan", planning)]
        assert session.models[planning].requests[0].temperature == 0.25

        plan_file = services.locations.plans / f"{session.info.id}.md"
        plan_file.parent.mkdir(parents=True)
        plan_file.write_text("1. Do it.\n")
        await session.prompt(GO)
        assert answered_by(session)[2:] == [("plan", planning), ("build", base)]
        assert session.info.model == base


async def test_a_subagent_answers_with_its_own_model_or_else_with_that_of_whoever_asked(services):
    own = services.script([{"text": "Helped."}], name="own.json")
    base = services.script(
        [TASK], DONE, [{**TASK, "arguments": {**TASK["arguments"], "subagent_type": "x"}}], DONE, DONE
    )
    agent = {"helper": {"mode": "subagent", "model": own}, "x": {}}
    async with services.open(base, agent=agent) as sessions:
        session = await sessions.create()
        await session.prompt(GO)
        await session.prompt(GO)

        helper, other = [await sessions.load(call.state.metadata["sessionId"]) for call in calls(session)]
        assert answered_by(helper) == [("helper", own)]
        assert answered_by(other) == [("x", base)]


async def test_what_a_custom_agent_is_denied_its_subagents_are_denied(services):
    model = services.script([TASK], [READ], [EDIT], [{"text": "I cannot."}], DONE)
    agent = {"x": {"permission": {"edit": "deny"}}, "helper": {"permission": {"edit": "allow"}}}
    async with services.open(model, agent=agent) as sessions:
        session = await sessions.create(agent="x")
        assert (await session.prompt(GO)).stop_reason == "end_turn"

    assert (services.project / "a.txt").read_text() == "old\n"


async def test_a_subagent_that_may_not_be_called_is_not_offered(services):
    model = services.script(DONE)
    agent = {"x": {"permission": {"task": {"explore": "deny"}}}}
    async with services.open(model, agent=agent) as sessions:
        session = await sessions.create(agent="x")
        await session.prompt(GO)

        [task] = [tool for tool in session.models[model].requests[0].tools if tool.name == "task"]
        assert "`general`" in task.description
        assert "`explore`" not in task.description


async def test_a_model_that_cannot_be_is_an_error_of_the_turn_that_names_the_agent(services):
    async with services.open(agent={"x": {"model": "builtin/nothing"}}) as sessions:
        session = await sessions.create(agent="x")
        result = await session.prompt(GO)

        assert result.stop_reason == "error"
        assert "The agent `x` cannot answer with its model `builtin/nothing`" in result.error.message
        assert [message.role for message in session.messages] == ["user"]
        await session.choices.set_model("builtin/rules")
        assert (await session.prompt(GO)).stop_reason == "refused"


async def test_a_session_whose_agent_is_gone_says_so_and_keeps_what_was_asked(services):
    async with services.open(agent={"x": {}}) as sessions:
        session = await sessions.create(agent="x")
    async with services.open() as sessions:
        session = await sessions.load(session.info.id)
        result = await session.prompt(GO)

        assert "There is no agent `x`" in result.error.message
        assert [message.role for message in session.messages] == ["user"]
        await session.choices.set_agent("build")
        assert (await session.prompt(GO)).stop_reason == "refused"


async def test_the_default_agent_answers_where_none_is_named(services):
    async with services.open(defaultAgent="plan") as sessions:
        assert (await sessions.create()).info.agent == "plan"


@pytest.mark.parametrize("name", ["title", "summary", "compaction", "general"])
async def test_nobody_can_talk_to_an_agent_that_is_not_for_that(services, name):
    async with services.open() as sessions:
        session = await sessions.create()
        with pytest.raises(RequestError):
            await session.choices.set_agent(name)
        with pytest.raises(RequestError):
            await sessions.create(agent=name)


async def test_what_could_not_be_used_is_logged_and_the_house_opens(services, caplog):
    async with services.open(agent={"x": {"steps": "many"}}) as sessions:
        assert len(sessions.agents.problems) == 1
    assert "the agent `x`: `steps`" in caplog.text
