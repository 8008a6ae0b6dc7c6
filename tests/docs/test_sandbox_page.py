"""The page of the sandbox says what the code does: the hosts of the example, the names, the commands that leave."""

import json
import re
from pathlib import Path

from corpus_support import corpus
from placet.command_line.parser import parser
from placet.command_line.work.run import read_options
from placet.permissions.shell.programs.confined import reason_to_leave
from placet.project.protected_names import PATTERNS, PROTECTED
from placet.sandbox.domains import Domains, parse_host
from placet.sandbox.secrets import secrets_of

PAGE = (Path(__file__).parents[2] / "docs" / "SANDBOX.md").read_text("utf-8")


def row(name: str) -> str:
    """Return the second cell of a row of the page's tables."""
    (cell,) = re.findall(rf"^\| {name} \| (.*?) \|", PAGE, re.MULTILINE)
    return cell


def names_in(text: str) -> list[str]:
    return [name.rstrip("/") for name in re.findall(r"`([^`]+)`", text)]


def test_the_protected_names_are_protected() -> None:
    names = names_in(row("protected paths"))
    assert names
    assert set(names) <= PROTECTED.names


def test_the_page_lists_the_protected_names() -> None:
    section = PAGE.partition("## Protected names")[2].partition("\n## ")[0]
    listed = [
        name for cell in re.findall(r"^\| [\w ,]+ \| (`.*) \|$", section, re.MULTILINE) for name in names_in(cell)
    ]
    assert sorted(listed) == list(PATTERNS)


def test_the_secrets_are_hidden() -> None:
    home = Path("/home/ada")
    names = names_in(row("secrets"))
    assert names
    assert {home / name.removeprefix("~/") for name in names} <= set(secrets_of(home))


@corpus("line", ["docker ps", "git config a b", "sudo ls", "git remote add a b"])
def test_the_commands_that_leave_have_a_reason(line: str) -> None:
    assert line.split()[0] in PAGE
    assert reason_to_leave(line.split())


@corpus(
    ("host", "port", "decision"),
    [
        ("registry.npmjs.org", 443, "allow"),
        ("files.pythonhosted.org", 443, "allow"),
        ("pythonhosted.org", 443, "unknown"),
        ("telemetry.example.com", 443, "deny"),
        ("localhost", 5432, "allow"),
        ("localhost", 5433, "deny"),
    ],
)
def test_the_hosts_of_the_example_are_judged_as_the_page_says(host: str, port: int, decision: str) -> None:
    example = next(block for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL) if "domains" in block)
    domains = Domains.read(json.loads(example)["sandbox"]["domains"])
    assert domains.judge(parse_host(host), port) == decision


def test_the_example_of_a_run_allows_the_host_alone() -> None:
    (line,) = re.findall(r"^placet run --allow '(sandbox:[^']+)'", PAGE, re.MULTILINE)
    options = read_options(parser("run").parse_args(["run", "--allow", line, "prompt"]))
    assert options.allow == ("sandbox:connect registry.npmjs.org:443",)
