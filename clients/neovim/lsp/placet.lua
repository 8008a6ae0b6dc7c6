-- Found by vim.lsp.enable('placet'); override parts of it with vim.lsp.config('placet', {…}).
return require('placet.daemon.client').lsp_config()
