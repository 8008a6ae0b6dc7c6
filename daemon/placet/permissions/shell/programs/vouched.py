"""Programs for which a rule can vouch, by short lists of options; an option that stands in no list is a doubt.

The lists hold the usual options that run nothing, and write no file but the file in the value of an option. Read from
the manuals of coreutils, sed, tar, make, wget and curl.
"""

import re
from collections.abc import Callable
from urllib.parse import urlsplit

from placet.permissions.shell.inspection import MAY_BECOME_OPTION, Inspection, Words, is_input, may_become_option
from placet.permissions.shell.programs.option_tables import GivenOptions, OptionTable, option_tables, read_options
from placet.permissions.shell.programs.reading import PROVED
from placet.permissions.shell.programs.sed_script import sed_doubt
from placet.permissions.shell.words import Word, plain_word

_ACTING_AWK = re.compile(r"system|getline|ARGV|ARGC|[>@]|(?<!\|)\|(?!\|)|\|\|\||\\\n|\\\r")
"""Text of a script of awk that may start a program, write a file, or read more than the operands: `system`, `|`,
`getline`, `>`; by `@` gawk loads libraries and calls functions by their names (gawk's manual, 4.10, 5.6, 5.7, 9.1.4,
9.3).
"""
_GREPS = ("grep", "egrep", "fgrep", "zgrep", "ggrep")
_PATTERN_UNLESS = {
    **dict.fromkeys(_GREPS, ("-e", "--regexp", "-f", "--file")),
    "rg": ("-e", "--regexp", "-f", "--file", "--files", "--type-list", "--generate", "--pcre2-version"),
}
"""Programs with a pattern as first operand, unless the call gives one of these options."""
_TABLES = (
    {"zgrep": PROVED["grep"], "ggrep": PROVED["grep"]}
    | {program: PROVED[program] for program in ("grep", "egrep", "fgrep", "rg", "sort", "uniq")}
    | option_tables("awk gawk mawk nawk: -F=~ -v=~", ends_at_operand=True)
    | option_tables(
        """
        split: -[dx] -a= -b= -l= -n= --additional-suffix= --bytes= --lines= --numeric-suffixes? --suffix-length=
        tee: -[ai] --append
        sed gsed: -[nErsuz] -e=~ -i? --expression=~ --in-place? --null-data --quiet --regexp-extended --silent
        tar: -[achjJkmOprtuvxzZ] -C= -f= --append --auto-compress --bzip2 --create --dereference --directory=
          --exclude=~ --exclude-vcs --extract --file= --force-local --get --gzip --keep-old-files --list --no-same-owner
          --numeric-owner --overwrite --sort= --strip-components= --to-stdout --transform=~ --verbose --wildcards --xz
          --zstd
        make gmake: -[BdhiknpqrRsStvw] -C= -f= -j? -l? -O? --always-make --debug? --directory= --dry-run --file= --help
          --ignore-errors --jobs? --just-print --keep-going --makefile= --no-builtin-rules --no-print-directory
          --output-sync? --print-directory --question --quiet --silent --touch --trace --version
        wget: -[46cNqrSv] -l= -n= -o=> -O=> -P= -t= -T= --continue --directory-prefix= --header=~ --level= --no-clobber
          --no-check-certificate --no-parent --no-verbose --output-document=> --output-file=> --progress= --quiet
          --recursive --server-response --show-progress --spider --timeout= --timestamping --tries= --version
        curl: -[46fgGiIkLnNOsSv0#] -A= -b= -c=> -d= -D=> -e= -F= -H= -m= -o=> -r= -T= -u= -w= -x= -X= --cacert= --cert=
          --compressed --connect-timeout= --cookie= --cookie-jar=> --create-dirs --data= --data-binary= --data-raw=
          --data-urlencode= --dump-header=> --fail --fail-with-body --form= --get --globoff --head --header= --http1.1
          --http2 --include --insecure --ipv4 --ipv6 --json= --key= --location --max-redirs= --max-time= --no-buffer
          --no-progress-meter --output=> --progress-bar --proto= --proxy= --range= --referer= --remote-name --request=
          --resolve= --retry= --retry-all-errors --retry-connrefused --retry-delay= --retry-max-time= --show-error
          --silent --tlsv1.2 --tlsv1.3 --upload-file= --url= --user= --user-agent= --verbose --version --write-out=
        """
    )
)
_HARMLESS_VARIABLE = re.compile(
    r"[A-Za-z_]\w*:?=(\d+|y|n|yes|no|true|false|on|off|debug|release|)|(V|VERBOSE|DESTDIR|PREFIX|prefix)=[\w./~+-]*"
)


def inspect_vouched(program: str, words: Words) -> Inspection | None:
    """Return how far the arguments can be believed, or None if the program has no table."""
    table = _TABLES.get(program)
    if table is None:
        return None
    spelled = _with_dashes(words) if program == "tar" else words
    is_certain = spelled is words and all(word.value is not None for word in words)
    words = spelled
    given = read_options(words, table)
    inspection = _CHECKS.get(program, _by_table)(program, words, given)
    no_paths = inspection.no_paths | {option.at for option in given.with_role("~")}
    return Inspection(
        doubt=_option_doubt(words, given) or inspection.doubt,
        wildcard_doubt="" if program in _GREPS else may_become_doubt(words, given, table),
        writes=(*(option.value for option in given.with_role(">") if option.value is not None), *inspection.writes),
        no_paths=no_paths if is_certain and not given.unknown else frozenset(),
    )


def _option_doubt(words: Words, given: GivenOptions) -> str:
    if given.unknown:
        return f"its option {given.unknown} is not known here"
    unread = next((option.name for option in given.options if words[option.at].value is None), "")
    return f"what {unread} is given is known only when it runs" if unread else ""


def may_become_doubt(words: Words, given: GivenOptions, table: OptionTable) -> str:
    """Return a doubt if a wildcard may become an option of the program."""
    end = given.operands[0] + 1 if table.ends_at_operand and given.operands else given.ended_at
    return MAY_BECOME_OPTION if may_become_option(words, end) else ""


def _by_table(program: str, words: Words, given: GivenOptions) -> Inspection:
    unless = _PATTERN_UNLESS.get(program)
    has_pattern = unless is not None and given.operands and given.named(*unless) is None
    return Inspection(no_paths=frozenset(given.operands[:1]) if has_pattern else frozenset())


def _sed(program: str, words: Words, given: GivenOptions) -> Inspection:
    scripts = [option for option in given.options if option.name in ("-e", "--expression")]
    places = [script.at for script in scripts] or list(given.operands[:1])
    values = [script.value.value if script.value else None for script in scripts] or [words[at].value for at in places]
    files = given.operands if scripts else given.operands[1:]
    in_place = given.named("-i", "--in-place")
    if in_place is not None and values == [""] and files:  # BSD's sed has read `''` as the suffix of `-i`.
        values, places, files = [words[files[0]].value], [*places, files[0]], files[1:]
    doubt = ""
    for value in values:
        doubt = doubt or (_HIDDEN_SCRIPT if value is None else sed_doubt(value))
    if any(words[at].has_wildcard for at in places):
        doubt = doubt or _HIDDEN_SCRIPT
    writes = tuple(words[at] for at in files) if in_place is not None else ()
    suffix = in_place.value.value if in_place is not None and in_place.value is not None else ""
    if suffix and ("/" in suffix or "*" in suffix):
        doubt = doubt or "the suffix of its copies may lead to another directory"
    return Inspection(doubt=doubt, no_paths=frozenset(places), writes=writes)


_HIDDEN_SCRIPT = "its script is known only when it runs"


def _awk(program: str, words: Words, given: GivenOptions) -> Inspection:
    if not given.operands:
        return Inspection()
    script = words[given.operands[0]]
    hidden = script.value is None or script.has_wildcard
    acts = _ACTING_AWK.search(script.value or "")
    doubt = _HIDDEN_SCRIPT if hidden else "its script may run, read or write something else" if acts else ""
    return Inspection(doubt=doubt, no_paths=frozenset(given.operands[:1]))


def _tee(program: str, words: Words, given: GivenOptions) -> Inspection:
    return Inspection(writes=tuple(words[at] for at in given.operands))


def _uniq(program: str, words: Words, given: GivenOptions) -> Inspection:
    """Return the file that uniq writes: the second name, which a wildcard of the first word may find too."""
    if any(words[at].has_wildcard for at in given.operands):
        return Inspection(doubt="which file it writes shows only when it runs")
    return Inspection(writes=tuple(words[at] for at in given.operands[1:]))


def _tar(program: str, words: Words, given: GivenOptions) -> Inspection:
    archives = [
        option.value.value or "" for option in given.options if option.name in ("-f", "--file") and option.value
    ]
    if any(":" in archive for archive in archives) and given.named("--force-local") is None:
        return Inspection(doubt="an archive on another machine is read by another program")
    return Inspection()


def _with_dashes(words: Words) -> Words:
    """Return tar's words with the letters of the first word as options, each followed by the option's value."""
    letters = words[1].value if len(words) > 1 else None
    if not letters or letters.startswith("-"):
        return words
    if not letters.isalnum():  # tar knows no such letter.
        return (words[0], plain_word(f"--{letters}"), *words[2:])
    following = list(words[2:])
    spelled: list[Word] = []
    for letter in letters:
        option = _TABLES["tar"].options.get(f"-{letter}")
        spelled.append(plain_word(f"-{letter}"))
        if option is not None and option.takes == "=" and following:
            spelled.append(following.pop(0))
    return (words[0], *spelled, *following)


def _make(program: str, words: Words, given: GivenOptions) -> Inspection:
    if any(option.value is not None and is_input(option.value) for option in given.options):
        return Inspection(doubt="it runs what it reads from its input")
    for at in given.operands:
        value = words[at].value or ""
        if "=" in value and not _HARMLESS_VARIABLE.fullmatch(value):
            return Inspection(doubt=f"{value.partition('=')[0]} may name a program that it runs")
    return Inspection()


def _curl(program: str, words: Words, given: GivenOptions) -> Inspection:
    """Return the files that curl writes: with the option `-O`, curl names a file by the last part of an address."""
    outputs = [option.value.value or "" for option in given.with_role(">") if option.value is not None]
    formats = [
        option.value.value or "" for option in given.options if option.name in ("-w", "--write-out") and option.value
    ]
    if any("%output" in text for text in formats) or any(re.search(r"#\d", name) for name in outputs):
        return Inspection(doubt="which file it writes shows only when it runs")
    if given.named("-O", "--remote-name") is None:
        return Inspection()
    addresses = [words[at].value or "" for at in given.operands]
    names = [urlsplit(address).path.rpartition("/")[2] for address in addresses]
    if not names or any(not name or set(name) & set("{}[]%#") for name in names):
        return Inspection(doubt="which file it writes shows only when it runs")
    return Inspection(writes=tuple(plain_word(name) for name in names))


_CHECKS: dict[str, Callable[[str, Words, GivenOptions], Inspection]] = {
    **dict.fromkeys(("sed", "gsed"), _sed),
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _awk),
    **dict.fromkeys(("make", "gmake"), _make),
    "tee": _tee,
    "uniq": _uniq,
    "tar": _tar,
    "curl": _curl,
}
