"""Define the command lines of `placet run`, `placet undo` and `placet redo`. Imports no code of the commands."""

import argparse
from pathlib import Path

from placet.frontends.terminal.run.run_options import RunOptions
from placet.frontends.terminal.session_arguments import Commands

EXIT_CODES = """\
exit codes:
  0    the turn ended by itself
  1    the model or Placet failed, or no answer fitted --output-schema
  2    wrong use, or a wrong setting on the command line
  3    something must be asked and nobody is there to ask
  4    rejected by the user, or declined by the model
  5    a limit was reached: steps, cost or time
  130  cancelled: Ctrl-C or SIGTERM (a second one kills)
  141  whoever read stdout has gone"""


def add_run(commands: Commands) -> None:
    """Add `placet run`, `placet undo`, `placet redo`."""
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--cwd", type=Path, default=Path(), metavar="DIR", help="the project (default: here)")
    shared.add_argument("--json", action="store_true", help="events as JSON lines on stdout (placet schema run)")
    shared.add_argument("--model", metavar="NAME", help="provider/name, or builtin/rules, or scripted/FILE")
    shared.add_argument("--session", metavar="ID", help="go on with this session")
    run = commands.add_parser(
        "run",
        parents=[shared],
        help="run one prompt without an editor",
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _define_prompt(run)
    _define_answer(run)
    _define_limits(run)
    run.add_argument("--agent", metavar="NAME", help="who works on it: one of placet agents")
    run.add_argument(
        "--continue", dest="continue_last", action="store_true", help="go on with this directory's last session"
    )
    run.add_argument("--fork", action="store_true", help="go on with a copy of that session, and leave it as it is")
    commands.add_parser("undo", parents=[shared], help="take back the last turn that changed anything")
    commands.add_parser("redo", parents=[shared], help="take back the last undo")


def read_options(options: argparse.Namespace) -> RunOptions:
    """Return the options found by argparse."""
    if options.command != "run":
        return RunOptions(options.cwd.resolve(), json=options.json, model=options.model, session_id=options.session)
    return RunOptions(
        cwd=options.cwd.resolve(),
        words=" ".join(options.prompt),
        file=options.file,
        attach=tuple(options.attach),
        model=options.model,
        agent=options.agent,
        allow=tuple(options.allow),
        asking=options.asking,
        json=options.json,
        quiet=options.quiet,
        output_schema=options.output_schema,
        max_steps=options.max_steps,
        max_cost=options.max_cost,
        timeout_seconds=options.timeout,
        continue_last=options.continue_last,
        session_id=options.session,
        fork=options.fork,
    )


def _define_prompt(run: argparse.ArgumentParser) -> None:
    run.add_argument("prompt", nargs="*", help="what to do; - or none: read it from stdin; with one, stdin is context")
    run.add_argument("-f", "--file", type=Path, metavar="FILE", help="read the prompt from the file")
    run.add_argument(
        "--attach", action="append", type=Path, default=[], metavar="FILE", help="show it the file; may be repeated"
    )


def _define_answer(run: argparse.ArgumentParser) -> None:
    run.add_argument("-q", "--quiet", action="store_true", help="print the final answer only")
    run.add_argument(
        "--output-schema",
        type=Path,
        metavar="FILE",
        help="the final answer is JSON that satisfies this JSON Schema, and it alone is on stdout",
    )


def _define_limits(run: argparse.ArgumentParser) -> None:
    run.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="PERMISSION[:PATTERN]",
        help="allow without asking, e.g. edit, 'edit:src/*', 'bash:git status'; may be repeated",
    )
    asking = run.add_mutually_exclusive_group()
    asking.add_argument(
        "--ask",
        dest="asking",
        choices=("terminal", "wait", "fail", "deny", "allow"),
        help="what must be asked: ask at the terminal (default if there is one), wait for `placet approve` in another "
        "one, end the run with 3 (default else), fail the call and go on, or do it",
    )
    asking.add_argument("-y", "--yes", dest="asking", action="store_const", const="allow", help="short for --ask allow")
    run.add_argument("--max-steps", type=_count, metavar="N", help="at most so many model calls (for each answer)")
    run.add_argument("--max-cost", type=_positive, metavar="DOLLARS", help="stop when it has cost so much")
    run.add_argument("--timeout", type=_positive, metavar="SECONDS", help="stop after so long")


def _count(text: str) -> int:
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _positive(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError("must be more than 0")
    return number
