"""A session's commands read no file that the user must be asked about, and a command asks for such a file by name."""

import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from corpus_support import corpus
from placet.core.messages import TextPart, ToolCompleted, ToolPart
from placet.core.ports import PermissionAnswer
from placet.sessions.session import Session
from services_support import TempServices

pytestmark = pytest.mark.skipif(sys.platform != "linux" or not shutil.which("bwrap"), reason="needs bubblewrap")

GO = [TextPart(text="Please go on.")]
DONE = [{"text": "Done."}]
SECRET = "topsecret123"
READ = "python3 -c \"print(open('.env').read())\""


@pytest.fixture
def services(tmp_path: Path) -> TempServices:
    services = TempServices(tmp_path)
    write(services.project, {".env": f"API_KEY={SECRET}\n", ".gitignore": ".env\n", "a.txt": "one\n"})
    subprocess.run(["git", "init", "-q"], cwd=services.project, check=True)
    return services


def write(project: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)


def bash(command: str, **arguments: Any) -> dict[str, Any]:
    return {"call": "bash", "arguments": {"command": command, **arguments}}


def outputs(session: Session) -> list[str]:
    """Return the result or the error of each call of the session, in order."""
    parts = [part for message in session.messages for part in message.parts if isinstance(part, ToolPart)]
    states = [part.state for part in parts]
    return [state.output if isinstance(state, ToolCompleted) else str(state) for state in states]


async def said(services: TempServices, calls: Iterable[dict[str, Any]], **settings: Any) -> list[str]:
    """Return the results of calls, each in a step of its own."""
    script = services.script(*([call] for call in calls), DONE)
    settings.setdefault("sandbox", {})
    async with services.open(script, **settings) as sessions:
        session = await sessions.create(title="t")
        await session.prompt(GO)
        return outputs(session)


def questions(services: TempServices) -> list[tuple[str, tuple[str, ...]]]:
    return [(request.permission, request.patterns) for request in services.user.asked]


async def test_a_program_reads_no_file_that_must_be_asked_about(services: TempServices) -> None:
    lines = (READ, "grep -r KEY .", "rg --hidden KEY", "cat $(echo .e)nv", "tar c . | strings", "env; set; true")
    results = await said(services, map(bash, lines))
    assert questions(services) == []
    assert [line for line, result in zip(lines, results, strict=True) if SECRET in result] == []
    assert "Permission denied: '.env'" in results[0]


async def test_a_failure_tells_the_model_how_to_ask_for_the_file(services: TempServices) -> None:
    quiet = "python3 -c \"import os; raise SystemExit(not os.access('.env', os.R_OK))\""
    failed, named, neither = await said(services, [bash(quiet), bash("ls -a"), bash("cat a.txt")])
    hint = (
        "Hidden from the command, as the user is asked before such a file is read: .env. Only if the command needs "
        'one, run the same command with `files`, for example `files: [".env"]`.'
    )
    assert hint in failed
    assert hint in named
    assert "Hidden from the command" not in neither


async def test_the_user_is_asked_for_the_file_by_name_and_always_holds_for_this_command(services: TempServices) -> None:
    services.user.answer = lambda request: PermissionAnswer("always", scope="project")
    calls = [bash(READ, files=[".env"]), bash(READ), bash(f"{READ} # another line")]
    first, again, other = await said(services, calls)
    assert questions(services) == [("sandbox", (f"read .env: {READ}",))]
    [request] = services.user.asked
    assert (request.title, request.command) == ("Let the command read .env", READ)
    assert request.note == "The command's output goes to the model's provider."
    assert [offer.scope for offer in request.always] == ["session", "project"]
    assert SECRET in first
    assert SECRET in again
    assert SECRET not in other
    services.user.asked.clear()
    assert SECRET in (await said(services, [bash(READ)]))[0], "the grant of the project outlives the daemon"
    assert questions(services) == []


async def test_a_rejection_runs_nothing_and_a_denial_asks_nobody(services: TempServices) -> None:
    services.user.answer = lambda _: PermissionAnswer("reject", feedback="Without it.")
    call = bash(f"touch ran; {READ}", files=[".env"])
    assert SECRET not in (await said(services, [call]))[0]
    services.user.asked.clear()
    permission = {"read": {"*.env": "deny"}, "bash": "allow", "sandbox": "allow"}
    denied, silent = await said(services, [call, bash(READ)], permission=permission)
    assert "*.env" in denied
    assert SECRET not in silent
    assert "`files`" not in silent, "no way is shown that leads nowhere"
    assert questions(services) == []
    assert not (services.project / "ran").exists()


@corpus(
    "settings",
    [
        {"permission": {"bash": {"*": "allow"}}},
        {"sandbox": {"overlay": "off"}},
        {"sandbox": {"network": "allow"}},
        {"review": "stage"},
        {"review": "apply"},
        {"default_agent": "plan"},
    ],
)
async def test_hidden_files_are_hidden_under_every_setting(services: TempServices, settings: dict[str, Any]) -> None:
    results = await said(services, [bash(READ), bash("cat $(echo .e)nv")], **settings)
    assert SECRET not in "".join(results)


async def test_a_job_in_the_background_reads_no_hidden_file_unless_the_user_shows_the_file(
    services: TempServices,
) -> None:
    job = f"{READ} || true"
    calls = [
        bash(job, background=True), bash("", job="job_1", timeout=20_000),
        bash(job, background=True, files=[".env"]), bash("", job="job_2", timeout=20_000),
    ]  # fmt: skip
    results = await said(services, calls)
    assert [SECRET in "".join(results[place : place + 2]) for place in (0, 2)] == [False, True]
    assert questions(services) == [("sandbox", (f"read .env: {job}",))]


async def test_a_staged_text_of_a_hidden_file_is_not_laid_over_the_file(services: TempServices) -> None:
    edit = {
        "call": "edit",
        "arguments": {"filePath": ".env", "oldString": "API_KEY", "newString": "OTHER_KEY"},
    }
    read = {"call": "read", "arguments": {"filePath": ".env"}}
    results = await said(services, [read, edit, bash("cat $(echo .e)nv")], review="stage")
    assert SECRET not in results[2]
    assert "did not see: .env" in results[2]
    assert (services.project / ".env").read_text() == f"API_KEY={SECRET}\n"


async def test_a_line_that_reads_runs_under_the_overlay_too(services: TempServices) -> None:
    write(services.project, {"uu/a": "one\n", "uu/b": "two\n"})
    services.user.answer = lambda _: PermissionAnswer("reject", feedback="No.")
    await said(services, [bash("uniq uu/*")])
    assert (services.project / "uu/b").read_text() == "two\n"


async def test_where_every_file_must_be_asked_about_the_sandbox_answers_for_no_command(services: TempServices) -> None:
    await said(services, [bash("python3 -c 'print(1)'")], permission={"read": "ask"})
    [request] = services.user.asked
    assert request.permission == "bash"
    assert "A rule for `read` does not allow every file" in request.rule


DJANGO = {
    "manage.py": "import runner\nrunner.main()\n",
    "dotenv.py": (
        "import os\ndef load_dotenv(path='.env'):\n    if not os.access(path, os.R_OK):\n        return False\n"
        "    for line in open(path):\n        name, _, value = line.strip().partition('=')\n"
        "        os.environ.setdefault(name, value)\n    return True\n"
    ),
    "site_settings.py": "import os, dotenv\ndotenv.load_dotenv()\nKEY = os.environ.get('API_KEY', '')\n",
    "runner.py": (
        "import importlib, os, sys, unittest\ndef main():\n    importlib.import_module('site_settings')\n"
        "    unittest.main(module='tests', argv=['tests'])\n"
    ),
    "tests.py": (
        "import unittest, site_settings\nclass KeyTest(unittest.TestCase):\n"
        "    def test_the_key_is_there(self):\n        self.assertTrue(site_settings.KEY, 'API_KEY is not set')\n"
    ),
}
NODE = {
    "package.json": '{"name": "x", "scripts": {"test": "node test.js"}}',
    "dotenv.js": (
        "const fs = require('fs');\nexports.config = () => { try {\n"
        "  for (const line of fs.readFileSync('.env', 'utf8').split('\\n')) {\n"
        "    const [name, value] = line.split('='); if (name) process.env[name] ??= value; }\n"
        "} catch (error) { return { error }; } };\n"
    ),
    "test.js": (
        "require('./dotenv').config();\nconst assert = require('assert');\n"
        "assert.ok(process.env.API_KEY, 'API_KEY is not set');\nconsole.log('1 passing');\n"
    ),
}
RAILS = {
    "bin/rails": "require './config/boot'\nrequire \"./#{ARGV[0]}/key_test\"\n",
    "config/boot.rb": (
        "%w[.env.test .env].select { |name| File.readable?(name) }.each do |name|\n"
        "  File.foreach(name, chomp: true) { |line| key, value = line.split('=', 2); ENV[key] ||= value }\nend\n"
    ),
    "test/key_test.rb": "abort 'API_KEY is not set' unless ENV['API_KEY']\nputs '1 run'\n",
}


@corpus(
    ("project", "line", "passed", "needs"),
    [
        (DJANGO, "python3 manage.py test", "OK", "python3"),
        (NODE, "node test.js", "1 passing", "node"),
        (NODE, "npm test --silent", "1 passing", "npm"),
        (RAILS, "ruby bin/rails test", "1 run", "ruby"),
    ],
)
async def test_a_project_whose_tests_load_a_hidden_file_costs_one_question_and_then_none(
    services: TempServices, project: dict[str, str], line: str, passed: str, needs: str
) -> None:
    if not shutil.which(needs):
        pytest.skip(f"{needs} is not installed")
    services.user.asked.clear()
    services.user.answer = lambda request: PermissionAnswer("always", scope="project")
    write(services.project, project)
    failed, asked, again, later = await said(
        services, [bash(line), bash(line, files=[".env"]), bash(line), bash(line, files=[".env"])]
    )
    assert "API_KEY is not set" in failed
    assert '`files: [".env"]`' in failed
    for result in (asked, again, later):
        assert passed in result
    assert questions(services) == [("sandbox", (f"read .env: {line}",))]
