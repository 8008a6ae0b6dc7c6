"""Commands and options of git: which only read, which start no program and write no file elsewhere, and which may.

Read from git's own list (`git COMMAND --git-completion-helper-all`, git 2.39) and from the manual pages of git 2.48:
git-rev-list(1), git-rev-parse(1), git-diff(1) and the commands that inspection knows.
"""

from collections.abc import Sequence

from placet.permissions.shell.inspection import names
from placet.permissions.shell.programs.option_tables import option_table, option_tables

_WITHOUT_CONTENTS = """
    -[0123456789is] -n= --abbrev-commit --abbrev? --after=~ --all --author=~ --before=~ --branches? --color? --date=
    --date-order --decorate? --diff-filter= --first-parent --follow --format=~ --graph --grep=~ --left-right
    --max-count= --merges --name-only --name-status --no-color --no-decorate --no-merges --no-patch --no-renames
    --numstat --oneline --pretty? --remotes? --reverse --shortstat --since=~ --skip= --stat? --summary --tags?
    --topo-order --until=~
"""
_WITH_CONTENTS = """
    -[abcmpRWw] -u -C? -G=~ -L=~ -M? -S=~ -U= --binary --cached --cc --check --color-words? --exit-code --full-index
    --function-context --histogram --ignore-all-space --ignore-blank-lines --ignore-space-change --merge-base --minimal
    --no-prefix --patch --patience --quiet --relative? --root --staged --text --unified= --word-diff?
"""
READING = option_tables(
    f"""
    annotate blame: -[bcefklnpstw] -C? -L= -M? --abbrev= --date= --porcelain --line-porcelain --root --show-email
      --show-name --show-number
    branch: -[ailrv] --all --color? --column? --contains= --format=~ --ignore-case --list --merged? --no-color
      --no-column --no-contains= --no-merged? --points-at= --remotes --show-current --sort= --verbose
    cat-file: -[epst]
    check-attr: -a --all
    check-ignore: -[nqv] --no-index --non-matching --quiet --verbose
    cherry: -v --verbose
    count-objects: -[vH] --human-readable --verbose
    describe: --abbrev= --all --always --candidates= --contains --dirty? --exact-match --exclude=~ --first-parent --long
      --match=~ --tags
    diff diff-files diff-index diff-tree log range-diff show whatchanged: {_WITHOUT_CONTENTS} {_WITH_CONTENTS}
    for-each-ref: --contains= --count= --format=~ --ignore-case --merged= --no-contains= --no-merged= --points-at=
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
    tag: -[il] -n? --column? --contains= --format=~ --ignore-case --list --merged? --no-contains= --no-merged?
      --points-at= --sort=
    version: --build-options
    worktree: -[vz] --porcelain --verbose
    """,
    is_whole=False,
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
COMMANDS = frozenset(READING) | names("""
    add am apply archive bisect bundle check-mailmap check-ref-format checkout checkout-index cherry-pick clean clone
    column commit commit-graph commit-tree fast-export fetch fmt-merge-msg format-patch fsck gc hash-object help
    index-pack init interpret-trailers ls-remote mailinfo merge merge-file merge-tree mktag mktree mv notes pack-objects
    pack-refs patch-id prune pull push read-tree rebase repack rerere reset restore revert rm show-branch
    sparse-checkout stage stripspace submodule switch symbolic-ref unpack-file update-index update-ref var verify-commit
    verify-pack verify-tag write-tree
""")
"""Commands of git itself; any other may be an alias, or run another program."""
HARMLESS = names("""
    3way abort add add-file add-header add-virtual-file again aggressive all-progress all-progress-implied
    allow-binary-replacement allow-empty allow-empty-message allow-overlap allow-unknown-type allow-unrelated-histories
    also-filter-submodules alternate-refs amend ancestry-path anchored annotate annotate-stdin anonymize append apply
    assume-unchanged atomic attach attr-source author-date-order auto auto-gc auto-maintenance autosquash autostash bad
    bare base basic-regexp batch batch-all-objects batch-check batch-command bisect bisect-vars blob bool-or-int
    bool-or-str boundary break-rewrites broken buffer cache cacheinfo changed-paths checkout cherry cherry-mark
    cherry-pick children chmod cleanup clear-decorations clear-resolve-undo color-by-age color-lines color-moved
    color-moved-ws combined-all-paths comment-lines commit committer committer-date-is-author-date compact-summary
    compression cone conflict connectivity-only continue copy cover-from-description cover-letter create create-reflog
    creation-factor cruft cruft-expiration cumulative current dangling data dd debug debug-unpack decorate-refs
    decorate-refs-exclude deepen default delete delta-base-offset delta-islands dense depth deref detach diff-algorithm
    diff-merges diff3 dirstat dirstat-by-file disambiguate discard-changes disk-usage dissociate divider do-walk dry-run
    dst-prefix dual-color edit edit-description edit-todo empty empty-directory encoding eol exclude-existing
    exclude-from exclude-hidden exclude-per-directory exclude-promisor-objects expand-tabs expire expire-unreachable
    expiry-date fake-missing-tagger ff ff-only file filename-max-length files filter find-copies find-copies-harder
    find-object find-renames fixed-value fixup flags follow-symlinks follow-tags force force-create force-if-includes
    force-in-body-from force-rebase force-remove force-untracked-cache force-with-lease force-write-index from full
    full-diff full-history geometric get-color get-colorbool get-url get-urlmatch glob good grep-reflog group guess
    guess-remote hard hardlinks header honor-pack-keep if-exists if-missing ignore-cr-at-eol ignore-date ignore-errors
    ignore-if-in-upstream ignore-matching-lines ignore-missing ignore-other-worktrees ignore-removal ignore-rev
    ignore-revs-file ignore-skip-worktree-bits ignore-skip-worktree-entries ignore-space-at-eol ignore-submodules
    ignore-unmatch ignore-unmerged ignore-whitespace in-place inaccurate-eof inbody-headers include include-tag
    include-untracked includes incremental indent indent-heuristic index-version indexed-objects info-only init
    initial-branch inline intent-to-add inter-hunk-context interactive interdiff into-name invert-grep ipv4 ipv6
    irreversible-delete is-shallow-repository ita-invisible-in-index ita-visible-in-index jobs keep keep-base keep-cr
    keep-dashdash keep-empty keep-index keep-largest-pack keep-non-patch keep-pack keep-redundant-commits keep-subject
    keep-true-parents keep-unreachable line-prefix literally local-env-vars local-user lock log log-size lost-found
    mailmap mainline mark-tags marker-size max-age max-pack-size max-parents merge message message-id messages min-age
    min-parents mirror missing missing-ok mixed mode more move mtime multiple naked name name-objects negotiate-only
    negotiation-tip new new-only nl no-index no-walk non-empty notes numbered-files object-format object-only
    objects-edge old only only-input only-trailers only-untracked onto order origin orphan ours output-indicator-context
    output-indicator-new output-indicator-old overlay overwrite-ignore padding parents parse parseopt patch-format
    patch-with-raw patch-with-stat path-format peel-tag perl pickaxe-all pickaxe-regex post-rewrite prefetch
    preserve-merges progress prune prune-tags push-option python quit quoted-cr range-diff raw raw-mode reachable
    really-refresh reapply-cherry-picks reason rebase rebase-merges rebasing recount recurse recurse-submodules
    recurse-submodules-default recursive reedit-message reencode ref reference reference-if-able refetch reflog reflogs
    refmap refresh refspec reject reject-shallow relative-date remerge-diff remote remote-submodules remove
    remove-section rename-empty rename-section renormalize replace replace-all repo rerere-autoupdate reroll-count
    reschedule-failed-exec reset reset-author reset-author-date resolve-git-dir resolve-undo resolved resolvemsg
    reuse-message reuse-object revs revs-only rewrite rfc rotate-to scissors score-debug server-option set-upstream
    set-upstream-to sha1-name shallow shallow-exclude shallow-since shallow-submodules shared shared-index-path
    show-current-patch show-forced-updates show-linear-break show-notes show-object-format show-original-ids show-pulls
    show-ref-format show-stats sign signature signature-file signed signed-tags signoff simplify-by-decoration
    simplify-merges since-as-filter single-branch single-worktree skip-checks skip-to skip-worktree soft source sparse
    sparse-checkout sparse-index split split-index sq sq-quote squash src-prefix stable standard-notes start-number
    stat-count stat-graph-width stat-name-width stat-only stat-width status stdin stdout stop-at-non-option
    strategy-option strict strip-comments stuck-long subject-prefix submodule submodule-prefix suffix symref
    tag-of-filtered-object tcl temp term-bad term-good term-new term-old test-untracked-cache theirs thin thread threads
    timestamp topics track trailer trim-empty trivial trivial-merge undefined unfold unidiff-zero union unordered
    unpacked unreachable unresolve unset unset-all unset-upstream unshallow unstable untracked untracked-cache update
    update-head-ok update-refs update-shallow url use-bitmap-index use-done-feature use-mailmap utf8 verbatim version
    walk-reflogs warn-embedded-repo where whitespace width window window-memory with with-tree without word-diff-regex
    worktree-attributes write write-commit-graph write-fetch-head write-midx write-tree ws-error-highlight z zdiff3
    zero-commit
""") | {
    name.removeprefix("--").removeprefix("no-")
    for table in READING.values()
    for name in table.options
    if name.startswith("--")
}
"""Long options that start no program and write no file elsewhere, with and without `--no-`."""
RUNNING = names("""
    build-fake-ancestor bundle-uri command config directory editor exec expire-to export-marks ext-diff extcmd filters
    gpg-sign import-marks index-output object-dir open-files-in-pager output output-directory pathspec-from-file
    receive-pack sendmail-cmd separate-git-dir show-signature stdin-paths strategy super-prefix template textconv to
    unsafe-paths upload-pack vcs verify-signatures
""")
"""Long options that may start a program or write a file elsewhere."""
RUNNING_LETTERS = {"grep": "O", "rebase": "xis", "clone": "uc", "ls-remote": "u", "archive": "o", "format-patch": "o",
                  "difftool": "x", "merge": "s", "pull": "s", "cherry-pick": "", "revert": ""}  # fmt: skip
"""Letters with which a command may do so."""
_GLOBAL_VALUED = frozenset(("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"))


def git_words(argv: Sequence[str]) -> list[str]:
    """Return the subcommand of git with the arguments, without the options before; nothing for another program."""
    words = list(argv[1:]) if argv[0].rpartition("/")[2] in ("git", "git.exe") else []
    while words and words[0].startswith("-"):
        del words[: 2 if words[0] in _GLOBAL_VALUED else 1]
    return words
