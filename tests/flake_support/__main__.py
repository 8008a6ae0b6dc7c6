"""Run tests again and again under load, and list each test that is not the same every time. See `--help`."""

import argparse
import contextlib
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.etree import ElementTree

from flake_support.load import end_family, loaded, stopped_at_random

Outcomes = Mapping[str, str]
"""Outcome of each test of a run, by the test's name: `passed`, `failed`, `error` or `skipped`."""


def run(number: int, directory: Path, options: list[str]) -> Outcomes:
    """Run the tests once; the log, and all files of the tests, are kept in the directory."""
    directory.mkdir()
    report = directory / "report.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", "--no-loadscope-reorder", f"--junitxml={report}"]
    with (directory / "log.txt").open("wb") as log:
        process = subprocess.Popen(
            [*command, f"--basetemp={directory / 'files'}", *options], stdout=log, stderr=log, start_new_session=True
        )
        try:
            with stopped_at_random(process.pid, number):
                process.wait()
        finally:
            end_family(process)
    return dict(outcomes_of(report)) if report.exists() else {"the run has no report": "error"}


def outcomes_of(report: Path) -> Iterator[tuple[str, str]]:
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname', '').replace('.', '/')}.py::{case.get('name')}"
        kinds = {child.tag for child in case}
        yield name, next((kind for kind in ("error", "failure", "skipped") if kind in kinds), "passed")


def changed(runs: list[Outcomes]) -> dict[str, list[str]]:
    """Return the outcomes, run by run, of each test that failed in a run or is not in every run."""
    by_test: dict[str, list[str]] = defaultdict(lambda: ["absent"] * len(runs))
    for number, outcomes in enumerate(runs):
        for name, outcome in outcomes.items():
            by_test[name][number] = outcome
    return {name: outcomes for name, outcomes in by_test.items() if not set(outcomes) <= {"passed", "skipped"}}


def main() -> int:
    parser = argparse.ArgumentParser(prog="make flakes")
    parser.add_argument("--runs", type=int, default=10, help="how often the tests run (10)")
    parser.add_argument("--load", type=int, default=6, help="number of busy processes beside the tests (6)")
    parser.add_argument("options", nargs="*", help="tests, and options of pytest after `--`; otherwise `make test`'s")
    given = parser.parse_args()
    directory = Path(tempfile.mkdtemp(prefix="placet-flakes-"))
    runs: list[Outcomes] = []
    with contextlib.suppress(KeyboardInterrupt), loaded(given.load, directory):
        for number in range(given.runs):
            runs.append(run(number, directory / str(number), given.options or ["-m", "not long"]))
            counts = ", ".join(f"{count} {outcome}" for outcome, count in Counter(runs[-1].values()).items())
            _say(f"run {number + 1}: {counts}")
    names = changed(runs)
    for name, outcomes in names.items():
        _say(f"{name}\n    {' '.join(outcomes)}")
    count = len({name for one in runs for name in one})
    _say(f"{len(names)} of {count} tests failed or changed their mind in {len(runs)} runs")
    _say(f"logs, files and pictures: {directory}")
    return 1 if names or not runs else 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


sys.exit(main())
