---Page: the text of a chat buffer as a list of blocks. Each block remembers its rows in the buffer and its
---first changed line, so that only changed lines are written. Pure.
local M = {}

---@alias placet.BlockKind 'prompt'|'text'|'thought'|'tool'|'plan'|'note'

---@class placet.LinkTarget a place to go to from a line
---@field path string
---@field line? integer 1-based
---@field session? string a subagent's session instead of a file

---@class placet.Block
---@field id string
---@field kind placet.BlockKind
---@field number integer position on the page, 1-based
---@field turn? string
---@field message? string last message that the block belongs to
---@field lines string[] all lines, without `pending`
---@field pending string[] text after the last line, not yet split into lines
---@field prefix string before each line of text
---@field fold? integer first folded line; the fold ends at the last line; nil: no fold
---@field targets? table<integer, placet.LinkTarget> by line
---@field dirty? integer first line that differs from the buffer
---@field gap integer blank lines in the buffer before the block
---@field height integer lines of the block in the buffer
---@field row integer 0-based row of the first line in the buffer; valid up to the page's `placed`

---@class placet.Page
---@field blocks placet.Block[]
---@field index table<string, placet.Block>
---@field placed integer how many blocks have a valid row
---@field dirty table<placet.Block, true>
---@field hides table<placet.BlockKind, boolean>

---@return placet.Page
function M.new()
  return { blocks = {}, index = {}, placed = 0, dirty = {}, hides = {} }
end

---@param page placet.Page
---@param block placet.Block
---@param line integer
local function touch(page, block, line)
  block.dirty = math.min(block.dirty or line, line)
  page.dirty[block] = true
end

---Return the block with the given id. A new block is added at the end of the page.
---@param page placet.Page
---@param id string
---@param kind placet.BlockKind
---@param prefix? string
---@return placet.Block
function M.block(page, id, kind, prefix)
  local block = page.index[id]
  if not block then
    block = {
      id = id,
      kind = kind,
      number = #page.blocks + 1,
      lines = {},
      pending = {},
      prefix = prefix or '',
      gap = 0,
      height = 0,
      row = 0,
    }
    page.blocks[block.number], page.index[id] = block, block
  end
  return block
end

---Split pending text into lines. This happens as late as possible, because text arrives in small pieces.
---@param block placet.Block
function M.settle(block)
  if #block.pending == 0 then
    return
  end
  local text = table.concat(block.pending):gsub('[%z\r]', '')
  block.pending = {}
  local lines, prefix = block.lines, block.prefix
  for index, piece in ipairs(vim.split(text, '\n', { plain = true })) do
    if index == 1 and #lines > 0 then
      lines[#lines] = lines[#lines] .. piece
    else
      lines[#lines + 1] = prefix .. piece
    end
  end
end

---Append text to the last line of a block.
---@param page placet.Page
---@param block placet.Block
---@param text string
function M.append(page, block, text)
  touch(page, block, math.max(1, #block.lines))
  block.pending[#block.pending + 1] = text
end

---Replace the lines of a block.
---@param page placet.Page
---@param block placet.Block
---@param lines string[]
---@param fold? integer
---@param targets? table<integer, placet.LinkTarget>
function M.replace(page, block, lines, fold, targets)
  M.settle(block)
  local first = 1
  while first <= #lines and lines[first] == block.lines[first] do
    first = first + 1
  end
  if first <= math.max(#lines, #block.lines) or fold ~= block.fold then
    -- Neovim only evaluates the fold of a line again when the line is written.
    touch(page, block, fold ~= block.fold and math.min(first, fold or 1) or first)
  end
  block.lines, block.fold, block.targets = lines, fold, targets
end

---Return the text of a block without the prefix of its lines and without the first lines.
---@param block placet.Block
---@param skipped integer
---@return string
function M.text(block, skipped)
  M.settle(block)
  local lines = {}
  for index = skipped + 1, #block.lines do
    lines[#lines + 1] = block.lines[index]:sub(#block.prefix + 1)
  end
  return table.concat(lines, '\n')
end

---@param page placet.Page
---@param block placet.Block
function M.is_hidden(page, block)
  return page.hides[block.kind] == true
end

---Hide or show all blocks of a kind.
---@param page placet.Page
---@param kind placet.BlockKind
---@param hidden boolean
function M.hide(page, kind, hidden)
  page.hides[kind] = hidden or nil
  for _, block in ipairs(page.blocks) do
    if block.kind == kind then
      touch(page, block, 1)
    end
  end
end

---Mark all blocks as not written, for a new buffer.
---@param page placet.Page
function M.unwritten(page)
  page.placed, page.dirty = 0, {}
  for _, block in ipairs(page.blocks) do
    block.gap, block.height, block.row = 0, 0, 0
    touch(page, block, 1)
  end
end

---@param page placet.Page
---@param number integer
---@return integer
function M.row(page, number)
  while page.placed < number do
    local before = page.blocks[page.placed]
    local block = page.blocks[page.placed + 1]
    block.row = (before and before.row + before.height or 0) + block.gap
    page.placed = page.placed + 1
  end
  return page.blocks[number].row
end

---Return the number of lines that the page has in the buffer.
---@param page placet.Page
---@return integer
function M.height(page)
  local last = page.blocks[#page.blocks]
  return last and M.row(page, #page.blocks) + last.height or 0
end

---Record the rows that a block now has in the buffer.
---@param page placet.Page
---@param block placet.Block
---@param gap integer
---@param height integer
function M.written(page, block, gap, height)
  block.gap, block.height = gap, height
  block.dirty, page.dirty[block] = nil, nil
  page.placed = math.min(page.placed, block.number - 1)
end

---Return the block at a buffer row. A blank row between two blocks belongs to the upper block.
---@param page placet.Page
---@param row integer 0-based
---@return placet.Block?
---@return integer line of the block, 1-based
function M.at(page, row)
  if #page.blocks == 0 then
    return nil, 0
  end
  M.row(page, #page.blocks)
  local low, high = 1, #page.blocks
  while low < high do
    local middle = math.ceil((low + high) / 2)
    if page.blocks[middle].row <= row then
      low = middle
    else
      high = middle - 1
    end
  end
  -- Empty blocks share their row with the next block.
  while low > 1 and page.blocks[low].height == 0 do
    low = low - 1
  end
  local block = page.blocks[low]
  return block, row - block.row + 1
end

---Return the nearest visible block in one direction.
---@param page placet.Page
---@param number integer
---@param step 1|-1
---@return placet.Block?
function M.visible(page, number, step)
  local block = page.blocks[number + step]
  while block and (M.is_hidden(page, block) or (#block.lines == 0 and #block.pending == 0)) do
    block = page.blocks[block.number + step]
  end
  return block
end

return M
