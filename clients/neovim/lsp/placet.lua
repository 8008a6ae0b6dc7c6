-- Client configuration for vim.lsp.enable('placet'). Override parts of it with vim.lsp.config('placet', {…}).
return require('placet.connection').lsp_config()
