"""Spellings of a command: whether a rule that asks or denies means a command that is written in another way.

`git -C sub push`, `git push --force origin` and `rm -r -f x` are commands that `git push *`, `git push -f *` and
`rm -rf *` mean. The rule's pattern is read as a command: its words stand in their order, its options stand anywhere and
in any spelling, and the command may have further options. Whether an unknown option takes a value is not known, so the
word behind the option may belong to the option or not. A rule that allows is compared with the command as written.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from placet.permissions.patterns import matches


def _lines(text: str) -> dict[str, str]:
    """Return the entries of a table: a name before a colon begins an entry, and a line further in goes on with it."""
    entries = re.sub(r"\n {6}", " ", text).strip().splitlines()
    return {name.strip(): groups for name, _, groups in (entry.partition(": ") for entry in entries)}


_OPTIONS = _lines(
    """
    rm: r R recursive | f force | i interactive | d dir | v verbose
    git: h help | p paginate | P no-pager | f force | n dry-run | q quiet | v verbose
    git add: A all no-ignore-removal | u update | f force | p patch | i interactive | e edit | N intent-to-add | n
      dry-run
    git am: 3 3way | s signoff | i interactive | r resolved continue
    git branch: d delete | D delete force d f | m move | M move force m f | c copy | C copy force c f | f force | u=
      set-upstream-to | r remotes | a all | l list | t track
    git checkout: f force | b= | B= b force | t track | d detach | p patch | m merge | q quiet
    git cherry-pick: n no-commit | e edit | x | s signoff | m= mainline
    git clean: d | f force | x | X | n dry-run | i interactive | e= exclude | q quiet
    git clone: b= branch | o= origin | l local | s shared | n no-checkout | u= upload-pack | c= config
    git commit: a all | m= message | n no-verify | p patch | e edit | s signoff | F= file | C= reuse-message | c=
      reedit-message | S gpg-sign | o only | i include | t= template | q quiet | v verbose | z null | u
      untracked-files
    git config: e edit | l list | z null | f= file
    git fetch: f force | p prune | P prune-tags | t tags | a append | k keep | u update-head-ok | j= jobs | n
      no-tags
    git merge: m= message | n no-stat | s= strategy | X= strategy-option | S gpg-sign | e edit | F= file
    git pull: r rebase | f force | p prune | t tags | s= strategy | X= strategy-option | n no-stat
    git push: f force | d delete | n dry-run | u set-upstream | o= push-option | q quiet
    git rebase: i interactive | f force-rebase no-ff | x= exec | s= strategy | X= strategy-option | m merge | r
      rebase-merges
    git reset: p patch | N intent-to-add | q quiet
    git restore: s= source | S staged | W worktree | p patch | 2 ours | 3 theirs | m merge | q quiet
    git rm: r recursive | f force | n dry-run | q quiet
    git stash: u include-untracked | a all | k keep-index | p patch | m= message | S staged | q quiet
    git switch: c= create | C= force-create create c | f force discard-changes | d detach | t track | m merge
    git tag: d delete | f force | a annotate | s sign | m= message | l list | F= file | u= local-user | v verify | n
    git worktree: f force | b= | B= | d detach
    cargo: q quiet | v verbose | p= package | j= jobs | r release | F= features | Z= | C=
    npm: g global | D save-dev | f force | S save | s silent quiet | w= workspace | y yes | E save-exact | O
      save-optional | P save-prod | B save-bundle | l long | C= prefix
    pnpm: g global | D save-dev | r recursive | C= dir | w workspace-root | F= filter | P prod | O save-optional | E
      save-exact
    yarn: D dev | s silent | E exact | O optional | P peer | W ignore-workspace-root-check
    bun: g global | d dev | f force | E exact | c= config
    make: B always-make | f= file makefile | j jobs | k keep-going | n dry-run just-print recon | C= directory | s
      silent quiet | i ignore-errors | e environment-overrides | t touch | q question | o= old-file | W= what-if |
      I= include-dir | l load-average
    docker: f force | v volumes volume | a all | d detach | i interactive | t tty tag | p publish project-name | e
      env | H= host | u user | w workdir | P publish-all | l link latest | q quiet | s size | c context
    kubectl: n= namespace | f= filename | l= selector | A all-namespaces | o= output | c= container | R recursive |
      k kustomize | i stdin | t tty | s= server | w watch | L= label-columns | p previous
    gh: R= repo | f field raw-field | F field | d delete-branch draft | s squash | m merge message | r rebase | y
      yes confirm | b= body | t= title | B= base | H= head | X= method | w web | a admin assignee | c comment clone
    pip: r= requirement | U upgrade | e= editable | t= target | i= index-url | c= constraint | y yes | q quiet | v
      verbose | f= find-links | I ignore-installed
    uv: r= requirement requirements | U upgrade | e= editable | p= python | i= index-url | c= constraint | q quiet |
      v verbose | n no-cache | y yes | P= upgrade-package
    """
)
"""Options with the same meaning, by the program or the program with its subcommand; `=` behind a letter: the letter
takes a value. A group means each of its names: `-D` of `git branch` is `--delete --force`."""
_COMMANDS = _lines(
    """
    git: add stage | annotate blame | remove rm
    cargo: build b | check c | doc d | run r | test t | remove rm | generate-lockfile
    npm: access | adduser add-user | audit | author owner | bugs issues | cache | ci clean-install ic install-clean
      isntall-clean | completion | config c | dedupe ddp | deprecate | diff | dist-tag dist-tags | docs home |
      doctor | edit | exec x | explain why | explore | find-dupes | fund | get | help | help-search | hook | init
      create innit | install i in ins inst insta instal isnt isnta isntal isntall add | install-ci-test cit sit
      clean-install-test | install-test it | link ln | ll la | login | logout | ls list | org ogr | outdated | pack
      | ping | pkg | prefix | profile | prune | publish | query | rebuild rb | repo | restart | root | run-script
      run rum urn | sbom | search find s se | set | shrinkwrap | star | stars | start | stop | team | test t tst |
      token | trust | undeprecate | uninstall un unlink remove rm r | unpublish | unstar | update up upgrade udpate
      | version verison | view info show v | whoami
    pnpm: install i | add | remove rm uninstall un | update up upgrade | run run-script | test t tst | exec | list
      ls | dlx
    yarn: add | remove | upgrade up | global | install
    bun: install i | add a | remove rm | update | run | exec
    docker: rmi | ps list ls
    kubectl: pods pod po | deployments deployment deploy | services service svc | namespaces namespace ns | nodes
      node no | configmaps configmap cm | statefulsets statefulset sts | daemonsets daemonset ds | ingresses ingress
      ing | jobs job | cronjobs cronjob cj | secrets secret | replicasets replicaset rs | persistentvolumeclaims
      persistentvolumeclaim pvc | persistentvolumes persistentvolume pv | serviceaccounts serviceaccount sa |
      customresourcedefinitions crd crds
    gh: create new | list ls | delete remove
    pip: uninstall
    uv: remove | add
    """
)
"""Words with the same meaning among the words of a command that are no options."""
_IMPLICIT = {"docker": ("container", "image"), "yarn": ("run",), "bun": ("run",), "pnpm": ("run",)}
"""Words that a command of the program may have or lack: `docker container rm x` is `docker rm x`."""
_TOGETHER = {"git branch": {"D": ("delete", "force"), "M": ("move", "force"), "C": ("copy", "force")}}
"""Options that other options mean together: `git branch -d -f` is `git branch -D`."""
_SHORT_FOR = {("image", "rm"): "rmi", ("image", "remove"): "rmi", ("image", "ls"): "images"}
"""Pairs of words of docker that another command is short for."""
_SAME = {"gmake": "make", "pip3": "pip", "tofu": "terraform", "podman": "docker", "pnpx": "npx", "uv-pip": "pip"}
"""Programs with the options of another program."""
_OF_EQUAL_OPERANDS = frozenset(("make", "rm"))
"""Programs that treat each operand alike, so an operand may stand before the operand that a rule names."""
_SHORTENING = frozenset(("npm",))
"""Programs that take the beginning of a command for the command."""
_VERSION = re.compile(r"(?<=[a-z])[\d.]+$")
_SUFFIX = re.compile(r"\.(exe|cmd|bat|ps1)$|(?<=.)@.*", re.IGNORECASE)
"""End of a program's name: of a file of Windows, or the version of a package that npx runs."""
_SHORTEST_ABBREVIATION = 2
_WITHIN_A_WORD = re.compile(r"(?<=[^\s*])\*+(?=[^\s*])")
"""Wildcard in a word of a pattern, which may also stand for the end of a word and further words."""
_MODULE = re.compile(r"-[bBdEhiIOPqsSuvx]*m(.*)")
_LETTERS = re.compile(r"[A-Za-z0-9]+")


@dataclass(frozen=True, slots=True)
class _Option:
    names: frozenset[str]
    """Names without dashes."""
    values: tuple[str, ...] = ()
    """Words that may be the value."""


@dataclass(frozen=True, slots=True)
class _Operand:
    names: frozenset[str]
    is_optional: bool = False
    """The word may belong to the option before, or may be left out."""


@dataclass(frozen=True, slots=True)
class _Command:
    operands: tuple[_Operand, ...]
    """The program and the words that are no options."""
    options: tuple[_Option, ...]


@dataclass(frozen=True, slots=True)
class _Part:
    """Part of a rule's pattern that is no option."""

    pattern: str
    """Pattern for a single word; empty for any number of words."""
    is_optional: bool = False


def means(pattern: str, words: Sequence[str]) -> bool:
    """Return whether the pattern of a rule means the command in any spelling of the command."""
    return _means(pattern, tuple(words))


def by_program(reasons: Mapping[str, str]) -> Mapping[str, Sequence[tuple[str, str]]]:
    """Return patterns with their reasons, by the program; the patterns of a reason stand in lines, and between `|`."""
    table: dict[str, list[tuple[str, str]]] = {}
    for reason, text in reasons.items():
        for pattern in filter(None, map(str.strip, text.replace("\n", "|").split("|"))):
            table.setdefault(pattern.partition(" ")[0], []).append((pattern, reason))
    return table


def reason_for(words: Sequence[str], table: Mapping[str, Sequence[tuple[str, str]]]) -> str:
    """Return the reason of the first pattern that means the command, or ""."""
    program = _SUFFIX.sub("", words[0].rpartition("/")[2])
    return next((reason for pattern, reason in table.get(program, ()) if means(pattern, words)), "")


@lru_cache(maxsize=1024)
def _means(pattern: str, words: tuple[str, ...]) -> bool:
    command = _read(words)
    patterns = dict.fromkeys((pattern, _WITHIN_A_WORD.sub("* *", pattern)))
    return any(_fits(wanted, command) for written in patterns for wanted in _readings(tuple(written.split())))


# ------------------------------------------------------------ the command


@lru_cache(maxsize=64)
def _read(words: tuple[str, ...]) -> _Command:
    """Return the command's operands and options."""
    program, *rest = _with_plain_program(words)
    kind = _kind(program)
    operands = [_Operand(frozenset((program,)))]
    options: list[_Option] = []
    implicit = _IMPLICIT.get(kind, ())
    operands += [_Operand(frozenset((word,)), is_optional=True) for word in implicit]
    groups = _groups_of(kind, rest)
    after_option, is_first = False, True
    for index, word in enumerate(rest):
        if word.startswith("-") and word != "-":
            value = rest[index + 1] if index + 1 < len(rest) else ""
            options += _options(groups, word, value)
            _, equals, glued = word.partition("=")
            operands += [_Operand(frozenset((glued,)), is_optional=True)] if equals else []
            after_option = not equals and word != "--"
            continue
        is_toolchain = kind == "cargo" and word.startswith("+")
        is_optional = after_option or is_toolchain or word in implicit or kind in _OF_EQUAL_OPERANDS
        operands.append(_Operand(_names_of(kind, word, is_first=is_first), is_optional))
        options += _implied(kind, rest, word) if word[:1] in ("+", ":") else ()
        after_option, is_first = False, is_first and is_optional
    given = frozenset(name for option in options for name in option.names)
    for word in dict.fromkeys(rest):
        together = _TOGETHER.get(f"{kind} {word}", {})
        options += [_Option(frozenset((name,))) for name, parts in together.items() if given.issuperset(parts)]
    return _Command(tuple(operands), tuple(dict.fromkeys(options)))


def _with_plain_program(words: Sequence[str]) -> list[str]:
    """Return the words with the program's name alone: without a directory, a version or a launcher of its own."""
    name = _SUFFIX.sub("", words[0].replace("\\", "/").rpartition("/")[2]) if words else ""
    rest = list(words[1:])
    if name == "py" or name.startswith(("python", "pypy")):
        module = _module(rest)
        return _with_plain_program(module) if module[:1] in (["pip"], ["uv"]) else [name, *rest]
    if name.startswith("git-") and name != "git-":
        return ["git", name.removeprefix("git-"), *rest]
    if name in ("docker-compose", "podman-compose"):
        return [name.partition("-")[0], "compose", *rest]
    plain = _VERSION.sub("", name)
    if _kind(plain) not in _OPTIONS:
        return [name, *rest]
    pair = next((at for at in range(len(rest) - 1) if tuple(rest[at : at + 2]) in _SHORT_FOR), None)
    if _kind(plain) == "docker" and pair is not None:
        rest[pair : pair + 2] = [_SHORT_FOR[rest[pair], rest[pair + 1]]]
    return [plain, *rest]


def _module(arguments: Sequence[str]) -> list[str]:
    """Return the module that Python runs, with its arguments; nothing for a script or code."""
    for at, argument in enumerate(arguments):
        if (option := _MODULE.fullmatch(argument)) is not None:
            return [option[1], *arguments[at + 1 :]] if option[1] else list(arguments[at + 1 :])
        if not argument.startswith("-") and arguments[at - 1 : at] not in (["-W"], ["-X"]):
            return []
    return []


def _kind(program: str) -> str:
    return _SAME.get(program, program)


def _names_of(kind: str, word: str, *, is_first: bool) -> frozenset[str]:
    """Return the word with the words of the same meaning."""
    groups = _groups(_COMMANDS.get(kind, ""))
    plain = word.partition("/")[0] if kind == "kubectl" else word
    names = {word, plain, *groups.get(plain, ())}
    if "/" in word:
        names.add(posixpath.normpath(word))
    if kind == "git":  # `git push origin HEAD:refs/heads/main` changes main.
        names.add(word.lstrip("+").rpartition(":")[2].removeprefix("refs/heads/"))
    if is_first and kind in _SHORTENING and plain not in groups:
        names |= {name for known, group in groups.items() if known.startswith(plain) for name in group}
    return frozenset(names)


def _options(groups: Mapping[str, frozenset[str]], word: str, following: str) -> Iterator[_Option]:
    """Yield the options in a word: a long option, a long option behind a single dash, and a cluster of letters."""
    written, equals, glued = word.partition("=")
    long = written.lstrip("-")
    if not long:
        return
    value = (glued,) if equals else (following,)
    meant = [name for name in groups if name.startswith(long) and len(long) >= _SHORTEST_ABBREVIATION]
    yield _Option(frozenset((long, *(other for name in (long, *meant) for other in groups.get(name, ())))), value)
    if written.startswith("--"):
        return
    letters = _LETTERS.match(long)
    for letter in dict.fromkeys(letters[0] if letters else ""):
        position = long.index(letter)
        own = word[position + 2 :].removeprefix("=")
        yield _Option(frozenset((letter, *groups.get(letter, ()))), (own, following))
        if f"{letter}=" in groups:
            return


def _groups_of(kind: str, rest: Sequence[str]) -> Mapping[str, frozenset[str]]:
    """Return the options of the first known subcommand among the words, or the options of the program."""
    same = _groups(_COMMANDS.get(kind, ""))
    names = (f"{kind} {name}" for word in rest for name in (word, *sorted(same.get(word, ()))))
    return _groups(next((_OPTIONS[name] for name in names if name in _OPTIONS), _OPTIONS.get(kind, "")))


@cache
def _groups(text: str) -> dict[str, frozenset[str]]:
    """Return the names of the same meaning for each name; `x=` is a key of its own for a letter with a value."""
    groups: dict[str, frozenset[str]] = {}
    for group in text.split("|"):
        written = group.split()
        names = frozenset(name.rstrip("=") for name in written)
        for position, name in enumerate(written):
            if position and len(written[0].rstrip("=")) == 1 and name in groups:
                continue  # A letter for several options is no name of each of them.
            groups[name.rstrip("=")] = names
            if name.endswith("="):
                groups[name] = names
    return groups


def _implied(kind: str, rest: Sequence[str], word: str) -> Iterator[_Option]:
    """Yield the options that an operand stands for: `git push origin +main` is forced, and `:main` deletes."""
    if kind == "git" and "push" in rest:
        if word.startswith("+"):
            yield _Option(frozenset(("f", "force")))
        if word.startswith((":", "+:")):
            yield _Option(frozenset(("d", "delete")))


# ------------------------------------------------------------ the pattern


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Reading of a rule's pattern as a command."""

    parts: tuple[_Part, ...]
    options: tuple[tuple[str, ...], ...]
    """Options that the command must have: for each the names, of which one is enough."""
    values: tuple[tuple[int, str], ...]
    """Words behind an option: the index of the option, and the pattern of the word."""


@lru_cache(maxsize=512)
def _readings(words: tuple[str, ...]) -> tuple[_Wanted, ...]:
    """Return the readings of a pattern: the letters behind a single dash may be a cluster, or a long name."""
    words = tuple(_with_plain_program(words)) if words and not set("*?") & set(words[0]) else words
    return tuple(dict.fromkeys(_reading(words, as_cluster=as_cluster) for as_cluster in (True, False)))


def _reading(words: Sequence[str], *, as_cluster: bool) -> _Wanted:
    parts: list[_Part] = []
    options: list[tuple[str, ...]] = []
    values: list[tuple[int, str]] = []
    for position, word in enumerate(words):
        text = word.lstrip("*")
        is_option = text.startswith("-") and text.strip("-*") != ""
        if word != text or not text:
            parts.append(_Part(""))
        if is_option:
            name, equals, value = text.partition("=")
            options += _wanted_options(name, as_cluster=as_cluster)
            values += [(len(options) - 1, value)] if equals else []
        elif text and text != "--":
            is_value = position > 0 and words[position - 1].lstrip("*").startswith("-") and set(text) != {"*"}
            values += [(len(options) - 1, text)] if is_value and options else []
            parts.append(_Part(word, is_optional=False))
        if text.endswith("*"):
            parts.append(_Part(""))
    return _Wanted(tuple(parts), tuple(options), tuple(values))


def _wanted_options(name: str, *, as_cluster: bool) -> list[tuple[str, ...]]:
    plain = name.lstrip("-")
    letters = plain.rstrip("*")
    if name.startswith("--") or not as_cluster or not _LETTERS.fullmatch(letters):
        return [(plain,)]
    return [(letter,) for letter in letters]


def _fits(wanted: _Wanted, command: _Command) -> bool:
    found = [[option for option in command.options if _is_named(option, names)] for names in wanted.options]
    if not all(found):
        return False
    left = list(wanted.parts)
    for index, text in wanted.values:
        has_value = any(value and matches(text, value) for option in found[index] for value in option.values)
        places = [at for at, part in enumerate(left) if part.pattern == text]
        if has_value and places:
            left[places[0]] = _Part(text, is_optional=True)
        elif not has_value and not places:
            return False  # The value stands behind a `=`.
    return _in_order(tuple(left), command.operands)


def _is_named(option: _Option, names: Sequence[str]) -> bool:
    for name in names:
        for given in option.names:
            is_abbreviation = len(given) >= _SHORTEST_ABBREVIATION and name.rstrip("*").startswith(given)
            if is_abbreviation or matches(name, given):
                return True
    return False


def _in_order(parts: tuple[_Part, ...], operands: tuple[_Operand, ...]) -> bool:
    """Return whether the parts are the operands in their order; takes time by the product of both lengths."""
    ends = {0}
    """Numbers of parts that the operands so far can be."""
    ends = _passed(ends, parts)
    for operand in operands:
        following = set(ends) if operand.is_optional else set[int]()
        for at in ends:
            if at == len(parts):
                continue
            part = parts[at]
            if not part.pattern:
                following.add(at)
            elif any(matches(part.pattern, name) for name in operand.names):
                following.add(at + 1)
        ends = _passed(following, parts)
        if not ends:
            return False
    return len(parts) in ends


def _passed(ends: set[int], parts: tuple[_Part, ...]) -> set[int]:
    """Return the numbers with those behind parts that need no word."""
    reached = set(ends)
    for at in range(len(parts)):
        if at in reached and (not parts[at].pattern or parts[at].is_optional):
            reached.add(at + 1)
    return reached
