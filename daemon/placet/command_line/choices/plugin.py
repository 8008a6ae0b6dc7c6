"""`placet plugin`: bundles of extensions."""

import argparse

from placet.command_line.arguments import add_json
from placet.command_line.registry import Command


def add(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    adding = actions.add_parser("add", help="show everything that a bundle would run, and add the bundle")
    adding.add_argument("source", metavar="PATH|URL@COMMIT", help="a directory, or a git repository at a commit")
    adding.add_argument("--path", default="", metavar="DIR", help="the directory of the bundle below the source")
    adding.add_argument("--plugin", default="", metavar="NAME", help="the bundle in a marketplace of several bundles")
    adding.add_argument("--yes", action="store_true", help="do not ask; needs a full commit, or --digest")
    adding.add_argument("--digest", default="", metavar="SHA256", help="add the bundle only with this digest")
    update = actions.add_parser("update", help="show what has changed in a bundle, and take the new state")
    update.add_argument("name", metavar="NAME[@COMMIT]", help="the bundle, and the commit, branch or tag to take")
    update.add_argument("--yes", action="store_true", help="do not ask; needs a full commit, or --digest")
    update.add_argument("--digest", default="", metavar="SHA256", help="take the new state only with this digest")
    does = {
        "show": "show everything that an added bundle runs",
        "enable": "use a bundle again",
        "disable": "leave a bundle out, without removing the bundle",
        "remove": "remove a bundle",
    }
    for action, about in does.items():
        actions.add_parser(action, help=about).add_argument("name", metavar="NAME")
    add_json(actions.add_parser("list", help="list the bundles"))


def run(options: argparse.Namespace) -> int:
    from placet.frontends.terminal.bundles import bundles

    return bundles.main(options)


COMMAND = Command("add, list, update and remove bundles of extensions", add, run)
