"""`placet completion SHELL`: print the completion of the command line for bash, zsh or fish."""

import argparse
from collections.abc import Iterator, Mapping

from placet.frontends.terminal.output import say_text

Words = Mapping[str, Mapping[str, str]]
"""Words that may follow, with a description each, by the words before: ``, `sessions`, `sessions list`."""

_BASH = """\
_placet() {{
  local word path='' words=''
  COMPREPLY=()
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "${{path:+$path }}$word" in
      {paths}) path="${{path:+$path }}$word" ;;
    esac
  done
  case "$path" in
{cases}
  esac
  COMPREPLY=($(compgen -W "$words" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -o bashdefault -F _placet placet
"""
_ZSH = """\
#compdef placet
_placet() {{
  local word path='' here
  local -a words_here
  for word in "${{(@)words[2,CURRENT-1]}}"; do
    here="${{path:+$path }}$word"
    case "$here" in
      {paths}) path="$here" ;;
    esac
  done
  case "$path" in
{cases}
  esac
  _describe 'placet' words_here || _files
}}
if [ "$funcstack[1]" = "_placet" ]; then _placet "$@"; else compdef _placet placet; fi
"""
_FISH = """\
function __placet_path
  set -l path
  for word in (commandline -opc)[2..-1]
    switch (string trim -- "$path $word")
      case {paths}
        set path (string trim -- "$path $word")
    end
  end
  echo $path
end
"""


def completion(shell: str, parser: argparse.ArgumentParser) -> int:
    """Print the script of the shell for the whole command line."""
    words = words_of(parser)
    say_text({"bash": bash, "zsh": zsh, "fish": fish}[shell](words).rstrip("\n"))
    return 0


def words_of(parser: argparse.ArgumentParser) -> dict[str, dict[str, str]]:
    """Return the commands, actions, options and choices of the parser."""
    return dict(_walked("", parser))


def _walked(path: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, dict[str, str]]]:
    words: dict[str, str] = {}
    below: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:
        about = (action.help or "").split(";")[0].replace("%%", "%")
        if isinstance(action, argparse._SubParsersAction):  # pyright: ignore[reportPrivateUsage]
            below.update(action.choices)
            abouts = {choice.dest: choice.help or "" for choice in action._choices_actions}
            words.update({name: abouts.get(name, "") for name in action.choices})
        elif action.option_strings:
            words.update({option: about for option in action.option_strings if option.startswith("--")})
        elif action.choices is not None:
            words.update({str(choice): "" for choice in action.choices})
    yield path, words
    for name, command in below.items():
        yield from _walked(f"{path} {name}".strip(), command)


def bash(words: Words) -> str:
    """Return the script for bash."""
    cases = "\n".join(f"    {_quoted(path)}) words={_quoted(' '.join(here))} ;;" for path, here in words.items())
    return _BASH.format(paths=_alternatives(words), cases=cases)


def zsh(words: Words) -> str:
    """Return the script for zsh, with descriptions."""
    cases: list[str] = []
    for path, here in words.items():
        entries = " ".join(_quoted(f"{word}:{about}" if about else word) for word, about in here.items())
        cases.append(f"    {_quoted(path)}) words_here=({entries}) ;;")
    return _ZSH.format(paths=_alternatives(words), cases="\n".join(cases))


def fish(words: Words) -> str:
    """Return the script for fish, with descriptions."""
    paths = " ".join(_fish_quoted(path) for path in words if path)
    lines = [_FISH.format(paths=paths)]
    for path, here in words.items():
        condition = f"-n {_fish_quoted(f'test (__placet_path | string collect) = {_double(path)}')}"
        for word, about in here.items():
            option = f"-l {word[2:]}" if word.startswith("--") else f"-a {_fish_quoted(word)}"
            described = f" -d {_fish_quoted(about)}" if about else ""
            lines.append(f"complete -c placet {condition} {option}{described}")
    return "\n".join(lines) + "\n"


def _alternatives(words: Words) -> str:
    return "|".join(_quoted(path) for path in words if path)


def _double(text: str) -> str:
    return f'"{text}"'


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
