---Part of a hunk that a window shows: heights are in screen lines, with virtual, wrapped and folded lines.
local api = vim.api
local M = {}

local namespace = api.nvim_create_namespace('placet.review.below')
---Screen lines of context to leave above a hunk, if there is room.
local CONTEXT = 3

---Return the height of the virtual lines above a row. Virtual lines below a row count as above the next row.
---@param window integer
---@param row integer 0-based
---@return integer
local function fill_above(window, row)
  local count = api.nvim_buf_line_count(api.nvim_win_get_buf(window))
  if row < count then
    return api.nvim_win_text_height(window, { start_row = row, end_row = row }).fill
  end
  -- Without an end row, the virtual lines below the last line are measured too.
  return api.nvim_win_text_height(window, { start_row = count - 1, start_vcol = 0 }).fill
end

---Return the height of rows without the virtual lines above the first row, and with the virtual lines below
---the last row.
---@param window integer
---@param first integer
---@param last integer
---@return integer
local function height_of(window, first, last)
  local options = { start_row = first, start_vcol = 0, end_row = last }
  return api.nvim_win_text_height(window, options).all + fill_above(window, last + 1)
end

---@class placet.Viewport
---@field top integer 0-based row
---@field fill integer virtual lines above the row on the screen
---@field room integer lines for text

---@param window integer
---@return placet.Viewport
local function viewport_of(window)
  local view = api.nvim_win_call(window, vim.fn.winsaveview)
  return { top = view.topline - 1, fill = view.topfill, room = vim.fn.getwininfo(window)[1].height }
end

---Return the number of screen lines below the window, up to a row and the virtual lines below the row.
---@param window integer
---@param viewport placet.Viewport
---@param last integer
---@return integer
local function below(window, viewport, last)
  if last + 1 < viewport.top then
    return 0
  elseif last + 1 == viewport.top then
    return math.max(0, viewport.fill - viewport.room)
  end
  local shown_from = math.min(viewport.top, last)
  return math.max(0, viewport.fill + height_of(window, shown_from, last) - viewport.room)
end

---Open the closed folds over rows.
---@param window integer
---@param first integer
---@param last integer
function M.open_folds(window, first, last)
  api.nvim_win_call(window, function()
    if vim.wo.foldenable and vim.fn.foldclosed(first + 1) ~= -1 or vim.fn.foldclosed(last + 1) ~= -1 then
      vim.cmd(('silent! %d,%dfoldopen!'):format(first + 1, last + 1))
    end
  end)
end

---Scroll a window so that it shows rows with their virtual lines. A window that shows them stays as it is.
---@param window integer
---@param first integer 0-based
---@param last integer
function M.show(window, first, last)
  local viewport = viewport_of(window)
  local room, above = viewport.room, fill_above(window, first)
  local shows_top = viewport.top < first or (viewport.top == first and viewport.fill >= above)
  if shows_top and below(window, viewport, last) == 0 then
    return
  end
  local height = above + height_of(window, first, last)
  local context = math.max(0, math.min(math.max(CONTEXT, vim.wo[window].scrolloff), room - height))
  local row = first
  -- The height of the rows above is measured with the virtual lines above each of them.
  while
    row > 0
    and api.nvim_win_text_height(window, { start_row = row - 1, end_row = first - 1 }).all <= context
  do
    row = row - 1
  end
  local fill = row == first and math.min(above, room - 1) or fill_above(window, row)
  api.nvim_win_call(window, function()
    vim.fn.winrestview({ topline = row + 1, topfill = fill })
  end)
end

---Show the number of lines below the window beside the first line of each span that goes on below.
---@param bufnr integer
---@param window integer
---@param spans {first: integer, last: integer}[]
---@param way string key or command that shows all lines in windows of their own
function M.hint(bufnr, window, spans, way)
  M.clear(bufnr)
  local viewport, bottom = viewport_of(window), vim.fn.line('w$', window) - 1
  for _, span in ipairs(spans) do
    local is_visible = span.first <= bottom and span.last + 1 >= viewport.top
    local lines = is_visible and below(window, viewport, span.last) or 0
    if lines > 0 then
      -- Neovim scrolls past the middle of virtual lines that are higher than the window: 'topfill' is always
      -- less than the height of the window (:help winsaveview()), also with 'smoothscroll'.
      local is_whole = fill_above(window, span.last + 1) < viewport.room
      local more = is_whole and '' or ('; %s shows all'):format(way)
      local text = (' ↓ %d more %s below%s '):format(lines, lines == 1 and 'line' or 'lines', more)
      api.nvim_buf_set_extmark(bufnr, namespace, span.first, 0, {
        virt_text = { { text, 'PlacetHint' } },
        virt_text_pos = 'eol',
        priority = 215, -- Before the label of the unit, which is aligned to the right edge.
      })
    end
  end
end

---@param bufnr integer
function M.clear(bufnr)
  api.nvim_buf_clear_namespace(bufnr, namespace, 0, -1)
end

return M
