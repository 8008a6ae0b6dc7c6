"""`placet permissions`: rules and grants."""

import argparse

from placet.command_line.arguments import add_json, add_project
from placet.command_line.registry import Command


def add(parser: argparse.ArgumentParser) -> None:
    where = argparse.ArgumentParser(add_help=False)
    add_project(where)
    where.add_argument("--agent", metavar="NAME", help="agent that the rules bind (default: the default agent)")
    where.add_argument("--session", metavar="ID", help="session whose agent and caution count (default: a new session)")
    add_json(where)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    explain = actions.add_parser(
        "explain", parents=[where], help="show the decision about a call, and the rule that decides"
    )
    explain.add_argument(
        "permission", nargs="?", help="permission of the call: bash, edit, read, webfetch, or the name of a tool"
    )
    explain.add_argument("subject", nargs="?", help="command line, path or pattern of the call")
    explain.add_argument(
        "--last", action="store_true", help="show the last answer of the judge, with the judge's reason, instead"
    )
    actions.add_parser("list", parents=[where], help="list the rules and grants in force, and where each is defined")
    revoke = actions.add_parser("revoke", parents=[where], help='revoke a grant, made by an answer "always"')
    revoke.add_argument("id", metavar="ID", help="id of the grant, as shown by `placet permissions list`")


def run(options: argparse.Namespace) -> int:
    import asyncio

    from placet.frontends.terminal import permissions

    match options.action:
        case "explain" if options.last:
            output = permissions.last_judgement(as_json=options.json)
        case "explain":
            bound = permissions.Subject(options.cwd, options.agent, options.session)
            output = permissions.explain(options.permission, options.subject, bound, as_json=options.json)
        case "revoke":
            output = permissions.revoke(options.id, cwd=options.cwd, as_json=options.json)
        case _:
            bound = permissions.Subject(options.cwd, options.agent, options.session)
            output = permissions.listing(bound, as_json=options.json)
    return asyncio.run(output)


COMMAND = Command("explain and list permissions, and revoke grants", add, run)
