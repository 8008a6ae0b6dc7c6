---Adapter for https://github.com/nvim-telescope/telescope.nvim
---@type placet.Picker
local M = {}

function M.is_installed()
  return (pcall(require, 'telescope.pickers'))
end

---@param preview fun(item: any): string
local function previewer(preview)
  return require('telescope.previewers').new_buffer_previewer({
    title = 'Placet',
    define_preview = function(self, entry)
      local bufnr = self.state.bufnr
      vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, vim.split(preview(entry.value), '\n', { plain = true }))
      vim.bo[bufnr].filetype = 'markdown'
    end,
  })
end

function M.pick(choice, use)
  local actions = require('telescope.actions')
  local defaults = require('telescope.config').values
  local finder = require('telescope.finders').new_table({
    results = choice.items,
    entry_maker = function(item)
      local text = choice.format(item)
      return { value = item, display = text, ordinal = text }
    end,
  })
  require('telescope.pickers')
    .new({}, {
      prompt_title = choice.prompt,
      finder = finder,
      sorter = defaults.generic_sorter({}),
      previewer = choice.preview and previewer(choice.preview) or nil,
      attach_mappings = function(bufnr)
        actions.select_default:replace(function()
          local entry = require('telescope.actions.state').get_selected_entry()
          actions.close(bufnr)
          if entry then
            use(entry.value)
          end
        end)
        return true
      end,
    })
    :find()
end

return M
