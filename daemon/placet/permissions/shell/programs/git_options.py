"""Commands and options of git: which only read, and which start no program and write no file elsewhere.

Read from git's own list (`git COMMAND --git-completion-helper-all`, git 2.39) and from the manual pages of git 2.48.
"""

from collections.abc import Sequence

from placet.permissions.shell.programs.option_tables import OptionTable, option_table, option_tables

_WITHOUT_CONTENTS = """
    -[0123456789is] -n= --abbrev-commit --abbrev? --after=~ --all --author=~ --before=~ --branches? --color? --date=
    --date-order --decorate? --diff-filter= --first-parent --follow --format?~ --graph --grep=~ --left-right
    --max-count= --merges --name-only --name-status --no-color --no-decorate --no-merges --no-patch --no-renames
    --numstat --oneline --pretty? --remotes? --reverse --shortstat --since=~ --skip= --stat? --summary --tags?
    --topo-order --until=~
"""
_WITH_CONTENTS = """
    -[abcmpRWw] -u -C? -G=~ -L=~ -M? -S=~ -U? --binary --cached --cc --check --color-words? --exit-code --full-index
    --function-context --histogram --ignore-all-space --ignore-blank-lines --ignore-space-change --merge-base --minimal
    --no-prefix --patch --patience --quiet --relative? --root --staged --text --unified? --word-diff?
"""
READING = option_tables(
    f"""
    annotate blame: -[bcefklnpstw] -C? -L= -M? --abbrev? --date= --porcelain --line-porcelain --root --show-email
      --show-name --show-number
    branch: -[ailrv] --all --color? --column? --contains= --format?~ --ignore-case --list --merged? --no-color
      --no-column --no-contains= --no-merged? --points-at= --remotes --show-current --sort= --verbose
    cat-file: -[epst]
    check-attr: -a --all
    check-ignore: -[nqv] --no-index --non-matching --quiet --verbose
    cherry: -v --verbose
    count-objects: -[vH] --human-readable --verbose
    describe: --abbrev? --all --always --candidates= --contains --dirty? --exact-match --exclude=~ --first-parent --long
      --match=~ --tags
    diff diff-files diff-index diff-tree log range-diff show whatchanged: {_WITHOUT_CONTENTS} {_WITH_CONTENTS}
    for-each-ref: --contains= --count= --format?~ --ignore-case --merged= --no-contains= --no-merged= --points-at=
      --sort=
    grep: -[acEFGhHiIlLnPpqvwWz] -A= -B= -C= -e=~ --after-context= --all-match --and --before-context= --break --cached
      --column --color? --context= --count --extended-regexp --files-with-matches --files-without-match --fixed-strings
      --full-name --function-context --heading --ignore-case --invert-match --line-number --max-depth= --name-only
      --no-color --not --null --only-matching --or --perl-regexp --quiet --show-function --text --word-regexp
    ls-files: -[cdikmostuvz] -x=~ --cached --deduplicate --deleted --error-unmatch --exclude=~ --exclude-standard
      --full-name --ignored --killed --modified --others --stage --unmerged
    ls-tree: -[dlrtz] --abbrev? --full-name --full-tree --long --name-only --name-status
    merge-base: -a --all --fork-point --independent --is-ancestor --octopus
    name-rev: --all --always --name-only --refs= --tags
    reflog: -[0123456789] -n= --all --date=
    remote: -v --verbose
    rev-list: {_WITHOUT_CONTENTS} --count --left-only --right-only --objects
    rev-parse: -q --abbrev-ref? --absolute-git-dir --all --branches? --git-common-dir --git-dir --git-path=
      --is-bare-repository --is-inside-git-dir --is-inside-work-tree --quiet --remotes? --short? --show-cdup
      --show-prefix --show-superproject-working-tree --show-toplevel --symbolic --symbolic-full-name --tags? --verify
    shortlog: -[censw] --all --email --no-merges --numbered --since=~ --summary --until=~
    show-ref: -[dhqs] --abbrev? --dereference --hash? --head --heads --tags --verify
    stash: {_WITHOUT_CONTENTS} {_WITH_CONTENTS}
    status: -[bsz] -u? --ahead-behind --branch --column? --ignored? --long --no-ahead-behind --no-renames --porcelain?
      --short --show-stash --untracked-files?
    tag: -[il] -n? --column? --contains= --format?~ --ignore-case --list --merged? --no-contains= --no-merged?
      --points-at= --sort=
    version: --build-options
    worktree: -[vz] --porcelain --verbose
    """,
) | option_tables(
    """
    config: -[lz] -f= --list --get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool --name-only --null
      --show-origin --show-scope --includes --no-includes --global --system --local --worktree --type= --bool --int
      --bool-or-int --bool-or-str --path --expiry-date --fixed-value --default= --file= --blob=
    """,
    ends_at_operand=True,
)
"""Options with which a command is proved to only read, if the operands do not say otherwise."""
SHOWING = frozenset(option_table(_WITH_CONTENTS).options)
"""Options with which `log` and `stash` print contents."""
_CHANGING = option_tables(
    """
    add stage: -[AfnNpuv] --all --chmod= --dry-run --force --ignore-errors --intent-to-add --patch --renormalize
      --update --verbose
    am: -[3ks] --3way --abort --continue --keep-cr --quit --signoff --skip
    apply: -[3Rv] -p= --3way --cached --check --ignore-whitespace --index --numstat --recount --reject --reverse --stat
      --summary --verbose --whitespace=
    archive: -[lv] --format? --list --prefix? --verbose
    bisect: --no-checkout
    branch: -[cCdDfmMq] -t? -u= --copy --delete --edit-description --force --move --no-track --quiet
      --set-upstream-to= --unset-upstream
    checkout: -[dflmpq] -b= -B= -t? --conflict= --detach --force --guess --merge --no-guess --no-track --orphan= --ours
      --patch --quiet --theirs
    cherry-pick revert: -[enx] -s -m= --abort --allow-empty --continue --edit --mainline= --no-commit --no-edit --quit
      --signoff --skip
    clean: -[dfnqxX] -e=~ --dry-run --exclude=~ --force --quiet
    clone: -[lnqsv] -b= -j= -o= --bare --branch= --depth= --filter= --jobs= --mirror --no-checkout --no-single-branch
      --no-tags --origin= --progress --quiet --recurse-submodules? --shallow-since= --shallow-submodules --single-branch
      --sparse --verbose
    commit: -[aeinopqsvz] -c= -C= -F= -m=~ -t= -u? --all --allow-empty --allow-empty-message --amend --author=~
      --date=~ --dry-run --edit --file= --fixup= --message=~ --no-edit --no-gpg-sign --no-verify --only --patch
      --porcelain --quiet --reset-author --short --signoff --squash= --trailer=~ --verbose
    fetch: -[46afkmnpPqtuv] -j= --all --deepen= --depth= --dry-run --force --jobs= --multiple --no-recurse-submodules
      --no-tags --progress --prune --prune-tags --quiet --recurse-submodules? --shallow-since= --tags --unshallow
      --verbose
    fsck: -v --full --lost-found --no-dangling --strict --unreachable --verbose
    gc: -q --aggressive --auto --prune? --quiet
    hash-object: -w -t= --stdin
    init: -q -b= --bare --initial-branch= --quiet --shared?
    ls-remote: -[hqt] --exit-code --get-url --heads --quiet --refs --symref --tags
    merge: -[enqv] -m=~ -X= --abort --allow-unrelated-histories --commit --continue --edit --ff --ff-only --message=~
      --no-commit --no-edit --no-ff --no-stat --no-verify --quiet --quit --signoff --squash --stat --strategy-option=
    mv: -[fknv] --dry-run --force --verbose
    pull: -[46afknpqtv] -r? --all --allow-unrelated-histories --autostash --depth= --ff --ff-only --force --no-autostash
      --no-edit --no-ff --no-rebase --no-tags --prune --quiet --rebase? --recurse-submodules? --squash --tags
      --unshallow --verbose
    push: -[46dfnquv] -o= --all --atomic --delete --dry-run --follow-tags --force --force-if-includes
      --force-with-lease? --mirror --no-verify --porcelain --progress --prune --push-option= --quiet --set-upstream
      --tags --verbose
    rebase: -[fkmnqv] -r? --abort --autosquash --autostash --continue --empty= --force-rebase --keep-base --keep-empty
      --merge --no-autosquash --no-autostash --no-ff --no-verify --onto= --quiet --quit --rebase-merges? --root
      --signoff --skip --update-refs
    reset: -[Npq] --hard --keep --merge --mixed --patch --quiet --soft
    restore: -[23mpqSW] -s= --merge --ours --patch --quiet --source= --staged --theirs --worktree
    rm: -[fnqr] --cached --dry-run --force --ignore-unmatch --quiet
    sparse-checkout: --cone --no-cone --skip-checks
    stash: -[aknpqSu] -m=~ --all --include-untracked --index --keep-index --message=~ --no-keep-index --patch --quiet
      --staged
    submodule: -[fq] -b= --depth= --force --init --quiet --recursive --remote
    switch: -[dfmq] -c= -C= -t? --create= --detach --discard-changes --force --force-create= --guess --merge --no-guess
      --no-track --orphan= --quiet
    symbolic-ref: -[dq] --delete --quiet --short
    tag: -[adfs] -F= -m=~ --annotate --delete --file= --force --message=~ --no-sign
    update-index: -q --add --assume-unchanged --chmod= --no-assume-unchanged --no-skip-worktree --really-refresh
      --refresh --remove --skip-worktree
    update-ref: -d --create-reflog --no-deref
    worktree: -[dfn] -b= -B= --checkout --detach --dry-run --expire= --force --lock --no-checkout
    remote: -[fp] -m= -t= --add --all --delete --no-tags --prune --push --tags
    """
)
"""Further options with which a command starts no program, and writes in the repository and its files alone."""
_NONE = OptionTable()
BELIEVED = READING | {
    name: OptionTable({**READING.get(name, _NONE).options, **table.options}) for name, table in _CHANGING.items()
}
"""Commands of git itself with their believed options; any other command may be an alias, or run another program."""
_GLOBAL_VALUED = frozenset(("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"))


def git_words(argv: Sequence[str]) -> list[str]:
    """Return the subcommand of git with the arguments, without the options before; nothing for another program."""
    words = list(argv[1:]) if argv[0].rpartition("/")[2] in ("git", "git.exe") else []
    while words and words[0].startswith("-"):
        del words[: 2 if words[0] in _GLOBAL_VALUED else 1]
    return words
