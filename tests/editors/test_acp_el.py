"""`placet --acp` behind acp.el, the client library of agent-shell, in a real Emacs.

acp.el is in no registry that `make test` uses: PLACET_ACP_EL names a directory with the file acp.el.
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

ACP_EL = Path(os.environ.get("PLACET_ACP_EL", ""))
SCRIPT = Path(__file__).parents[1] / "editor_support" / "acp_prompt.el"

pytestmark = [
    pytest.mark.skipif(shutil.which("emacs") is None, reason="Emacs is not installed"),
    pytest.mark.skipif(not (ACP_EL / "acp.el").is_file(), reason="PLACET_ACP_EL names no directory with acp.el"),
]


@pytest.mark.parametrize(
    ("kind", "text"), [("allow_once", "one\nnew\nthree\ntyped\n"), ("reject_once", "one\nold\nthree\n")]
)
def test_an_edit_of_an_unsaved_buffer_is_made_in_the_buffer_if_the_user_allows_the_edit(
    tmp_path: Path, kind: str, text: str
) -> None:
    place = Place(tmp_path)
    place.choose_review("ask")
    agent = tmp_path / "agent"
    agent.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m placet --acp\n')
    agent.chmod(0o755)
    command = ["emacs", "-Q", "--batch", "-L", str(ACP_EL), "-l", str(SCRIPT)]
    ended = subprocess.run(
        [*command, str(agent), str(place.project), kind],
        capture_output=True,
        text=True,
        env={**place.environment, "HOME": str(tmp_path)},
        timeout=wait_seconds(),
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    seen = json.loads(ended.stdout[ended.stdout.index("{") :])
    assert seen["stopReason"] == "end_turn"
    assert seen["asked"] == ["Edit a.txt"]
    assert seen["errors"] == []
    assert place.file.read_text() == text
    assert seen["buffer"] == ("one\nnew\nthree\ntyped\n" if kind == "allow_once" else "one\nold\nthree\ntyped\n")
    assert ("fs/write_text_file" in seen["files"]) == (kind == "allow_once")
