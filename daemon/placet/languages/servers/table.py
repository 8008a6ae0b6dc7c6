"""Table of common language servers: start command, files, and markers of a project's root.

Nothing is downloaded: Placet uses a server whose program is installed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from placet.settings import LanguageSettings


@dataclass(frozen=True, slots=True)
class ServerKind:
    """Kind of server with the start command. The suffixes have the language ids of LSP."""

    name: str
    command: tuple[str, ...]
    languages: Mapping[str, str]
    """Language id by suffix or whole file name."""
    root_markers: tuple[str, ...] = ()
    """Files at the root of a project.

    The root is the nearest directory upward with such a file, else the workspace folder.
    """
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Value of `initializationOptions`."""
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Settings for a server that asks for `workspace/configuration`."""

    def language_of(self, path: Path) -> str | None:
        """Return the language id of a file, or None for a file that the server does not serve."""
        return self.languages.get(path.name) or self.languages.get(path.suffix.lower())


_PYTHON = {".py": "python", ".pyi": "python"}
_PYTHON_ROOTS = ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "pyrightconfig.json", "Pipfile")
_SCRIPT = {
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "typescriptreact",
    ".js": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".jsx": "javascriptreact",
}
_SCRIPT_ROOTS = ("tsconfig.json", "jsconfig.json", "package.json")
_C = {
    ".c": "c",
    ".h": "c",
    ".cc": "cpp",
    ".cpp": "cpp",
    ".cxx": "cpp",
    ".hh": "cpp",
    ".hpp": "cpp",
    ".hxx": "cpp",
    ".m": "objective-c",
    ".mm": "objective-cpp",
    ".cu": "cuda-cpp",
}
_SHELL = {".sh": "shellscript", ".bash": "shellscript", ".bashrc": "shellscript", ".zsh": "shellscript"}
_MARKUP = {".html": "html", ".htm": "html"}
_STYLE = {".css": "css", ".scss": "scss", ".less": "less"}
_JSON = {".json": "json", ".jsonc": "jsonc"}

TABLE: tuple[ServerKind, ...] = (
    ServerKind("pyright", ("pyright-langserver", "--stdio"), _PYTHON, _PYTHON_ROOTS),
    ServerKind("basedpyright", ("basedpyright-langserver", "--stdio"), _PYTHON, _PYTHON_ROOTS),
    ServerKind("ty", ("ty", "server"), _PYTHON, _PYTHON_ROOTS),
    ServerKind("pylsp", ("pylsp",), _PYTHON, _PYTHON_ROOTS),
    ServerKind("ruff", ("ruff", "server"), _PYTHON, ("ruff.toml", ".ruff.toml", *_PYTHON_ROOTS)),
    ServerKind("typescript", ("typescript-language-server", "--stdio"), _SCRIPT, _SCRIPT_ROOTS),
    ServerKind("eslint", ("vscode-eslint-language-server", "--stdio"), _SCRIPT, ("eslint.config.js", ".eslintrc.json")),
    ServerKind("biome", ("biome", "lsp-proxy"), {**_SCRIPT, **_JSON, **_STYLE}, ("biome.json", "biome.jsonc")),
    ServerKind("clangd", ("clangd",), _C, ("compile_commands.json", "compile_flags.txt", ".clangd", "CMakeLists.txt")),
    ServerKind("bash", ("bash-language-server", "start"), _SHELL),
    ServerKind("rust-analyzer", ("rust-analyzer",), {".rs": "rust"}, ("Cargo.toml", "rust-project.json")),
    ServerKind("gopls", ("gopls",), {".go": "go", "go.mod": "go.mod", "go.work": "go.work"}, ("go.work", "go.mod")),
    ServerKind("lua", ("lua-language-server",), {".lua": "lua"}, (".luarc.json", ".luarc.jsonc", "stylua.toml")),
    ServerKind("ruby-lsp", ("ruby-lsp",), {".rb": "ruby", ".rake": "ruby", "Gemfile": "ruby"}, ("Gemfile",)),
    ServerKind("solargraph", ("solargraph", "stdio"), {".rb": "ruby"}, ("Gemfile",)),
    ServerKind("jdtls", ("jdtls",), {".java": "java"}, ("pom.xml", "build.gradle", "build.gradle.kts", ".project")),
    ServerKind(
        "kotlin", ("kotlin-language-server",), {".kt": "kotlin", ".kts": "kotlin"}, ("build.gradle.kts", "pom.xml")
    ),
    ServerKind("csharp", ("csharp-ls",), {".cs": "csharp"}, ("*.sln", "*.csproj")),
    ServerKind("fsharp", ("fsautocomplete",), {".fs": "fsharp", ".fsx": "fsharp"}, ("*.sln", "*.fsproj")),
    ServerKind("intelephense", ("intelephense", "--stdio"), {".php": "php"}, ("composer.json",)),
    ServerKind("zls", ("zls",), {".zig": "zig"}, ("build.zig",)),
    ServerKind(
        "haskell", ("haskell-language-server-wrapper", "--lsp"), {".hs": "haskell"}, ("cabal.project", "stack.yaml")
    ),
    ServerKind("ocaml", ("ocamllsp",), {".ml": "ocaml", ".mli": "ocaml.interface"}, ("dune-project",)),
    ServerKind("elixir", ("elixir-ls",), {".ex": "elixir", ".exs": "elixir"}, ("mix.exs",)),
    ServerKind("erlang", ("elp", "server"), {".erl": "erlang", ".hrl": "erlang"}, ("rebar.config",)),
    ServerKind("gleam", ("gleam", "lsp"), {".gleam": "gleam"}, ("gleam.toml",)),
    ServerKind("clojure", ("clojure-lsp",), {".clj": "clojure", ".cljs": "clojure"}, ("deps.edn", "project.clj")),
    ServerKind("dart", ("dart", "language-server"), {".dart": "dart"}, ("pubspec.yaml",)),
    ServerKind("sourcekit", ("sourcekit-lsp",), {".swift": "swift"}, ("Package.swift",)),
    ServerKind("metals", ("metals",), {".scala": "scala", ".sbt": "scala"}, ("build.sbt", "build.sc")),
    ServerKind("julia", ("julia-lsp",), {".jl": "julia"}, ("Project.toml",)),
    ServerKind(
        "terraform", ("terraform-ls", "serve"), {".tf": "terraform", ".tfvars": "terraform-vars"}, (".terraform",)
    ),
    ServerKind("nix", ("nixd",), {".nix": "nix"}, ("flake.nix",)),
    ServerKind("html", ("vscode-html-language-server", "--stdio"), _MARKUP, _SCRIPT_ROOTS),
    ServerKind("css", ("vscode-css-language-server", "--stdio"), _STYLE, _SCRIPT_ROOTS),
    ServerKind("json", ("vscode-json-language-server", "--stdio"), _JSON),
    ServerKind("yaml", ("yaml-language-server", "--stdio"), {".yaml": "yaml", ".yml": "yaml"}),
    ServerKind("toml", ("taplo", "lsp", "stdio"), {".toml": "toml"}),
    ServerKind(
        "dockerfile", ("docker-langserver", "--stdio"), {".dockerfile": "dockerfile", "Dockerfile": "dockerfile"}
    ),
    ServerKind("vue", ("vue-language-server", "--stdio"), {".vue": "vue"}, _SCRIPT_ROOTS),
    ServerKind("svelte", ("svelteserver", "--stdio"), {".svelte": "svelte"}, _SCRIPT_ROOTS),
    ServerKind("astro", ("astro-ls", "--stdio"), {".astro": "astro"}, _SCRIPT_ROOTS),
    ServerKind("prisma", ("prisma-language-server", "--stdio"), {".prisma": "prisma"}, ("package.json",)),
    ServerKind("texlab", ("texlab",), {".tex": "latex", ".bib": "bibtex"}, (".latexmkrc",)),
    ServerKind("tinymist", ("tinymist",), {".typ": "typst"}),
)

ONE_OF = (("pyright", "basedpyright", "ty", "pylsp"), ("ruby-lsp", "solargraph"))
"""Rows of servers for the same work: of each row, the first with an installed program."""


def server_kinds(settings: LanguageSettings) -> tuple[ServerKind, ...]:
    """Return the table after the changes, additions and exclusions of the settings."""
    kinds = {kind.name: kind for kind in TABLE}
    for name, own in settings.servers.items():
        default = kinds.pop(name, None)
        if not own.enabled:
            continue
        languages = {suffix: own.language_id or suffix.lstrip(".") for suffix in own.suffixes} | own.language_ids
        kinds[name] = ServerKind(
            name,
            own.command or (default.command if default else ()),
            languages or (default.languages if default else {}),
            own.root_markers or (default.root_markers if default else ()),
            own.initialization_options or (default.options if default else {}),
            own.settings or (default.settings if default else {}),
        )
    return tuple(kind for kind in kinds.values() if kind.command and kind.languages)
