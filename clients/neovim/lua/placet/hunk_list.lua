---All hunks of a change in one quickfix list.
local surface_of = require('placet.surface')

local M = {}

---@param title string
---@param surfaces placet.Surface[]
---@return integer list
function M.open(title, surfaces)
  local items = {}
  for _, surface in ipairs(surfaces) do
    for _, unit in ipairs(surface.units) do
      local hunk = unit.hunk
      items[#items + 1] = {
        bufnr = surface.bufnr,
        lnum = surface_of.rows(surface, unit) + 1,
        text = hunk and ('hunk %d: +%d -%d'):format(unit.number, #hunk.newLines, #hunk.oldLines)
          or ('%s the file'):format(unit.file.kind),
      }
    end
  end
  vim.fn.setqflist({}, ' ', { title = 'Placet: ' .. title, items = items })
  return vim.fn.getqflist({ id = 0 }).id
end

---@param list integer
function M.close(list)
  vim.fn.setqflist({}, 'r', { id = list, items = {} })
end

return M
