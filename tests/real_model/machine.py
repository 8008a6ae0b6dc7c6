"""A machine with the real engine and the real model, which `make test-model` has put into a directory."""

import os
from pathlib import Path

import psutil

from model_support.local_engine import MODEL, Machine
from placet.model.client.host import ModelHost
from placet.model.local.files import LocalFiles
from process_support import children_running

DIRECTORY = Path(os.environ.get("PLACET_MODEL_DIRECTORY") or "/nonexistent")
FILE = DIRECTORY / "model.gguf"
PACKAGES = DIRECTORY / "packages"


def missing() -> str:
    """Return the reason for which the tests with the real model cannot run; empty if they can."""
    return "" if FILE.exists() and (PACKAGES / "xllamacpp").exists() else "`make test-model` brings the real model"


class RealMachine(Machine):
    """Directory of a user, with a link to the file of the model, whose sum has been checked."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory, has_engine=False)
        self.environment["PYTHONPATH"] = str(PACKAGES)
        self.put_model(self.models)

    @staticmethod
    def put_model(models: Path) -> None:
        """Link the file into a directory of models."""
        files = LocalFiles(models, {}, models)
        files.make_directory()
        own = files.own_path(MODEL)
        if os.stat(FILE).st_dev == os.stat(models).st_dev:
            os.link(FILE, own)
        else:
            own.symlink_to(FILE)
        files.remember(own, MODEL.sha256)  # `make model` has checked the sum.

    @staticmethod
    def engines(host: ModelHost) -> list[psutil.Process]:
        """Return the engines below the host."""
        return children_running("placet.model.host.engine.process", host.process_id)
