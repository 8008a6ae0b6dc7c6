---Write a page to its buffer. Only changed lines are written. Windows with the cursor on the last line follow
---the text.
local Page = require('placet.chat.page')

local api = vim.api
local M = {}

---Tree-sitter parses the whole Markdown again for every piece of text. A longer page uses our own syntax
---file, which only looks at the visible lines.
local MOST_TREESITTER_LINES = 400

---Return the number of blank lines before a block: none before the first block and none between tool calls.
---@param page placet.Page
---@param block placet.Block
---@return integer
local function gap_of(page, block)
  local before = Page.visible(page, block.number, -1)
  if not before then
    return 0
  end
  return block.kind == 'tool' and before.kind == 'tool' and 0 or 1
end

---@param page placet.Page
---@param block placet.Block
---@return integer gap
---@return string[] lines
local function content(page, block)
  Page.settle(block)
  if #block.lines == 0 or Page.is_hidden(page, block) then
    return 0, {}
  end
  return gap_of(page, block), block.lines
end

---@param count integer
---@param lines string[]
---@return string[]
local function with_gap(count, lines)
  local all = {}
  for _ = 1, count do
    all[#all + 1] = ''
  end
  return vim.list_extend(all, lines)
end

---Replace buffer rows. An empty page has one empty line in the buffer.
---@param bufnr integer
---@param first integer
---@param last integer
---@param lines string[]
---@param is_blank boolean
local function put(bufnr, first, last, lines, is_blank)
  api.nvim_buf_set_lines(bufnr, first, is_blank and -1 or last, true, lines)
end

---@param bufnr integer
---@param page placet.Page
---@param block placet.Block
local function write_block(bufnr, page, block)
  local is_blank = Page.height(page) == 0
  local row = Page.row(page, block.number)
  local old_gap, old_height, from = block.gap, block.height, block.dirty or 1
  local gap, lines = content(page, block)
  local was_shown, is_shown = old_height > 0, #lines > 0
  -- Record the rows first: Neovim evaluates 'foldexpr' for new lines while the lines are set.
  Page.written(page, block, gap, #lines)
  local first = row - old_gap
  if gap ~= old_gap or not was_shown or not is_shown then
    if was_shown or is_shown then
      put(bufnr, first, row + old_height, with_gap(gap, lines), is_blank)
    end
  elseif from == old_height and #lines >= from then
    local last = row + old_height - 1
    local written = api.nvim_buf_get_lines(bufnr, last, last + 1, true)[1]
    local new = vim.list_slice(lines, from)
    if vim.startswith(new[1], written) then
      new[1] = new[1]:sub(#written + 1)
      api.nvim_buf_set_text(bufnr, last, #written, last, #written, new)
    else
      put(bufnr, last, last + 1, new, false)
    end
  elseif from <= math.max(old_height, #lines) then
    put(bufnr, row + from - 1, row + old_height, vim.list_slice(lines, from), false)
  end
  if was_shown ~= is_shown then
    local behind = Page.visible(page, block.number, 1)
    if behind and behind.height > 0 and gap_of(page, behind) ~= behind.gap then
      behind.dirty = 1
      page.dirty[behind] = true
      write_block(bufnr, page, behind)
    end
  end
end

---Write all new blocks at the end of the page in one call.
---@param bufnr integer
---@param page placet.Page
---@param number integer
local function write_new(bufnr, page, number)
  local row = Page.height(page)
  local is_blank = row == 0
  local all = {}
  for index = number, #page.blocks do
    local block = page.blocks[index]
    local gap, lines = content(page, block)
    Page.written(page, block, gap, #lines)
    vim.list_extend(all, with_gap(gap, lines))
  end
  if #all > 0 then
    put(bufnr, row, row, all, is_blank)
  end
end

---Return the windows that follow the text: the cursor is on the last line.
---@param bufnr integer
---@return integer[]
local function following(bufnr)
  local last = api.nvim_buf_line_count(bufnr)
  return vim.tbl_filter(function(window)
    return api.nvim_win_get_cursor(window)[1] == last
  end, vim.fn.win_findbuf(bufnr))
end

---@param bufnr integer
---@param windows integer[]
local function follow(bufnr, windows)
  local last = api.nvim_buf_line_count(bufnr)
  for _, window in ipairs(windows) do
    local line = api.nvim_buf_get_lines(bufnr, last - 1, last, true)[1]
    -- Set the cursor to the end of the line, because the line may be longer than the window.
    api.nvim_win_set_cursor(window, { last, #line })
  end
end

---Start tree-sitter highlighting in a short page.
---@param bufnr integer
function M.start_highlighting(bufnr)
  if api.nvim_buf_line_count(bufnr) <= MOST_TREESITTER_LINES then
    pcall(vim.treesitter.start, bufnr, 'markdown')
  end
end

---Switch a page that has grown long from tree-sitter to our own syntax file.
---@param bufnr integer
function M.limit_highlighting(bufnr)
  local line_count = api.nvim_buf_line_count(bufnr)
  if vim.treesitter.highlighter.active[bufnr] and line_count > MOST_TREESITTER_LINES then
    -- `vim.treesitter.stop` would load the Markdown and HTML syntax files, which takes longer than one frame.
    local is_on = vim.g.syntax_on
    vim.g.syntax_on = nil
    vim.treesitter.stop(bufnr)
    vim.g.syntax_on = is_on
    if is_on then
      vim.bo[bufnr].syntax = 'placet-page'
    end
  end
end

---Write all changed blocks to the buffer.
---@param bufnr integer
---@param page placet.Page
function M.write(bufnr, page)
  local changed = vim.tbl_keys(page.dirty)
  if #changed == 0 then
    return
  end
  local windows = following(bufnr)
  vim.bo[bufnr].modifiable = true
  -- Write from the last block to the first, so that the rows of the upper blocks stay valid.
  table.sort(changed, function(a, b)
    return a.number > b.number
  end)
  local newest = #page.blocks + 1
  while newest > 1 and page.blocks[newest - 1].height == 0 and page.blocks[newest - 1].dirty do
    newest = newest - 1
  end
  if newest <= #page.blocks then
    write_new(bufnr, page, newest)
  end
  for _, block in ipairs(changed) do
    if block.dirty then
      write_block(bufnr, page, block)
    end
  end
  vim.bo[bufnr].modifiable = false
  vim.bo[bufnr].modified = false
  follow(bufnr, windows)
end

return M
