"""Benchmarks as tasks of a fleet: Placet's own tasks, Aider's polyglot exercises and the instances of SWE-bench."""

import hashlib
import json
import re
import shlex
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path, PurePath
from typing import Any, cast

from msgspec import Struct

from placet.core.errors import RequestError
from placet.fleet.tasks import FleetTask

BENCHMARKS = ("own", "polyglot:DIR", "swe-bench:FILE.jsonl")
OWN = Path(__file__).parent / "own_tasks"
_HIDDEN = (".meta", ".approaches", ".articles", ".git")
"""Folders of an exercise with solutions, hidden from the agent."""
_ASKED = (
    "\n\nFollow the instructions above: change {files} so that the tests, which you do not see, pass. Keep the names.\n"
)


class _Language(Struct, frozen=True):
    """Commands for the exercises of a language; `{top}` is the folder of the language in the benchmark."""

    needs: str
    """Command that fails, with words, where a program is missing: a fault of the place, and not of the agent."""
    check: str
    """Command that runs the tests, without a network."""


def _program(name: str) -> str:
    return f"command -v {name} || {{ echo {name} is not installed; exit 1; }}"


# The commands are those of https://github.com/Aider-AI/aider/tree/main/benchmark.
_LANGUAGES = {
    "cpp": _Language(
        _program("cmake"),
        "mkdir -p build && cd build && cmake -DEXERCISM_RUN_ALL_TESTS=1 -G 'Unix Makefiles' .. && make",
    ),
    "go": _Language(_program("go"), 'GOCACHE="$(mktemp -d)" go test ./...'),
    "java": _Language("./gradlew --offline --version", "./gradlew --offline --no-daemon test"),
    "javascript": _Language(
        "test -d {top}/node_modules || { echo Run npm install in {top} with package.json of an exercise; exit 1; }",
        "ln -sfn {top}/node_modules node_modules && npm run test",
    ),
    "python": _Language(_program("python3"), "python3 -m unittest discover -p '*_test.py'"),
    "rust": _Language(_program("cargo"), "cargo test --offline -- --include-ignored"),
}
_SKIPPED_TESTS = {
    ".java": re.compile(r"[ \t]*@Disabled\([^)]*\)[ \t]*\n"),
    ".js": re.compile(r"\bx(?=(?:test|it|describe)\()"),
}
"""Marks that switch a test off, by the suffix of the file: an exercise begins with a single test switched on."""


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
    if kind not in makers or (kind == "own" and place):
        raise RequestError(f"There is no benchmark `{name}`; there are {', '.join(BENCHMARKS)}.")
    if kind != "own" and not place:
        (form,) = (form for form in BENCHMARKS if form.startswith(kind))
        raise RequestError(f"The benchmark {kind} needs its place: {form}.")
    try:
        tasks = list(makers[kind]())
    except OSError as error:
        raise RequestError(f"{error.filename or place} cannot be read: {error.strerror or error}.") from error
    except KeyError as error:
        raise RequestError(f"The benchmark {name} has a task without {error}.") from error
    except ValueError as error:
        raise RequestError(f"The benchmark {name} cannot be read: {error}.") from error
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
    if not any(directory.glob("*/exercises/practice")):
        raise RequestError(f"{directory} holds no LANGUAGE/exercises/practice, as a clone of polyglot-benchmark does.")
    for exercise in sorted(directory.absolute().glob("*/exercises/practice/*/")):
        name = exercise.parents[2].name
        if name not in _LANGUAGES or not (exercise / ".meta" / "config.json").is_file():
            continue
        language, top = _LANGUAGES[name], shlex.quote(str(exercise.parents[2]))
        config = cast("dict[str, Any]", json.loads((exercise / ".meta" / "config.json").read_text("utf-8")))
        files = cast("dict[str, list[str]]", config["files"])
        # Go keeps the cases of the tests in a file for editors; such files of Java belong to the solution.
        tests = [*files["test"], *(file for file in files.get("editor", ()) if "test" in PurePath(file).name)]
        start = home / _digest(str(exercise)) / exercise.name
        shutil.rmtree(start, ignore_errors=True)
        shutil.copytree(exercise, start, ignore=shutil.ignore_patterns(*_HIDDEN))
        for test in tests:
            (start / test).unlink(missing_ok=True)
        docs = (exercise / ".docs" / f"{page}.md" for page in ("introduction", "instructions", "instructions.append"))
        text = "\n".join(doc.read_text("utf-8") for doc in docs if doc.is_file())
        yield FleetTask(
            id=f"{name}_{exercise.name}",
            prompt=text + _ASKED.format(files=", ".join(f"`{file}`" for file in files["solution"])),
            path=start,
            setup=language.needs.replace("{top}", top),
            files={test: _switched_on(exercise / test) for test in tests},
            check=language.check.replace("{top}", top),
        )


def _switched_on(test: Path) -> str:
    """Return the text of a file of tests with all tests switched on."""
    text = test.read_text("utf-8")
    mark = _SKIPPED_TESTS.get(test.suffix)
    return text if mark is None else mark.sub("", text)


def _swe_bench(file: Path) -> Iterator[FleetTask]:
    """Yield the instances, of JSONL or of an array of JSON.

    No check runs, because the harness of SWE-bench judges the predictions.
    """
    text = file.read_text("utf-8")
    written = json.loads(text) if text.lstrip().startswith("[") else _json_lines(text)
    for instance in cast("Iterable[dict[str, Any]]", written):
        repository = str(instance["repo"])
        yield FleetTask(
            id=str(instance["instance_id"]),
            prompt=str(instance["problem_statement"]),
            repository=repository if "://" in repository else f"https://github.com/{repository}.git",
            commit=str(instance["base_commit"]),
        )


def _json_lines(text: str) -> Iterator[object]:
    # splitlines would end lines at characters that JSON allows in a string, such as U+2028.
    for number, line in enumerate(text.split("\n"), start=1):
        try:
            if line.strip():
                yield json.loads(line)
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from error


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
