"""Long options of git's commands that start no program and write no file elsewhere, with and without `--no-`.

Read from git's own list (`git COMMAND --git-completion-helper-all`, git 2.39) and from the manual pages of git 2.48:
git-rev-list(1), git-rev-parse(1), git-diff(1) and the commands that inspection knows.
"""

from collections.abc import Sequence

from placet.permissions.shell.inspection import names

HARMLESS = names("""
    3way abbrev abbrev-commit abbrev-ref abort absolute-git-dir add add-file add-header add-virtual-file after
    after-context again aggressive ahead-behind alternate-refs all all-match all-progress all-progress-implied
    allow-binary-replacement allow-empty allow-empty-message allow-overlap allow-unknown-type allow-unrelated-histories
    also-filter-submodules always amend ancestry-path anchored and annotate annotate-stdin anonymize append apply
    assume-unchanged atomic attach attr-source author author-date-order auto auto-gc auto-maintenance autosquash
    autostash bad bare base basic-regexp batch batch-all-objects batch-check batch-command before before-context binary
    bisect bisect-vars blob bool bool-or-int bool-or-str boundary branch branches break break-rewrites broken buffer
    build-options cache cached cacheinfo candidates cc changed-paths check checkout cherry cherry-mark cherry-pick
    children chmod cleanup clear-decorations clear-resolve-undo color color-by-age color-lines color-moved
    color-moved-ws color-words column combined-all-paths comment-lines commit committer
    committer-date-is-author-date compact-summary compression cone conflict connectivity-only contains context
    continue copy count cover-from-description cover-letter create create-reflog creation-factor cruft
    cruft-expiration cumulative current dangling data date date-order dd debug debug-unpack decorate decorate-refs
    decorate-refs-exclude deduplicate deepen default delete deleted delta-base-offset delta-islands dense depth deref
    dereference detach diff-algorithm diff-filter diff-merges diff3 dirstat dirstat-by-file dirty disambiguate
    discard-changes disk-usage dissociate divider do-walk dry-run dst-prefix dual-color edit edit-description edit-todo
    email empty empty-directory encoding eol error-unmatch exact-match exclude exclude-existing exclude-from
    exclude-hidden exclude-per-directory exclude-promisor-objects exclude-standard exit-code expand-tabs expire
    expire-unreachable expiry-date extended-regexp fake-missing-tagger ff ff-only file filename-max-length files
    files-with-matches files-without-match filter find-copies find-copies-harder find-object find-renames
    first-parent fixed-strings fixed-value fixup flags follow follow-symlinks follow-tags force force-create
    force-if-includes force-in-body-from force-rebase force-remove force-untracked-cache force-with-lease
    force-write-index fork-point format from full full-diff full-history full-index full-name full-tree
    function-context geometric get get-all get-color get-colorbool get-regexp get-url get-urlmatch git-common-dir
    git-dir git-path glob global good graph grep grep-reflog group guess guess-remote hard hardlinks hash head header
    heading heads histogram honor-pack-keep human-readable if-exists if-missing ignore-all-space ignore-blank-lines
    ignore-case ignore-cr-at-eol ignore-date ignore-errors ignore-if-in-upstream ignore-matching-lines ignore-missing
    ignore-other-worktrees ignore-removal ignore-rev ignore-revs-file ignore-skip-worktree-bits
    ignore-skip-worktree-entries ignore-space-at-eol ignore-space-change ignore-submodules ignore-unmatch
    ignore-unmerged ignore-whitespace ignored in-place inaccurate-eof inbody-headers include include-tag
    include-untracked includes incremental indent indent-heuristic independent index index-version indexed-objects
    info-only init initial-branch inline int intent-to-add inter-hunk-context interactive interdiff into-name
    invert-grep invert-match ipv4 ipv6 irreversible-delete is-ancestor is-bare-repository is-inside-git-dir
    is-inside-work-tree is-shallow-repository ita-invisible-in-index ita-visible-in-index jobs keep keep-base keep-cr
    keep-dashdash keep-empty keep-index keep-largest-pack keep-non-patch keep-pack keep-redundant-commits keep-subject
    keep-true-parents keep-unreachable killed left-only left-right line-number line-porcelain line-prefix list
    literally local local-env-vars local-user lock log log-size long lost-found mailmap mainline mark-tags marker-size
    match max-age max-count max-depth max-pack-size max-parents merge merge-base merged merges message message-id
    messages min-age min-parents minimal mirror missing missing-ok mixed mode modified more move mtime multiple naked
    name name-objects name-only name-status negotiate-only negotiation-tip new new-only nl no-index no-walk non-empty
    non-matching not notes null numbered numbered-files numstat object-format object-only objects objects-edge octopus
    old oneline only only-input only-matching only-trailers only-untracked onto or order origin orphan others ours
    output-indicator-context output-indicator-new output-indicator-old overlay overwrite-ignore padding parents
    parse parseopt patch patch-format patch-with-raw patch-with-stat path path-format patience peel-tag perl
    perl-regexp pickaxe-all pickaxe-regex points-at porcelain post-rewrite prefetch prefix preserve-merges pretty
    progress prune prune-tags push-option python quiet quit quoted-cr range-diff raw raw-mode reachable really-refresh
    reapply-cherry-picks reason rebase rebase-merges rebasing recount recurse recurse-submodules
    recurse-submodules-default recursive reedit-message reencode ref reference reference-if-able refetch reflog reflogs
    refmap refresh refs refspec reject reject-shallow relative relative-date remerge-diff remote remote-submodules
    remotes remove remove-section rename-empty rename-section renames renormalize replace replace-all repo
    rerere-autoupdate reroll-count reschedule-failed-exec reset reset-author reset-author-date resolve-git-dir
    resolve-undo resolved resolvemsg reuse-message reuse-object reverse revs revs-only rewrite rfc right-only root
    rotate-to scissors score-debug server-option set-upstream set-upstream-to sha1-name shallow shallow-exclude
    shallow-since shallow-submodules shared shared-index-path short shortstat show-cdup show-current
    show-current-patch show-email show-forced-updates show-function show-linear-break show-name show-notes
    show-number show-object-format show-origin show-original-ids show-prefix show-pulls show-ref-format show-scope
    show-stash show-stats show-superproject-working-tree show-toplevel sign signature signature-file signed signed-tags
    signoff simplify-by-decoration simplify-merges since since-as-filter single-branch single-worktree skip skip-checks
    skip-to skip-worktree soft sort source sparse sparse-checkout sparse-index split split-index sq sq-quote squash
    src-prefix stable stage staged standard-notes start-number stat stat-count stat-graph-width stat-name-width
    stat-only stat-width status stdin stdout stop-at-non-option strategy-option strict strip-comments stuck-long
    subject-prefix submodule submodule-prefix suffix summary symbolic symbolic-full-name symref system
    tag-of-filtered-object tags tcl temp term-bad term-good term-new term-old test-untracked-cache text theirs thin
    thread threads timestamp topics topo-order track trailer trim-empty trivial trivial-merge type undefined unfold
    unidiff-zero unified union unmerged unordered unpacked unreachable unresolve unset unset-all unset-upstream
    unshallow unstable until untracked untracked-cache untracked-files update update-head-ok update-refs update-shallow
    url use-bitmap-index use-done-feature use-mailmap utf8 verbatim verbose verify version walk-reflogs
    warn-embedded-repo where whitespace width window window-memory with with-tree without word-diff word-diff-regex
    word-regexp worktree worktree-attributes write write-commit-graph write-fetch-head write-midx write-tree
    ws-error-highlight z zdiff3 zero-commit
""")
_GLOBAL_VALUED = frozenset(("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--config-env"))


def git_words(argv: Sequence[str]) -> list[str]:
    """Return the subcommand of git with the arguments, without the options before; nothing for another program."""
    words = list(argv[1:]) if argv[0].rpartition("/")[2] in ("git", "git.exe") else []
    while words and words[0].startswith("-"):
        del words[: 2 if words[0] in _GLOBAL_VALUED else 1]
    return words
