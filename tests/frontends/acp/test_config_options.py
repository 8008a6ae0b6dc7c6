"""Options of a session as menus of the client, over the true wire."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_support import ALLOW, EDIT, READ, AcpClient, Refused
from placet.agent.agents.agent import Agent
from placet.core.effort import LEVELS, Effort, Level
from placet.frontends.acp.config_options import config_options
from placet.frontends.acp.handlers.prompts import CHANGES_WAIT
from placet.frontends.acp.protocol.requests import SelectGroup
from placet.settings.profile import PROFILE_CHOICES, ProfileChoice
from run_support import Place

Json = dict[str, Any]

EXAMPLES = Path(__file__).parents[3] / "examples"
PLANNED = [{"call": "plan_enter", "arguments": {}}]


def by_id(options: list[Json]) -> dict[str, Json]:
    return {option["id"]: option for option in options}


def choices(option: Json) -> list[str]:
    groups = [choice.get("options", [choice]) for choice in option["options"]]
    return [choice["value"] for group in groups for choice in group]


def opening(place: Place, session_id: str = "") -> Json:
    named = {"sessionId": session_id} if session_id else {}
    return {**named, "cwd": str(place.project), "mcpServers": []}


async def choose(client: AcpClient, session_id: str, option: str, value: object) -> dict[str, Json]:
    params = {"sessionId": session_id, "configId": option, "value": value}
    return by_id((await client.call("session/set_config_option", params))["configOptions"])


async def test_a_new_session_has_menus_of_agents_models_and_review_and_no_boolean_option(place: Place) -> None:
    async with AcpClient(place) as client:
        await client.initialize()
        made = await client.call("session/new", opening(place))
        assert {option["type"] for option in made["configOptions"]} == {"select"}
        options = by_id(made["configOptions"])
        assert [option["category"] for option in made["configOptions"]] == [
            *("mode", "model", "thought_level", "_placet_profile", "_placet_review", "_placet_caution")
        ]
        assert options["mode"]["currentValue"] == made["modes"]["currentModeId"] == "build"
        assert choices(options["mode"]) == [mode["id"] for mode in made["modes"]["availableModes"]]
        assert options["model"]["currentValue"] == place.environment["PLACET_MODEL"]
        assert options["effort"]["currentValue"] == "default"
        assert choices(options["effort"]) == ["default", *LEVELS]
        assert options["profile"]["currentValue"] == "default"
        assert choices(options["profile"]) == ["default", "auto", "full", "small", "smallest"]
        assert options["review"]["currentValue"] == "ask"
        assert choices(options["review"]) == ["ask", "stage", "apply"]
        assert options["caution"]["currentValue"] == "default"
        assert choices(options["caution"]) == ["more", "default", "less"]
        assert all(option["currentValue"] in choices(option) for option in made["configOptions"])


async def test_a_session_collects_changes_where_the_user_has_chosen_no_mode(place: Place) -> None:
    async with AcpClient(place, review=None) as client:
        client.permission = lambda params: ALLOW
        await client.initialize()
        made = await client.call("session/new", opening(place))
        assert by_id(made["configOptions"])["review"]["currentValue"] == "stage"
        session_id = made["sessionId"]
        assert await client.prompt(session_id) == "end_turn"
        assert client.requests("session/request_permission") == []
        assert place.file.read_text() == "one\nold\nthree\n"
        call = client.updates("tool_call_update")[-1]
        diff, words = call["content"]
        lines = {"oldText": "one\nold\nthree\n", "newText": "one\nnew\nthree\n"}
        assert diff == {"type": "diff", "path": str(place.file), **lines}
        assert words["content"]["text"] == "a.txt: proposed; nothing is written before you accept."
        assert client.updates("agent_message_chunk")[-1]["content"]["text"].strip() == CHANGES_WAIT
        await client.prompt(session_id, "/accept")
        assert place.file.read_text() == "one\nnew\nthree\n"


async def test_the_end_of_a_turn_is_silent_where_no_change_waits(place: Place) -> None:
    place.script([{"text": "Hello."}], [READ], [EDIT], [{"text": "Asked."}])
    async with AcpClient(place) as client:
        client.permission = lambda params: ALLOW
        session_id = await client.opened()
        for _ in range(2):
            await client.prompt(session_id)
        assert place.file.read_text() == "one\nnew\nthree\n"
        assert client.text() == "Hello.Asked."


async def test_words_that_steer_a_turn_do_not_repeat_what_the_end_of_the_turn_says(place: Place) -> None:
    go = place.project / "go"
    place.script([READ], [{"text": "I begin."}, {"wait_for_file": str(go)}, EDIT], [{"text": "Done."}])
    async with AcpClient(place, review=None) as client:
        session_id = await client.opened()
        prompt = client.begin_prompt(session_id)
        await client.update("agent_message_chunk")
        words = {"sessionId": session_id, "prompt": [{"type": "text", "text": "Mind it."}]}
        steering = client.begin("session/prompt", {**words, "_meta": {"placet/queue": "steer"}})
        await client.call("session/list", {})  # The words have arrived.
        go.touch()
        assert (await client.answer(prompt))["stopReason"] == "end_turn"
        assert (await client.answer(steering))["stopReason"] == "end_turn"
        assert client.text().count(CHANGES_WAIT) == 1


@pytest.mark.parametrize("mode", ["ask", "apply"])
async def test_a_mode_on_the_command_line_outweighs_the_default(place: Place, mode: str) -> None:
    async with AcpClient(place, "--review", mode, review=None) as client:
        client.permission = lambda params: ALLOW
        session_id = await client.opened()
        assert await client.prompt(session_id) == "end_turn"
        assert len(client.requests("session/request_permission")) == (mode == "ask")
        assert place.file.read_text() == "one\nnew\nthree\n"


async def test_the_changes_are_written_for_the_programs_without_a_user_in_the_examples(place: Place) -> None:
    entry = json.loads((EXAMPLES / "harbor" / "placet-acp.json").read_text("utf-8"))
    acp, *arguments = entry["distribution"]["local"]["args"]
    assert acp == "--acp"
    async with AcpClient(place, *arguments, review=None) as client:
        client.permission = lambda params: ALLOW
        assert await client.prompt(await client.opened()) == "end_turn"
        assert place.file.read_text() == "one\nnew\nthree\n"


async def test_the_models_with_a_key_follow_in_groups_of_their_providers(place: Place) -> None:
    place.environment["ANTHROPIC_API_KEY"] = "not-a-key"
    async with AcpClient(place) as client:
        session_id = await client.opened()
        update = await client.update("config_option_update")
        groups = by_id(update["configOptions"])["model"]["options"]
        assert {group["group"] for group in groups} == {"anthropic", "scripted"}
        assert any(choice["value"].startswith("anthropic/") for group in groups for choice in group["options"])
        assert len(client.updates("config_option_update")) == 1
        # The next session has the whole list at once.
        made = await client.call("session/new", opening(place))
        assert by_id(made["configOptions"])["model"]["options"] == groups
        assert session_id != made["sessionId"]


async def test_a_set_option_answers_with_all_options_and_is_given_back_by_another_process(place: Place) -> None:
    other_model = place.script([{"text": "Hello."}])
    async with AcpClient(place) as client:
        session_id = await client.opened()
        options = await choose(client, session_id, "mode", "plan")
        assert options["mode"]["currentValue"] == "plan"
        assert (await client.update("current_mode_update"))["currentModeId"] == "plan"
        options = await choose(client, session_id, "review", "stage")
        assert {name: option["currentValue"] for name, option in options.items()} == {
            "mode": "plan",
            "model": other_model,
            "effort": "default",
            "profile": "default",
            "review": "stage",
            "caution": "default",
        }
        assert (await choose(client, session_id, "effort", "3000"))["effort"]["currentValue"] == "3000"
        assert (await choose(client, session_id, "profile", "small"))["profile"]["currentValue"] == "small"
        assert (await choose(client, session_id, "caution", "more"))["caution"]["currentValue"] == "more"
        options = await choose(client, session_id, "model", "builtin/rules")
        assert options["model"]["currentValue"] == "builtin/rules"
        assert "builtin/rules" in choices(options["model"])
        told = [by_id(update["configOptions"]) for update in client.updates("config_option_update")]
        assert all(len(choices(options["model"])) > 1 for options in told), "the answer alone tells of the choice"
    async with AcpClient(place) as client:
        await client.initialize()
        for method in ("session/load", "session/resume"):
            opened = await client.call(method, opening(place, session_id))
            options = by_id(opened["configOptions"])
            names = ("mode", "model", "effort", "profile", "review", "caution")
            assert [options[name]["currentValue"] for name in names] == [
                *("plan", "builtin/rules", "3000", "small", "stage", "more")
            ]
            assert opened["modes"]["currentModeId"] == "plan"


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("mode", "nobody", "nobody"),
        ("model", "builtin/nothing", "builtin/nothing"),
        ("review", "never", "ask, stage, apply"),
        ("caution", "never", "more, default, less"),
        ("effort", "huge", "default, none, minimal, low, medium, high, xhigh, max, or a number of tokens"),
        ("profile", "tiny", "default, auto, full, small, smallest"),
        ("thinking", "high", "mode, model, effort, profile, review, caution"),
        ("review", True, "string"),
    ],
)
async def test_an_unknown_option_or_value_is_refused_and_nothing_changes(
    place: Place, option: str, value: object, words: str
) -> None:
    async with AcpClient(place) as client:
        await client.initialize()
        made = await client.call("session/new", opening(place))
        with pytest.raises(Refused, match=words) as refused:
            await choose(client, made["sessionId"], option, value)
        assert refused.value.code == -32602
        resumed = await client.call("session/resume", opening(place, made["sessionId"]))
        chosen = [by_id(one["configOptions"]) for one in (made, resumed)]
        assert [option["currentValue"] for option in chosen[0].values()] == [
            option["currentValue"] for option in chosen[1].values()
        ]


async def test_a_set_mode_is_followed_by_the_options(place: Place) -> None:
    async with AcpClient(place) as client:
        session_id = await client.opened()
        await client.call("session/set_mode", {"sessionId": session_id, "modeId": "plan"})
        await client.until(
            lambda message: (
                message.get("params", {}).get("update", {}).get("sessionUpdate") == "config_option_update"
                and by_id(message["params"]["update"]["configOptions"])["mode"]["currentValue"] == "plan"
            )
        )
        assert client.updates("current_mode_update") == []


async def test_an_agent_that_switches_itself_shows_as_mode_and_as_option(place: Place) -> None:
    place.script(PLANNED, [{"text": "Planned."}])
    directory = place.directory / "CONFIG" / "placet"
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "placet.json").write_text('{"experimental": {"planMode": true}}')
    async with AcpClient(place) as client:
        client.permission = lambda params: {
            "outcome": {"outcome": "selected", "optionId": params["options"][0]["optionId"]}
        }
        session_id = await client.opened()
        await client.prompt(session_id)
        assert (await client.update("current_mode_update"))["currentModeId"] == "plan"
        modes = [by_id(one["configOptions"])["mode"]["currentValue"] for one in client.updates("config_option_update")]
        assert modes[-1] == "plan"


_BOTH = ("mode", "review")


async def test_a_choice_and_a_prompt_of_another_client_are_shown(place: Place) -> None:
    place.script([{"text": "Here."}], [{"text": "There."}])
    async with AcpClient(place) as one, AcpClient(place) as other:
        session_id = await one.opened()
        await other.initialize()
        await other.call("session/load", opening(place, session_id))
        await choose(other, session_id, "review", "apply")
        await choose(other, session_id, "mode", "plan")
        await one.until(
            lambda message: (
                message.get("params", {}).get("update", {}).get("sessionUpdate") == "config_option_update"
                and [by_id(message["params"]["update"]["configOptions"])[name]["currentValue"] for name in _BOTH]
                == ["plan", "apply"]
            )
        )
        assert (await one.update("current_mode_update"))["currentModeId"] == "plan"
        assert await other.prompt(session_id, "Go there.") == "end_turn"
        assert (await one.update("agent_message_chunk"))["content"]["text"] == "Here."
        assert (await one.update("user_message_chunk"))["content"]["text"] == "Go there."
        # The client's own prompt is not shown to the client.
        assert await one.prompt(session_id, "Go here.") == "end_turn"
        assert [update["content"]["text"] for update in one.updates("user_message_chunk")] == ["Go there."]


async def test_the_review_mode_holds_from_the_choice_on(place: Place) -> None:
    place.script([READ], [EDIT], [{"text": "Staged."}])
    async with AcpClient(place) as client:
        client.permission = lambda params: ALLOW
        session_id = await client.opened()
        await choose(client, session_id, "review", "stage")
        assert await client.prompt(session_id) == "end_turn"
        assert client.requests("session/request_permission") == []
        assert place.file.read_text() == "one\nold\nthree\n"


async def test_a_caution_chosen_within_a_turn_holds_from_the_next_call_on(place: Place) -> None:
    first, second = ({"call": "bash", "arguments": {"command": f"true {number}"}} for number in "12")
    place.script([first], [second], [{"text": "Done."}])
    async with AcpClient(place, "--allow", "bash:true *") as client:
        session_id = await client.opened()
        await choose(client, session_id, "caution", "more")
        prompt = client.begin_prompt(session_id)
        question = await client.asked()
        assert question["params"]["toolCall"]["title"] == "true 1"
        assert [option["kind"] for option in question["params"]["options"]] == ["allow_once", "reject_once"]
        assert (await choose(client, session_id, "caution", "default"))["caution"]["currentValue"] == "default"
        client.send({"id": question["id"], "result": ALLOW})
        assert (await client.answer(prompt))["stopReason"] == "end_turn"
        assert len(client.requests("session/request_permission")) == 1


names = st.text("abc-/", min_size=1, max_size=8)


@given(
    model=names,
    models=st.lists(names, max_size=8),
    agents=st.lists(st.sampled_from(["build", "plan", "own"]), unique=True, max_size=3),
    agent=st.sampled_from(["build", "plan", "gone"]),
    effort=st.none() | st.sampled_from(LEVELS) | st.integers(0, 9000),
    levels=st.none() | st.lists(st.sampled_from(LEVELS), unique=True),
    profile=st.none() | st.sampled_from(PROFILE_CHOICES),
)
def test_the_present_value_is_always_among_the_choices_and_no_choice_comes_twice(
    model: str,
    models: list[str],
    agents: list[str],
    agent: str,
    effort: Effort | None,
    levels: list[Level] | None,
    profile: ProfileChoice | None,
) -> None:
    options = config_options(
        agent=agent,
        model=model,
        effort=effort,
        profile=profile,
        review="ask",
        caution="default",
        agents=[Agent(name, "", "") for name in agents],
        models=models,
        levels=levels,
    )
    for option in options:
        values = [
            choice.value
            for entry in option.options
            for choice in (entry.options if isinstance(entry, SelectGroup) else (entry,))
        ]
        assert option.current_value in values
        assert len(values) == len(set(values))
    groups = [group.group for group in options[1].options if isinstance(group, SelectGroup)]
    assert len(groups) == len(set(groups))
