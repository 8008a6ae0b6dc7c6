---Highlight groups of a change set and of a suggestion. Backgrounds come from the diff groups of the color
---scheme, so that code keeps its syntax colors. Groups that the user has defined stay unchanged.
local api = vim.api
local M = {}

---Return whether any UI shows colors. Without a UI the result is true.
---@return boolean
function M.has_colours()
  local screens = api.nvim_list_uis()
  return #screens == 0
    or vim.iter(screens):any(function(screen)
      return screen.rgb or (screen.term_colors or 256) >= 8
    end)
end

---Return the terminal attributes of a highlight group.
---@param name string
---@return table
local function in_terminal(name)
  local group = api.nvim_get_hl(0, { name = name, link = false })
  return { ctermfg = group.ctermfg, ctermbg = group.ctermbg, cterm = group.cterm }
end

---@param name string
---@return {fg?: integer, bg?: integer}
local function colours_of(name)
  local group = api.nvim_get_hl(0, { name = name, link = false })
  if group.reverse then
    return { fg = group.bg, bg = group.fg }
  end
  return { fg = group.fg, bg = group.bg }
end

---@param top integer
---@param bottom integer
---@param share number of the top color
---@return integer
local function blend(top, bottom, share)
  local mixed = 0
  for shift = 16, 0, -8 do
    local over = bit.band(bit.rshift(top, shift), 255)
    local under = bit.band(bit.rshift(bottom, shift), 255)
    mixed = mixed + bit.lshift(math.floor(over * share + under * (1 - share)), shift)
  end
  return mixed
end

---Return the perceived lightness of a color, 0 to 255.
---@param colour integer
---@return number
local function lightness(colour)
  local red, green, blue = bit.rshift(colour, 16), bit.band(bit.rshift(colour, 8), 255), bit.band(colour, 255)
  return 0.299 * red + 0.587 * green + 0.114 * blue
end

---Return a background from a diff group with enough contrast to the text.
---@param name string
---@param fallback integer for color schemes without background in diff groups
---@param ground integer
---@param letters integer
---@return integer
local function ground_of(name, fallback, ground, letters)
  local background = colours_of(name).bg
  if background and math.abs(lightness(letters) - lightness(background)) > 120 then
    return background
  end
  return blend(background or fallback, ground, 0.3)
end

---Define all groups that do not exist yet.
function M.define()
  local is_dark = vim.o.background == 'dark'
  local normal = colours_of('Normal')
  local ground = normal.bg or (is_dark and 0x14161b or 0xf8f8f8)
  local letters = normal.fg or (is_dark and 0xe0e2ea or 0x14161b)
  local added = ground_of('DiffAdd', 0x40a060, ground, letters)
  local deleted = ground_of('DiffDelete', 0xd04050, ground, letters)
  local bar = blend(letters, ground, 0.14)
  for name, definition in pairs({
    PlacetAdd = vim.tbl_extend('error', { bg = added }, in_terminal('DiffAdd')),
    PlacetAddText = {
      bg = blend(letters, added, 0.18),
      bold = true,
      cterm = { bold = true, underline = true },
    },
    PlacetDelete = vim.tbl_extend('error', { bg = deleted }, in_terminal('DiffDelete')),
    PlacetDeleteText = {
      bg = blend(letters, deleted, 0.18),
      bold = true,
      cterm = { bold = true, underline = true },
    },
    PlacetProposed = { link = 'DiagnosticWarn' },
    PlacetConflict = { link = 'DiagnosticError' },
    PlacetUnreviewed = { link = 'DiagnosticInfo' },
    PlacetRejected = { link = 'Comment' },
    PlacetComment = { link = 'DiagnosticVirtualTextInfo' },
    -- Without colors only the line below tells a suggestion from the text.
    PlacetSuggestion = M.has_colours() and { link = 'Comment' } or { cterm = { underline = true } },
    PlacetHint = { fg = letters, bg = bar, nocombine = true, cterm = { reverse = true } },
  }) do
    definition.default = true
    api.nvim_set_hl(0, name, definition)
  end
end

return M
