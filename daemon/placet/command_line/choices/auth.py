"""`placet auth`: the keys of providers."""

import argparse

from placet.command_line.registry import Command


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Store the providers' keys in the system's keyring, or without a keyring in a file that only you can read."
    )
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    login = actions.add_parser("login", help="sign in through a plugin, or store a key")
    login.add_argument("name", metavar="PROVIDER", help="for example anthropic")
    login.add_argument(
        "--method", type=int, metavar="N", help="number of the sign-in method, if a provider has several"
    )
    for action, about in (("set", "store a key, read from stdin"), ("remove", "remove a stored key")):
        actions.add_parser(action, help=about).add_argument(
            "name", metavar="PROVIDER|VARIABLE", help="for example anthropic, or ANTHROPIC_API_KEY"
        )
    actions.add_parser("list", help="list the names of the stored keys, and where each key is stored").set_defaults(
        name=""
    )


def run(options: argparse.Namespace) -> int:
    from placet.frontends.terminal import auth

    return auth.main(options.action, options.name, getattr(options, "method", None))


COMMAND = Command("store the providers' keys", add, run)
