"""A machine with a local model: the file, the engine of model_support/engine, and a host that knows both."""

import json
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psutil

from placet.model.client.host import HostedModel, ModelHost
from placet.model.local.catalog import MODELS
from placet.model.local.files import LocalFiles
from placet.settings import Settings

ENGINE = Path(__file__).parent / "engine"
MODEL = MODELS[0]


class Machine:
    """Directory of a user, with files of models that take no room."""

    def __init__(self, directory: Path, *, has_engine: bool = True) -> None:
        self.home = directory
        self.models = directory / "models"
        self.environment = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
        self.environment |= {"HOME": str(directory), "XDG_CACHE_HOME": str(directory / "cache")}
        if has_engine:
            self.environment["PYTHONPATH"] = str(ENGINE)

    def put_file(self) -> Path:
        """Put a file of the model's size, whose sum Placet has seen."""
        files = LocalFiles(self.models, {}, self.home)
        files.make_directory()
        path = files.own_path(MODEL)
        with path.open("wb") as file:
            file.truncate(MODEL.size_bytes)
        files.remember(path, MODEL.sha256)
        return path

    def put_program(self) -> Path:
        """Put a `llama-server` on PATH, which speaks as the package does."""
        directory = self.home / "bin"
        directory.mkdir()
        program = directory / "llama-server"
        program.write_text(f"#!{sys.executable}\n{_PROGRAM % str(ENGINE)}")
        program.chmod(0o755)
        self.environment["PATH"] = f"{directory}{os.pathsep}{self.environment['PATH']}"
        return program

    def script(self, **script: Any) -> None:
        """Change the engines that start from now on."""
        (self.models / "engine.json").write_text(json.dumps(script))

    @property
    def log(self) -> list[str]:
        """Return the lines of all engines."""
        log = self.models / "engine.log"
        return log.read_text().splitlines() if log.exists() else []

    def noted(self, word: str) -> list[list[str]]:
        """Return the notes that begin with the word, without the word."""
        return [line.split()[1:] for line in self.log if line.split()[0] == word]

    @property
    def engine(self) -> psutil.Process:
        """Return the process of the last engine."""
        return psutil.Process(int(self.noted("start")[-1][0]))

    @asynccontextmanager
    async def host(self, **secrets: str) -> AsyncGenerator[ModelHost]:
        host = ModelHost(environment={**self.environment, **secrets}, local_models=self.models)
        yield host
        await host.close()


def local_model(host: ModelHost, **settings: Any) -> HostedModel:
    chosen = Settings.model_validate({"model": MODEL.full_name, **settings})
    return host.model(chosen.model, chosen)


_PROGRAM = """
import argparse, os, sys, threading
sys.path.insert(0, %r)
import xllamacpp
parser = argparse.ArgumentParser()
for name in ("model", "alias", "host", "port", "ctx-size", "parallel", "threads", "threads-batch", "poll"):
    parser.add_argument(f"--{name}")
parser.add_argument("--jinja", action="store_true")
given = parser.parse_args()
parameters = xllamacpp.CommonParams()
parameters.model.path = given.model
parameters.hostnames, parameters.port, parameters.n_ctx = [given.host], int(given.port), int(given.ctx_size)
parameters.api_keys = [os.environ["LLAMA_API_KEY"]]
parameters.cpuparams.n_threads, parameters.cpuparams.poll = int(given.threads), int(given.poll)
parameters.cpuparams_batch.n_threads, parameters.cpuparams_batch.poll = int(given.threads_batch), int(given.poll)
xllamacpp.Server(parameters)
threading.Event().wait()
"""
