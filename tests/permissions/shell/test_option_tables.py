"""Words of a command by a table of options: an option is believed only where every version of the program agrees."""

from corpus_support import corpus
from placet.permissions.shell.programs.git_options import BELIEVED
from placet.permissions.shell.programs.option_tables import OptionTable, option_table, read_options
from placet.permissions.shell.programs.reading import PROVED
from placet.permissions.shell.words import plain_word

TABLE = option_table("-[ab] -n= -m=~ --name= --color?")


def unknown(line: str, table: OptionTable = TABLE) -> str:
    return read_options([plain_word(word) for word in line.split(" ")], table).unknown


@corpus("line", ["x -ab", "x -n 1", "x -n -1", "x -n -", "x -an1", "x --name=-b", "x --name y", "x --color", "x -- -z"])
def test_an_option_of_the_table_is_known(line: str) -> None:
    assert unknown(line) == ""


@corpus("line", ["x -z", "x -az", "x --nam=y", "x --colour", "x -n", "x -a=1z", "x --name"])
def test_another_option_is_unknown_and_so_is_an_abbreviation_or_a_missing_value(line: str) -> None:
    assert unknown(line) != ""


def test_a_word_that_may_be_an_option_is_no_value_for_any_option_of_any_table() -> None:
    tables = {**{f"git {name}": table for name, table in BELIEVED.items()}, **PROVED}
    believed = [
        f"{name} {option}"
        for name, table in tables.items()
        for option, takes in ((option, entry.takes) for option, entry in table.options.items())
        if takes == "=" and not unknown(f"x {option} --output=x", table)
    ]
    assert believed == []
