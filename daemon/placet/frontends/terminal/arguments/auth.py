"""Define the command line of `placet auth`. Imports no code of the command."""

import argparse

from placet.frontends.terminal.arguments.sessions import Commands


def add_auth(commands: Commands) -> None:
    """Add `placet auth ACTION`."""
    keys = "Store the providers' keys in the system's keyring, or without a keyring in a file that only you can read."
    _define_auth(commands.add_parser("auth", help="store the providers' keys", description=keys))


def _define_auth(auth: argparse.ArgumentParser) -> None:
    actions = auth.add_subparsers(dest="action", metavar="ACTION", required=True)
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
