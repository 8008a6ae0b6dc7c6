"""OpenCode's hooks about compaction and models: whether a turn goes on after a summary, and the small model."""

import json
from pathlib import Path
from typing import Any

import pytest

from extension_support import DONE, Work, Workshop, call
from placet.core.messages import TextPart
from placet.model.scripted import ScriptedModel

SUMMARY = [{"text": "## Goal\nThe sum of it."}]
CONTINUES = "experimental.compaction.autocontinue"
STOPS = (
    "import json\nfrom placet.plugins import hook\n"
    f"@hook({CONTINUES!r})\ndef stop(input, output):\n"
    "    open('asked.json', 'w').write(json.dumps([input, output]))\n"
    "    output['enabled'] = False\n"
)
SMALL = (
    "import json\nfrom placet.plugins import hook\n"
    "@hook('experimental.provider.small_model')\ndef small(input, output):\n"
    "    print(json.dumps(input))\n"
    "    output['model'] = {name!r}\n"
)


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


def long_turn(workshop: Workshop, *after: list[dict[str, Any]]) -> dict[str, Any]:
    """Settings of a session whose first turn is summed up at its third step."""
    for name in ("a.txt", "b.txt"):
        (workshop.project / name).write_text("a line\n" * 3000)
    full = [*call("read", filePath="b.txt"), {"usage": {"input": 29_000}}]
    model = workshop.script(call("read", filePath="a.txt"), full, SUMMARY, *after, name="long.json")
    file = Path(model.removeprefix("scripted/"))
    file.write_text(file.read_text().replace('{"turns"', '{"context_size": 30000, "turns"', 1))
    return {"model": model, "compaction": {"keepTokens": 200}}


def requests(work: Work) -> list[str]:
    [model] = work.session.models.values()
    assert isinstance(model, ScriptedModel)
    return [str(request.messages) for request in model.requests]


async def test_a_turn_ends_after_a_summary_where_a_plugin_says_so_and_the_next_prompt_is_answered(
    workshop: Workshop,
) -> None:
    asked = workshop.directory / "asked.json"
    workshop.own("plugin/stop.py", STOPS.replace("asked.json", asked.as_posix()))
    async with workshop.work(**long_turn(workshop, [{"text": "Answered."}])) as work:
        await work.prompt("First.")
        assert len(requests(work)) == 3
        hook_input, hook_output = json.loads(asked.read_text())
        assert (hook_input["sessionID"], hook_input["overflow"]) == (work.session.info.id, False)
        assert (hook_input["agent"], hook_output) == ("build", {"enabled": True})
        await work.prompt("Second.")
        assert work.said == "Answered."
        assert "The sum of it." in requests(work)[-1]
        assert "Go on with the work where it stands" not in requests(work)[-1]
        assert work.told == []


async def test_a_turn_that_a_plugin_ends_after_a_summary_runs_its_hook_for_the_end(workshop: Workshop) -> None:
    trace = workshop.directory / "stopped"
    workshop.own("plugin/stop.py", STOPS.replace("asked.json", (workshop.directory / "asked.json").as_posix()))
    command = {"type": "command", "command": f"echo x >> '{trace}'", "sandbox": False}
    async with workshop.work(**long_turn(workshop), hooks={"Stop": [{"hooks": [command]}]}) as work:
        await work.prompt("First.")
    assert trace.read_text() == "x\n"


async def test_a_turn_goes_on_after_a_summary_without_such_a_plugin(workshop: Workshop) -> None:
    async with workshop.work(**long_turn(workshop, DONE)) as work:
        await work.prompt("First.")
        assert work.said == "Done."
        assert "Go on with the work where it stands" in requests(work)[-1]


async def test_a_prompt_that_has_no_answer_yet_is_answered_after_a_summary(workshop: Workshop) -> None:
    workshop.own("plugin/stop.py", STOPS.replace("asked.json", (workshop.directory / "asked.json").as_posix()))
    filled = [{"text": "One."}, {"usage": {"input": 29_000}}]
    model = workshop.script(
        [{"text": " ".join(map(str, range(9000)))}], filled, SUMMARY, [{"text": "Two."}], name="long.json"
    )
    file = Path(model.removeprefix("scripted/"))
    file.write_text(file.read_text().replace('{"turns"', '{"context_size": 30000, "turns"', 1))
    async with workshop.work(model=model, compaction={"keepTokens": 200}) as work:
        await work.prompt("Tell me.")
        await work.prompt("First.")
        await work.prompt("Second.")
        assert work.said == "Two."
        assert not (workshop.directory / "asked.json").exists()


async def test_an_answer_that_is_no_yes_or_no_changes_nothing_and_is_told(workshop: Workshop) -> None:
    workshop.own(
        "plugin/odd.py",
        f"from placet.plugins import hook\n@hook({CONTINUES!r})\ndef odd(input, output):\n"
        "    output['enabled'] = 'no'\n",
    )
    async with workshop.work(**long_turn(workshop, DONE)) as work:
        await work.prompt("First.")
        assert work.said == "Done."
        assert "enabled: neither true nor false" in work.told[0]


async def test_a_plugin_names_the_small_model_where_the_settings_name_none(workshop: Workshop) -> None:
    small = workshop.script([{"text": "Louder greeting"}], name="small.json")
    workshop.own("plugin/small.py", SMALL.format(name=small))
    async with workshop.work(DONE) as work:
        work.session = await work.sessions.create()
        await work.session.prompt([TextPart(text="Make it louder.")])
        await workshop.screen.wait_for("session_info_update")
        assert work.session.info.title == "Louder greeting"
        assert work.told == []


async def test_the_small_model_of_the_settings_outweighs_a_plugins(workshop: Workshop) -> None:
    ours = workshop.script([{"text": "Ours"}], name="ours.json")
    workshop.own("plugin/small.py", SMALL.format(name=workshop.script([{"text": "Theirs"}], name="theirs.json")))
    async with workshop.work(DONE, smallModel=ours) as work:
        work.session = await work.sessions.create()
        await work.session.prompt([TextPart(text="Make it louder.")])
        await workshop.screen.wait_for("session_info_update")
        assert work.session.info.title == "Ours"
