"""`make demo`, run as a user runs it, and its picture for the README."""

import os
import re
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parents[2]
PICTURE = REPOSITORY / "docs" / "images" / "demo.svg"


def test_the_demo_renames_tests_and_undoes_on_a_real_package_and_is_recorded(tmp_path):
    picture = PICTURE if os.environ.get("PLACET_UPDATE_IMAGES") == "1" else tmp_path / "demo.svg"
    demo = subprocess.run(
        [sys.executable, REPOSITORY / "demo" / "demo.py", "--record", picture],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )

    assert demo.returncode == 0, demo.stdout + demo.stderr
    assert "byte for byte" in demo.stdout
    assert len(demo.stdout.splitlines()) <= 100, "read in half a minute"
    assert "more lines: `make demo VERBOSE=1` shows all" in demo.stdout
    assert "<svg" in picture.read_text("utf-8")
    loads_from_elsewhere = re.compile(r"""(url\(|href=|src=)["']?https?:""")
    assert loads_from_elsewhere.search(picture.read_text("utf-8")) is None
