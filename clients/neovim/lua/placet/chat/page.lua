---A page: blocks of lines, one below the other. What was written of them, and in which rows, is kept with
---them, so that only what is different is written out. Pure.
local M = {}

---@alias placet.BlockKind 'prompt'|'text'|'thought'|'tool'|'plan'|'note'

---@class placet.LinkTarget a place to go to from a line
---@field path string
---@field line? integer 1-based
---@field session? string a subagent's session instead of a file

---@class placet.Block
---@field id string
---@field kind placet.BlockKind
---@field number integer its place on the page
---@field turn? string
---@field lines string[] all of it, but for `pending`
---@field pending string[] text behind the last line that is not split into lines yet
---@field prefix string before each line of text
---@field fold? integer the first line that is folded, up to the last; none: nothing is
---@field targets? table<integer, placet.LinkTarget> by line
---@field dirty? integer the first line that is not written as it is now
---@field gap integer blank lines that are written before it
---@field height integer lines of it that are written
---@field row integer 0-based, of its first written line; valid up to the page's `placed`

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

---The block of that name; a new one goes to the end.
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

---Split what came into lines. Done as late as can be: text comes in small pieces.
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

---More text behind the block's last line.
---@param page placet.Page
---@param block placet.Block
---@param text string
function M.append(page, block, text)
  touch(page, block, math.max(1, #block.lines))
  block.pending[#block.pending + 1] = text
end

---Other lines in place of the block's.
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
    -- What begins or ends to be folded is told to Neovim by writing it.
    touch(page, block, fold ~= block.fold and math.min(first, fold or 1) or first)
  end
  block.lines, block.fold, block.targets = lines, fold, targets
end

---The block's text without its prefix and its first lines.
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

---Leave blocks of a kind out, or take them in again.
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

---Nothing of the page is written anywhere.
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

---How many lines are written.
---@param page placet.Page
---@return integer
function M.height(page)
  local last = page.blocks[#page.blocks]
  return last and M.row(page, #page.blocks) + last.height or 0
end

---From here on this is what is written of a block.
---@param page placet.Page
---@param block placet.Block
---@param gap integer
---@param height integer
function M.written(page, block, gap, height)
  block.gap, block.height = gap, height
  block.dirty, page.dirty[block] = nil, nil
  page.placed = math.min(page.placed, block.number - 1)
end

---The block that a written row is of; for a blank row between two, the one before.
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
  -- Blocks of which nothing is written share their row with the one behind them.
  while low > 1 and page.blocks[low].height == 0 do
    low = low - 1
  end
  local block = page.blocks[low]
  return block, row - block.row + 1
end

---The nearest visible block in one direction.
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
