"""Placet as an agent of Harbor: examples/harbor in real trials of Harbor, without containers.

Harbor needs Python 3.12 and has no place among the packages of this project: PLACET_TEST_HARBOR names the program
`harbor` of an environment with Harbor 0.26. Without it these tests are skipped.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "harbor"
HARBOR = os.environ.get("PLACET_TEST_HARBOR", "")
needs_harbor = pytest.mark.skipif(
    not HARBOR or shutil.which("bwrap") is None, reason="needs bubblewrap, and Harbor by PLACET_TEST_HARBOR"
)
TASK = {
    "task.toml": 'version = "1.0"\n[verifier]\ntimeout_sec = 60.0\n[agent]\ntimeout_sec = 120.0\n',
    "instruction.md": "/app has no b.txt: write `it's done` into b.txt.\n",
    "environment/Dockerfile": "FROM scratch\n",
    "solution/solve.sh": "exit 0\n",
    "tests/test.sh": "grep -c done /app/b.txt >/logs/verifier/reward.txt || echo 0 >/logs/verifier/reward.txt\n",
}
TURNS: Sequence[Sequence[dict[str, Any]]] = (
    [
        {"usage": {"input": 10, "output": 5, "cacheRead": 90}, "cost": 0.25},
        {"call": "bash", "arguments": {"command": "echo done > b.txt", "description": "write"}},
    ],
    [{"usage": {"input": 1, "output": 2}, "cost": 0.5}, {"text": "Done."}],
)


def trial(directory: Path, *arguments: str, model: str = "") -> dict[str, Any]:
    """The result of a trial in an environment that has Placet."""
    for name, text in TASK.items():
        file = directory / "task" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    image = directory / "image"
    image.mkdir()
    (image / "script.json").write_text(json.dumps({"turns": [{"events": turn} for turn in TURNS]}))
    (image / "placet").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m placet "$@"\n')
    (image / "placet").chmod(0o755)
    seen = (image, ROOT, sys.prefix, sys.base_prefix)
    environment = {
        **os.environ,
        "PYTHONPATH": f"{EXAMPLE}:{ROOT / 'tests' / 'fleet_support'}",
        "PLACET_TEST_HARBOR_BINDS": ":".join(map(str, seen)),
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    }
    done = subprocess.run(
        [
            *(HARBOR, "trial", "start", "--path", "task", "--trials-dir", "trials", "--trial-name", "one"),
            *("--agent", "placet_agent:Placet", "--model", model or f"scripted/{image / 'script.json'}"),
            *("--env", "bubblewrap_environment:BubblewrapEnvironment"),
            *("--agent-env", f"PATH={image}:/usr/local/bin:/usr/bin:/bin", *arguments),
        ],
        cwd=directory,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    result = directory / "trials" / "one" / "result.json"
    assert result.is_file(), done.stdout + done.stderr
    return json.loads(result.read_text())


@needs_harbor
def test_a_trial_runs_placet_and_reads_its_tokens_and_cost(tmp_path: Path) -> None:
    result = trial(tmp_path)
    assert result["exception_info"] is None
    assert result["verifier_result"]["rewards"] == {"reward": 1.0}
    spent = result["agent_result"]
    assert (spent["n_input_tokens"], spent["n_cache_tokens"], spent["n_output_tokens"]) == (101, 90, 7)
    assert spent["cost_usd"] == 0.75
    assert re.fullmatch(r"\d+\.\d+\.\S+", result["agent_info"]["version"])


@needs_harbor
def test_at_a_limit_the_work_until_then_is_judged(tmp_path: Path) -> None:
    result = trial(tmp_path, "--agent-kwarg", "max_steps=1", "--effort", "high")
    assert result["exception_info"] is None
    assert result["agent_result"]["metadata"]["placet"]["exit_code"] == 5


@needs_harbor
def test_harbor_sees_why_a_provider_cannot_be_reached_and_no_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a-key-that-nobody-sees")
    result = trial(tmp_path, "--base-url", "http://127.0.0.1:9/v1", model="openai/gpt-5")
    assert result["exception_info"]["exception_type"] == "NetworkConnectionError"
    files = [file for file in (tmp_path / "trials").rglob("*") if file.is_file()]
    assert not [file for file in files if b"nobody-sees" in file.read_bytes()]


@needs_harbor
def test_the_record_for_the_agent_client_protocol_is_one_of_harbors() -> None:
    code = "from harbor.agents.installed import acp; import sys; acp._load_registry_entry(None, sys.argv[1])"
    python = Path(HARBOR).parent / "python"
    subprocess.run([python, "-c", code, EXAMPLE / "placet-acp.json"], check=True)


def test_placet_has_the_options_that_the_adapter_passes() -> None:
    passed = set(re.findall(r'(?:Cli\(|placet", "run", )"(--[a-z-]+)"', (EXAMPLE / "placet_agent.py").read_text()))
    told = subprocess.run([sys.executable, "-m", "placet", "run", "--help"], capture_output=True, text=True, check=True)
    assert passed >= {"--max-steps", "--max-cost", "--effort", "--agent"}
    assert not [option for option in passed if option not in told.stdout]
