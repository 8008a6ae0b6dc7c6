"""`placet models pull`, `remove` and `--local`: the models that Placet itself runs on this machine."""

import os
import re
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from placet.core.spelling import near
from placet.frontends.terminal.agreement import agrees
from placet.frontends.terminal.exit_codes import ExitCode
from placet.frontends.terminal.output import complain, say, say_json
from placet.frontends.terminal.table import print_table
from placet.model.host.catalog.served_sizes import memory_bytes
from placet.model.local.catalog import BY_NAME, MODELS, LocalModel, size_text
from placet.model.local.engines import HOW_TO_INSTALL, find_engine, needed_bytes, planned_size
from placet.model.local.fetch import add_file, fetch
from placet.model.local.files import FoundFile, LocalFiles, LocalModelError, Progress
from placet.settings import default_locations
from placet.settings.provider_kinds import LOCAL

_ADDRESS = re.compile(r"https?://", re.IGNORECASE)
_STEPS = 10
"""Number of lines that tell the progress where no terminal shows a bar."""


def pull(names: list[str], *, source: str | None, is_agreed: bool) -> ExitCode:
    """Bring the file of a model to this machine: found in place, linked, copied or fetched. Blocks."""
    if (model := _named(names)) is None:
        return ExitCode.USAGE
    try:
        files = _files()
        if source is None and (found := _present(model, files)) is not None:
            say(f"{model.title} is on this machine already: {found.path}")
            if not found.is_own:
                say(f"{found.program} keeps the file, and Placet uses the file where it is.")
            return _told_of_use(model)
        _say_facts(model, source)
        if source is not None and not _ADDRESS.match(source):
            with _shown("checking", model) as progress:
                path = add_file(model, files, Path(source), progress)
        else:
            if not is_agreed and not agrees(
                f"Fetch {size_text(model.size_bytes)} to {files.directory}?",
                otherwise="Nothing was fetched",
                how="`--yes` agrees to the size and the license.",
            ):
                return ExitCode.REJECTED
            with _shown("fetching", model) as progress:
                path = fetch(model, files, source or model.address, progress)
    except LocalModelError as error:
        complain(error.with_hint)
        return ExitCode.FAILED
    say(f"{model.title} is at {path}")
    return _told_of_use(model)


def remove(names: list[str]) -> ExitCode:
    """Remove Placet's own file of a model; a file of another program stays. Blocks."""
    if (model := _named(names)) is None:
        return ExitCode.USAGE
    files = _files()
    try:
        removed = files.remove(model)
    except LocalModelError as error:
        complain(error.with_hint)
        return ExitCode.FAILED
    if removed:
        say(f"{model.title} is removed from {files.directory}")
    else:
        say(f"Placet has no file of {model.title}.")
    if (other := files.find(model)) is not None:
        say(f"{other.program} keeps the file {other.path}, which Placet still uses: remove it there.")
    return ExitCode.DONE


def show_local(*, as_json: bool) -> ExitCode:
    """Print the models that Placet itself can run, with their files, and the engine. Blocks."""
    files = _files()
    rows = [(model, files.find(model)) for model in MODELS]
    if as_json:
        say_json([_plain(model, found) for model, found in rows])
        return ExitCode.DONE
    print_table(("model", ">file", ">memory", "license", "where"), [_row(model, found) for model, found in rows])
    for model, found in rows:
        if found is None:
            say(f"`placet models pull {model.name}` fetches the file. {model.abilities}", to_stderr=True)
    engine = find_engine(os.environ)
    say(f"Engine: {engine.path or engine.name}" if engine else f"Engine: none. {HOW_TO_INSTALL}", to_stderr=True)
    return ExitCode.DONE


def _row(model: LocalModel, found: FoundFile | None) -> tuple[str, ...]:
    memory = size_text(needed_bytes(model, planned_size(model, memory_bytes())))
    where = "not on this machine" if found is None else f"{found.program}: {found.path}"
    return model.full_name, size_text(model.size_bytes), memory, model.license, where


def _plain(model: LocalModel, found: FoundFile | None) -> dict[str, object]:
    return {
        "id": model.full_name,
        "title": model.title,
        "bytes": model.size_bytes,
        "sha256": model.sha256,
        "license": model.license,
        "address": model.address,
        "contextSize": planned_size(model, memory_bytes()),
        "memoryBytes": needed_bytes(model, planned_size(model, memory_bytes())),
        "file": None if found is None else str(found.path),
        "keptBy": None if found is None else found.program,
    }


def _files() -> LocalFiles:
    return LocalFiles(default_locations().local_models, os.environ)


def _named(names: list[str]) -> LocalModel | None:
    """Return the model of the command line, or None after the words about the mistake."""
    known = ", ".join(BY_NAME)
    if len(names) != 1:
        complain(f"Name one model: {known}.")
        return None
    name = names[0].removeprefix(f"{LOCAL}/")
    if (model := BY_NAME.get(name)) is None:
        meant = near(name, list(BY_NAME), most=1)
        complain(
            f"Placet can fetch no model `{name}`; {f'did you mean `{meant[0]}`?' if meant else f'known: {known}.'}"
        )
    return model


def _present(model: LocalModel, files: LocalFiles) -> FoundFile | None:
    """Return the file that is there already, with its sum checked. Raises LocalModelError."""
    if files.find(model) is None:
        return None
    with _shown("checking", model) as progress:
        return files.checked(model, progress)


def _say_facts(model: LocalModel, source: str | None) -> None:
    say(f"{model.title}, {size_text(model.size_bytes)}")
    say(f"  license: {model.license}, {model.license_address}")
    say(f"  from:    {source or model.address}")
    say(f"  memory:  about {size_text(needed_bytes(model, planned_size(model, memory_bytes())))} while it runs")
    say(f"  {model.abilities}")


def _told_of_use(model: LocalModel) -> ExitCode:
    if find_engine(os.environ) is None:
        say(f"There is no engine yet. {HOW_TO_INSTALL}")
    name = model.full_name
    say(f'To use the model: `placet run --model {name} "…"`, or `"model": "{name}"` in the settings.')
    return ExitCode.DONE


@contextmanager
def _shown(action: str, model: LocalModel) -> Generator[Progress]:
    """Yield the function that shows the bytes done so far: a bar at a terminal, else a few lines."""
    if not sys.stdout.isatty():
        yield _lines(action, model.size_bytes)
        return
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn, TransferSpeedColumn
    from rich.progress import Progress as Bar

    from placet.frontends.terminal.terminal_escape import PipedConsole

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    # rich must not take stdout for itself: the guard of stdout would show the controls of the bar as signs.
    console = PipedConsole(markup=False, highlight=False)
    with Bar(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False) as bar:
        task = bar.add_task(action, total=model.size_bytes)
        yield lambda done: bar.update(task, completed=done)


def _lines(action: str, total: int) -> Callable[[int], None]:
    told = 0

    def tell(done: int) -> None:
        nonlocal told
        if (step := done * _STEPS // total) > told:
            told = step
            say(f"{action} {step * 100 // _STEPS} %")
            sys.stdout.flush()

    return tell
