"""Run of the project's own tests: find the runner, run the tests, and tell the outcome."""

import json
import os
import re
import shlex
from collections.abc import Collection, Generator, Sequence
from dataclasses import dataclass

from placet.model.rules.intents import RunTests
from placet.model.rules.outputs import parse_bash, parse_entries, parse_paths, parse_read
from placet.model.rules.script import NotDone, Result, Results, RulesCall, Script, Step

TIMEOUT_MILLISECONDS = 600_000
TAIL_LINES = 30

_PYTEST_FILES = "**/{test_*.py,*_test.py,conftest.py}"
_ENDINGS = (
    re.compile(
        r"^=*\s*(?P<told>(?:no tests ran|\d+ (?:passed|failed|errors?|skipped|deselected)).* in [\d.]+s.*?)\s*=*$"
    ),
    re.compile(r"^(?P<told>test result: \w+\..*)$"),
    re.compile(r"^(?P<told>Tests:? .*\d+ (?:passed|failed).*)$"),
    re.compile(r"^# (?P<told>(?:pass|fail) \d+)$"),
    re.compile(r"^(?P<told>(?:FAIL|ok)\s+\S+\s+[\d.]+s)$"),
)
"""Patterns for the outcome in the output of pytest, cargo, jest and vitest, node and go."""


@dataclass(frozen=True, slots=True)
class Runner:
    name: str
    command: str


def run_tests(intent: RunTests) -> Script:
    """Answer whether the tests passed, with the end of the output."""
    runners = yield from _find_runners(intent.path)
    chosen = [runner for runner in runners if intent.runner in ("", runner.name)]
    if not chosen:
        kind = f"{intent.runner} tests" if intent.runner else "tests that pytest, npm, go, cargo or make would run"
        raise NotDone(f"I found no {kind} in this project's files.")
    runner, *others = chosen
    arguments = {
        "command": runner.command,
        "description": f"Runs the project's tests with {runner.name}",
        "timeout": TIMEOUT_MILLISECONDS,
    }
    [result] = yield Step((RulesCall("bash", arguments),))
    if not result.ok:
        raise NotDone(f"The tests were not run: {result.text}")
    also = (
        f"\n\nThere are also tests for {', '.join(other.name for other in others)}; name it to run those."
        if others
        else ""
    )
    return _report(runner, result.text) + also


def _find_runners(path: str) -> Generator[Step, Results, list[Runner]]:
    """Return the test runners of this project, the likeliest first."""
    root, tests = yield Step((RulesCall("read", {"filePath": "."}), RulesCall("glob", {"pattern": _PYTEST_FILES})))
    names = set(parse_entries(root.text) or ()) if root.ok else set[str]()
    manifests = [name for name in ("package.json", "Makefile") if name in names]
    results: Sequence[Result] = ()
    if manifests:
        results = yield Step(tuple(RulesCall("read", {"filePath": name}) for name in manifests))
    texts = {name: _text(result) for name, result in zip(manifests, results, strict=True)}
    runners: list[Runner] = []
    target = f" {shlex.quote(path)}" if path else ""
    if {"pytest.ini", "conftest.py"} & names or (tests.ok and parse_paths(tests.text)):
        runners.append(Runner("pytest", f"{_python(names)} -m pytest -q{target}"))
    if _has_npm_test(texts.get("package.json", "")):
        runners.append(Runner("npm", f"npm test{f' --{target}' if path else ''}"))
    if "go.mod" in names:
        runners.append(Runner("go", f"go test{target or ' ./...'}"))
    if "Cargo.toml" in names:
        runners.append(Runner("cargo", f"cargo test{target}"))
    if re.search(r"^test\s*:", texts.get("Makefile", ""), re.MULTILINE):
        runners.append(Runner("make", "make test"))
    return runners


def _python(names: Collection[str]) -> str:
    """Return the Python of the project's own environment, or else the Python on the path."""
    for environment in (".venv", "venv"):
        if f"{environment}/" in names:
            return rf"{environment}\Scripts\python" if os.name == "nt" else f"{environment}/bin/python"
    return "python" if os.name == "nt" else "python3"


def _text(result: Result) -> str:
    page = parse_read(result.text) if result.ok else None
    return "\n".join(page.lines.values()) if page else ""


def _has_npm_test(manifest: str) -> bool:
    try:
        script = json.loads(manifest)["scripts"]["test"]
    except (ValueError, LookupError, TypeError):
        return False
    # `npm init` writes this text for a package without tests.
    return isinstance(script, str) and "no test specified" not in script


def _report(runner: Runner, output: str) -> str:
    ran = parse_bash(output)
    lines = [line.rstrip() for line in ran.text.rstrip().splitlines()]
    tail = "\n".join(lines[-TAIL_LINES:])
    counts = [match["told"] for line in lines for ending in _ENDINGS if (match := ending.match(line))]
    outcome = f": {'; '.join(counts[-5:])}" if counts else ""
    match ran.exit_code:
        case 0:
            verdict = f"the tests **passed**{outcome}"
        case None:
            verdict = f"the tests did not come to an end: {ran.ended}"
        case code:
            verdict = f"**failed** with exit code {code}{outcome}"
    return f"`{runner.command}`: {verdict}.\n\n```\n{tail}\n```"
