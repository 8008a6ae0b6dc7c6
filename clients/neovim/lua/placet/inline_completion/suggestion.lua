---Suggestion at the cursor: made from an item of the daemon, compared with the user's typing, and cut into
---words and lines. Pure.
local M = {}

---@class placet.Suggestion
---@field text string text to insert, with \n line endings
---@field before string text of the line before the place of the suggestion
---@field after string text of the line behind the place
---@field replaced integer bytes behind the place that the whole suggestion replaces; the bytes are blanks

---@class placet.SuggestionPlace where the daemon was asked
---@field row integer 0-based
---@field column integer in bytes
---@field line string

---Return the suggestion of an item, or nil if the item has no text to show at the place.
---@param item lsp.InlineCompletionItem
---@param place placet.SuggestionPlace
---@param encoding 'utf-8'|'utf-16'|'utf-32'
---@return placet.Suggestion?
function M.of_item(item, place, encoding)
  local text, range = item.insertText, item.range
  if type(text) ~= 'string' then
    return nil
  end
  text = text:gsub('\r\n?', '\n')
  local start, stop = place.column, place.column
  if range then
    if range.start.line ~= place.row or range['end'].line ~= place.row then
      return nil
    end
    start = vim.str_byteindex(place.line, encoding, range.start.character, false)
    stop = vim.str_byteindex(place.line, encoding, range['end'].character, false)
  end
  local replaced = place.line:sub(place.column + 1, stop)
  if start > place.column or stop < place.column or vim.trim(replaced) ~= '' then
    return nil
  end
  local begun = place.line:sub(start + 1, place.column)
  text = vim.startswith(text, begun) and text:sub(#begun + 1) or ''
  if text == '' then
    return nil
  end
  return {
    text = text,
    before = place.line:sub(1, place.column),
    after = place.line:sub(place.column + 1),
    replaced = #replaced,
  }
end

---Return the text that is left after the user has typed the beginning, or nil if the typed text differs or
---nothing is left.
---@param suggestion placet.Suggestion
---@param typed string text between the place and the cursor
---@return string?
function M.rest(suggestion, typed)
  local rest = vim.startswith(suggestion.text, typed) and suggestion.text:sub(#typed + 1) or ''
  return rest ~= '' and rest or nil
end

---Return the first word with the blanks before the word. Signs in a row count as a word.
---@param text string
---@return string
local function first_word(text)
  local blanks, behind = text:match('^(%s*)(.*)$')
  local word = behind:match('^[%w_\128-\255]+') or behind:match('^[^%w_%s\128-\255]+') or ''
  return blanks .. word
end

---Return the first line. At the end of a line the next line counts, with the line ending before it.
---@param text string
---@return string
local function first_line(text)
  return text:match('^\n*[^\n]*')
end

---Return the part of a text that a key accepts.
---@param text string
---@param part 'all'|'word'|'line'
---@return string
function M.part(text, part)
  if part == 'word' then
    return first_word(text)
  end
  return part == 'line' and first_line(text) or text
end

return M
