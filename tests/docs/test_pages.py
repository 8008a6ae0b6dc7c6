"""What the pages on settings, agents, commands and skills show, does what is said of it there."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from corpus_support import corpus
from placet.agent.agents.definitions import read_catalog
from placet.core.messages import TextPart, UserMessage
from placet.permissions.rules import builtin_rules, evaluate, refuses
from placet.project.front_matter import parse_front_matter
from placet.project.skills import find_skills
from placet.settings import Settings, load_settings
from placet.settings.locations import Locations
from services_support import TempServices

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(page.stem for page in DOCS.glob("*.md"))
LINKING = [
    *(DOCS.parent / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")),
    *sorted(DOCS.rglob("*.md")),
    *sorted((DOCS.parent / "clients").glob("*/README.md")),
]
ARCHITECTURE = (DOCS.parent / "ARCHITECTURE.md").read_text("utf-8")
RULES = builtin_rules(Path("/outputs"))


def blocks(page: str, language: str) -> list[str]:
    text = (DOCS / f"{page}.md").read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def loaded(directory: Path, text: str) -> Settings:
    """The settings of a file with that text, in which nothing is wrong."""
    locations = Locations(*(directory / name for name in ("config", "data", "cache", "log")))
    locations.config.mkdir(parents=True, exist_ok=True)
    (locations.config / "placet.jsonc").write_text(text, "utf-8")
    settings = load_settings(locations, environment={"MY_GATEWAY": "https://gateway.example"})
    assert settings.problems == ()
    return settings


def write(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return file


@corpus("page", LINKING)
def test_every_link_leads_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(((?!https?:)[^)]+)\)", text):
        file, _, section = target.partition("#")
        linked = page.parent / file if file else page
        assert linked.exists(), target
        if section:
            headings = re.findall(r"^#+ (.+)$", linked.read_text("utf-8"), re.MULTILINE)
            assert section in [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings], (
                target
            )


@corpus("page", LINKING)
def test_every_module_that_a_page_names_is_there(page: Path) -> None:
    """A path is relative to the repository, the daemon or the page; words in capitals stand for a name."""
    root = DOCS.parent
    for path in re.findall(r"`((?:[a-z_.]+/)+[a-z_.]+\.(?:py|ts|lua))`", page.read_text("utf-8")):
        if page.parent == DOCS and path.startswith(("tools/", "plugin/", "src/")):
            continue  # An example.
        assert any((start / path).exists() for start in (root, root / "daemon" / "placet", page.parent)), path


def test_architecture_shows_the_layers_that_import_linter_holds() -> None:
    contracts = tomllib.loads((DOCS.parent / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (layers,) = (contract["layers"] for contract in contracts if contract.get("containers") == ["placet"])
    assert "```\n" + "\n".join(layers) + "\n```" in ARCHITECTURE


def test_architecture_has_every_room_with_one_invariant() -> None:
    daemon = DOCS.parent / "daemon" / "placet"
    rooms = {path.parent.name for path in daemon.glob("*/__init__.py")} - {"frontends"}
    rooms |= {f"frontends/{path.parent.name}" for path in daemon.glob("frontends/*/__init__.py")} | {"The clients"}
    sections = re.findall(r"^### ([^\n]+)$(.*?)(?=^#)", ARCHITECTURE, re.MULTILINE | re.DOTALL)
    assert {name for name, _ in sections} == rooms
    assert [name for name, text in sections if text.count("*Invariant: ") != 1] == []


def test_every_picture_is_on_a_page_and_every_page_has_its_pictures() -> None:
    shown = {
        (page.parent / name).resolve()
        for page in LINKING
        for names in re.findall(r"!\[[^]]*\]\(([^)]+)\)|<img src=\"([^\"]+)\"", page.read_text("utf-8"))
        for name in names
        if name
    }
    assert shown == {image.resolve() for image in (DOCS / "images").iterdir()}


def test_the_index_has_every_page() -> None:
    index = (DOCS / "README.md").read_text("utf-8")
    for page in PAGES:
        assert page == "README" or f"({page}.md)" in index, page


def test_the_settings_of_the_example_are_what_it_says(tmp_path: Path) -> None:
    settings = loaded(tmp_path, blocks("SETTINGS", "jsonc")[0])
    assert settings.model_options.api_base == "https://gateway.example"
    assert settings.max_cost.turn == 0.5
    assert settings.command["changes"].agent == "plan"


def test_the_agent_of_the_example_reviews_and_cannot_edit(tmp_path: Path) -> None:
    ours, claudes = blocks("AGENTS", "markdown")
    write(tmp_path / "reviewer.md", ours)
    write(tmp_path / "code-reviewer.md", claudes)
    agents = read_catalog(Settings(), [tmp_path], RULES)
    reviewer, other = agents.find("reviewer"), agents.find("code-reviewer")
    rules = reviewer.rules_over(RULES, ())

    assert (reviewer.mode, reviewer.temperature, reviewer.max_steps) == ("subagent", 0.1, 20)
    assert refuses(rules, "edit")
    assert [evaluate(rules, "bash", line).action for line in ("git diff x", "make")] == ["allow", "deny"]
    assert (other.tools, other.model) == (frozenset(("read", "grep", "glob", "bash")), None)
    assert any("`model: sonnet` names no provider" in problem for problem in agents.problems)


def test_the_agents_of_the_example_settings_are_there(tmp_path: Path) -> None:
    agents = read_catalog(loaded(tmp_path, blocks("AGENTS", "jsonc")[0]), [], RULES)
    assert agents.problems == ()
    assert "explore" not in agents.subagents
    assert agents.find("plan").model == "anthropic/claude-opus-4-5"
    assert evaluate(agents.find("scribe").rules_over(RULES, ()), "edit", "docs/x").action == "ask"


def test_every_field_of_an_agent_and_of_a_command_is_on_its_page() -> None:
    for page, model in (("AGENTS", "AgentSettings"), ("COMMANDS", "CommandSettings")):
        schema: dict[str, Any] = json.loads((DOCS / "settings.schema.json").read_text("utf-8"))["$defs"][model]
        text = (DOCS / f"{page}.md").read_text("utf-8").replace("argument-hint", "argumentHint")
        for name in schema["properties"]:
            assert name.lower() in ("maxsteps", "max_steps") or f"`{name}`" in text or f'"{name}"' in text, name


async def test_the_command_of_the_example_says_what_it_shows(tmp_path: Path) -> None:
    services = TempServices(tmp_path)
    write(services.project / "a.txt", "alpha\n")
    write(services.locations.config / "commands" / "changes.md", blocks("COMMANDS", "markdown")[0])
    context = await _context_of(services, "/changes a.txt speed and size")

    assert "what these changes to a.txt do, and mind speed and size:" in context
    assert "1: alpha" in context
    assert [ask.command for ask in services.user.asked] == ['git diff --stat -- "a.txt"']


async def test_the_command_of_the_example_settings_says_what_it_shows(tmp_path: Path) -> None:
    settings = loaded(tmp_path, blocks("COMMANDS", "jsonc")[0])
    command = {name: entry.model_dump() for name, entry in settings.command.items()}
    assert "Explain the loop to a newcomer." in await _context_of(
        TempServices(tmp_path), "/explain the loop", command=command
    )


async def test_the_skill_of_the_example_can_be_followed(tmp_path: Path) -> None:
    text = blocks("SKILLS", "markdown")[0]
    services = TempServices(tmp_path)
    file = write(services.locations.config / "skills" / "release" / "SKILL.md", text)
    problems: list[str] = []
    assert find_skills(services.locations.skills, problems=problems)["release"].file == file
    assert problems == []
    assert set(parse_front_matter(text)[0]) == {"name", "description"}
    assert "3. Follow checklist.md" in await _context_of(services, "/release 1.2")


async def _context_of(services: TempServices, text: str, **settings: Any) -> str:
    """Return the context that the model receives beside the prompt."""
    async with services.open(services.script([{"text": "Done."}]), **settings) as sessions:
        session = await sessions.create(title="t")
        assert (await session.prompt([TextPart(text=text)])).stop_reason == "end_turn"
        message = session.messages[0]
        assert isinstance(message, UserMessage)
        return "\n".join(part.text for part in message.parts if isinstance(part, TextPart) and part.synthetic)
