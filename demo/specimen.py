"""The package the demo works on: a real one, pinned and hashed, its own tests, and an environment to run them in."""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).parent
NAME = "itsdangerous-2.2.0"
MOST_SECONDS = 300


class Failed(Exception):
    """Something is not as the demo says; the text is for the reader."""


def fetch(cache: Path) -> Path:
    """The source archive from PyPI, and beside it the environment of its tests; both made once. Returns the archive.

    Every file that is downloaded is checked against the hashes in this directory's locks.
    """
    stamp = hashlib.sha256((HERE / "requirements.lock").read_bytes() + (HERE / "specimen.lock").read_bytes())
    stamp.update(sys.version.encode())
    archive = cache / f"{NAME}.tar.gz"
    done = cache / "fetched"
    if done.is_file() and done.read_text("utf-8") == stamp.hexdigest() and archive.is_file():
        return archive
    shutil.rmtree(cache, ignore_errors=True)
    cache.mkdir(parents=True)
    run([sys.executable, "-m", "venv", "--without-pip", str(cache / "venv")], cache)
    only_wheels = ("--no-deps", "--only-binary", ":all:")
    pip(cache, "install", *only_wheels, "--require-hashes", "-r", str(HERE / "requirements.lock"))
    from_source = ("--no-deps", "--no-binary", ":all:", "--no-build-isolation")
    pip(cache, "download", *from_source, "--require-hashes", "-r", str(HERE / "specimen.lock"), "-d", str(cache))
    done.write_text(stamp.hexdigest(), "utf-8")
    return archive


def unpack(archive: Path, directory: Path) -> Path:
    """The archive's tree in a fresh `directory`."""
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    with tarfile.open(archive) as tar:
        # Pythons before 3.11.4 have no filters; the archive is one whose hash we know.
        tar.extractall(directory, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    return directory / NAME


def run_tests(tree: Path, cache: Path) -> str:
    """Run the package's own tests, leaving no trace in its tree. Returns pytest's last line; raises Failed."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment |= {"PYTHONPATH": str(tree / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [str(_python(cache)), "-m", "pytest", "-q", "-p", "no:cacheprovider", "--color=no"]
    return run(command, tree, environment).strip().splitlines()[-1]


def fingerprint(tree: Path) -> dict[str, str]:
    """Every file of the tree with a digest of its bytes and its mode."""
    return {
        path.relative_to(tree).as_posix(): hashlib.sha256(path.read_bytes() + b"%o" % path.stat().st_mode).hexdigest()
        for path in sorted(tree.rglob("*"))
        if path.is_file()
    }


def digest(files: dict[str, str]) -> str:
    """One digest of a fingerprint."""
    return hashlib.sha256("".join(f"{name}\0{digest}\n" for name, digest in files.items()).encode()).hexdigest()


def pip(cache: Path, *arguments: str) -> None:
    run([sys.executable, "-m", "pip", "--python", str(_python(cache)), "-qq", *arguments], cache)


def run(command: list[str], directory: Path, environment: dict[str, str] | None = None) -> str:
    """The output of a command that must succeed. Raises Failed with its output."""
    done = subprocess.run(
        command,
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        timeout=MOST_SECONDS,
        check=False,
    )
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)} ended with exit code {done.returncode}:\n{done.stdout}")
    return done.stdout


def _python(cache: Path) -> Path:
    return cache / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
