"""What glob, grep and list find in any tree, against what git says of it."""

import re
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from placet.tools import glob, grep, listing
from tools_support.workbench import open_workbench

DIRECTORIES = st.sampled_from(["", "src/", "src/deep/", ".hidden/", "docs/", "a b/", "\u00e9/"])
NAMES = st.sampled_from(["a.py", "b.py", "c.txt", ".dot", "d.min.py", "[x].txt", "e", "-f.py"])
TEXTS = st.sampled_from(["needle\n", "no\nneedle at 2\n", "nothing\n", "", "needle without end"])
IGNORED = st.lists(st.sampled_from(["*.txt", "docs/", "/src/a.py", "!c.txt", "deep", "e"]), max_size=3)
FILES = st.dictionaries(st.tuples(DIRECTORIES, NAMES).map("".join), TEXTS, max_size=8)


def in_git(root: Path) -> set[str]:
    """What git would take in, once the directory is a repository."""
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    ran = subprocess.run(
        ["git", "ls-files", "-z", "--others", "--exclude-standard"], cwd=root, capture_output=True, check=True
    )
    return {name for name in ran.stdout.decode().split("\0") if name}


@settings(max_examples=25)
@given(FILES, IGNORED)
async def test_search_sees_exactly_what_git_does_not_ignore(files: dict[str, str], ignored: list[str]) -> None:
    with TemporaryDirectory() as directory:
        async with open_workbench(Path(directory)) as bench:
            for name, text in files.items():
                bench.write(name, text)
            if ignored:
                bench.write(".gitignore", "".join(f"{pattern}\n" for pattern in ignored))
            in_tree = in_git(bench.root)

            async def matches(pattern: str) -> set[str]:
                output = (await bench.run(glob.TOOL, pattern=pattern)).output
                lines = [] if output == "No files found." else output.splitlines()
                return {Path(line).relative_to(bench.root).as_posix() for line in lines}

            assert await matches("**/*") == in_tree
            assert await matches("src/**/*.py") <= {name for name in files if name.startswith("src/")}
            assert (await bench.run(listing.TOOL)).metadata["count"] == len(in_tree)

            output = (await bench.run(grep.TOOL, pattern="needle")).output
            hits = {
                (Path(path).relative_to(bench.root).as_posix(), int(number), text)
                for path, lines in re.findall(r"(?m)^(/.*):\n((?:  Line .*\n?)+)", output)
                for number, text in re.findall(r"  Line (\d+): (.*)", lines)
            }
            texts = {name: (bench.root / name).read_text().split("\n") for name in in_tree}
            assert hits == {
                (name, number, line)
                for name, lines in texts.items()
                for number, line in enumerate(lines, 1)
                if "needle" in line
            }
