"""A tree of 20,000 files: what searches find in it, and the memory they take for it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

FILES = 20_000
PER_DIRECTORY = 250
MOST_GROWTH_MB = 12

SCRIPT = """
import asyncio, json, resource, sys
from pathlib import Path
from tempfile import TemporaryDirectory
from placet.tools import glob, grep, listing
from tools_support.workbench import open_workbench

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

async def main():
    with TemporaryDirectory() as directory:
        async with open_workbench(Path(directory)) as bench:
            bench.write("a.txt", "needle")
            for tool, arguments in CALLS:
                await bench.run(tool, **arguments)
            bench.root = Path(sys.argv[1])
            before = peak()
            outputs = [(await bench.run(tool, **arguments)).output for tool, arguments in CALLS]
            print(json.dumps({"growth": peak() - before, "outputs": outputs}))

CALLS = (
    (glob.TOOL, {"pattern": "**/*"}),
    (grep.TOOL, {"pattern": "needle"}),
    (listing.TOOL, {}),
)
asyncio.run(main())
"""


@pytest.fixture
def tree() -> Iterator[Path]:
    with TemporaryDirectory() as directory:
        root = Path(directory)
        content = b"some text\n" + b"a needle in a line\n" * 10
        for number in range(0, FILES, PER_DIRECTORY):
            folder = f"{directory}/d{number}"
            os.mkdir(folder)
            for name in range(number, number + PER_DIRECTORY):
                descriptor = os.open(f"{folder}/{name}.txt", os.O_CREAT | os.O_WRONLY)
                os.write(descriptor, content)
                os.close(descriptor)
        yield root


@pytest.mark.skipif(sys.platform == "win32", reason="peak memory is asked of the `resource` module")
def test_searching_many_files_takes_little_memory(tree: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tree)], env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    result = json.loads(ran.stdout)
    globbed, matched, listed = result["outputs"]
    assert f"(The 100 newest of {FILES} files." in globbed
    assert matched.startswith(f"Found {FILES * 10} matches (showing 100,")
    assert f"(100 of {FILES} files." in listed
    assert result["growth"] < MOST_GROWTH_MB, f"{result['growth']:.0f} MB more"
