"""Names of files and directories that other programs run or obey, wherever the names stand in a project."""

from collections.abc import Collection

from msgspec import Struct

MEMORY = "MEMORY.md"
"""Name of the memory: notes of earlier sessions for each later session, the user's own and the project's."""
_OBEYED_BY = {
    "agents": (
        *(".agents", ".aider.conf.yml", ".amazonq", ".augment", ".claude", ".claude.json", ".codex", ".continue"),
        *(".crush.json", ".cursor", ".factory", ".gemini", ".junie", ".kilocode", ".kiro", ".mcp.json", ".opencode"),
        *(".openhands", ".placet", ".qwen", ".roo", ".trae", ".windsurf", "crush.json", "opencode.json"),
        *("opencode.jsonc", "placet.json", "placet.jsonc", MEMORY),
    ),
    "editors, and the language servers that they start": (
        *("*.code-workspace", "*.run.xml", "*.sublime-project", ".cargo/config", ".cargo/config.toml"),
        *(".devcontainer", ".devcontainer.json", ".dir-locals-2.el", ".dir-locals.el", ".emacs", ".emacs.d", ".exrc"),
        *(".fleet", ".gvimrc", ".helix", ".idea", ".lazy.lua", ".luarc.json", ".luarc.jsonc", ".nova", ".nvim.lua"),
        *(".nvimrc", ".rust-analyzer.toml", ".vim", ".vimrc", ".vs", ".vscode", ".ycm_extra_conf.py", ".zed"),
        "rust-analyzer.toml",
    ),
    "debuggers, and languages at a prompt": (
        *(".Renviron", ".Rprofile", ".gdbinit", ".gdbinit.py", ".ghci", ".iex.exs", ".irbrc", ".lldbinit"),
        *(".ocamlinit", ".octaverc", ".pdbrc", ".pdbrc.py", ".pryrc"),
    ),
    "shells, sessions and terminals": (
        *(".bash_aliases", ".bash_login", ".bash_logout", ".bash_profile", ".bashrc", ".cshrc", ".envrc", ".inputrc"),
        *(".kshrc", ".login", ".mise.local.toml", ".mise.toml", ".mkshrc", ".profile", ".tcshrc", ".tmux.conf"),
        *(".xinitrc", ".xprofile", ".xsession", ".xsessionrc", ".zlogin", ".zlogout", ".zprofile", ".zshenv"),
        *(".zshrc", "fish/config.fish", "mise.local.toml", "mise.toml"),
    ),
    "version control and its hooks": (
        *(".gitconfig", ".gitmodules", ".hg/hgrc", ".husky", ".huskyrc", ".lefthook", ".lefthook.toml"),
        *(".lefthook.yaml", ".lefthook.yml", ".lintstagedrc", ".lintstagedrc.cjs", ".lintstagedrc.js"),
        *(".lintstagedrc.json", ".lintstagedrc.mjs", ".lintstagedrc.yaml", ".lintstagedrc.yml", ".overcommit.yml"),
        *(".pre-commit-config.yaml", "captainhook.json", "grumphp.yml", "lefthook-local.yml", "lefthook.toml"),
        *("lefthook.yaml", "lefthook.yml", "lint-staged.config.cjs", "lint-staged.config.js"),
        "lint-staged.config.mjs",
    ),
    "package managers": (
        *(".mvn", ".npmrc", ".pnpmfile.cjs", ".pnpmfile.mjs", ".yarn/plugins", ".yarn/releases", ".yarnrc"),
        *(".yarnrc.yml", "bunfig.toml"),
    ),
    "searches": (".ripgreprc",),
}
"""Names by the programs that run or obey such a file without a question, once the user works in the project.

`DIRECTORY/NAME` is a name in a directory of the other name, and `*END` is each name with the end.
"""
_RUN_BY_SERVERS = (".circleci", ".github/actions", ".github/workflows", ".gitlab-ci.yml")
"""Names that a server runs after a push: an edit is asked, while a contained command may write the file."""
_NAMES = tuple(name for names in _OBEYED_BY.values() for name in names)


class ProtectedNames(Struct, frozen=True):
    """Names of one table, split for a quick look."""

    names: frozenset[str]
    pairs: frozenset[tuple[str, str]]
    """Names with the name of the directory before."""
    ends: tuple[str, ...]

    @classmethod
    def of(cls, names: Collection[str]) -> "ProtectedNames":
        pairs = [(directory, name) for directory, slash, name in (name.rpartition("/") for name in names) if slash]
        return cls(
            frozenset(name for name in names if "/" not in name and not name.startswith("*")),
            frozenset(pairs),
            tuple(name.removeprefix("*") for name in names if name.startswith("*")),
        )

    def holds(self, directory: str, name: str) -> bool:
        """Return whether the entry `name` of a directory with the name `directory` is one of the names."""
        return name in self.names or (directory, name) in self.pairs or name.endswith(self.ends)


PROTECTED = ProtectedNames.of(_NAMES)
"""Names that no contained command writes."""
SENSITIVE = ProtectedNames.of([name.casefold() for name in (*_NAMES, *_RUN_BY_SERVERS) if name != MEMORY])
"""Names in small letters, of which an edit is asked; `MEMORY` is judged apart."""
PATTERNS = tuple(sorted(_NAMES))
"""The protected names as written in the table: `NAME`, `DIRECTORY/NAME` and `*END`."""
