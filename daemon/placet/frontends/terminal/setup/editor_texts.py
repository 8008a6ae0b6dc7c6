"""Texts for the setup of each editor: the snippet to paste, and its use. docs/editors is made of the same texts."""

from placet.frontends.terminal.setup.acp_client_texts import ACP_CLIENTS
from placet.frontends.terminal.setup.editor_text import EditorText

_CHANGE_SET = """
- With `"review": "stage"` (or `"apply"`) in the settings the agent does not wait for you. Code actions on a changed
  line are `Accept this proposed change` and `Reject this proposed change` (or `Keep` and `Undo`),
  `Accept all in this file`, and `Open the change set`, a `.diff` document with the same actions; the command
  `placet.changes` opens the document too."""


HELIX = EditorText(
    "helix",
    "Helix",
    ("hx", "helix"),
    ".config/helix/languages.toml",
    "toml",
    """\
[language-server.placet]
command = "placet"
args = ["--stdio"]

# Once for each language, with the servers it has already.
[[language]]
name = "python"
language-servers = ["pylsp", "placet"]

[[language]]
name = "markdown"
language-servers = ["placet"]
""",
    "language-server.placet",
    """\
- Prompt: `:lsp-workspace-command placet.prompt "text"`; without a command's name, Helix lists all commands.
- Code actions (`space a`): `Fix with Placet`, `Explain with Placet`, and the answers to waiting questions.
- `placet.chat` opens the chat document; write below the last `## You` and choose `Placet: Send`."""
    + _CHANGE_SET,
    """\
A message of another server may replace a question; Placet treats the question as dismissed.
`:lsp-workspace-command placet.permission` asks again; `placet pending` and `placet approve` in a terminal answer
the question.""",
    "Helix itself was not run: the tests replay the behaviour of Helix's sources with a model of Helix.",
)
EMACS = EditorText(
    "emacs",
    "Emacs (eglot)",
    ("emacs",),
    ".emacs.d/init.el",
    "elisp",
    """\
(require 'eglot)
(add-to-list 'eglot-server-programs '((prog-mode text-mode) . ("placet" "--stdio")))
;; Placet has asked you before it edits.
(setq eglot-confirm-server-initiated-edits nil)

(defun placet (command &rest arguments)
  "Run a COMMAND of Placet in this buffer's project."
  (jsonrpc-async-request (eglot--current-server-or-lose) :workspace/executeCommand
                         (list :command (symbol-name command) :arguments (vconcat arguments))
                         :success-fn #'ignore))
(defun placet-prompt (text)
  "Have Placet do what TEXT says."
  (interactive "sPlacet: ")
  (placet 'placet.prompt text))
(defun placet-cancel () "Stop Placet." (interactive) (placet 'placet.cancel))
(defun placet-undo () "Take back Placet's last turn." (interactive) (placet 'placet.undo))
(defun placet-permission () "Have Placet ask again." (interactive) (placet 'placet.permission))
""",
    '("placet" "--stdio")',
    """\
- `M-x eglot` in a file of the project, then `M-x placet-prompt`.
- Questions appear in `completing-read`: `Allow once`, `Reject`, `Show diff`, and `Hunk by hunk` for a part of a change.
  `C-g` dismisses a question without an answer; `M-x placet-permission` asks again.
- `M-: (placet 'placet.chat)` shows the path of the chat document; `auto-revert-mode` keeps the buffer current.
- `M-x eglot-code-actions`: `Fix with Placet`, `Explain with Placet`, and the answers to waiting questions."""
    + _CHANGE_SET,
    """\
eglot runs a single server for each major mode and project; where Placet runs, eglot runs no other server.
To keep another server for Python, for example, leave `python-mode` to this server and prompt from a text file of the
project.""",
    "Emacs 28.2 with eglot 1.9, without a window, in the tests.",
    (".config/emacs/init.el", ".emacs"),
)
KATE = EditorText(
    "kate",
    "Kate",
    ("kate",),
    ".config/kate/lspclient/settings.json",
    "json",
    """\
{
  "servers": {
    "markdown": {
      "command": ["placet", "--stdio"],
      "highlightingModeRegex": "^Markdown$"
    }
  }
}
""",
    '"placet"',
    """\
- Code actions in a document of such a language: `Placet: Open the chat`, `Fix with Placet`, `Explain with Placet`.
- In the chat document, write below the last `## You` and choose `Placet: Send`. Further
  actions are `Placet: Stop`, `Placet: Undo the last turn`, and the choice of agent, model and session."""
    + _CHANGE_SET,
    """\
Kate runs a single server for each language, so name here only languages in which Placet may be this server. Kate
accepts edits of a server only within two seconds of a command: Placet writes the file instead, which Kate reloads, and
an edit of a document with unsaved changes is rejected. Kate blocks while asking: dismiss the question to
read on, and answer by a code action, or by `placet pending` and `placet approve` in a terminal.""",
    "Kate itself was not run: the tests replay the behaviour of Kate's sources with a model of Kate.",
)
VIM = EditorText(
    "vim",
    "Vim (ALE)",
    ("vim", "vim.nox"),
    ".vimrc",
    "vim",
    """\
" After ALE is loaded. Add the file types you want it in.
for s:type in ['text', 'markdown', 'python']
  call ale#linter#Define(s:type, {
  \\   'name': 'placet', 'lsp': 'stdio', 'executable': 'placet', 'command': '%e --stdio',
  \\   'language': s:type, 'project_root': {buffer -> getcwd()},
  \\ })
endfor
function! Placet(command, ...) abort
  call ale#lsp_linter#SendRequest(bufnr(''), 'placet', ale#lsp#message#ExecuteCommand(a:command, a:000))
endfunction
command! -nargs=+ PlacetPrompt call Placet('placet.prompt', <q-args>)
command! -nargs=1 PlacetAnswer call Placet('placet.answer', <q-args>)
command! PlacetCancel call Placet('placet.cancel')
command! PlacetUndo call Placet('placet.undo')
set autoread
""",
    "'placet'",
    """\
- `:PlacetPrompt text`, and `:PlacetAnswer once` or `:PlacetAnswer reject` when Placet waits for an answer.
- `:checktime` reloads files changed by Placet.""",
    """\
ALE lets no server edit a buffer and answers no question of a server. Placet changes files on disk, if the buffer has no
unsaved changes; answer by the command above, or by `placet pending` and `placet approve` in a terminal.""",
    "Vim 9.0 with ALE 3.3, without a terminal, in the tests.",
    (".vim/vimrc",),
)
SUBLIME = EditorText(
    "sublime",
    "Sublime Text (LSP)",
    ("subl",),
    ".config/sublime-text/Packages/User/LSP.sublime-settings",
    "json",
    """\
{
  "clients": {
    "placet": {
      "enabled": true,
      "command": ["placet", "--stdio"],
      "selector": "source | text"
    }
  }
}
""",
    '"placet"',
    """\
- Command palette, `LSP: Execute Command`, or a key bound to `lsp_execute` with `{"session_name": "placet",
  "command_name": "placet.prompt", "command_args": ["text"]}`.
- Code actions: `Fix with Placet`, `Explain with Placet`, and the answers to waiting questions."""
    + _CHANGE_SET,
    "Needs the package LSP.",
    "Sublime Text was not run.",
)
NEOVIM = EditorText(
    "neovim",
    "Neovim",
    ("nvim",),
    ".config/nvim/init.lua",
    "lua",
    """\
vim.opt.runtimepath:append('/path/to/placet/clients/neovim') -- or your plugin manager
""",
    "clients/neovim",
    """\
- `:Placet text` prompts; the manual is `:help placet`.""",
    "Needs Neovim 0.11. The plugin does more than an editor without one: see `:help placet`.",
    "Neovim 0.11.4 in the tests.",
    (".config/nvim/init.vim",),
)
VSCODE = EditorText(
    "vscode",
    "Visual Studio Code",
    ("code", "code-insiders", "codium", "cursor", "windsurf", "positron", "code-server"),
    ".config/Code/User/settings.json",
    "json",
    """\
{
  "placet.command": ["placet", "--stdio"]
}
""",
    '"placet.command"',
    "- `placet setup vscode` installs the extension: Placet is in the side bar and in the command palette.",
    "The setting is needed only where `placet` is not on PATH.",
    "In the tests, in a workbench in a browser.",
)
EDITORS = {editor.name: editor for editor in (HELIX, EMACS, KATE, VIM, SUBLIME, NEOVIM, VSCODE, *ACP_CLIENTS)}
