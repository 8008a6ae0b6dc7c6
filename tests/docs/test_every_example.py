"""Every fenced block of every page is run as what it is; a block that nobody runs is a failure."""

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from corpus_support import corpus
from extension_support import DONE, Workshop, error, output
from mcp_support import NODE_SERVERS, held, node_server
from model_support.authorization_server import CODE, AuthorizationServer
from placet.__main__ import main
from placet.agent.agents.definitions import read_catalog
from placet.agent.commands.catalog import read_commands
from placet.command_line.parser import parser
from placet.core.messages import ToolFailed
from placet.extensions.plugins.auth_plugins import plugin_logins
from placet.extensions.plugins.sources import Owner
from placet.model.client.call_reader import CallReader
from placet.permissions.rules import builtin_rules
from placet.project.skills import find_skills
from placet.settings import PluginSettings, Settings, load_settings
from placet.settings.locations import Locations
from tools_support.workbench import open_workbench

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [DOCS.parent / "README.md", *sorted(DOCS.glob("*.md"))]
MAKEFILE = (DOCS.parent / "Makefile").read_text("utf-8")
ELSEWHERE = {"PROTOCOL.md", "HEADLESS.md"}
"""Made by `make docs`, and run by tests/frontends/terminal/test_headless_examples.py."""
NO_EXAMPLES = {("README.md", "lua")}
"""What every test of Neovim begins with."""

CALLS: dict[str, Any] = {
    "letters": {"text": "Everyone", "letter": "e"},
    "headline": {"path": "a.txt", "title": "Words"},
    "wordcount": {"wanted": None, "paths": ["a.txt"]},
    "guarded_folder": {},
}
"""The arguments that each tool of the examples is called with."""
HOOKS: dict[str, Any] = {
    "provider": ({"providers": {}}, {"id": None, "models": {}}),
    "permission.ask": ({"patterns": ["secret/a.txt"], "permission": "read"}, {"status": "allow"}),
    "tool.execute.before": ({"tool": "bash"}, {"args": {"command": "make"}}),
    "experimental.session.compacting": ({}, {"context": [], "prompt": "Sum up."}),
    "shell.env": ({}, {"env": {}}),
    "chat.params": ({}, {"temperature": None}),
    "experimental.chat.system.transform": ({}, {"system": []}),
}
"""What each hook of the examples is called with, and changes."""


@dataclass(frozen=True, slots=True)
class Block:
    page: str
    line: int
    language: str
    text: str
    file: str
    """Where it is to be put, if the text before it says so."""

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def blocks() -> Iterator[Block]:
    for page in PAGES:
        if page.name not in ELSEWHERE:
            yield from _blocks(page)


def _blocks(page: Path) -> Iterator[Block]:
    lines = page.read_text("utf-8").splitlines()
    at = 0
    while at < len(lines):
        opening = re.fullmatch(r"( *)(`{3,})(\w*)", lines[at])
        if opening is not None:
            indent, fence, language = opening.groups()
            end = lines.index(f"{indent}{fence}", at + 1)
            text = "".join(f"{line.removeprefix(indent)}\n" for line in lines[at + 1 : end])
            before = " ".join(lines[max(0, at - 3) : at])
            named = re.findall(r"`((?:tools|plugin|agents|commands|skills)/[^`]+\.(?:py|md))`", before)
            yield Block(page.name, at + 1, language, text, named[-1] if named else "")
            at = end
        at += 1


BLOCKS = list(blocks())


@corpus("block", BLOCKS)
def test_a_block_is_what_it_says(tmp_path: Path, block: Block) -> None:
    match block.language, block.file.partition("/")[0]:
        case "jsonc" | "json", _:
            assert settings_of(tmp_path, block).problems == ()
        case "markdown", "agents":
            write(tmp_path / block.file, block.text)
            agents = read_catalog(Settings(), [tmp_path / "agents"], builtin_rules(tmp_path))
            name = Path(block.file).relative_to("agents").with_suffix("").as_posix()
            assert name in {agent.name for agent in agents.all}
        case "markdown", "commands":
            file = write(tmp_path / block.file, block.text)
            commands = read_commands(Settings(), [tmp_path / "commands"], {}, lambda _file, _raw: True)
            assert commands.problems == ()
            assert str(file) in {command.source for command in commands.all}
        case "markdown", "skills":
            write(tmp_path / block.file, block.text)
            problems: list[str] = []
            assert Path(block.file).parent.name in find_skills([tmp_path / "skills"], problems=problems)
            assert problems == []
        case "python", "tools" | "plugin":
            assert block in PYTHON, "another test calls these"
        case "sh" | "console", _:
            made = re.findall(r"^make (\w+)", block.text, re.MULTILINE)
            assert set(made) <= set(re.findall(r"^(\w+):", MAKEFILE, re.MULTILINE))
            lines = list(command_lines(block.text))
            assert lines or made
            for words in lines:
                parsed(words)
        case "text", _:
            reader = CallReader()
            events = [*reader.take(block.text), *reader.finish("stop")]
            assert [type(event).__name__ for event in events] == ["CallStarted", "CallDelta", "Finished"]
        case language, _:
            assert (block.page, language) in NO_EXAMPLES, "nobody runs this block"


@corpus("page", PAGES)
def test_every_command_in_the_text_is_one(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Words in capitals stand for something, and so do those in brackets, which may be left out as others may."""
    for written in re.findall(r"`(placet [^`\n]+)`", page.read_text("utf-8")):
        if "…" not in written:
            for words in command_lines(re.sub(r"[\[\]]", "", written)):
                try:
                    parsed(words)
                except SystemExit:
                    assert re.search(r"arguments .*(are|is) required", capsys.readouterr().err), written


PARSER = parser()
PYTHON = [block for block in BLOCKS if block.language == "python"]


async def test_every_tool_and_hook_of_the_examples_is_called(tmp_path: Path) -> None:
    workshop = Workshop(tmp_path)
    for block in PYTHON:
        workshop.own(block.file, block.text)
    (workshop.project / "a.txt").write_text("two words\n", "utf-8")
    (workshop.project / "notes.txt").write_text("Mind the gap.", "utf-8")
    calls = [{"call": name, "arguments": arguments} for name, arguments in CALLS.items()]
    async with workshop.work(calls, DONE) as work:
        assert set(await work.tools()) == set(CALLS), "each is called here"
        states = dict(zip(CALLS, await work.prompt(), strict=True))
        assert not [error(state) for state in states.values() if isinstance(state, ToolFailed)]
        assert output(states["letters"]) == "e: 3"
        assert output(states["guarded_folder"]) == "secret"
        for plugin in work.custom.hooks.plugins:
            for hook in plugin.hooks - {"auth"}:
                given, before = HOOKS[hook]
                assert await work.custom.hooks.call_one(plugin, hook, given, json.loads(json.dumps(before))) != before
        assert work.sessions.settings.providers["litellm_proxy"].models["house-coder"].context_size == 262_144
        assert work.told == []
    assert (workshop.project / "a.txt").read_text("utf-8") == "# Words\n\ntwo words\n"


async def test_the_login_of_the_example_gets_its_key_and_renews_it(tmp_path: Path) -> None:
    (block,) = (block for block in PYTHON if '@hook("auth")' in block.text)
    async with AuthorizationServer() as gateway:
        text = block.text.replace("https://gateway.example", gateway.address)
        owner = Owner("yours", tmp_path, tmp_path, plugins=(write(tmp_path / block.file, text).parent,))
        async with plugin_logins(owner, PluginSettings(), tmp_path / "log") as logins:
            sign_in, own_key = logins.to("litellm_proxy")
            begun = await sign_in.begin({})
            assert (begun.url, begun.wants_code) == (f"{gateway.address}/login", True)
            tokens = (await sign_in.end(CODE)).tokens
            assert tokens is not None
            assert tokens.access == gateway.access(1)
            assert own_key.method.is_key
            renewal = logins.renewal_for("litellm_proxy", "gateway")
            assert (await renewal.renew(tokens.model_dump()))["access"] == gateway.access(2)


@pytest.mark.skipif(not NODE_SERVERS.exists(), reason="`make test` installs the servers of tests/mcp_servers")
async def test_the_program_of_the_example_is_a_server(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, next(block for block in BLOCKS if block.page == "MCP.md"))
    npx, yes, package, *arguments = settings.mcp.servers["files"].command
    assert (npx, yes) == ("npx", "-y")
    async with open_workbench(tmp_path) as bench:
        (bench.root / "a.txt").write_text("alpha", "utf-8")
        async with held(bench, files=node_server(package.rpartition("/")[2], *arguments)) as mcp:
            await mcp.connected("files")
            read = await mcp.run("files_read_text_file", path=str(bench.root / "a.txt"))
            assert read.output == "alpha"


def test_what_the_page_on_permissions_explains_is_what_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rules, *_, console = (block for block in BLOCKS if block.page == "PERMISSIONS.md")
    for name in ("CONFIG", "DATA", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    monkeypatch.chdir(tmp_path)
    file = write(tmp_path / "CONFIG" / "placet" / "placet.json", rules.text)

    line, *shown = console.text.split("\n\n")[0].splitlines()
    main(shlex.split(line.removeprefix("$ placet ")))

    said = capsys.readouterr().out.replace(str(file), "/home/ada/.config/placet/placet.json")
    *lines, here = said.splitlines()
    assert lines == shown[:-1]
    # The rest of the line names the sandbox of the machine.
    assert (here.split(",")[0], shown[-1].split(",")[0]) == ("here: denied", "here: denied")


def settings_of(directory: Path, block: Block) -> Settings:
    locations = Locations(*(directory / name for name in ("config", "data", "cache", "log")))
    write(locations.config / "placet.jsonc", block.text)
    return load_settings(locations, environment=dict.fromkeys(re.findall(r"\{env:(\w+)\}", block.text), "x"))


def command_lines(text: str) -> Iterator[list[str]]:
    """The commands of ours in a shell's lines, each without its name."""
    for line in text.replace("\\\n", "").splitlines():
        command: list[str] = []
        for word in [*shlex.split(line.removeprefix("$ "), comments=True), "|"] if "placet" in line else []:
            if word in ("|", "&&", ">"):
                if command[:1] == ["placet"]:
                    yield command[1:]
                command = []
            else:
                command.append(word)


def parsed(words: list[str]) -> None:
    """Fails for what the command line does not take."""
    if words != ["--stdio"]:
        PARSER.parse_args(words)


def write(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return file
