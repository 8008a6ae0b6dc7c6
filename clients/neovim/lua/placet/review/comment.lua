---Comment of the user on a unit, for the model.
local visible_text = require('placet.ui.visible_text')

local M = {}

---Ask for the comment on a unit. An empty answer removes the comment, <Esc> keeps the old comment.
---@param unit placet.ReviewUnit
---@param done fun() called when the comment has changed
function M.ask(unit, done)
  local subject = unit.hunk and 'hunk ' .. unit.number
    or vim.fn.fnamemodify(vim.uri_to_fname(unit.file.uri), ':t')
  vim.ui.input({
    prompt = ('Comment on %s: '):format(visible_text.plain(subject)),
    default = unit.comment,
  }, function(text)
    if text then
      unit.comment = vim.trim(text) ~= '' and text or nil
      done()
    end
  end)
end

return M
