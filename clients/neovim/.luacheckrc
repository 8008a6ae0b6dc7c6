std = 'luajit'
read_globals = { 'vim' }
-- Options and variables of the editor are set through these.
globals = { 'vim.bo', 'vim.wo', 'vim.o', 'vim.g', 'vim.b', 'vim.v', 'vim.lsp' }
max_line_length = 110
unused_args = true
