"""The plugin's own unit tests (clients/neovim/spec), run by busted inside the real Neovim, one test here a file."""

import os
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from functools import cache
from pathlib import Path

import pytest

from neovim_support.editor import PLUGIN

SPECS = sorted((PLUGIN / "spec").glob("*_spec.lua"))
NVIM = Path(sys.executable).with_name("nvim")


def busted(*arguments: str, home: Path | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [NVIM, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-l", "spec/run.lua", *arguments],
        cwd=PLUGIN,
        env=os.environ | ({"HOME": str(home), "XDG_STATE_HOME": str(home)} if home else {}),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@cache
def is_installed() -> bool:
    return busted("--version").returncode == 0


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.stem.removesuffix("_spec"))
def test_a_spec_holds(spec: Path, tmp_path: Path) -> None:
    if not is_installed():
        pytest.skip("busted is not installed (Debian: lua-busted)")
    report = tmp_path / "report.xml"

    ran = busted("--output=junit", f"-Xoutput={report}", str(spec.relative_to(PLUGIN)), home=tmp_path)

    assert report.is_file(), ran.stderr + ran.stdout
    cases = list(ElementTree.parse(report).getroot().iter("testcase"))
    assert cases, f"no test in {spec.name}: {report.read_text('utf-8')}"
    failures = {
        case.get("name"): "".join(element.itertext())
        for case in cases
        for element in case
        if element.tag in ("failure", "error")
    }
    assert not failures, "\n\n".join(f"{name}\n{element}" for name, element in failures.items())
    assert ran.returncode == 0, ran.stderr + ran.stdout
