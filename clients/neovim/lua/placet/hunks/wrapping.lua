---Rows of a line in the width of a window. Neovim wraps the lines of a buffer, and cuts virtual lines at the
---edge of the window, so wide virtual lines are wrapped here.
local api = vim.api
local M = {}

---@alias placet.Chunk [string, string|string[]]

---@class placet.LineShape
---@field width integer screen columns of a row
---@field height integer rows of the lowest window
---@field tabs integer[] widths of the first tabs; the last width is the width of all further tabs
---@field lead string text before each further row of a line, as of 'showbreak'

---@param tabs integer[]
---@param column integer screen column of the line before the tab
---@return integer
local function tab_width(tabs, column)
  for _, width in ipairs(tabs) do
    if column < width then
      return width - column
    end
    column = column - width
  end
  return tabs[#tabs] - column % tabs[#tabs]
end

---Return the characters of a text, each with its combining characters.
---@param text string
---@return string[]
local function characters(text)
  if text:find('[\128-\255]') then
    return vim.fn.split(text, '\\zs')
  end
  local found = {}
  for character in text:gmatch('.') do
    found[#found + 1] = character
  end
  return found
end

---@param line placet.Chunk[]
---@return string text
---@return integer[] lengths of the chunks
local function joined(line)
  local texts, lengths = {}, {}
  for number, chunk in ipairs(line) do
    -- A NUL would end the text on the screen.
    texts[number] = chunk[1]:gsub('%z', '^@')
    lengths[number] = #texts[number]
  end
  return table.concat(texts), lengths
end

---Return a line as rows that are not wider than the shape, and the width of each row.
---@param line placet.Chunk[]
---@param shape placet.LineShape
---@return placet.Chunk[][] rows
---@return integer[] widths
function M.rows(line, shape)
  local text, rest = joined(line)
  if #text <= shape.width and not text:find('[%c\128-\255]') then
    return { line }, { #text }
  end
  local lead = api.nvim_strwidth(shape.lead)
  local rows, widths, row, used, column = {}, {}, {}, 0, 0
  local pieces, index = {}, 1
  local function end_chunk()
    if #pieces > 0 then
      row[#row + 1] = { table.concat(pieces), line[index][2] }
      pieces = {}
    end
  end
  local function end_row()
    end_chunk()
    rows[#rows + 1], widths[#widths + 1] = row, used
    row, used = {}, 0
  end
  local function add(shown, width)
    if used + width > shape.width and used > 0 then
      end_row()
      if lead > 0 and lead + width <= shape.width then
        row, used = { { shape.lead, line[index][2] } }, lead
      end
    end
    pieces[#pieces + 1] = shown
    used, column = used + width, column + width
  end
  for _, character in ipairs(characters(text)) do
    while rest[index] <= 0 do
      end_chunk()
      rest[index + 1], index = rest[index + 1] + rest[index], index + 1
    end
    rest[index] = rest[index] - #character
    if character == '\t' then
      for _ = 1, tab_width(shape.tabs, column) do
        add(' ', 1)
      end
    else
      local shown = character:find('%c') and vim.fn.strtrans(character) or character
      add(shown, api.nvim_strwidth(shown))
    end
  end
  end_row()
  return rows, widths
end

return M
