"""Changes that meet at one path: what is listed, undone whole, gives the files of before byte for byte, and what is
accepted stays as the session has left the files.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import pytest

from change_set_support import DONE, GO, call, decide, outputs, read, whole
from corpus_support import corpus
from placet.settings.review_modes import ReviewMode
from services_support import TempServices

START = {"a": "a 1\na 2\na 3\n", "b": "b 1\nb 2\nb 3\n"}
BY_TOOL = (
    "rename a c, delete b, rename c b",
    "delete b, rename a b",
    "delete b, rename a b changed",
    "delete b, rename a b, change b, delete b",
    "rename a c, rename b a, rename c b",
    "rename a c, rename b d, rename c b, rename d a",
    "rename a c, rename b a changed",
    "rename a c, rename c d/e changed, rename d/e f",
    "rename a c, delete c, create a",
    "rename a c, create a, delete c",
    "rename a c, rename b a, delete c",
    "rename a c, delete c",
    "rename a c changed, rename c a",
    "rename b d/e, create c, rename c b",
    "delete b, create b",
    "delete b, create b, delete b",
    "create c, rename c d/e changed",
    "create c, delete b, rename c b",
    "create c, delete c, create c, change c",
    "change a, rename a c, change c, delete b, create b, change b",
    "delete a, turn, rename b a, turn, rename a b",
    "create c, turn, rename c d/e, turn, rename b c",
)
BY_COMMAND = (
    "mv a b",
    "mv b a",
    "rm a, cp b a",
    "mv b c, mv a b, turn, sed b",
    "mv a c, mv b a, mv c b",
    "rm a, mkdir a, turn, rmdir a, cp b a",
    "mkdir f, mv a f/a, mv b a",
    "mv a t; mkdir a; mv t a/a",
    "mkdir d; cp a d/a, mv d/a t; rmdir d; mv t d",
    "mv a t; mkdir a; mv t a/a, mv b a/b, rm -r a; echo z > a",
    "mkdir d; cp a d/a; printf '\\0' > d/bin, mv d/a t; rm -r d; mv t d",
    "mv a t; mkdir a; printf '\\0' > a/bin; rm t",
    "ln -sf a b, rm a",
    "ln -s a l, change l, rm l",
    "delete b, mv a b",
    "rename a c, mv c b, create c",
    "mv b c, rename a d, create a, mv d b, rename c d",
    "rename b c, rename a b, cp b c, rm b",
    "rename a c, turn, mv c t, mv b c, mv t b, create a",
)
Outcome = Literal["accept", "reject"]
ALL, SOME = (*BY_TOOL, *BY_COMMAND), (*BY_TOOL[:4], *BY_COMMAND[:4])
RUNS: list[tuple[ReviewMode, bool, Outcome, Sequence[str]]] = [
    ("apply", True, "reject", ALL),
    ("apply", True, "accept", SOME),
    ("apply", False, "reject", SOME),
    ("stage", True, "reject", SOME),
]
"""Programs by mode, by whether a rule allows every change, and by the decision about the listed files."""


def tree(folder: Path) -> dict[str, tuple[bytes | str, int]]:
    """Return the content and the permissions of each file below the folder, and the target of each link."""
    return {
        path.relative_to(folder).as_posix(): (os.readlink(path), 0)
        if path.is_symlink()
        else (path.read_bytes(), path.stat().st_mode)
        for path in folder.rglob("*")
        if path.is_symlink() or path.is_file()
    }


class Folder:
    """Folder of one program, and the steps of the model that carry the program out."""

    def __init__(self, services: TempServices, name: str) -> None:
        self.path = services.project / name
        self.path.mkdir()
        for file, text in START.items():
            (self.path / file).write_text(text)
        (self.path / "b").chmod(0o755)

    def steps(self, program: str) -> Iterator[list[dict[str, Any]]]:
        self._texts, self._written = dict(START), 0
        for act in program.split(", "):
            yield from self._act(*act.split(" "))

    def _act(self, verb: str, *names: str) -> Iterator[list[dict[str, Any]]]:
        name = names[0] if names else ""
        match verb:
            case "turn":
                yield DONE
            case "create":
                self._written += 1
                self._texts[name] = f"new {self._written}\nmore\nand more\n"
                yield self._patch(
                    f"Add File: {self._in(name)}", *(f"+{line}" for line in self._texts[name].split("\n")[:-1])
                )
            case "delete":
                del self._texts[name]
                yield read(self._in(name))
                yield self._patch(f"Delete File: {self._in(name)}")
            case "change":
                yield read(self._in(name))
                yield self._patch(f"Update File: {self._in(name)}", *self._changed(name))
            case "rename":
                hunk = self._changed(name) if "changed" in names else ()
                self._texts[names[1]] = self._texts.pop(name)
                yield read(self._in(name))
                yield self._patch(f"Update File: {self._in(name)}", f"*** Move to: {self._in(names[1])}", *hunk)
            case "sed":
                yield self._command("sed", "-i", "1s/$/!/", name)
            case _:
                if verb == "ln":
                    self._texts[names[-1]] = self._texts[names[-2]]
                if verb in ("mv", "cp") and ";" not in "".join(names):
                    self._texts[names[1]] = self._texts[name] if verb == "cp" else self._texts.pop(name)
                yield self._command(verb, *names)

    def _changed(self, name: str) -> tuple[str, str, str]:
        self._written += 1
        first, rest = self._texts[name].split("\n", 1)
        self._texts[name] = f"changed {self._written}\n{rest}"
        return "@@", f"-{first}", f"+changed {self._written}"

    def _patch(self, head: str, *lines: str) -> list[dict[str, Any]]:
        return call("apply_patch", patchText="\n".join(["*** Begin Patch", f"*** {head}", *lines, "*** End Patch"]))

    def _command(self, *words: str) -> list[dict[str, Any]]:
        return call("bash", command=f"cd {self.path.name} && {' '.join(words)}")

    def _in(self, name: str) -> str:
        return f"{self.path.name}/{name}"


@pytest.mark.skipif(os.name == "nt", reason="a POSIX shell, links and permissions")
@corpus("review, is_allowed, outcome, program", [(*run, program) for *run, programs in RUNS for program in programs])
async def test_files_that_changes_have_brought_to_one_path_are_listed_and_kept_or_undone_to_the_byte(
    tmp_path: Path, review: ReviewMode, is_allowed: bool, outcome: Outcome, program: str
) -> None:
    services = TempServices(tmp_path)
    folder = Folder(services, "p")
    script = services.script(*folder.steps(program), DONE)
    rules = {"edit": "allow", "bash": "allow"} if is_allowed else {}
    async with services.open(script, review=review, permission=rules) as sessions:
        session, before = await sessions.create(title="t"), tree(folder.path)
        for _ in range(program.split(", ").count("turn") + 1):
            assert (await session.prompt(GO)).stop_reason == "end_turn"
        assert len(outputs(session)) == sum(step != DONE for step in folder.steps(program))
        after, listed = tree(folder.path), await session.change_set.views()
        named = {path for view in listed for path in (view.file.path, view.file.place)}
        changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
        assert {folder.path / name for name in changed} <= named
        statuses = await decide(session, *(whole(view, outcome) for view in listed))
        assert set(statuses) <= {"kept" if outcome == "accept" else "undone"}, statuses
        assert tree(folder.path) == (after if outcome == "accept" else before)
        assert await session.change_set.views() == []
