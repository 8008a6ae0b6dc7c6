---Keep the cursors of a buffer while the user's autocommands run: `%s` in a formatter on save moves the
---cursor to its last match.
local api = vim.api
local M = {}

local namespace = api.nvim_create_namespace('placet.place')

---@param bufnr integer
---@param row integer 1-based
---@return string?
local function line(bufnr, row)
  return api.nvim_buf_get_lines(bufnr, row - 1, row, false)[1]
end

---@param bufnr integer
---@param window integer
---@return fun() restore
local function save(bufnr, window)
  local row, column = unpack(api.nvim_win_get_cursor(window))
  local text = line(bufnr, row)
  local mark = api.nvim_buf_set_extmark(bufnr, namespace, row - 1, 0, {})
  local above = row - vim.fn.line('w0', window)
  return function()
    local now = api.nvim_buf_get_extmark_by_id(bufnr, namespace, mark, {})[1] + 1
    api.nvim_buf_del_extmark(bufnr, namespace, mark)
    if not api.nvim_win_is_valid(window) or api.nvim_win_get_buf(window) ~= bufnr then
      return
    end
    -- A cursor on a line with the same text was moved on purpose, or not at all. A deleted line cannot be
    -- restored.
    if line(bufnr, api.nvim_win_get_cursor(window)[1]) == text or line(bufnr, now) ~= text then
      return
    end
    api.nvim_win_call(window, function()
      vim.fn.winrestview({ lnum = now, col = column, topline = math.max(1, now - above) })
    end)
  end
end

---Run a function, then move each cursor back to its line, if the line still exists.
---@param bufnr integer
---@param act fun()
function M.preserve(bufnr, act)
  local restores = vim.tbl_map(function(window)
    return save(bufnr, window)
  end, vim.fn.win_findbuf(bufnr))
  act()
  if api.nvim_buf_is_valid(bufnr) then
    for _, restore in ipairs(restores) do
      restore()
    end
  end
end

return M
