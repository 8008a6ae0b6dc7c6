"""Names of files and directories that other programs run or obey, wherever the names stand in a project."""

MEMORY = "MEMORY.md"
"""Name of the memory: notes of earlier sessions for each later session, the user's own and the project's."""
PROTECTED_DIRECTORIES = frozenset(
    (
        *(
            ".agents",
            ".claude",
            ".codex",
            ".cursor",
            ".devcontainer",
            ".gemini",
            ".husky",
            ".idea",
            ".opencode",
            ".placet",
        ),
        *(".vscode", ".zed"),
    )
)
PROTECTED_FILES = frozenset(
    (
        *(
            ".dir-locals.el",
            ".envrc",
            ".exrc",
            ".gdbinit",
            ".gdbinit.py",
            ".gvimrc",
            ".lazy.lua",
            ".lldbinit",
            ".nvim.lua",
        ),
        *(".nvimrc", ".vimrc", ".gitconfig", ".gitmodules", ".mcp.json", "opencode.json", "opencode.jsonc"),
        *(MEMORY, "placet.json", "placet.jsonc", ".npmrc", ".pnpmfile.cjs", ".yarnrc", ".yarnrc.yml", ".ripgreprc"),
        *(".pre-commit-config.yaml", ".bash_aliases", ".bash_login", ".bash_logout", ".bash_profile", ".bashrc"),
        *(".cshrc", ".inputrc", ".kshrc", ".login", ".mkshrc", ".profile", ".tcshrc", ".xinitrc", ".xprofile"),
        *(".xsessionrc", ".zlogin", ".zlogout", ".zprofile", ".zshenv", ".zshrc"),
    )
)
PROTECTED_PAIRS = frozenset(((".github", "actions"), (".github", "workflows"), ("fish", "config.fish")))
"""Pairs of a folder and an entry in the folder; both names count together."""
