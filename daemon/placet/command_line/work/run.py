"""`placet run`: one prompt without an editor."""

import argparse
from pathlib import Path

from placet.command_line.arguments import add_changing_run, add_review, add_taking_along, count, has_project
from placet.command_line.registry import Command
from placet.core.effort import LEVELS, Effort, read_effort
from placet.frontends.terminal.run.run_options import RunOptions
from placet.settings.profile import PROFILE_CHOICES

EXIT_CODES = """\
exit codes:
  0    the turn ended normally
  1    the model or Placet failed, or no answer satisfied --output-schema
  2    wrong usage, or a wrong setting on the command line
  3    a permission is needed, and nobody can be asked
  4    you rejected a request, or the model declined
  5    a limit was reached: steps, cost or time
  130  cancelled by Ctrl-C, SIGTERM or SIGHUP (a second signal kills the process)
  141  the reader of stdout is gone"""


def add(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EXIT_CODES
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add_changing_run(parser)
    _add_prompt(parser)
    _add_answer(parser)
    _add_limits(parser)
    parser.add_argument("--agent", metavar="NAME", help="agent for the prompt, as listed by `placet agents`")
    parser.add_argument(
        "--effort",
        type=_effort,
        metavar="LEVEL",
        help=f"how much the model thinks: {', '.join(LEVELS)}, or a number of tokens",
    )
    parser.add_argument(
        "--profile", choices=PROFILE_CHOICES, help="how much is asked of the model (default: as the settings say)"
    )
    parser.add_argument(
        "--continue", dest="continue_last", action="store_true", help="continue the last session of this directory"
    )
    parser.add_argument(
        "--fork", action="store_true", help="continue a copy of the session, and leave the session unchanged"
    )
    parser.add_argument(
        "--worktree",
        nargs="?",
        const="",
        metavar="NAME",
        help="work in the git worktree NAME, made if it is missing, and leave this directory as it is; without NAME, "
        "in a new worktree. Write the prompt before the option, or --worktree=NAME",
    )
    add_taking_along(parser)


def run(options: argparse.Namespace) -> int:
    if not has_project(options):
        return 2
    from placet.frontends.terminal.run import start

    run_options = read_options(options)
    if run_options.worktree is not None:
        import asyncio

        from placet.frontends.terminal.worktrees.run_in import in_worktree

        if (worktree_options := asyncio.run(in_worktree(run_options))) is None:
            return 2
        run_options = worktree_options
    return start.main(run_options)


COMMAND = Command("run one prompt without an editor", add, run)


def read_options(options: argparse.Namespace) -> RunOptions:
    """Return the options found by argparse."""
    return RunOptions(
        cwd=options.cwd.resolve(),
        words=" ".join(options.prompt),
        file=options.file,
        attach=tuple(options.attach),
        literal=options.literal,
        model=options.model,
        agent=options.agent,
        effort=options.effort,
        profile=options.profile,
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


def _add_prompt(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "prompt",
        nargs="*",
        help="the prompt; without a prompt, or for -, read stdin; beside a prompt, stdin is context",
    )
    parser.add_argument("-f", "--file", type=Path, metavar="FILE", help="read the prompt from a file")
    parser.add_argument(
        "--attach",
        action="append",
        type=Path,
        default=[],
        metavar="FILE",
        help="attach a file to the prompt; may be repeated",
    )
    parser.add_argument(
        "--literal",
        action="store_true",
        help="take the prompt as text alone: no @mention, no /command; for text that others have written",
    )


def _add_answer(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-q", "--quiet", action="store_true", help="print only the final answer")
    parser.add_argument(
        "--output-schema",
        type=Path,
        metavar="FILE",
        help="print only the final answer, as JSON that satisfies this JSON Schema",
    )


def _add_limits(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--allow",
        action="append",
        default=[],
        metavar="PERMISSION[:PATTERN]",
        help="allow without asking, for example edit, 'edit:src/*', 'bash:git status'; may be repeated",
    )
    asking = parser.add_mutually_exclusive_group()
    asking.add_argument(
        "--ask",
        dest="asking",
        choices=("terminal", "wait", "fail", "deny", "allow"),
        help="treatment of permission requests and questions. terminal: ask at the terminal, the default there; "
        "wait: wait for `placet approve` in another terminal; fail: end the run with exit code 3, the default "
        "elsewhere; deny: fail the call and continue; allow: allow the call",
    )
    asking.add_argument("-y", "--yes", dest="asking", action="store_const", const="allow", help="short for --ask allow")
    add_review(parser, "ask")
    parser.add_argument("--max-steps", type=count, metavar="N", help="limit of model calls (for each answer)")
    parser.add_argument("--max-cost", type=_positive, metavar="DOLLARS", help="limit of the cost in US dollars")
    parser.add_argument("--timeout", type=_positive, metavar="SECONDS", help="limit of the duration")


def _effort(text: str) -> Effort:
    if (effort := read_effort(text)) is None:
        raise argparse.ArgumentTypeError(f"must be one of {', '.join(LEVELS)}, or a number of tokens")
    return effort


def _positive(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError("must be more than 0")
    return number
