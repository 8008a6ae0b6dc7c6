-- Runs busted inside Neovim: nvim -u NONE -l spec/run.lua [busted's arguments], from the plugin's directory.
if not pcall(require, 'busted.core') then
  -- Where Debian's lua-busted and what it needs are.
  local libraries = vim.fn.glob('/usr/lib/*/lua/5.1', true, true)
  package.path = package.path .. ';/usr/share/lua/5.1/?.lua;/usr/share/lua/5.1/?/init.lua'
  package.cpath = package.cpath .. ';' .. (libraries[1] or '/usr/lib/lua/5.1') .. '/?.so'
end
vim.opt.runtimepath:prepend(vim.uv.cwd())
require('busted.runner')({ standalone = false })
