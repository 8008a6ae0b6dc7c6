---Text functions: LSP edits on a string, and conversion between text and the lines of a buffer. Pure.
local M = {}

---@type table<string, string>
local ENDINGS = { unix = '\n', dos = '\r\n', mac = '\r' }

---Return the 1-based byte offsets of all line starts. As in LSP, only \r\n, \n and \r end a line.
---@param text string
---@return integer[]
local function line_starts(text)
  local starts, position = { 1 }, 1
  while true do
    local at = text:find('[\r\n]', position)
    if not at then
      return starts
    end
    position = at + 1
    if text:byte(at) == 13 and text:byte(position) == 10 then
      position = position + 1
    end
    starts[#starts + 1] = position
  end
end

---Return the 1-based byte offset of an LSP position, clamped to the text and to its line.
---@param text string
---@param starts integer[]
---@param position lsp.Position
---@param encoding 'utf-8'|'utf-16'|'utf-32'
---@return integer
local function offset_of(text, starts, position, encoding)
  local start = starts[position.line + 1]
  if not start then
    return #text + 1
  end
  local line = text:sub(start, (starts[position.line + 2] or #text + 1) - 1):gsub('[\r\n]+$', '')
  return start + vim.str_byteindex(line, encoding, position.character, false)
end

---Apply LSP edits to a text. All edits refer to the original text.
---@param text string
---@param edits lsp.TextEdit[]
---@param encoding 'utf-8'|'utf-16'|'utf-32'
---@return string? result nil when edits overlap
---@return string? reason
function M.apply_edits(text, edits, encoding)
  local starts = line_starts(text)
  local spans = {}
  for index, edit in ipairs(edits) do
    spans[index] = {
      index = index,
      first = offset_of(text, starts, edit.range.start, encoding),
      last = offset_of(text, starts, edit.range['end'], encoding),
      text = edit.newText,
    }
  end
  table.sort(spans, function(a, b)
    if a.first ~= b.first then
      return a.first < b.first
    end
    return a.index < b.index
  end)
  local pieces, position = {}, 1
  for _, span in ipairs(spans) do
    if span.first < position or span.last < span.first then
      return nil, 'the edits overlap'
    end
    pieces[#pieces + 1] = text:sub(position, span.first - 1)
    pieces[#pieces + 1] = span.text
    position = span.last
  end
  pieces[#pieces + 1] = text:sub(position)
  return table.concat(pieces)
end

---Return the text of buffer lines in the form of the protocol: with the file's line endings.
---@param lines string[]
---@param fileformat string
---@param has_final_ending boolean
---@return string
function M.from_lines(lines, fileformat, has_final_ending)
  local ending = ENDINGS[fileformat]
  return table.concat(lines, ending) .. (has_final_ending and ending or '')
end

---Return the lines of a buffer with this file format that holds exactly this text.
---@param text string
---@param fileformat string
---@return string[]? lines nil if the text does not fit the file format
---@return boolean|string has_final_ending, or the reason
function M.to_lines(text, fileformat)
  if text:find('\0', 1, true) then
    return nil, 'the text holds NUL bytes'
  end
  local ending = ENDINGS[fileformat]
  local has_final_ending = text:sub(-#ending) == ending
  local lines = vim.split(has_final_ending and text:sub(1, -#ending - 1) or text, ending, { plain = true })
  if fileformat ~= 'unix' then
    for _, line in ipairs(lines) do
      if line:find('\n', 1, true) then
        return nil, ('a line of the new text does not end as fileformat=%s wants'):format(fileformat)
      end
    end
  end
  return lines, has_final_ending
end

---Return the best file format for a new file with this text.
---@param text string
---@return string
function M.fileformat_of(text)
  local _, feeds = text:gsub('\n', '')
  local _, pairs_of_both = text:gsub('\r\n', '')
  return feeds > 0 and feeds == pairs_of_both and 'dos' or 'unix'
end

---Return the text with \n line endings, the form of permission requests.
---@param text string
---@return string
function M.to_lf(text)
  return (text:gsub('\r\n?', '\n'))
end

---Return the number of equal bytes at the start and at the end of two strings, on character boundaries.
---@param old string
---@param new string
---@return integer prefix
---@return integer suffix
function M.shared_ends(old, new)
  local shorter = math.min(#old, #new)
  local prefix = 0
  while prefix < shorter and old:byte(prefix + 1) == new:byte(prefix + 1) do
    prefix = prefix + 1
  end
  while prefix > 0 and prefix < #old and vim.str_utf_start(old, prefix + 1) ~= 0 do
    prefix = prefix - 1
  end
  while prefix > 0 and prefix < #new and vim.str_utf_start(new, prefix + 1) ~= 0 do
    prefix = prefix - 1
  end
  local suffix = 0
  while suffix < shorter - prefix and old:byte(#old - suffix) == new:byte(#new - suffix) do
    suffix = suffix + 1
  end
  while suffix > 0 and vim.str_utf_start(old, #old - suffix + 1) ~= 0 do
    suffix = suffix - 1
  end
  return prefix, suffix
end

return M
