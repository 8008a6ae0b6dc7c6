"""Check the wheel and the sdist as their users get them, and the first minutes with a new Neovim.

    python packaging/check.py [--dist DIR]

Builds both, checks their metadata as an index does, and installs the wheel into an empty environment of each supported
Python that this machine has, in an empty home directory: `placet doctor`, `initialize`, `placet setup neovim --write`
and a first edit in the real Neovim with that configuration. Needs the package index, uv and the packages of
requirements-dev.lock; the first line that is not as it should be ends the check.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from neovim_support.rpc import Nvim

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
SECONDS = 600
SOURCE = "def fetch_user(name):\n    return name\n\n\nprint(fetch_user('a'))\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="Check the wheel and the sdist.")
    parser.add_argument("--dist", type=Path, help="directory for the wheel and the sdist")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="placet-check-") as directory:
        place = Path(directory)
        dist = options.dist or place / "dist"
        wheel, sdist = build(dist)
        tool("twine", "check", "--strict", str(wheel), str(sdist))
        same_as_from_sdist(wheel, sdist, place / "from-sdist")
        for version, python in pythons():
            environment = place / f"python{version}"
            start = time.monotonic()
            tool("uv", "venv", "--quiet", "--no-project", "--python", str(python), str(environment))
            tool("uv", "pip", "install", "--quiet", "--python", str(python_of(environment)), str(wheel))
            print(f"Python {version}: installed in {time.monotonic() - start:.0f} s, {size_mb(environment)} MB")
            first_minutes(environment, place / f"home{version}")
    print("The packages are as they should be.")
    return 0


def build(dist: Path) -> tuple[Path, Path]:
    """Build the wheel and the sdist; return both."""
    shutil.rmtree(dist, ignore_errors=True)
    run([sys.executable, "-m", "hatchling", "build", "-d", str(dist)], cwd=ROOT)
    [wheel], [sdist] = dist.glob("*.whl"), dist.glob("*.tar.gz")
    return wheel, sdist


def same_as_from_sdist(wheel: Path, sdist: Path, place: Path) -> None:
    """Check that the sdist builds a wheel with the same files: a packager starts from the sdist."""
    shutil.unpack_archive(sdist, place, filter="data")
    [unpacked] = place.iterdir()
    run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(place / "dist")], cwd=unpacked)
    [again] = (place / "dist").glob("*.whl")
    if (names := file_names(wheel)) != file_names(again):
        raise SystemExit(f"The wheel from the sdist has other files: {sorted(names ^ file_names(again))[:20]}")


def file_names(wheel: Path) -> set[str]:
    from zipfile import ZipFile

    with ZipFile(wheel) as archive:
        return set(archive.namelist())


def pythons() -> Iterator[tuple[str, Path]]:
    """Yield each supported Python that this machine has; the running Python serves for its own version."""
    for version in PYTHONS:
        if version == f"{sys.version_info.major}.{sys.version_info.minor}":
            yield version, Path(sys.executable)
            continue
        installed = sorted(
            (Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions").glob(f"{version}.*")
        )
        named = shutil.which(f"python{version}")
        candidates = [*(str(python_of(place)) for place in installed), *([named] if named else [])]
        working = next((python for python in candidates if is_version(python, version)), None)
        if working is None:
            print(f"Python {version}: not on this machine")
        else:
            yield version, Path(working)


def is_version(python: str, version: str) -> bool:
    try:
        done = subprocess.run([python, "--version"], capture_output=True, text=True, check=False, timeout=SECONDS)
    except OSError:
        return False
    return done.returncode == 0 and done.stdout.startswith(f"Python {version}.")


def first_minutes(environment: Path, home: Path) -> None:
    """Do as a new user does, with nothing in the home directory; print the time until the first edit is written."""
    start = time.monotonic()
    variables = empty_home(home)
    placet = str(python_of(environment).with_name("placet"))
    doctor = run([placet, "doctor", "--json", "--cwd", str(home)], environment=variables)
    if not json.loads(doctor):
        raise SystemExit("placet doctor found nothing to say")
    initialize(placet, home, variables)
    run([placet, "setup", "neovim", "--write"], environment=variables)
    typed = 4  # The three commands so far (install, setup, nvim FILE) and the prompt; below, the decision.
    project = home / "project"
    (project / ".git").mkdir(parents=True)
    file = project / "users.py"
    file.write_text(SOURCE, "utf-8")
    nvim = Nvim(
        [str(Path(sys.executable).with_name("nvim")), "--embed", "--headless", "-i", "NONE", "-n", str(file)],
        {**variables, "PWD": str(project)},
    )
    try:
        nvim.request("nvim_command", f"cd {project}")
        until(nvim, "vim.fn.exists(':Placet') == 2", "the plugin is loaded")
        nvim.request("nvim_command", "help placet | close")
        nvim.request("nvim_input", ":Placet rename fetch_user to load_user<CR>")
        until(nvim, "#((require('placet.change_set').all()[1] or {}).units or {}) > 0", "the change is proposed")
        if file.read_text("utf-8") != SOURCE:
            raise SystemExit("the file was changed before the decision")
        nvim.request("nvim_command", f"buffer {file}")
        nvim.request("nvim_input", ":Placet accept all<CR>")
        until(nvim, "vim.api.nvim_buf_get_lines(0, 0, 1, true)[1] == 'def load_user(name):'", "the change is applied")
    finally:
        nvim.close()
    print(
        f"  from `placet doctor` to the first edit in Neovim: {time.monotonic() - start:.1f} s, {typed + 1} lines typed"
    )


def until(nvim: Nvim, condition: str, fact: str) -> None:
    code = f"return (vim.wait({SECONDS * 100}, function() return {condition} end, 10))"
    if not nvim.request("nvim_exec_lua", code, []):
        messages = nvim.request("nvim_exec_lua", "return vim.api.nvim_exec2('messages', { output = true }).output", [])
        raise SystemExit(f"Neovim never saw that {fact}:\n{messages}")


def initialize(placet: str, home: Path, variables: Mapping[str, str]) -> None:
    """Check that the language server answers the first message of an editor."""
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"capabilities": {}, "rootUri": None, "processId": None},
    }
    body = json.dumps(request).encode()
    start = time.monotonic()
    done = subprocess.run(
        [placet, "--stdio"],
        input=b"Content-Length: %d\r\n\r\n%b" % (len(body), body),
        capture_output=True,
        env=dict(variables),
        cwd=home,
        timeout=SECONDS,
        check=False,
    )
    if b'"serverInfo"' not in done.stdout:
        raise SystemExit(f"initialize was not answered: {done.stdout!r} {done.stderr.decode(errors='replace')}")
    print(f"  initialize, and the end of the process: {(time.monotonic() - start) * 1000:.0f} ms")


def empty_home(home: Path) -> dict[str, str]:
    home.mkdir()
    kept = ("PATH", "LANG", "SYSTEMROOT", "SSL_CERT_FILE")
    return {"HOME": str(home), **{name: os.environ[name] for name in kept if name in os.environ}}


def python_of(environment: Path) -> Path:
    return environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def size_mb(environment: Path) -> int:
    return sum(file.lstat().st_size for file in environment.rglob("*")) // 1_000_000


def tool(name: str, *arguments: str) -> None:
    run([str(Path(sys.executable).with_name(name)), *arguments])


def run(command: Sequence[str], *, cwd: Path | None = None, environment: Mapping[str, str] | None = None) -> str:
    """Run a program and return its stdout. Ends the check, with the whole output, if the program fails."""
    variables = None if environment is None else dict(environment)
    done = subprocess.run(
        command, cwd=cwd, env=variables, capture_output=True, text=True, encoding="utf-8", timeout=SECONDS, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"$ {subprocess.list2cmdline(command)}\n{done.stdout}{done.stderr}exit code {done.returncode}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
