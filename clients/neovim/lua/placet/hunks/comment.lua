---Comment of the user on a unit or a file, for the model.
local visible_text = require('placet.ui.visible_text')

local M = {}

---@param unit placet.ReviewUnit
---@return string
function M.subject(unit)
  return unit.hunk and 'hunk ' .. unit.number or vim.fn.fnamemodify(vim.uri_to_fname(unit.file.uri), ':t')
end

---Ask for a comment. <Esc> changes nothing.
---@param subject string
---@param default? string
---@param use fun(text: string) called with the trimmed text
function M.input(subject, default, use)
  vim.ui.input({
    prompt = ('Comment on %s: '):format(visible_text.plain(subject)),
    default = default,
  }, function(text)
    if text then
      use(vim.trim(text))
    end
  end)
end

---Ask for the comment on a unit. An empty answer removes the comment, <Esc> keeps the old comment.
---@param unit placet.ReviewUnit
---@param done fun() called when the comment has changed
function M.ask(unit, done)
  M.input(M.subject(unit), unit.comment, function(text)
    unit.comment = text ~= '' and text or nil
    done()
  end)
end

return M
