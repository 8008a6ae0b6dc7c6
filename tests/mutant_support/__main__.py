"""Judge faults of the daemon by the tests of the fault's room and the tests from end to end. See `--help`."""

import argparse
import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from mutant_support.faults import Fault, picked

DAEMON = Path("daemon/placet")
FRONT_ENDS = "frontends"
END_TO_END = Path("tests/end_to_end")
LONGEST_SECONDS = 600
NO_END = "no end"
SEED = 33
OPTIONS = ("-q", "-x", "-rfE", "--tb=no", "-p", "no:cacheprovider", "--timeout=60")


def tests_of(path: Path) -> list[str]:
    """Return the directories of tests that judge a fault: those of the module's room, and those from end to end."""
    room, *below = path.relative_to(DAEMON).parts
    own = Path("tests", room, below[0]) if room == FRONT_ENDS and len(below) > 1 else Path("tests", room)
    return [str(directory) for directory in (own, END_TO_END) if directory.is_dir()]


def near_tests(path: Path) -> list[str]:
    """Return the files of `tests_of` that import the module, those with the module's name first."""
    module = ".".join(path.with_suffix("").relative_to(DAEMON.parent).parts)
    files = [file for directory in tests_of(path) for file in sorted(Path(directory).rglob("test_*.py"))]
    near = [file for file in files if path.stem in file.stem or f"{module} import" in file.read_text()]
    return list(map(str, sorted(near, key=lambda file: path.stem not in file.stem)))


async def judge(fault: Fault, stages: Sequence[list[str]], options: list[str]) -> dict[str, object]:
    """Give the module the fault, run the tests up to the first failure, and give the module its text again."""
    source, state = fault.path.read_bytes(), fault.path.stat()
    began = time.monotonic()
    noticed_by = ""
    try:
        fault.path.write_bytes(fault.applied(source))
        for tests in filter(None, stages):
            noticed_by = noticed_by or await failure(tests, options)
    finally:
        fault.path.write_bytes(source)
        os.utime(fault.path, ns=(state.st_atime_ns, state.st_mtime_ns))
    return {"noticed by": noticed_by, "seconds": round(time.monotonic() - began)}


async def failure(tests: list[str], options: list[str]) -> str:
    """Return the test that fails twice, or why there is no result; empty if the tests pass.

    A test that changes its mind has noticed nothing.
    """
    first = await _first_failure(tests, options)
    if first == NO_END:
        return first
    return first and await _first_failure([first] if "::" in first else tests, options)


async def _first_failure(tests: list[str], options: list[str]) -> str:
    command = (
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-rfE",
        "--tb=no",
        "-p",
        "no:cacheprovider",
        *options,
        *tests,
    )
    process = await asyncio.create_subprocess_exec(*command, stdout=-1, stderr=-2, start_new_session=True)
    try:
        async with asyncio.timeout(LONGEST_SECONDS):
            output, _ = await process.communicate()
    except TimeoutError:
        return NO_END
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    # Without the parameters: their text may hold blanks.
    return "" if process.returncode == 0 else next(_failed(output.decode("utf-8", "replace")), "no result")


def _failed(output: str) -> Iterator[str]:
    for line in output.splitlines():
        if line.startswith(("FAILED ", "ERROR ")):
            yield line.split(" ")[1].partition("[")[0]


def faults_of(file: Path, count: int, seed: int) -> list[Fault]:
    """Return the faults that the file holds; a missing file is written, with faults that the seed picks."""
    if not file.exists():
        faults = picked(list(DAEMON.rglob("*.py")), count, seed)
        file.write_text("".join(json.dumps({**asdict(fault), "path": str(fault.path)}) + "\n" for fault in faults))
    rows = map(json.loads, file.read_text().splitlines())
    return [Fault(**{**row, "path": Path(row["path"])}) for row in rows]


async def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m mutant_support")
    parser.add_argument("--faults", type=Path, required=True, help="file of the faults, made if it is missing")
    parser.add_argument("--count", type=int, default=120, help="number of faults to pick (120)")
    parser.add_argument("--seed", type=int, default=SEED, help=f"what picks the faults ({SEED})")
    parser.add_argument("--outcomes", type=Path, required=True, help="file for the outcomes, a line of JSON each")
    parser.add_argument("--near", action="store_true", help="judge by the files that import the module alone")
    parser.add_argument("options", nargs="*", help="options of pytest, after `--`")
    given = parser.parse_args()
    # The module gets its text again, as at every other end.
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, asyncio.current_task().cancel)
    known = given.outcomes.read_text().splitlines() if given.outcomes.exists() else []
    judged = {row["number"] for row in map(json.loads, known) if row["noticed by"] or given.near or not row["near"]}
    for number, fault in enumerate(faults_of(given.faults, given.count, given.seed)):
        if number not in judged:
            stages = [near_tests(fault.path), *([] if given.near else [tests_of(fault.path)])]
            outcome = {"number": number, "near": given.near, **await judge(fault, stages, given.options)}
            with given.outcomes.open("a") as file:
                file.write(json.dumps(outcome) + "\n")
            sys.stdout.write(f"{json.dumps(outcome)} {fault}\n")
            sys.stdout.flush()


asyncio.run(main())
