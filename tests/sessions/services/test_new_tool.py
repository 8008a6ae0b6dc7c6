"""A built-in tool is one file and its text: everything else is made of the file."""

import shutil
import sys
from collections.abc import Generator
from pathlib import Path

import msgspec
import pytest

from change_set_support import GO, call
from placet import tools
from placet.core.messages import ToolCompleted, ToolPart
from placet.permissions import rules, tool_rules
from placet.sessions.services import extensions
from placet.tools import texts
from placet.tools.framework.builtin import builtin_tool, implementation
from placet.tools.framework.define import AgentView
from placet.tools.framework.facts import BuiltinSpec
from placet.tools.framework.registry import list_tools
from scripts.protocol.tool_files import page_text, read_tools, rules_text, specs_text
from services_support import TempServices

SHOUT = """
from placet.permissions.ask import Ask
from placet.tools.framework.define import Arguments, Definition, ToolResult, define_tool
from placet.tools.framework.facts import Need, ToolFacts
from placet.tools.texts import text_for

NEED = Need("settings.experimental.batch_tool", "Shouting needs the flag.")


class ShoutArguments(Arguments):
    words: str


async def execute(arguments, context):
    await context.ask(Ask("shout", (arguments.words,), always=("*",), title="Shout"))
    return ToolResult("Shout", arguments.words.upper())


FACTS = ToolFacts("shout", 95, "fetch", RULE, reads_web=True, needs=(NEED,))
TOOL = define_tool(FACTS.name, Definition(text_for("shout"), ShoutArguments, execute, concurrent=True))
"""
"""Stands between `multiedit` (90) and `write` (100)."""


@pytest.fixture
def services(tmp_path: Path) -> TempServices:
    return TempServices(tmp_path)


@pytest.fixture(autouse=True)
def forgotten() -> Generator[None]:
    """Each test has its own tool of the same name."""
    yield
    sys.modules.pop("placet.tools.shout", None)
    implementation.cache_clear()
    texts.text_for.cache_clear()


async def specs_with(source: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[BuiltinSpec]:
    """Return the specs of all built-in tools and of the tool with this source."""
    (folder / "files").mkdir(parents=True)
    (folder / "files" / "shout.py").write_text(source, "utf-8")
    shutil.copytree(texts.FOLDER, folder / "texts")
    (folder / "texts" / "shout.md").write_text("Shout words.\n\n{skills}\n", "utf-8")
    monkeypatch.setattr(tools, "__path__", [*tools.__path__, str(folder / "files")])
    monkeypatch.setattr(texts, "FOLDER", folder / "texts")
    return await read_tools()


def use(specs: list[BuiltinSpec], monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the sessions the tools of the specs, with the default rules in the generated module."""
    generated: dict[str, tuple[str, ...]] = {}
    exec(rules_text(specs), {}, generated)
    monkeypatch.setattr(rules, "ALLOWED", generated["ALLOWED"])
    monkeypatch.setattr(rules, "ASKED", (*generated["ASKED"], *set(rules.ASKED).difference(tool_rules.ASKED)))
    decoded = msgspec.json.decode(specs_text(specs), type=tuple[BuiltinSpec, ...])
    monkeypatch.setattr(extensions, "BUILTIN", tuple(map(builtin_tool, decoded)))


@pytest.mark.parametrize(("rule", "asked"), [("allow", []), ("ask", ["Shout"])])
async def test_a_new_file_and_its_text_are_a_tool_that_a_session_calls_by_its_default_rule(
    services: TempServices, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rule: str, asked: list[str]
) -> None:
    use(await specs_with(SHOUT.replace("RULE", repr(rule)), tmp_path / "new", monkeypatch), monkeypatch)
    script = services.script(call("shout", words="hello"), [{"text": "Done."}])
    async with services.open(script, experimental={"batchTool": True}) as sessions:
        session = await sessions.create(title="T")
        await session.prompt(GO)
        [part] = [part for message in session.messages for part in message.parts if isinstance(part, ToolPart)]
        assert isinstance(part.state, ToolCompleted)
        assert part.state.output == "HELLO"
        assert [request.title for request in services.user.asked] == asked


async def test_a_new_tool_stands_at_its_place_and_is_lacking_without_its_flag(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    specs = await specs_with(SHOUT.replace("RULE", "'allow'"), tmp_path / "new", monkeypatch)
    listed = {
        tool.id: tool for tool in await list_tools(AgentView("a"), lambda _: False, tuple(map(builtin_tool, specs)))
    }
    place = list(listed).index("shout")
    assert list(listed)[place - 1 : place + 2] == ["multiedit", "shout", "write"]
    assert listed["shout"].reason == "Shouting needs the flag."
    assert listed["shout"].description == "Shout words.\n\nThere are no skills at the moment."


async def test_the_chat_page_and_the_rules_of_the_web_know_a_new_tool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    specs = await specs_with(SHOUT.replace("RULE", "'ask'"), tmp_path / "new", monkeypatch)
    looks = page_text(specs).partition("const LOOKS")[2].partition(";")[0]
    assert "'shout'" in looks
    assert '"shout"' in rules_text(specs).partition("READING_THE_WEB = ")[2].partition("\n")[0]


async def test_a_need_with_a_wrong_name_is_an_error_of_the_generator(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = SHOUT.replace("RULE", "'ask'").replace("batch_tool", "no_such_flag")
    with pytest.raises(AttributeError, match="no_such_flag"):
        await specs_with(wrong, tmp_path / "new", monkeypatch)
