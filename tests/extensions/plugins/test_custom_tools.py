"""Tools of the user's own: named, checked, asked for, kept apart from Placet and from each other."""

import asyncio
import contextlib
import inspect
import os
from pathlib import Path
from typing import Any

import pytest

from extension_support import DONE, Work, Workshop, call, error, examples, output
from placet.core.messages import TextPart, ToolCompleted, ToolFailed
from placet.core.ports import PermissionAnswer
from placet.tools.framework.define import AgentView
from placet.tools.framework.registry import list_tools
from time_support import LoopClock, limited


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


ECHO = """
from placet.tools import tool

@tool
def echo(text: str) -> str:
    '''Say it again.'''
    return text
"""


async def until(true: Any) -> None:
    """Until it holds; the files are watched by the system, whose news come when they come."""
    async with limited(lambda: f"{inspect.getsource(true).strip()}"):
        while not true():  # noqa: ASYNC110 - of another process, or of the file system
            await asyncio.sleep(0.02)


async def test_functions_are_named_after_their_file(workshop: Workshop) -> None:
    workshop.own(
        "tools/paper.py",
        "from placet.tools import tool\n"
        "@tool\ndef execute(): return ''\n"
        "@tool\ndef fold(): return ''\n"
        "def no_tool(): return ''\n",
    )
    workshop.own("tool/ink.py", "from placet.tools import tool\n@tool\nasync def ink() -> str:\n    return ''\n")
    async with workshop.work() as work:
        assert await work.tools() == ["ink", "paper", "paper_fold"]


async def test_a_package_beside_tools_keeps_its_text_whatever_lies_below_it(workshop: Workshop) -> None:
    workshop.own("tools/ink/__init__.py", "NAME = 'blue'\n")
    workshop.own("tools/ink/pen.py", "")
    workshop.own("tools/ink/well/deep.py", "")
    workshop.own(
        "tools/write.py",
        "from placet.tools import tool\nfrom .ink import NAME\n@tool\ndef write_ink() -> str:\n    return NAME\n",
    )
    async with workshop.work() as work:
        assert await work.tools() == ["write_write_ink"]


async def test_a_call_is_asked_for_by_the_name_of_the_tool(workshop: Workshop) -> None:
    workshop.own("tools/echo.py", ECHO)
    async with workshop.work(call("echo", text="hello"), DONE) as work:
        assert output((await work.prompt())[0]) == "hello"
    assert [(request.permission, request.patterns) for request in workshop.user.asked] == [("echo", ("*",))]


async def test_a_refused_call_is_not_made(workshop: Workshop) -> None:
    trace = workshop.directory / "trace"
    workshop.own(
        "tools/leave.py", f"from placet.tools import tool\n@tool\ndef leave():\n    open({str(trace)!r}, 'w')\n"
    )
    workshop.user.answer = lambda _: PermissionAnswer("reject", feedback="Not now.")
    async with workshop.work(call("leave"), DONE) as work:
        assert "Not now." in error((await work.prompt())[0])
    assert not trace.exists()


async def test_rules_and_switches_are_by_the_name_of_the_tool(workshop: Workshop) -> None:
    for name in ("one", "two", "three"):
        workshop.own(f"tools/{name}.py", ECHO.replace("echo", name))
    settings: dict[str, Any] = {"permission": {"one": "allow", "two": "deny"}, "tools": {"three": False}}
    async with workshop.work(
        call("one", text="1"), call("two", text="2"), call("three", text="3"), DONE, **settings
    ) as work:
        first, second, third = await work.prompt()
        tools = await list_tools(
            AgentView("build", settings=work.sessions.settings), lambda _: False, await work.custom.tools()
        )
    assert output(first) == "1"
    assert "no tool `two`" in error(second)
    assert "no tool `three`" in error(third)
    assert workshop.user.asked == []
    assert {tool.id: tool.reason for tool in tools}["three"] == "The setting `tools.three` is false."


async def test_arguments_that_do_not_fit_are_the_models_to_mend(workshop: Workshop) -> None:
    workshop.own("tools/echo.py", ECHO)
    async with workshop.work(call("echo", word="hello"), DONE) as work:
        message = error((await work.prompt())[0])
    assert "The echo tool was called with invalid arguments: text: Field required" in message


async def test_names_that_a_pydantic_model_has_itself_can_be_parameters(workshop: Workshop) -> None:
    text = "from placet.tools import tool\n@tool\ndef odd(copy: str, json: int = 1, _x: bool = True) -> str:\n"
    workshop.own("tools/odd.py", text + "    return f'{copy} {json} {_x}'\n")
    async with workshop.work(call("odd", copy="a", json=2, _x=False), DONE) as work:
        assert output((await work.prompt())[0]) == "a 2 False"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def (:", "SyntaxError"),
        ("import no_such_module_anywhere", "No module named 'no_such_module_anywhere'"),
        ("import sys; sys.exit(3)", "SystemExit"),
        ("raise BaseException('no')", "BaseException: no"),
        ("import os; os._exit(1)", "ended the process"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", "ended the process"),
        ("while True: pass", "longer than 60 seconds"),
        ("import threading; threading.Lock().acquire(); threading.Event().wait()", "longer than 60 seconds"),
    ],
)
async def test_a_broken_file_is_named_and_takes_no_other_with_it(
    workshop: Workshop, text: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark, clock = workshop.directory / "mark", LoopClock(monkeypatch)

    async def let_time_pass() -> None:
        await until(mark.exists)
        clock.skip(60)

    workshop.own("tools/a_broken.py", f"open({str(mark)!r}, 'w').close()\n{text}" if "longer" in reason else text)
    workshop.own("tools/echo.py", ECHO)
    plugins = {"waitSeconds": 30, "loadSeconds": 60}
    passing = asyncio.create_task(let_time_pass())
    async with workshop.work(call("echo", text="well"), DONE, plugins=plugins) as work:
        passing.cancel()
        assert output((await work.prompt())[0]) == "well"
        (message,) = work.told
        (broken,) = [tool for tool in await work.custom.tools() if tool.id == "a_broken"]
        lacking = broken.lacks(AgentView("build"))
    assert "a_broken.py is ignored" in message
    assert reason in message
    assert reason in lacking


async def test_one_function_that_cannot_be_a_tool_leaves_the_others(workshop: Workshop) -> None:
    workshop.own("tools/echo.py", ECHO + "\n@tool\ndef untyped(text): return text\n")
    async with workshop.work() as work:
        assert await work.tools() == ["echo"]
    assert "the parameter `text` of `untyped` has no type" in work.told[0]


async def test_a_prompt_does_not_wait_for_an_import_that_hangs(workshop: Workshop) -> None:
    workshop.own("tools/hangs.py", "while True: pass")
    plugins = {"waitSeconds": 0.2, "loadSeconds": 1000}
    loop = asyncio.get_running_loop()
    reader = workshop.open("builtin/rules", plugins=plugins)
    async with reader as sessions:
        session = await sessions.create(title="Work")
        began = loop.time()
        assert (await session.prompt([TextPart(text="Hello.")])).stop_reason == "refused"
        assert loop.time() - began < 60


async def test_a_name_of_a_built_in_tool_is_refused(workshop: Workshop) -> None:
    workshop.own("tools/read.py", ECHO.replace("echo", "read"))
    async with workshop.work() as work:
        assert await work.tools() == []
    assert "there is a built-in one of that name" in work.told[0]


async def test_a_call_that_spins_ends_with_the_turn_and_its_process_is_another_then(workshop: Workshop) -> None:
    workshop.own(
        "tools/spin.py",
        "import os\nfrom placet.tools import tool, ToolContext\n"
        "@tool\nasync def spin(context: ToolContext):\n    context.metadata(title='spinning')\n    while True: pass\n"
        "@tool\ndef pid() -> str:\n    return str(os.getpid())\n",
    )
    async with workshop.work(call("spin_pid"), call("spin"), DONE) as work:
        turn = asyncio.create_task(work.session.prompt([TextPart(text="Spin.")]))
        await until(lambda: "spinning" in str(work.session.messages))
        before = int(_outputs(work)[0])
        await work.session.cancel()
        assert (await turn).stop_reason == "cancelled"
        await until(lambda: not _alive(before) and before not in _processes(work))
        await work.custom.settled()
        assert "spin" in await work.tools()
        (life,) = [life for life in work.custom._lives.values() if life.process]
        assert life.process is not None
        assert life.process.process_id != before


async def test_a_call_that_ends_its_process_is_told_and_the_next_is_served(workshop: Workshop) -> None:
    workshop.own(
        "tools/die.py", "import os\nfrom placet.tools import tool\n@tool\ndef die() -> str:\n    os._exit(7)\n" + ECHO
    )
    async with workshop.work(call("die"), call("die_echo", text="alive"), DONE) as work:
        died, alive = await work.prompt()
    assert "exit code 7" in error(died)
    assert output(alive) == "alive"


async def test_what_a_tool_raises_is_told_with_its_line(workshop: Workshop) -> None:
    file = workshop.own(
        "tools/fail.py", "from placet.tools import tool\n@tool\ndef fail():\n    raise ValueError('no')\n"
    )
    async with workshop.work(call("fail"), DONE) as work:
        assert error((await work.prompt())[0]) == f"The tool fail failed: ValueError: no ({file}:4)"


async def test_a_failed_call_of_a_tool_that_began_is_named_by_the_way_back(workshop: Workshop) -> None:
    workshop.own(
        "tools/fail.py",
        "from placet.tools import tool, ToolContext\n@tool\nasync def fail(context: ToolContext):\n"
        "    context.metadata(title='half done', half=1)\n    raise ValueError('no')\n",
    )
    async with workshop.work(call("fail"), DONE) as work:
        (state,) = await work.prompt()
        preview = await work.session.going_back.preview(work.session.messages[0].id)
    assert isinstance(state, ToolFailed)
    assert state.metadata == {"half": 1, "began": True}
    assert [effect.kind for effect in preview.effects] == ["tool"]


async def test_a_long_output_is_kept_in_a_file(workshop: Workshop) -> None:
    workshop.own(
        "tools/long.py", "from placet.tools import tool\n@tool\ndef long() -> str:\n    return 'word\\n' * 9000\n"
    )
    async with workshop.work(call("long"), DONE) as work:
        (state,) = await work.prompt()
    assert isinstance(state, ToolCompleted)
    assert state.metadata["truncated"] is True
    assert Path(state.metadata["outputPath"]).read_text().count("word") == 9000
    assert (state.metadata["originalSize"], state.metadata["truncatedSize"]) == (45_000, 10_000)
    assert len(state.output) < 20_000


@pytest.mark.parametrize("kind", ["async def", "def"])
async def test_a_tool_knows_the_model_that_calls_it(workshop: Workshop, kind: str) -> None:
    workshop.own(
        "tools/who.py",
        f"from placet.tools import tool\n@tool\n{kind} who(context) -> str:\n    return context.model\n",
    )
    async with workshop.work(call("who"), DONE) as work:
        assert output((await work.prompt())[0]) == work.session.info.model


async def test_what_a_tool_prints_is_in_the_log_and_not_on_the_wire(workshop: Workshop) -> None:
    text = "import os\nprint('imported')\nos.write(1, b'raw')\n" + ECHO
    workshop.own("tools/echo.py", text)
    async with workshop.work(call("echo", text="fine"), DONE) as work:
        assert output((await work.prompt())[0]) == "fine"
    assert "raw" in (workshop.locations.log / "extensions.log").read_text()


async def test_secrets_are_not_in_the_environment_of_tools(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret")
    monkeypatch.setenv("HARMLESS", "seen")
    text = "import os\nfrom placet.tools import tool\n@tool\ndef env() -> str:\n"
    workshop.own(
        "tools/env.py", text + "    return f\"{os.environ.get('SOME_API_KEY')} {os.environ.get('HARMLESS')}\"\n"
    )
    async with workshop.work(call("env"), DONE) as work:
        assert output((await work.prompt())[0]) == "None seen"


async def test_a_file_that_changes_is_read_again_and_nothing_of_the_old_is_left(workshop: Workshop) -> None:
    file = workshop.own("tools/echo.py", "import builtins\nbuiltins.left_over = True\n" + ECHO)
    async with workshop.work(call("echo", text="1"), DONE, call("echo", text="2"), DONE) as work:
        await work.prompt()
        (before,) = await work.custom.tools()
        file.write_text(ECHO.replace("return text", "return text + str(hasattr(__builtins__, 'left_over'))"))
        await work.sessions.config_watcher.reload()
        await work.custom.settled()
        (after,) = await work.custom.tools()
        assert before is not after
        assert output((await work.prompt())[1]) == "2False"


async def test_a_file_that_comes_while_a_session_is_open_is_seen(workshop: Workshop) -> None:
    workshop.own("tools/echo.py", ECHO)
    async with workshop.work() as work:
        workshop.own("tools/more.py", ECHO.replace("echo", "more"))
        await until(lambda: "more" in work.custom._tools)


async def test_without_any_file_no_process_is_started(workshop: Workshop) -> None:
    async with workshop.work(DONE) as work:
        await work.prompt()
        assert all(life.process is None for life in work.custom._lives.values())
        assert not work.custom.hooks.plugins


async def test_nothing_is_left_behind(workshop: Workshop) -> None:
    workshop.own(
        "tools/echo.py", ECHO + "\nimport threading\nthreading.Thread(target=threading.Event().wait).start()\n"
    )
    async with workshop.work() as work:
        pids = [life.process.process_id for life in work.custom._lives.values() if life.process]
    assert len(pids) == 1
    assert not _alive(pids[0])


# ---------------------------------------------------------------- the page in docs


@pytest.fixture
def documented(workshop: Workshop) -> Workshop:
    for name, text in examples("TOOLS.md"):
        workshop.own(name, text)
    return workshop


async def test_every_example_of_the_page_is_a_tool(documented: Workshop) -> None:
    async with documented.work() as work:
        assert await work.tools() == ["headline", "letters", "wordcount"]
        assert work.told == []


async def test_the_example_letters_counts(documented: Workshop) -> None:
    async with documented.work(
        call("letters", text="Ein Elefant"), call("letters", text="x", letter="xy"), DONE
    ) as work:
        counted, wrong = await work.prompt()
        (listed,) = [
            tool
            for tool in await list_tools(AgentView("build"), lambda _: False, await work.custom.tools())
            if tool.id == "letters"
        ]
    assert output(counted) == "e: 3"
    assert "letter: String should have at most 1 character" in error(wrong)
    assert listed.description == "Count how often a letter occurs in a text."
    assert listed.schema["properties"]["text"] == {"description": "What to count in.", "type": "string"}
    assert listed.schema["required"] == ["text"]
    assert listed.source.endswith("letters.py")


async def test_the_example_headline_changes_the_file_by_the_pipeline(documented: Workshop) -> None:
    file = documented.project / "story.txt"
    file.write_text("Once.\n")
    async with documented.work(call("headline", path="story.txt", title="A story"), DONE) as work:
        (state,) = await work.prompt()
        assert "story.txt" in output(state)
        assert file.read_text() == "# A story\n\nOnce.\n"
        assert [request.permission for request in documented.user.asked] == ["headline", "headline", "edit"]
        assert documented.user.asked[1].patterns == ("story.txt",)
        await work.session.undo()
        assert file.read_text() == "Once.\n"


async def test_a_refused_change_of_the_example_ends_the_call(documented: Workshop) -> None:
    file = documented.project / "story.txt"
    file.write_text("Once.\n")
    documented.user.answer = lambda request: PermissionAnswer("reject" if request.permission == "edit" else "once")
    async with documented.work(call("headline", path="story.txt", title="A story"), DONE) as work:
        result = await work.session.prompt([TextPart(text="Please.")])
    assert result.stop_reason == "rejected"
    assert file.read_text() == "Once.\n"


async def test_the_example_wordcount_reads_by_the_rules(documented: Workshop) -> None:
    (documented.project / "a.txt").write_text("one two three")
    (documented.project / ".env").write_text("A=1")
    settings = {"permission": {"read": {"*.env": "deny"}}}
    turns = [call("wordcount", paths=["a.txt"], longest=3), call("wordcount", paths=[".env"]), DONE]
    async with documented.work(*turns, **settings) as work:
        counted, denied = await work.prompt()
    assert output(counted) == "a.txt: 2"
    assert "refuses `read` of `.env`" in error(denied)


def _processes(work: Work) -> list[int]:
    """Those of the tools that are still thought to run."""
    lives = [life.process for life in work.custom._lives.values()]
    return [process.process_id for process in lives if process is not None and not process.ended]


def _outputs(work: Work) -> list[str]:
    parts = [part for message in work.session.messages for part in message.parts]
    states = [getattr(part, "state", None) for part in parts]
    return [state.output for state in states if isinstance(state, ToolCompleted)]


def _alive(pid: int) -> bool:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, 0)
        return True
    return False


@pytest.mark.parametrize("steps", [0, 1, 2, 5, 20])
async def test_a_process_that_is_being_put_away_has_ended_when_the_house_has(workshop: Workshop, steps: int) -> None:
    """Also when the services is closed before it began, or in the middle of it."""
    workshop.own("tools/echo.py", ECHO)
    async with workshop.work(DONE) as work:
        await work.prompt()
        await work.custom.settled()
        (life,) = [life for life in work.custom._lives.values() if life.process]
        work.custom.follow([], work.custom._settings)
        while not work.custom._retiring:  # noqa: ASYNC110 - each step of the loop counts
            await asyncio.sleep(0)
        for _ in range(steps):
            await asyncio.sleep(0)
    assert life.process is not None
    assert life.process.ended
