---A remark on a hunk, which goes to the model with the answer. It refuses the hunk unless that is accepted.
local M = {}

---Ask for it; an empty one takes the remark away, and <Esc> leaves it as it was.
---@param unit placet.Unit
---@param done fun() called when it has changed
function M.ask(unit, done)
  local subject = unit.hunk and 'hunk ' .. unit.number
    or vim.fn.fnamemodify(vim.uri_to_fname(unit.file.uri), ':t')
  vim.ui.input({ prompt = ('Comment on %s: '):format(subject), default = unit.comment }, function(text)
    if text then
      unit.comment = vim.trim(text) ~= '' and text or nil
      done()
    end
  end)
end

return M
