"""Settings with which git runs no program, and reads no file and no configuration elsewhere: git-config(1)."""

_NAMES = """
    author: name email
    branch: remote merge rebase pushremote description vscode-merge-base gh-merge-base github-pr-owner-number
    commit: cleanup status verbose
    committer: name email
    core: abbrev autocrlf bare bigfilethreshold checkstat commentchar commitgraph compression eol filemode fscache
      ignorecase logallrefupdates longpaths multipackindex precomposeunicode preloadindex protecthfs protectntfs
      quotepath repositoryformatversion safecrlf sharedrepository sparsecheckout sparsecheckoutcone splitindex symlinks
      trustctime untrackedcache whitespace
    diff: algorithm colormoved colormovedws context indentheuristic interhunkcontext mnemonicprefix noprefix renamelimit
      renames submodule wserrorhighlight
    extensions: objectformat refstorage partialclone compatobjectformat noop preciousobjects relativeworktrees
      worktreeconfig
    feature: experimental manyfiles
    fetch: fsckobjects parallel prune prunetags showforcedupdates writecommitgraph
    gc: aggressivedepth aggressivewindow auto autodetach autopacklimit pruneexpire reflogexpire reflogexpireunreachable
      worktreepruneexpire writecommitgraph
    http: extraheader lowspeedlimit lowspeedtime maxrequestbuffer postbuffer version
    index: skiphash threads version
    init: defaultbranch
    lfs: repositoryformatversion access locksverify
    log: abbrevcommit date decorate diffmerges follow
    maintenance: auto strategy
    merge: autostash branchdesc conflictstyle ff log renamelimit renames stat
    pack: compression deltacachesize depth packsizelimit threads window windowmemory
    pull: rebase ff
    push: autosetupremote default followtags
    rebase: abbreviatecommands autosquash autostash stat updaterefs
    receive: denycurrentbranch denydeletes denynonfastforwards fsckobjects
    remote: url fetch push pushurl tagopt mirror prune promisor partialclonefilter skipdefaultupdate skipfetchall
      gh-resolved
    rerere: autoupdate enabled
    submodule: url active branch fetchrecursesubmodules ignore recurse
    tag: sort
    transfer: fsckobjects
    user: name email
"""
_WHOLE_SECTIONS = frozenset(("advice", "color", "column", "status"))


def is_harmless(section: str, key: str) -> bool:
    """Return whether a setting is harmless, whatever the value; section and key in small letters, no subsection."""
    return section in _WHOLE_SECTIONS or key in _BY_SECTION.get(section, frozenset[str]())


_BY_SECTION = {
    section.strip(): frozenset(keys.split())
    for section, _, keys in (line.partition(":") for line in _NAMES.replace("\n      ", " ").strip().splitlines())
}
