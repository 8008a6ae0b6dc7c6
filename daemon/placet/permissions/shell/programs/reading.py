"""Commands that only read: for each program the options with which the program is proved to write and run nothing.

An option that stands in no list proves nothing. Contents that a command prints without a name in the line (of files
below a directory, of git's objects) are facts of the proof, which the disk must confirm: tools/shell/reading.py.
"""

import re
from collections.abc import Callable, Sequence

from tree_sitter import Node

from placet.permissions.shell.findings import Findings, FoundCommand
from placet.permissions.shell.inspection import names
from placet.permissions.shell.parsing.syntax import parse
from placet.permissions.shell.programs.git_reading import Reading, git_reading
from placet.permissions.shell.programs.launchers import only_finds
from placet.permissions.shell.programs.option_tables import GivenOption, GivenOptions, option_tables, read_options
from placet.permissions.shell.source import source_of, to_parse
from placet.permissions.shell.words import plain_word

_NODES = names(
    """
    program list pipeline command command_name word number string string_content raw_string concatenation
    redirected_statement file_redirect file_descriptor negated_command comment subshell compound_statement
    variable_assignment variable_name simple_expansion special_variable_name test_command unary_expression
    binary_expression test_operator
    """
)
"""Constructs of bash that a proved line may hold: no substitution, no loop, no function, no document."""
_EXPANSIONS = frozenset(("$HOME", "$PWD", "$?"))
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=[\w.-]*", re.ASCII)
_BUILTINS = names(": [ cd echo exit false printf pwd set test time true wait")
_CONNECTIONS = ("/dev/tcp/", "/dev/udp/")
PROVED = option_tables(
    """
    arch groups rev tac tty uptime whoami factor sum:
    basename: -[az] -s=~ --multiple --suffix=~
    cat: -[AbeEnstTuv] --number --number-nonblank --show-all --show-ends --show-tabs --squeeze-blank
    cksum:
    cmp: -[bls] -i= -n= --bytes= --print-bytes --quiet --silent --verbose
    column: -[tnxe] -s=~ -c= -o=~ --table --separator=~ --output-separator=~
    comm: -[123z] --check-order --nocheck-order --total
    cut: -[nsz] -b= -c= -d=~ -f= --bytes= --characters= --complement --delimiter=~ --fields= --only-delimited
      --output-delimiter=~
    date: -[uR] -I? -d=~ --utc --iso-8601? --rfc-3339= --date=~
    df: -[ahHiklmPT] --human-readable --inodes --local --output? --total
    diff: -[abBcdeEipqrNstTuwyn0123456789] -U= -C= -I=~ -x=~ -W= --unified? --context? --brief --normal --minimal --text
      --report-identical-files --recursive --new-file --ignore-case --ignore-all-space --ignore-space-change
      --ignore-blank-lines --side-by-side --color? --exclude=~ --strip-trailing-cr --width=
    dirname: -z
    du: -[abchklmsSx0D] -d= --all --apparent-size --bytes --human-readable --max-depth= --summarize --total
    expand unexpand: -[ai] -t= --all --initial --tabs=
    fd fdfind: -[HIuasipgF0] -e= -t= -d= -E=~ --hidden --no-ignore --unrestricted --type= --extension= --max-depth=
      --min-depth= --exact-depth= --exclude=~ --glob --regex --fixed-strings --absolute-path --full-path
      --case-sensitive --ignore-case --color=
    file: -[bihkLNnprs0] --brief --mime --mime-type --mime-encoding --dereference --no-dereference
    fold: -[bs] -w= --bytes --spaces --width=
    free: -[bghkmtw] --human --mega --giga --total
    grep egrep fgrep: -[abcEFGhHiIlLnopPqrRsTUvVwxyzZ0123456789] -A= -B= -C= -e=~ -f= -m= --after-context= --color?
      --before-context= --context= --count --exclude-dir=~ --exclude=~ --extended-regexp --files-with-matches
      --files-without-match --fixed-strings --ignore-case --include=~ --invert-match --line-number --max-count=
      --no-filename --only-matching --perl-regexp --quiet --recursive --regexp=~ --text --with-filename --word-regexp
    head tail: -[fFqvz0123456789] -c= -n= --bytes= --follow? --lines= --quiet --silent --verbose
    hexdump: -[bcCdovx] -n= -s=
    id: -[ugGnr] --group --groups --name --user
    locale: -[am]
    ls: -[aAbBcCdfFgGhHiklLmnNopqQrRsStuUvxXZ1] -I=~ --all --almost-all --classify? --color? --directory --full-time
      --group-directories-first --human-readable --ignore=~ --inode --recursive --reverse --size --sort= --time=
      --time-style=
    md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum: -[btz] --binary --tag --text
    nl: -p -b=~ -f=~ -h=~ -i= -n= -s=~ -v= -w= --body-numbering=~
    nproc: --all
    od: -[abcdfilosxv] -A= -j= -N= -t= -w?
    paste: -[sz] -d=~ --delimiters=~ --serial
    realpath readlink: -[efLmnPqsvz] --canonicalize --canonicalize-existing --canonicalize-missing --relative-base=
      --relative-to=
    rg: -[acFHiIlLnNopPqsSuUvwx0.] -A= -B= -C= -d= -e=~ -E= -f= -g=~ -j= -m= -M= -r=~ -t= -T= --after-context= --json
      --before-context= --color= --context= --count --count-matches --files --files-with-matches --files-without-match
      --fixed-strings --follow --glob=~ --heading --hidden --iglob=~ --ignore-case --line-number
      --max-count= --max-depth= --multiline --no-config --no-filename --no-heading --no-ignore --no-line-number --null
      --no-messages --only-matching --regexp=~ --smart-case --sort= --stats --type-list --type-not= --type=
      --vimgrep --word-regexp
    seq: -w -f=~ -s=~ --equal-width --format=~ --separator=~
    sleep:
    stat: -[ftL] -c=~ --dereference --file-system --format=~ --printf=~ --terse
    tr: -[cCdst] --complement --delete --squeeze-repeats --truncate-set1
    tree: -[adfixshpugDFqNQrtcUvnCAS] -L= -P=~ -I=~ --dirsfirst --noreport --gitignore --prune --filelimit= --du --si
      --inodes --sort= --filesfirst --matchdirs --ignore-case
    type: -[aftpP]
    uname: -[aimnoprsv] --all
    uniq: -[cdDuiz] -f= -s= -w= --all-repeated? --check-chars= --count --group? --ignore-case --repeated --skip-chars=
      --skip-fields= --unique
    wc: -[clLmw] --bytes --chars --lines --max-line-length --words
    which: -[as]
    sort: -[bcCdfghiMmnrRsuVz] -k= -o=> -S= -t=~ --check? --debug --field-separator=~ --human-numeric-sort --ignore-case
      --key= --merge --numeric-sort --output=> --parallel= --reverse --stable --unique --version-sort --zero-terminated
    """
)
"""Options with which a program is proved to only read, except for the options with a role."""
_LISTS_OF_RG = names("-g -t -T -u -. -0 -d --glob --iglob --type --type-not --hidden --no-ignore --unrestricted --null"
                     " --max-depth --sort --sortr --color --no-config --files")  # fmt: skip
"""Options with which `rg --files` prints names alone."""
_STARTING = frozenset(("timeout", "command"))
"""Programs that only start a further command, which the analysis finds as a command of the line."""
_WRITES_NOTHING = names("builtin getconf jq lsblk lsof nice numfmt pgrep printenv ps stdbuf strings tsort yes")
"""Further programs that write to the output alone; but what they start or print is not proved."""
_VERSIONS = frozenset(("gcc", "git", "make", "node", "python", "python3"))
_WITH_WRITING_OPTIONS = names("column date diff fd fdfind file find git rg sed sort tree uniq")
"""Programs for which a file that is named as an option and found by a wildcard may be harmful."""
_SED_PRINTS = re.compile(r"\d+(,(\d+|\$))?p(;\s*\d+(,(\d+|\$))?p)*")
_JQ_FILTER = re.compile(r"[.\w\s\[\]\"|,():=<>!@-]*", re.ASCII)
_JQ_REFUSED = re.compile(r"\b(import|include|env|input\w*|inputs|debug|stderr|\w*file\w*|modulemeta|getpath)\b|\$")
_JQ_OPTION = re.compile(r"-[rceSCMnsajR]+|--(raw-output|compact-output|exit-status|sort-keys|slurp|tab)")


_NOTHING = Reading()


def proof_of_reading(line: str, findings: Findings) -> Reading | None:
    """Return the proof that every command of the line only reads, or None. Pure.

    `findings` are the findings with the wildcards looked up on disk.
    """
    if findings.unproved or not findings.commands or any(name in line for name in _CONNECTIONS):
        return None
    if not _is_plain(parse(to_parse(line))):
        return None
    proof = _NOTHING
    for command in findings.commands:
        if (reading := _proof(command)) is None:
            return None
        proof = proof.joined(reading)
    return proof


def is_read_only(findings: Findings) -> bool:
    """Return whether every command of the line is known to write no file, and the list of commands is certain."""
    return not findings.unproved and all(map(only_reads, findings.commands))


def only_reads(command: FoundCommand) -> bool:
    """Return whether the command by itself is known to write no file; more than the command names may be printed."""
    if command.harmless:
        return True
    if command.argv is None:
        return False  # A redirection into a file, or a construct that only bash can evaluate.
    if command.argv[0] in _WRITES_NOTHING:
        return True
    if command.argv[0] in _WITH_WRITING_OPTIONS and any(word[0] in "*?[" for word in command.text.split()):
        return False
    return _proof(command) is not None


def _is_plain(root: Node) -> bool:
    """Return whether the tree holds only constructs whose effect the findings show."""
    stack = [root]
    while stack:
        node = stack.pop()
        if node.type == "&" or (node.is_named and node.type not in _NODES):
            return False
        if node.type == "simple_expansion" and source_of(node) not in _EXPANSIONS:
            return False
        if node.type == "variable_assignment" and not _ASSIGNMENT.fullmatch(source_of(node)):
            return False
        stack += node.children
    return True


def _proof(command: FoundCommand) -> Reading | None:
    if command.argv is None:
        is_test = command.harmless and command.text.startswith("[")
        return _NOTHING if is_test else None
    program, *arguments = command.argv
    if program in _BUILTINS:
        return _NOTHING if command.harmless else None
    own = Reading(frozenset((program,)))
    if program == "git":
        found = git_reading(arguments)
        return None if found is None else own.joined(found)
    if program in _STARTING or (program in _VERSIONS and arguments in (["--version"], ["-V"])):
        return own
    if (judge := _JUDGES.get(program)) is not None:
        return own if judge(arguments) else None
    if (table := PROVED.get(program)) is None:
        return None
    given = read_options([plain_word(word) for word in command.argv], table)
    if given.unknown or not all(option.option.role in ("", "~") for option in given.options):
        return None
    if program == "uniq" and len(given.operands) > 1:
        return None  # The second name is written.
    search = _SEARCHES.get(program)
    return own if search is None else own.joined(search(given))


def _date_shows(arguments: Sequence[str]) -> bool:
    given = read_options([plain_word(word) for word in ("date", *arguments)], PROVED["date"])
    return not given.unknown and all(arguments[at - 1].startswith("+") for at in given.operands)


def _grep(given: GivenOptions) -> Reading:
    if given.named("-r", "-R", "--recursive") is None:
        return _NOTHING
    return _below(given, given.named("-R"))


def _rg(given: GivenOptions) -> Reading:
    if given.named("--files") is not None and all(option.name in _LISTS_OF_RG for option in given.options):
        return _NOTHING
    return _below(given, given.named("-L", "--follow"))


def _below(given: GivenOptions, follow: GivenOption | None) -> Reading:
    """Return the proof for a search below the operands behind the pattern, or below the shell's directory."""
    patterns = 0 if given.named("-e", "--regexp", "-f") is not None else 1
    return Reading(frozenset(), True, len(given.operands) <= patterns, follow is not None)


def _sed_prints(arguments: Sequence[str]) -> bool:
    if len(arguments) < 2 or arguments[0] != "-n" or _SED_PRINTS.fullmatch(arguments[1]) is None:
        return False
    return not any(word.startswith("-") for word in arguments[2:])


def _jq_reads(arguments: Sequence[str]) -> bool:
    rest = list(arguments)
    while rest and _JQ_OPTION.fullmatch(rest[0]):
        del rest[0]
    if not rest or rest[0].startswith("-") or any(word.startswith("-") for word in rest[1:]):
        return False
    return _JQ_FILTER.fullmatch(rest[0]) is not None and not _JQ_REFUSED.search(rest[0])


_JUDGES: dict[str, Callable[[Sequence[str]], bool]] = {
    "date": _date_shows,
    "find": only_finds,
    "hostname": lambda arguments: not arguments,
    "jq": _jq_reads,
    "sed": _sed_prints,
}
_SEARCHES: dict[str, Callable[[GivenOptions], Reading]] = {
    "diff": lambda _given: Reading(prints_below=True, follows_links=True),
    **dict.fromkeys(("grep", "egrep", "fgrep"), _grep),
    "rg": _rg,
}
