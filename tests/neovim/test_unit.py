"""The plugin's own unit tests (clients/neovim/spec), run by busted inside the real Neovim."""

import os
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from neovim_support.editor import NVIM, PLUGIN
from time_support import wait_seconds

SPECS = sorted((PLUGIN / "spec").glob("*_spec.lua"))


def busted(*arguments: str, home: Path | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [NVIM, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-l", "spec/run.lua", *arguments],
        cwd=PLUGIN,
        env=os.environ | ({"HOME": str(home), "XDG_STATE_HOME": str(home)} if home else {}),
        capture_output=True,
        text=True,
        timeout=wait_seconds(),
        check=False,
    )


def is_installed() -> bool:
    return busted("--version").returncode == 0


def test_the_specs_hold(tmp_path: Path) -> None:
    if not is_installed():
        pytest.skip("busted is not installed (Debian: lua-busted)")
    report = tmp_path / "report.xml"
    names = [str(spec.relative_to(PLUGIN)) for spec in SPECS]

    ran = busted("--output=junit", f"-Xoutput={report}", *names, home=tmp_path)

    assert report.is_file(), ran.stderr + ran.stdout
    cases = list(ElementTree.parse(report).getroot().iter("testcase"))
    failures = {
        f"{case.get('classname')} {case.get('name')}": "".join(element.itertext())
        for case in cases
        for element in case
        if element.tag in ("failure", "error")
    }
    assert not failures, "\n\n".join(f"{name}\n{element}" for name, element in failures.items())
    # A spec that cannot be read has no test case, and its error stands beside the test cases.
    assert {case.get("classname", "").partition(":")[0] for case in cases} == set(names), report.read_text("utf-8")
    assert ran.returncode == 0, ran.stderr + ran.stdout
