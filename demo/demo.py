"""`make demo`: Placet at its main job on a real package, with no key and no model, and every claim checked.

demo.py [--record FILE.svg]    the picture shows what the terminal showed
VERBOSE=1 demo.py              shows the whole diff
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

from screen import BOLD, DIM, GREEN, RED, YELLOW, Screen, run_answering
from specimen import MOST_SECONDS, NAME, Failed, digest, fetch, fingerprint, run_tests, unpack

OLD, NEW = "want_bytes", "ensure_bytes"
PROMPT = f"rename {OLD} to {NEW}"
REJECTED = 4
"""What `placet run` exits with when the user says no."""

PLACE = Path(__file__).parent.parent / ".demo"


def main() -> int:
    parser = argparse.ArgumentParser(description="Show Placet at work on a real package.")
    parser.add_argument("--record", type=Path, metavar="FILE.svg", help="also draw the terminal's picture")
    options = parser.parse_args()
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")
    screen = Screen()
    start = time.monotonic()
    try:
        tell_story(screen, alone=options.record is not None or not (sys.stdin.isatty() and sys.stdout.isatty()))
    except (Failed, OSError, subprocess.SubprocessError) as error:
        screen.say(f"\n{error}", RED)
        return 1
    screen.say(
        f"\nAll as it should be, in {time.monotonic() - start:.1f} s. No key, no model, no network but PyPI.", GREEN
    )
    if options.record is not None:
        screen.save_picture(options.record, "make demo")
    return 0


def tell_story(screen: Screen, *, alone: bool) -> None:
    """The whole demo. Raises Failed where something is not as claimed. `alone`: nobody is there to be asked."""
    with screen.step(f"{NAME}, a real package, from PyPI with its own tests, hashes checked"):
        archive = fetch(PLACE / "packages")
        tree = unpack(archive, PLACE / "work")
    before = fingerprint(tree)
    with screen.step("its tests, before") as told:
        green = run_tests(tree, PLACE / "packages")
        told.append(green)

    screen.say(f'\n$ placet run "{PROMPT}"\n', BOLD)
    start = time.monotonic()
    if ask_placet(screen, tree, alone=alone) == REJECTED:
        unchanged = "nothing was changed" if fingerprint(tree) == before else "and yet something was changed"
        raise Failed(f"You said no, {unchanged}. Run the demo again and say `y` to see the rest.")
    screen.say(f"\nThat took {time.monotonic() - start:.1f} s, Placet's start included.\n", DIM)

    with screen.step("the name is changed everywhere, in the package and in its tests") as told:
        told.append(check_rename(tree, before))
    with screen.step("its tests, after") as told:
        green_again = run_tests(tree, PLACE / "packages")
        told.append(green_again)
        if passed(green_again) != passed(green):
            raise Failed(f"Before the rename: {green}. After it: {green_again}.")

    screen.say("\n$ placet undo\n", BOLD)
    undone = placet(["undo", "--cwd", str(tree)])
    screen.pass_on(undone.stdout)
    if undone.returncode != 0:
        raise Failed(f"placet undo ended with exit code {undone.returncode}: {undone.stderr}")
    screen.say()
    with screen.step(f"the tree is as before, byte for byte, all {len(before)} files") as told:
        after = fingerprint(tree)
        if after != before:
            changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
            raise Failed(f"Not as before: {', '.join(changed)}")
        told.append(f"sha256 {digest(after)[:16]}…")


def ask_placet(screen: Screen, tree: Path, *, alone: bool) -> int:
    """`placet run` with the user at the terminal; without one the demo answers, and says so. Returns 0 or REJECTED."""
    arguments = ["run", PROMPT, "--cwd", str(tree)]
    if not alone:
        code = subprocess.run(command(arguments), env=environment(), check=False).returncode
    elif os.name == "nt":
        screen.say("(Nobody is at this terminal, so the demo allows the edit beforehand: --allow edit.)\n", YELLOW)
        done = placet([*arguments, "--allow", "edit"])
        screen.pass_on(done.stdout + done.stderr)
        code = done.returncode
    else:
        screen.say("(Nobody is at this terminal, so the demo itself types `y` where Placet asks.)\n", YELLOW)
        variables = {**environment(), "PAGER": pager()}
        code = run_answering(screen, command(arguments), variables, "Allow? [", "y", MOST_SECONDS)
    if code not in (0, REJECTED):
        raise Failed(f"placet run ended with exit code {code}.")
    return code


def check_rename(tree: Path, before: dict[str, str]) -> str:
    """What was changed. Raises Failed when the old name is left, or nothing in the package or its tests changed."""
    after = fingerprint(tree)
    changed = [name for name in before if after.get(name) != before[name]]
    word = re.compile(rf"\b{OLD}\b")
    left = [name for name in after if word.search((tree / name).read_text("utf-8", "ignore"))]
    if left or after.keys() != before.keys():
        raise Failed(
            f"`{OLD}` is still in {', '.join(left) or 'none'}; files before and after: {len(before)}, {len(after)}."
        )
    for part in ("src/", "tests/"):
        if not any(name.startswith(part) for name in changed):
            raise Failed(f"Nothing under {part} was changed.")
    return f"{len(changed)} files"


def passed(summary: str) -> str:
    """pytest's last line without the time it took."""
    return summary.rpartition(" in ")[0]


def placet(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(arguments),
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=MOST_SECONDS,
        check=False,
    )


def command(arguments: list[str]) -> list[str]:
    return [sys.executable, "-m", "placet", *arguments]


def pager() -> str:
    """The program that shows a diff of more than a screen while nobody is at the terminal."""
    if os.environ.get("VERBOSE", "") not in ("", "0"):
        return "cat"
    return shlex.join([sys.executable, str(Path(__file__).with_name("first_lines.py"))])


def environment() -> dict[str, str]:
    """A home of the demo's own, so that nobody's settings, keys or sessions are touched or taken into account."""
    home = PLACE / "home"
    home.mkdir(parents=True, exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PLACET_", "XDG_"))}
    places = {
        "XDG_CONFIG_HOME": "config",
        "XDG_DATA_HOME": "data",
        "XDG_CACHE_HOME": "cache",
        "XDG_STATE_HOME": "state",
    }
    terminal = {} if os.environ.get("TERM", "dumb") != "dumb" else {"TERM": "xterm-256color"}
    return {**kept, **terminal, "HOME": str(home), **{name: str(home / part) for name, part in places.items()}}


if __name__ == "__main__":
    sys.exit(main())
