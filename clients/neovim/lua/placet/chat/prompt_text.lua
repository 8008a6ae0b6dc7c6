---Text of a prompt in the chat: the user's words and the names of the attachments. Pure.
local M = {}

---First words of a text attachment. The label follows.
M.BESIDE = 'The user put beside this: '

---@param path string
local function short(path)
  return vim.fn.fnamemodify(path, ':~:.')
end

---@param part placet.wire.FilePart
---@return string
local function file_name(part)
  local range = part.range
  local lines = range and (':%d-%d'):format(range.start, range['end']):gsub('^:(%d+)-%1$', ':%1') or ''
  return short(vim.uri_to_fname(part.uri)) .. lines
end

---Return the user's words, without attachments.
---@param parts (placet.wire.Part|placet.wire.PromptPart)[]
---@return string
function M.words(parts)
  local texts = {}
  for _, part in ipairs(parts) do
    if part.type == 'text' and not part.synthetic then
      texts[#texts + 1] = part.text
    end
  end
  return table.concat(texts, '\n')
end

---@param parts (placet.wire.Part|placet.wire.PromptPart)[]
---@return string
function M.of(parts)
  local texts = {}
  local function name(text)
    texts[#texts + 1] = ('`%s`'):format(text)
  end
  for _, part in ipairs(parts) do
    if part.type == 'text' then
      local beside = part.synthetic and vim.startswith(part.text, M.BESIDE)
      if beside then
        name(part.text:sub(#M.BESIDE + 1):match('[^\n]*'))
      elseif not part.synthetic then
        texts[#texts + 1] = part.text
      end
    elseif part.type == 'file' and vim.startswith(part.uri, 'data:') then
      -- The content of an image follows its file part. A pasted image has no file part.
      local called = part.name or part.mime or 'data'
      if not (texts[#texts] or ''):find(called .. '`', 1, true) then
        name(called)
      end
    elseif part.type == 'file' then
      name(file_name(part))
    elseif part.type == 'agent' then
      name('@' .. part.name)
    elseif part.type == 'diagnostics' then
      name(part.uri and 'diagnostics of ' .. short(vim.uri_to_fname(part.uri)) or 'diagnostics')
    end
  end
  return table.concat(texts, '\n')
end

return M
