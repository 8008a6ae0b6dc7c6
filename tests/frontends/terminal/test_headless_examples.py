"""What docs/HEADLESS.md and examples/ci tell the user to run does run."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from fork_support import launcher
from run_support import Place
from time_support import wait_seconds

ROOT = Path(__file__).parents[3]
CI = ROOT / "examples" / "ci"
DOCUMENT = (ROOT / "docs" / "HEADLESS.md").read_text("utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```", DOCUMENT, re.DOTALL | re.MULTILINE)
SCHEMA = '{"type": "object", "required": ["lines"], "properties": {"lines": {"type": "integer"}}}'

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="the examples are for a POSIX shell")


class Job:
    """A checkout with one commit, and programs that stand for what a runner has installed."""

    def __init__(self, directory: Path) -> None:
        self.place = Place(directory)
        programs = directory / "programs"
        programs.mkdir()
        for name, line in (
            ("python", f'exec "{sys.executable}" "$@"'),
            ("pip", f'echo "$@" >> "{directory}/installed"'),
            ("ruff", "echo a.txt:2:1: old; exit 1"),
        ):
            (programs / name).write_text(f"#!/bin/sh\n{line}\n")
            (programs / name).chmod(0o755)
        launcher(programs / "placet")
        self.environment = {
            **self.place.environment,
            "PATH": os.pathsep.join((str(programs), os.environ["PATH"])),
            **{f"GIT_{one}_{what}": "ada@example.org" for one in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        }
        self.run("git init -q . && git add . && git commit -qm first")

    def run(self, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """As a runner does it: an error ends it, in a pipe too."""
        return subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script],
            cwd=self.place.project,
            env={**self.environment, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=wait_seconds(),
            check=False,
        )


@pytest.fixture
def job(tmp_path):
    return Job(tmp_path)


@pytest.mark.parametrize("block", BLOCKS, ids=[block.splitlines()[0][:40] for block in BLOCKS])
def test_the_document_s_examples_run(job, block):
    (job.place.project / "prompt.md").write_text("what does a.txt say?")
    (job.place.project / "schema.json").write_text(SCHEMA)
    if "--allow" not in block:
        job.place.script([{"text": '{"lines": 3}'}])
    result = job.run(block)

    assert result.returncode == 0, result.stderr
    if "--allow" in block:
        assert "new" in job.place.file.read_text()


def test_the_document_has_every_exit_code():
    from placet.command_line.work.run import EXIT_CODES
    from placet.frontends.terminal.exit_codes import ExitCode

    told = {int(code) for code in re.findall(r"^\| (\d+) \|", DOCUMENT, re.MULTILINE)}
    assert told == set(ExitCode)
    assert {int(code) for code in re.findall(r"^  (\d+) ", EXIT_CODES, re.MULTILINE)} == set(ExitCode)


@pytest.mark.parametrize(("blocking", "last"), [([], 0), (["a.txt:2: new is wrong"], 1)])
def test_the_github_job_reviews_and_fails_if_something_is_blocking(job, blocking, last):
    job.place.file.write_text("one\nnew\nthree\n")
    job.run("git commit -qam second")
    base = job.run("git rev-parse HEAD~1").stdout.strip()
    review = {"summary": "One word was changed.", "blocking": blocking}
    edit = {"filePath": "a.txt", "oldString": "new", "newString": "newer"}
    job.place.script([{"call": "edit", "arguments": edit}], [{"text": json.dumps(review)}])
    described = yaml.safe_load((CI / "github-actions.yml").read_text("utf-8"))
    steps = [step["run"] for step in described["jobs"]["review"]["steps"] if "run" in step]
    summary = job.place.directory / "summary.md"
    codes = []
    for step in steps:
        result = job.run(step, BASE=base, GITHUB_STEP_SUMMARY=str(summary))
        codes.append(result.returncode)
        assert "Traceback" not in result.stderr, result.stderr

    assert codes == [0] * (len(steps) - 1) + [last]
    assert summary.read_text().splitlines() == [review["summary"], *(f"- {one}" for one in blocking)]
    assert (job.place.directory / "installed").read_text() == "install placet\n"
    assert job.place.file.read_text() == "one\nnew\nthree\n"


@pytest.mark.parametrize("is_failing", [False, True])
def test_the_gitlab_job_mends_and_keeps_a_patch(job, is_failing):
    if is_failing:
        job.place.script([{"error": "authentication", "message": "The key is wrong."}])
    described = yaml.safe_load((CI / "gitlab-ci.yml").read_text("utf-8"))["mend"]
    result = job.run("\n".join((*described["before_script"], *described["script"])))

    assert result.returncode == (1 if is_failing else 0), result.stderr
    if is_failing:
        assert "The key is wrong." in result.stdout
    else:
        assert "-old\n+new\n" in (job.place.project / "mended.patch").read_text()
        assert json.loads((job.place.project / "events.jsonl").read_text().splitlines()[-1])["exitCode"] == 0
