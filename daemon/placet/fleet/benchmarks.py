"""Benchmarks as tasks of a fleet: Placet's own tasks, Aider's polyglot exercises and the instances of SWE-bench."""

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, cast

from placet.core.errors import RequestError
from placet.fleet.tasks import FleetTask

BENCHMARKS = ("own", "polyglot:DIR", "swe-bench:FILE.jsonl")
OWN = Path(__file__).parent / "own_tasks"
_CHECKS = {
    "cpp": "mkdir -p build && cd build && cmake -DEXERCISM_RUN_ALL_TESTS=1 -G 'Unix Makefiles' .. && make",
    "go": "go test ./...",
    "java": "./gradlew test --no-daemon",
    "javascript": "npm install && npm run test",
    "python": "python3 -m unittest discover -p '*_test.py'",
    "rust": "cargo test -- --include-ignored",
}
"""Commands that run the tests of an exercise, by the folder of the language."""
_HIDDEN = (".meta", ".approaches", ".articles", ".git")
"""Folders of an exercise with solutions, hidden from the agent."""
_ASKED = (
    "\n\nFollow the instructions above: change {files} so that the tests, which you do not see, pass. Keep the names.\n"
)


def benchmark(name: str, home: Path, *, scripted: bool) -> list[FleetTask]:
    """Return the tasks of the benchmark; `home` gets the files with which the tasks begin.

    `scripted`: Placet's own tasks are answered by their scripts, and need no key. Raises RequestError. Blocks.
    """
    kind, _, place = name.partition(":")
    makers: Mapping[str, Callable[[], Iterator[FleetTask]]] = {
        "own": partial(_own, home, scripted=scripted),
        "polyglot": partial(_polyglot, Path(place).expanduser(), home),
        "swe-bench": partial(_swe_bench, Path(place).expanduser()),
    }
    if kind not in makers or (kind != "own") != bool(place):
        raise RequestError(f"There is no benchmark `{name}`; there are {', '.join(BENCHMARKS)}.")
    try:
        tasks = list(makers[kind]())
    except (OSError, ValueError, KeyError) as error:
        raise RequestError(f"The benchmark {name} cannot be read: {error}") from error
    if not tasks:
        raise RequestError(f"The benchmark {name} has no task.")
    return tasks


def predictions(patches: Mapping[str, str], model: str) -> str:
    """Return the patches by instance in the form for the harness of SWE-bench (JSONL)."""
    lines = (
        json.dumps({"instance_id": instance, "model_name_or_path": model, "model_patch": patch})
        for instance, patch in patches.items()
    )
    return "".join(f"{line}\n" for line in lines)


def _own(home: Path, *, scripted: bool) -> Iterator[FleetTask]:
    for file in sorted(OWN.glob("*.json")):
        written = cast("dict[str, Any]", json.loads(file.read_text("utf-8")))
        start = _begun(home, file.stem, written["start"])
        script = start.with_suffix(".script.json")
        script.write_text(json.dumps(written["script"]), "utf-8")
        yield FleetTask(
            id=file.stem,
            prompt=written["prompt"],
            path=start,
            files=written["files"],
            check=written["check"],
            model=f"scripted/{script}" if scripted else None,
        )


def _polyglot(directory: Path, home: Path) -> Iterator[FleetTask]:
    """Yield the exercises of https://github.com/Aider-AI/polyglot-benchmark: LANGUAGE/exercises/practice/NAME."""
    for exercise in sorted(directory.glob("*/exercises/practice/*/")):
        language = exercise.parents[2].name
        if language not in _CHECKS or not (exercise / ".meta" / "config.json").is_file():
            continue
        config = cast("dict[str, Any]", json.loads((exercise / ".meta" / "config.json").read_text("utf-8")))
        tests = cast("list[str]", config["files"]["test"])
        solution = cast("list[str]", config["files"]["solution"])
        start = home / _digest(str(exercise)) / exercise.name
        shutil.rmtree(start, ignore_errors=True)
        shutil.copytree(exercise, start, ignore=shutil.ignore_patterns(*_HIDDEN))
        for test in tests:
            (start / test).unlink(missing_ok=True)
        docs = (exercise / ".docs" / f"{name}.md" for name in ("introduction", "instructions", "instructions.append"))
        text = "\n".join(doc.read_text("utf-8") for doc in docs if doc.is_file())
        yield FleetTask(
            id=f"{language}_{exercise.name}",
            prompt=text + _ASKED.format(files=", ".join(f"`{name}`" for name in solution)),
            path=start,
            files={test: (exercise / test).read_text("utf-8") for test in tests},
            check=_CHECKS[language],
        )


def _swe_bench(file: Path) -> Iterator[FleetTask]:
    """Yield the instances; no check runs, because the harness of SWE-bench judges the predictions."""
    for line in file.read_text("utf-8").split("\n"):
        if line.strip():
            instance = cast("dict[str, Any]", json.loads(line))
            repository = str(instance["repo"])
            yield FleetTask(
                id=str(instance["instance_id"]),
                prompt=str(instance["problem_statement"]),
                repository=repository if "://" in repository else f"https://github.com/{repository}.git",
                commit=str(instance["base_commit"]),
            )


def _begun(home: Path, name: str, files: Mapping[str, str]) -> Path:
    """Return the directory with the files with which a task begins."""
    start = home / _digest(json.dumps(files)) / name
    for file, text in files.items():
        path = start / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="")
    return start


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
