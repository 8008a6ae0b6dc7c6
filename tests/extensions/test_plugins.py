"""Plugins as files and as packages, in each of their forms; those of the docs as they are written there."""

import asyncio
import sys
import sysconfig
from pathlib import Path

import pytest

from extension_support import DONE, Workshop, call, error, examples, output
from placet.extensions.plugins import process as extension_process


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    return Workshop(tmp_path)


async def test_a_listed_file_has_its_options(workshop: Workshop) -> None:
    text = (
        "def plugin(context):\n    return {'shell.env': lambda input, output: output['env'].update(context.options)}\n"
    )
    file = workshop.own("elsewhere/listed.py", text)
    for name in (str(file), "elsewhere/listed.py"):
        async with workshop.work(call("bash", command="echo $WORD"), DONE, plugin=[[name, {"WORD": "listed"}]]) as work:
            assert output((await work.prompt())[0]).strip() == "listed"


async def test_a_listed_file_in_an_opened_project_is_not_run(workshop: Workshop) -> None:
    trace = workshop.directory / "trace"
    file = workshop.project / "evil.py"
    file.write_text(f"open({str(trace)!r}, 'w')\n")
    async with workshop.work(DONE, plugin=[str(file)]) as work:
        await work.prompt()
    assert "is inside an opened project, and is not run" in work.told[0]
    assert not trace.exists()


async def test_a_package_is_found_by_its_entry_point(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    site = workshop.directory / "site"
    info = site / "placet_tidy-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: placet-tidy\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[placet.plugins]\ntidy = placet_tidy:Tidy\n")
    (site / "placet_tidy.py").write_text(
        "from placet.plugins import Plugin, hook\n"
        "class Tidy(Plugin):\n"
        "    @hook('tool.execute.after')\n"
        "    def after(self, input, output):\n"
        "        output['output'] = 'tidy'\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(site))
    for name in ("tidy", "placet-tidy"):
        async with workshop.work(call("glob", pattern="*"), DONE, plugin=[name]) as work:
            assert output((await work.prompt())[0]) == "tidy"
    async with workshop.work(DONE) as work:
        assert not work.custom.hooks.plugins


async def test_a_package_that_there_is_not_is_named(workshop: Workshop) -> None:
    async with workshop.work(plugin=["no-such-plugin"]) as work:
        assert "the package no-such-plugin is ignored" in work.told[0]
        assert "no installed package has an entry point `no-such-plugin`" in work.told[0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("from placet.plugins import hook\n@hook('chat.massage')\ndef a(i, o): ...\n", "no hook `chat.massage`"),
        ("def plugin(context): return {'chat.params': {}}\n", "the hook `chat.params` is no function"),
        ("def plugin(context): return {'evnt': print}\n", "no hook `evnt`"),
        ("def plugin(context): return {'event': 3}\n", "the hook `event` is no function"),
        ("def plugin(context): return 3\n", "`plugin` gives a dict of hooks or a Plugin, not int"),
    ],
)
async def test_what_is_no_hook_is_said(workshop: Workshop, text: str, message: str) -> None:
    workshop.own("plugin/odd.py", text)
    async with workshop.work(DONE) as work:
        await work.prompt()
        assert message in work.told[0]
        assert str(workshop.locations.config / "plugin" / "odd.py") in work.told[0]


async def test_a_plugin_that_is_made_asynchronously(workshop: Workshop) -> None:
    workshop.own(
        "plugin/late.py",
        "import asyncio\nasync def plugin(context):\n    await asyncio.sleep(0)\n"
        "    async def after(input, output):\n        return {'output': context.name}\n"
        "    return {'tool.execute.after': after}\n",
    )
    async with workshop.work(call("glob", pattern="*"), DONE) as work:
        assert output((await work.prompt())[0]) == "late"


# ---------------------------------------------------------------- the page in docs


@pytest.fixture
def documented(workshop: Workshop) -> Workshop:
    for name, text in examples("PLUGINS.md"):
        workshop.own(name, text)
    return workshop


async def test_every_example_of_the_page_is_a_plugin(documented: Workshop) -> None:
    async with documented.work() as work:
        assert work.told == []
        assert [sorted(plugin.hooks) for plugin in work.custom.hooks.plugins] == [
            ["auth", "provider"],
            ["permission.ask", "tool.execute.before"],
            ["experimental.session.compacting", "shell.env"],
            ["chat.params", "experimental.chat.system.transform"],
        ]
        assert await work.tools() == ["guarded_folder"]


async def test_the_example_guard_keeps_its_folder(documented: Workshop) -> None:
    (documented.project / "secret").mkdir()
    (documented.project / "secret" / "a.txt").write_text("hidden")
    turns = [
        call("read", filePath="secret/a.txt"),
        call("bash", command="echo color: $NO_COLOR"),
        call("guarded_folder"),
        DONE,
    ]
    async with documented.work(*turns) as work:
        read, bash, guarded = await work.prompt()
    assert "A plugin of the user refuses `read`" in error(read)
    assert bash.input["command"] == "NO_COLOR=1 echo color: $NO_COLOR"
    assert output(guarded) == "secret"


async def test_the_example_notes_adds_a_variable(documented: Workshop) -> None:
    async with documented.work(call("bash", command="printf %s $NOTES"), DONE) as work:
        assert output((await work.prompt())[0]) == str(documented.project / "notes.txt")


async def test_the_path_of_python_has_no_working_directory(tmp_path: Path) -> None:
    code = "import sys; print(sys.path)"
    environment = extension_process.extension_environment({"PYTHONPATH": f":relative:{tmp_path}", "PATH": "/bin"})
    assert environment["PYTHONPATH"] == str(tmp_path)
    made = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-c", code, cwd=tmp_path, env=environment, stdout=asyncio.subprocess.PIPE
    )
    out, _ = await made.communicate()
    assert "''" not in out.decode()
    assert sysconfig.get_path("stdlib") in out.decode()
