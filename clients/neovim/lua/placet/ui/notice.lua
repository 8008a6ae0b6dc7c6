---Notices of the daemon for the user (`window/showMessage`), by vim.notify.
local visible_text = require('placet.ui.visible_text')

local M = {}

---Levels by LSP's MessageType.
local LEVELS = { vim.log.levels.ERROR, vim.log.levels.WARN, vim.log.levels.INFO, vim.log.levels.INFO }
local SEE_ALL = '… (:messages)'

---Return whether vim.notify is Neovim's own, which stops at a prompt after a text longer than the
---command line.
---@return boolean
local function prints()
  return debug.getinfo(vim.notify, 'S').source:find('vim/_editor', 1, true) ~= nil
end

---Return the line in pieces of at most `most` columns, each piece up to a blank if possible.
---@param line string
---@param most integer
---@return string[]
local function pieces_of(line, most)
  local pieces, rest = {}, line
  while vim.fn.strdisplaywidth(rest) > most do
    local piece = vim.fn.strcharpart(rest, 0, most)
    while vim.fn.strdisplaywidth(piece) > most do
      piece = vim.fn.strcharpart(piece, 0, vim.fn.strchars(piece) - 1)
    end
    piece = piece:match('^(.*%S )') or piece
    pieces[#pieces + 1] = piece
    rest = rest:sub(#piece + 1)
  end
  pieces[#pieces + 1] = rest
  return pieces
end

---Show the text. Where Neovim itself prints the text, a long text goes to `:messages`, and the beginning
---is shown.
---@param text string
---@param kind integer MessageType
function M.show(text, kind)
  local level = LEVELS[kind] or vim.log.levels.INFO
  local lines = visible_text.lines(text)
  if not prints() then
    return vim.notify(table.concat(lines, '\n'), level)
  end
  local pieces = vim
    .iter(lines)
    :map(function(line)
      return pieces_of(line, vim.v.echospace)
    end)
    :flatten()
    :totable()
  if #pieces == 1 then
    return vim.notify(pieces[1], level)
  end
  for _, piece in ipairs(pieces) do
    vim.api.nvim_echo({ { piece } }, true, {})
    -- Without a redraw, the second message would end in a prompt.
    vim.cmd.redraw()
  end
  local beginning = pieces_of(lines[1], vim.v.echospace - vim.fn.strdisplaywidth(SEE_ALL))[1]
  vim.notify(vim.trim(beginning) .. SEE_ALL, level)
end

return M
