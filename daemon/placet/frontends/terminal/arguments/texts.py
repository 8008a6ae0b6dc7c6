"""Define the command lines of `placet schema` and `placet completion`."""

from placet.frontends.terminal.arguments.sessions import Commands


def add_texts(commands: Commands) -> None:
    """Add `placet schema` and `placet completion`."""
    schema = commands.add_parser(
        "schema", help="print the JSON Schema of the custom LSP messages, the settings or a run"
    )
    schema.add_argument(
        "of", nargs="?", choices=("protocol", "settings", "run"), default="protocol", help="default: protocol"
    )
    completion = commands.add_parser(
        "completion",
        help="print the completion of the command line for a shell",
        description='For bash: eval "$(placet completion bash)" in ~/.bashrc; zsh the same in ~/.zshrc, after '
        "compinit; fish: placet completion fish > ~/.config/fish/completions/placet.fish",
    )
    completion.add_argument("shell", choices=("bash", "zsh", "fish"))
