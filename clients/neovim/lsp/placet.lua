-- Found by vim.lsp.enable('placet'); override parts of it with vim.lsp.config('placet', {…}).
return require('placet.client').lsp_config()
