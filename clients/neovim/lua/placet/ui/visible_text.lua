---Make text from outside visible: no character of the text ends a line, is invisible, or reverses the text
---direction. Pure.
local M = {}

---Control characters and invisible characters, as UTF-8 bytes.
local OBEYED = {
  '[%z\1-\31\127]',
  '\194[\128-\160\173]', -- C1, no-break space, soft hyphen
  '\216\156', -- U+061C
  '\226\128[\139-\143\168-\174]', -- U+200B to U+200F, U+2028 to U+202E
  '\226\129[\160-\175]', -- U+2060 to U+206F
  '\239\187\191', -- U+FEFF
  '\243\160[\128\129][\128-\191]', -- tags
}

---@param character string
---@return string
local function spelling(character)
  return character == '\n' and '\\n' or ('\\u%04x'):format(vim.fn.char2nr(character, true))
end

---Return one line in which all invisible characters are escaped, as `\n` or `\u001b`.
---@param text string
---@return string
function M.spelled(text)
  for _, pattern in ipairs(OBEYED) do
    text = text:gsub(pattern, spelling)
  end
  return text
end

---Return one line of prose: line endings become spaces, other invisible characters are escaped.
---@param text string
---@return string
function M.plain(text)
  return M.spelled((text:gsub('%s*[\r\n]%s*', ' '):gsub('\t', ' ')))
end

---Return the text without its middle if the text is too long.
---@param text string
---@param most integer characters
---@return string
function M.shortened(text, most)
  local count = vim.fn.strchars(text)
  if count <= most then
    return text
  end
  local tail = math.floor((most - 3) / 2)
  return vim.fn.strcharpart(text, 0, most - 3 - tail) .. ' … ' .. vim.fn.strcharpart(text, count - tail)
end

---Return escaped lines. Many empty lines become one line with their number, so that no text is pushed out of
---view.
---@param text string
---@return string[]
function M.lines(text)
  local lines, empty = {}, 0
  local function flush()
    if empty > 2 then
      lines[#lines + 1] = ('… %d empty lines …'):format(empty)
    else
      vim.list_extend(lines, vim.fn['repeat']({ '' }, empty))
    end
    empty = 0
  end
  for _, line in ipairs(vim.split(text, '\n', { plain = true })) do
    if vim.trim(line) == '' then
      empty = empty + 1
    else
      flush()
      lines[#lines + 1] = M.spelled(line)
    end
  end
  flush()
  return lines
end

return M
