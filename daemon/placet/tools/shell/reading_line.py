"""Command line that may read hidden files: the names of the files, and the question about them."""

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from placet.permissions.ask import Ask, Condition
from placet.permissions.leaving import SANDBOX, read_need
from placet.permissions.shell.programs.git_reading import git_reading
from placet.project.paths import Workspace, real
from placet.tools.framework.access import names_of, only_themselves
from placet.tools.framework.context import Judge
from placet.tools.shell.places import Places

_TO_PROVIDER = "The command's output goes to the model's provider"
_SHORTENER = re.compile(r"&?\s*(?:head|tail)(?:\s+-(?:[nc]\s?)?\d+)*")


def without_shortening(line: str) -> str:
    """Return the line without the filters at the end that only shorten the output: ` 2>&1 | tail -n 20`.

    A model asks for more or fewer lines each time, and the filters open no file.
    """
    whole = line.rstrip()
    while True:
        before, bar, last = whole.rpartition("|")
        if bar and before.strip() and not before.endswith("|") and _SHORTENER.fullmatch(last.strip()):
            whole = before.rstrip()
        elif whole.endswith(" 2>&1"):
            whole = whole.removesuffix(" 2>&1").rstrip()
        else:
            return whole or line


@dataclass(frozen=True, slots=True)
class ReadingLine:
    """Command line of a call with everything that says which files the line names."""

    workspace: Workspace
    line: str
    directory: Path
    places: Places
    judge: Judge

    def shown_files(self, hidden: Sequence[Path], files: Iterable[str]) -> dict[str, Path | None]:
        """Return the names of the files to ask about that the line may read, each with the real path. Looks at the
        disk.

        These are files that the line names, files that the model names (`files`), and files of `hidden` that rules and
        grants open for the line. A version of a file in git's history has no path.
        """
        named = {**dict.fromkeys(self._versions()), **dict(self._named_by_model(files)), **dict(self._named_by_line())}
        shown = {name: path for name, path in named.items() if path in hidden or self.judge("read", name) != "allow"}
        return {**shown, **dict(self._opened(hidden))}

    def ask_for(self, shown: Mapping[str, Path | None], reasons: Iterable[str]) -> Ask:
        """Return the ask to run the line with the files; "always" holds for this line and these files.

        `reasons` are the other reasons to ask about the line, which the answer settles too.
        """
        needs = tuple(map(self._need, shown))
        grantable = only_themselves(needs)
        return Ask(
            SANDBOX,
            needs,
            grantable if len(grantable) == len(needs) else (),
            f"Let the command read {', '.join(shown)}",
            note=" ".join(f"{reason}." for reason in dict.fromkeys((_TO_PROVIDER, *reasons)) if reason),
            conditions=tuple(Condition("read", name, "not denied by name") for name in shown),
            is_contained=True,
        )

    def _need(self, name: str) -> str:
        """Return the need for the file, with the line as the line would be written for the root of the workspace."""
        line = without_shortening(self.line)
        if self.directory == self.workspace.root:
            return read_need(name, line)
        return read_need(name, f"cd {shlex.quote(self.workspace.relative(self.directory))} && {line}")

    def _named_by_model(self, files: Iterable[str]) -> Iterator[tuple[str, Path]]:
        for file in files:
            path = self.workspace.resolve(file if file.startswith("~") else str(self.directory / file))
            yield from ((name, real(path)) for name in names_of(self.workspace, path))

    def _named_by_line(self) -> Iterator[tuple[str, Path]]:
        for place in self.places.located:
            if os.path.lexists(place.real):
                yield from ((name, place.real) for name in place.names)

    def _versions(self) -> Iterator[str]:
        """Yield the words by which git may print a version of a file, also of a file that is deleted by now."""
        for command in self.places.findings.commands:
            if not command.argv or command.argv[0].rpartition("/")[2] != "git":
                continue
            if (reading := git_reading(command.argv[1:])) is not None and reading.git_contents:
                yield from filter(None, (word.rpartition(":")[2] for word in command.argv[1:]))

    def _opened(self, hidden: Iterable[Path]) -> Iterator[tuple[str, Path]]:
        for path in hidden:
            name = self.workspace.relative_of_real(path)
            if self.judge(SANDBOX, self._need(name)) == "allow" and self.judge("read", name) != "deny":
                yield name, path
