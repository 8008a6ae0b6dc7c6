"""Define the command lines of `placet run`, `placet undo` and `placet redo`. Imports no code of the commands."""

import argparse
from pathlib import Path

from placet.core.effort import LEVELS, Effort, read_effort
from placet.frontends.terminal.arguments.project import add_project
from placet.frontends.terminal.arguments.sessions import Commands
from placet.frontends.terminal.arguments.worktrees import add_taking_along
from placet.frontends.terminal.run.run_options import RunOptions

EXIT_CODES = """\
exit codes:
  0    the turn ended normally
  1    the model or Placet failed, or no answer satisfied --output-schema
  2    wrong usage, or a wrong setting on the command line
  3    a permission is needed, and nobody can be asked
  4    you rejected a request, or the model declined
  5    a limit was reached: steps, cost or time
  130  cancelled by Ctrl-C or SIGTERM (a second signal kills the process)
  141  the reader of stdout is gone"""


def add_run(commands: Commands) -> None:
    """Add `placet run`, `placet undo`, `placet redo`."""
    shared = argparse.ArgumentParser(add_help=False)
    add_project(shared)
    shared.add_argument(
        "--json", action="store_true", help="print events as JSON lines on stdout (schema: `placet schema run`)"
    )
    shared.add_argument("--model", metavar="NAME", help="model: provider/name, builtin/rules, or scripted/FILE")
    shared.add_argument("--session", metavar="ID", help="id of the session to use")
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
    run.add_argument("--agent", metavar="NAME", help="agent for the prompt, as listed by `placet agents`")
    run.add_argument(
        "--effort",
        type=_effort,
        metavar="LEVEL",
        help=f"how much the model thinks: {', '.join(LEVELS)}, or a number of tokens",
    )
    run.add_argument(
        "--continue", dest="continue_last", action="store_true", help="continue the last session of this directory"
    )
    run.add_argument(
        "--fork", action="store_true", help="continue a copy of the session, and leave the session unchanged"
    )
    run.add_argument(
        "--worktree",
        nargs="?",
        const="",
        metavar="NAME",
        help="work in the git worktree NAME, made if it is missing, and leave this directory as it is; without NAME, "
        "in a new worktree. Write the prompt before the option, or --worktree=NAME",
    )
    add_taking_along(run)
    commands.add_parser("undo", parents=[shared], help="undo the last turn that changed anything")
    commands.add_parser("redo", parents=[shared], help="redo the changes of the last undo")


def read_options(options: argparse.Namespace) -> RunOptions:
    """Return the options found by argparse."""
    if options.command != "run":
        return RunOptions(options.cwd.resolve(), json=options.json, model=options.model, session_id=options.session)
    return RunOptions(
        cwd=options.cwd.resolve(),
        words=" ".join(options.prompt),
        file=options.file,
        attach=tuple(options.attach),
        literal=options.literal,
        model=options.model,
        agent=options.agent,
        effort=options.effort,
        allow=tuple(options.allow),
        asking=options.asking,
        review=options.review,
        json=options.json,
        quiet=options.quiet,
        output_schema=options.output_schema,
        max_steps=options.max_steps,
        max_cost=options.max_cost,
        timeout_seconds=options.timeout,
        continue_last=options.continue_last,
        session_id=options.session,
        fork=options.fork,
        worktree=options.worktree,
        takes_changes=options.with_changes,
    )


def _define_prompt(run: argparse.ArgumentParser) -> None:
    run.add_argument(
        "prompt",
        nargs="*",
        help="the prompt; without a prompt, or for -, read stdin; beside a prompt, stdin is context",
    )
    run.add_argument("-f", "--file", type=Path, metavar="FILE", help="read the prompt from a file")
    run.add_argument(
        "--attach",
        action="append",
        type=Path,
        default=[],
        metavar="FILE",
        help="attach a file to the prompt; may be repeated",
    )
    run.add_argument(
        "--literal",
        action="store_true",
        help="take the prompt as text alone: no @mention, no /command; for text that others have written",
    )


def _define_answer(run: argparse.ArgumentParser) -> None:
    run.add_argument("-q", "--quiet", action="store_true", help="print only the final answer")
    run.add_argument(
        "--output-schema",
        type=Path,
        metavar="FILE",
        help="print only the final answer, as JSON that satisfies this JSON Schema",
    )


def _define_limits(run: argparse.ArgumentParser) -> None:
    run.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="PERMISSION[:PATTERN]",
        help="allow without asking, for example edit, 'edit:src/*', 'bash:git status'; may be repeated",
    )
    asking = run.add_mutually_exclusive_group()
    asking.add_argument(
        "--ask",
        dest="asking",
        choices=("terminal", "wait", "fail", "deny", "allow"),
        help="treatment of permission requests and questions. terminal: ask at the terminal, the default there; "
        "wait: wait for `placet approve` in another terminal; fail: end the run with exit code 3, the default "
        "elsewhere; deny: fail the call and continue; allow: allow the call",
    )
    asking.add_argument("-y", "--yes", dest="asking", action="store_const", const="allow", help="short for --ask allow")
    run.add_argument(
        "--review",
        choices=("ask", "stage", "apply"),
        help="treatment of changes. ask: ask for each change, the default; stage: collect the changes for a later "
        "`placet review`; apply: write the changes at once, and review the changes afterwards",
    )
    run.add_argument("--max-steps", type=_count, metavar="N", help="limit of model calls (for each answer)")
    run.add_argument("--max-cost", type=_positive, metavar="DOLLARS", help="limit of the cost in US dollars")
    run.add_argument("--timeout", type=_positive, metavar="SECONDS", help="limit of the duration")


def _count(text: str) -> int:
    if (number := int(text)) < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _effort(text: str) -> Effort:
    if (effort := read_effort(text)) is None:
        raise argparse.ArgumentTypeError(f"must be one of {', '.join(LEVELS)}, or a number of tokens")
    return effort


def _positive(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError("must be more than 0")
    return number
