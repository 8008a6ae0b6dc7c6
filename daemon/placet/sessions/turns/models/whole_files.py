"""Model of the profile `smallest` for the turns of a session."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from placet.agent.whole_files.model import Project, WholeFilesModel
from placet.changes.ledger import Ledger
from placet.model.base import Model
from placet.project.file_list import FileList, FileNames
from placet.project.paths import Workspace
from placet.sessions.services.services import Services
from placet.tools.framework.context import Judge


def whole_files_model(
    model: Model, services: Services, workspace: Workspace, ledger: Ledger, judge: Judge
) -> WholeFilesModel:
    """Return the model around the small model; `judge` has the rules of the agent."""
    root = workspace.roots[0] if workspace.roots else None

    async def names() -> FileNames:
        if root is None:
            return FileNames()
        files = FileList(root)
        try:
            return await files.names()
        finally:
            await files.close()

    async def near() -> Sequence[str]:
        unsaved = [document.path for document in await services.ports.documents.unsaved()]
        return list(_below(root, [*unsaved, *(document.path for document in ledger.documents)]))

    project = Project(
        names=names,
        near=near,
        relative=lambda path: next(_below(root, [Path(path)]), path),
        is_readable=lambda path: judge("read", path) == "allow",
        test_command=lambda names: next(
            (line for line in test_commands(names) if judge("bash", line) == "allow"), None
        ),
    )
    return WholeFilesModel(model, project)


def _below(root: Path | None, paths: Iterable[Path]) -> Iterator[str]:
    """Yield the paths in the project, relative with `/`."""
    for path in paths:
        if root is not None and path.is_relative_to(root):
            yield path.relative_to(root).as_posix()


def test_commands(names: FileNames) -> Iterator[str]:
    """Yield commands that run the project's tests, judged by the names of its files."""
    files = set(names.names)
    bases = {name.rpartition("/")[2] for name in files}
    if bases & {"conftest.py", "pytest.ini"} or any(
        base.endswith(".py") and (base.startswith("test_") or base.endswith("_test.py")) for base in bases
    ):
        yield from ("pytest -q", "pytest", "python3 -m pytest -q", "python -m pytest -q")
    if "package.json" in files:
        yield "npm test"
    if "go.mod" in files:
        yield "go test ./..."
    if "Cargo.toml" in files:
        yield "cargo test"
    if "Makefile" in files:
        yield "make test"
