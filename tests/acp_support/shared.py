"""One `placet --acp` for the tests of a file, which each test finds with an empty project and without a session."""

import shutil
from collections.abc import Mapping
from pathlib import Path

from acp_support.agent import Agent
from run_support import Place


class SharedPlace(Place):
    """A place for all tests of a file, with at most one agent between the tests; `renew` takes the files back.

    An agent goes on only for a test that would start the agent in the same way: with the same arguments, capabilities,
    environment and settings. It ends as soon as a test has left other settings behind, as a lasting grant is.
    """

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self._first_environment = dict(self.environment)
        self.lasting = {"placet.jsonc"}
        """Names of the settings files that stay between the tests: a running agent would see them go and come."""
        self.agent: Agent | None = None

    def renew(self) -> None:
        for path in (self.directory / "CONFIG" / "placet").glob("*"):
            if path.name not in self.lasting:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
        for path in self.project.iterdir():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        for path in self.directory.iterdir():
            if path.is_file():
                path.unlink()
        self.begin()
        self.environment = dict(self._first_environment)

    def settings(self) -> Mapping[str, bytes]:
        """Return the files that an agent may read as settings, by path."""
        files = [*(self.directory / "CONFIG").rglob("*"), *self.project.rglob("*")]
        return {str(file): file.read_bytes() for file in files if file.suffix != ".txt" and file.is_file()}
