std = 'luajit'
read_globals = { 'vim' }
-- Options and variables of the editor are set through these.
globals = { 'vim.bo', 'vim.wo', 'vim.o', 'vim.g', 'vim.b', 'vim.v', 'vim.lsp' }
max_line_length = 110
unused_args = true
-- Made by `placet schema --lua`.
files['lua/placet/_meta/wire.lua'] = { max_line_length = false }
files['spec'] = { std = '+busted' }
