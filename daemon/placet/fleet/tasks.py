"""Tasks of a fleet, as the lines of a file in JSONL."""

from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from placet.core.errors import RequestError


class Limits(BaseModel):
    """Limits of a task."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    steps: int | None = Field(default=None, gt=0, description="Largest number of model calls.")
    cost: float | None = Field(default=None, gt=0, description="Highest cost, in US dollars.")
    seconds: float = Field(default=1800.0, gt=0, description="Longest time of the turn, and of setup and check each.")


class FleetTask(BaseModel):
    """Task of a fleet. `path` and `repository` exclude each other; a task without both begins in an empty folder."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, extra="forbid")

    # The names of files are made of the id; a few names are devices on Windows.
    id: str = Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.-]{0,119}$")
    prompt: str = Field(min_length=1)
    path: Path | None = Field(default=None, description="Directory on this machine; relative to the file of tasks.")
    repository: str | None = Field(default=None, description="Address of a git repository.")
    commit: str | None = Field(default=None, description="Commit, branch or tag; HEAD, if not set.")
    setup: str | None = Field(default=None, description="Command line before the turn.")
    check: str | None = Field(default=None, description="Command line after the turn; exit code 0: solved.")
    files: dict[str, str] = Field(
        default_factory=dict[str, str], description="Texts written before the check, by name: hidden tests."
    )
    limits: Limits = Limits()
    model: str | None = None
    agent: str | None = None

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if self.path is not None and self.repository is not None:
            raise ValueError("name `path` or `repository`, not both")
        if self.path is None and self.repository is None and self.commit is not None:
            raise ValueError("`commit` needs `path` or `repository`")
        return self


def read_tasks(file: Path) -> list[FleetTask]:
    """Return the tasks of the file. Raises RequestError with the number of the wrong line. Blocks."""
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise RequestError(f"{file} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise RequestError(f"{file}:{line}: the text is not UTF-8") from error
    return tasks_in(text, str(file), file.parent)


def tasks_in(text: str, name: str, directory: Path) -> list[FleetTask]:
    """Return the tasks of the text; `directory` is the base of relative paths. Raises RequestError."""
    tasks: dict[str, FleetTask] = {}
    lines: dict[str, int] = {}
    # splitlines would end lines at characters that JSON allows in a string, such as U+2028.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            task = FleetTask.model_validate_json(line)
        except ValidationError as error:
            raise RequestError(f"{name}:{number}: {_words(error)}") from error
        # Windows and macOS take names of different case for one file.
        key = task.id.casefold()
        if (first := lines.setdefault(key, number)) != number:
            raise RequestError(f"{name}:{number}: a second task has the id {task.id}; the first is on line {first}")
        if task.path is not None:
            task = task.model_copy(update={"path": (directory / task.path.expanduser()).resolve()})
        tasks[key] = task
    if not tasks:
        raise RequestError(f"{name} has no task")
    return list(tasks.values())


def _words(error: ValidationError) -> str:
    """Return the first mistake of a line; pydantic calls the line `line 1`."""
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"]))
    return f"{f'`{place}`: ' if place else ''}{first['msg'].replace(' at line 1 column ', ' at column ')}"
