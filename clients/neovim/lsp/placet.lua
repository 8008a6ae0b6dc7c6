-- Client configuration for vim.lsp.enable('placet'). Override parts of it with vim.lsp.config('placet', {…}).
return require('placet.daemon.client').lsp_config()
