"""`placet --acp` behind programs that drive any agent: Harbor's runner, and acplint.

Neither is installed by `make test`: PLACET_HARBOR names a directory with a virtual environment `venv` that holds
agent-client-protocol, and with `acp_runner.py` of the package harbor alone in `runner`; acplint is found on PATH.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from run_support import Place
from time_support import wait_seconds

HARBOR = Path(os.environ.get("PLACET_HARBOR", ""))
LINT_WAITS = 10
"""Of acplint, which makes several sessions."""
RUN = "import sys; sys.path.insert(0, sys.argv.pop(1)); import acp_runner; sys.exit(acp_runner.main())"


def agent_of(place: Place) -> Path:
    agent = place.directory / "agent"
    agent.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m placet --acp --review ask\n')
    agent.chmod(0o755)
    return agent


@pytest.mark.skipif(
    not (HARBOR / "runner" / "acp_runner.py").is_file(), reason="PLACET_HARBOR names no directory with Harbor's runner"
)
def test_harbors_runner_does_a_task_from_initialize_to_the_written_file(tmp_path: Path) -> None:
    place = Place(tmp_path)
    (tmp_path / "logs").mkdir()
    command = [str(HARBOR / "venv" / "bin" / "python"), "-P", "-c", RUN, str(HARBOR / "runner")]
    ended = subprocess.run(
        [
            *(*command, "--instruction", "Make it new."),
            *("--logs-dir", str(tmp_path / "logs"), "--launcher", str(agent_of(place))),
        ],
        capture_output=True,
        text=True,
        cwd=place.project,
        env=place.environment,
        timeout=wait_seconds(),
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert place.file.read_text() == "one\nnew\nthree\n"
    summary = json.loads((tmp_path / "logs" / "acp-summary.json").read_text())
    assert summary["initialize"]["agentInfo"]["name"] == "placet"


@pytest.mark.skipif(shutil.which("acplint") is None, reason="acplint is not on PATH")
def test_acplint_finds_no_fault_in_cancels_and_under_stress(tmp_path: Path) -> None:
    place, report = Place(tmp_path), tmp_path / "report.json"
    command = ["acplint", "--agent", str(agent_of(place)), "--cwd", str(place.project), "--timeout", "10"]
    subprocess.run(
        [*command, "--output", "json", "--output-file", str(report), "--categories", "cancel", "stress"],
        capture_output=True,
        env=place.environment,
        timeout=LINT_WAITS * wait_seconds(),
        check=False,
    )
    found = json.loads(report.read_text())
    states = {check["name"]: check["status"] for check in _checks(found)}
    assert len(states) >= 6
    assert set(states.values()) == {"PASS"}, states


def _checks(found: object) -> list[dict[str, str]]:
    """Return the checks of the report, wherever they stand."""
    if isinstance(found, list):
        return [check for inner in found for check in _checks(inner)]
    if not isinstance(found, dict):
        return []
    if "status" in found and "name" in found:
        return [found]
    return [check for inner in found.values() for check in _checks(inner)]
