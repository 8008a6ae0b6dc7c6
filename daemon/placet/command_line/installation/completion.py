"""`placet completion`: the completion of the command line for a shell."""

import argparse

from placet.command_line.registry import Command


def add(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        'For bash: eval "$(placet completion bash)" in ~/.bashrc; zsh the same in ~/.zshrc, after compinit; '
        "fish: placet completion fish > ~/.config/fish/completions/placet.fish"
    )
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))


def run(options: argparse.Namespace) -> int:
    from placet.command_line.parser import parser
    from placet.frontends.terminal.completion import completion

    return completion(options.shell, parser())


COMMAND = Command("print the completion of the command line for a shell", add, run)
