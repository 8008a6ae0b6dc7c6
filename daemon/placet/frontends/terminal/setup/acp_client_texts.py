"""Texts for the setup of clients of the Agent Client Protocol, which start `placet --acp`."""

from placet.frontends.terminal.setup.editor_text import EditorText

_REVIEW = """\
- The agent does not wait for you: a change is written when you accept the change. `/changes` lists the changes that
  wait, `/accept` writes the changes, and `/reject` drops the changes.
- With `"review": "ask"` in the settings, or `Ask before each change` as the session's option, each edit is asked about
  before the %s changes%s."""
_AGENT_SERVER = """\
{
  "agent_servers": {
    "Placet": {
%s      "command": "placet",
      "args": ["--acp"]
    }
  }
}
"""

ZED = EditorText(
    "zed",
    "Zed",
    ("zed", "zeditor"),
    ".config/zed/settings.json",
    "json",
    _AGENT_SERVER % '      "type": "custom",\n',
    '"--acp"',
    f"""\
- Open the agent panel, and choose `Placet` in the menu for a new thread.
{_REVIEW % ("text", ": `Allow`, `Always allow` or `Reject`, with the diff")}
- Zed's own list of edits with `Keep` and `Reject` comes after the edit; a rejection there changes the file back.
- Modes are Placet's agents: `build` and `plan`, and agents of your own. A `/` lists the commands.""",
    """\
Placet reads and writes unsaved texts through Zed. Files outside the worktrees of the window, deletions and renames go
to the disk. The model and the key come from Placet's own settings (`placet auth`).

Commands run in Placet's own sandbox. The setting `acp.commandsInTerminal` of Placet runs commands in terminals of Zed,
without a sandbox: `placet docs sandbox` says what is lost.""",
    "Zed itself was not run: the tests replay the behaviour of Zed's sources with a model of Zed.",
)
JETBRAINS = EditorText(
    "jetbrains",
    "a JetBrains IDE",
    ("idea", "pycharm", "webstorm", "goland", "clion", "rider", "phpstorm", "rubymine", "rustrover"),
    ".jetbrains/acp.json",
    "json",
    _AGENT_SERVER % "",
    '"--acp"',
    f"""\
- Open the AI Chat tool window, and choose `Placet` among the agents; `Add Custom Agent` in the menu of the window opens
  the same file.
{_REVIEW % ("file", ", with the diff")}""",
    """\
Needs version 2025.3 or later with the plugin AI Assistant, and no subscription. The protocol is not offered for the
Windows Subsystem for Linux. An IDE that is not on PATH, as with the Toolbox, is not found by the check above.""",
    "No JetBrains IDE was run.",
)
CODECOMPANION = EditorText(
    "codecompanion",
    "CodeCompanion.nvim",
    ("nvim",),
    ".config/nvim/init.lua",
    "lua",
    """\
require('codecompanion').setup({
  adapters = {
    acp = {
      placet = function()
        return require('codecompanion.adapters').extend('opencode', {
          name = 'placet',
          formatted_name = 'Placet',
          commands = { default = { 'placet', '--acp' } },
        })
      end,
    },
  },
  interactions = { chat = { adapter = 'placet' } },
})
""",
    "'placet', '--acp'",
    f"""\
- `:CodeCompanionChat` opens a chat with Placet.
{_REVIEW % ("file", "; the keys stand beside the question")}""",
    """\
CodeCompanion gives Placet the text of the file and not of the buffer, and doubles the final newline of a written file:
Placet writes the file itself, and Neovim reloads the buffer. Save a buffer before Placet is to edit the file. Placet's
own plugin (`placet setup neovim`) reads and edits buffers.""",
    "CodeCompanion was not run: the tests replay the behaviour of its sources with a model of CodeCompanion.",
    (".config/nvim/init.vim", ".config/nvim/lua/plugins/codecompanion.lua"),
)
AVANTE = EditorText(
    "avante",
    "avante.nvim",
    ("nvim",),
    ".config/nvim/init.lua",
    "lua",
    """\
require('avante').setup({
  provider = 'placet',
  acp_providers = {
    placet = { command = 'placet', args = { '--acp' } },
  },
})
""",
    "command = 'placet'",
    f"""\
- `:AvanteAsk` and `:AvanteChat` talk to Placet.
{_REVIEW % ("file", "")}""",
    """\
avante writes files and not buffers, and does not answer where a buffer has unsaved changes: Placet writes the file
itself, and rejects an edit of a buffer with unsaved changes. Placet's own plugin (`placet setup neovim`) edits
buffers.""",
    "avante was not run: the tests replay the behaviour of its sources with a model of avante.",
    (".config/nvim/init.vim", ".config/nvim/lua/plugins/avante.lua"),
)
AGENT_SHELL = EditorText(
    "agent-shell",
    "Emacs (agent-shell)",
    ("emacs",),
    ".emacs.d/init.el",
    "elisp",
    """\
(require 'agent-shell)
(defun placet-agent-shell ()
  "Start a shell with Placet."
  (interactive)
  (agent-shell-start
   :config (agent-shell-make-agent-config
            :identifier 'placet
            :mode-line-name "Placet"
            :buffer-name "Placet"
            :shell-prompt "Placet> "
            :shell-prompt-regexp "Placet> "
            :client-maker (lambda (buffer)
                            (acp-make-client :command "placet"
                                             :command-params '("--acp")
                                             :context-buffer buffer)))))
""",
    "placet-agent-shell",
    f"""\
- `M-x placet-agent-shell` opens a shell; write behind `Placet> `.
{_REVIEW % ("text", ", with a key for each answer and one for the diff")}""",
    "Needs Emacs 29.1, agent-shell and acp.el. Placet edits the buffer that visits the file, and saves the buffer.",
    "agent-shell was not run: the tests replay the behaviour of its sources with a model of agent-shell.",
    (".config/emacs/init.el", ".emacs"),
)
ACP_CLIENTS = (ZED, JETBRAINS, CODECOMPANION, AVANTE, AGENT_SHELL)
