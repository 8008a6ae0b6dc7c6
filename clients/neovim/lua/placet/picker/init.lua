---Pickers for lists: `vim.ui.select`, or an adapter for a picker plugin.
local config = require('placet.config')
local visible_text = require('placet.ui.visible_text')

local M = {}

---@class placet.PickerRequest
---@field items any[]
---@field prompt string
---@field kind string `kind` of `vim.ui.select`, for example `placet_session`
---@field format fun(item: any): string text of one line
---@field preview? fun(item: any): string Markdown, for pickers with a preview window

---@class placet.Picker an adapter; each is a module under `placet.picker`
---@field is_installed fun(): boolean
---@field pick fun(choice: placet.PickerRequest, use: fun(item: any))

---Adapters in the order of the search.
M.ADAPTERS = { 'snacks', 'telescope', 'fzf_lua', 'mini_pick' }

---@param name string
---@return placet.Picker
local function adapter(name)
  return require('placet.picker.' .. name)
end

---Return whether the user has replaced `vim.ui.select`. The replacement is then the user's picker.
local function is_select_replaced()
  local source = debug.getinfo(vim.ui.select, 'S').source
  return not source:match('vim/ui%.lua$')
end

---Return the adapters whose plugin is installed.
---@return string[]
function M.installed()
  return vim.tbl_filter(function(name)
    return adapter(name).is_installed()
  end, M.ADAPTERS)
end

---Return the name of the current picker.
---@return string name
function M.current()
  local name = config.get().picker
  if name == 'auto' then
    return is_select_replaced() and 'select' or M.installed()[1] or 'select'
  elseif name ~= 'select' and not adapter(name).is_installed() then
    vim.notify_once(
      ('Placet: the option `picker` is "%s", which is not installed; vim.ui.select is used'):format(name),
      vim.log.levels.WARN
    )
    return 'select'
  end
  return name
end

---Let the user choose an item. `use` is not called if the user cancels.
---@param choice placet.PickerRequest
---@param use fun(item: any)
function M.pick(choice, use)
  if #choice.items == 0 then
    return vim.notify('Placet: the list is empty')
  end
  local format = choice.format
  local shown = vim.tbl_extend('force', choice, {
    prompt = visible_text.plain(choice.prompt),
    format = function(item)
      return visible_text.plain(format(item))
    end,
  })
  adapter(M.current()).pick(shown, use)
end

return M
