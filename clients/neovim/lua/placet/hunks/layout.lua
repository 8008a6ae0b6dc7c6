---Windows that show a buffer with hunks: the width of the buffer's virtual lines, and a new drawing when the
---windows change. Neovim draws the same virtual lines in all windows of a buffer, so the narrowest window of
---the tab page gives the width; windows that are narrower than LEAST count only if no other shows the buffer.
local api = vim.api
local M = {}

local LEAST = 20

---@class placet.WatchedDrawing
---@field layout string layout of the windows that was drawn for
---@field draw fun()

---@type table<integer, table<integer, placet.WatchedDrawing>> by buffer and namespace
local watched = {}
---Options of windows before the review, by buffer and window.
---@type table<integer, table<integer, table<string, any>>>
local former_options = {}

---@param window integer
---@return integer
local function text_width(window)
  local info = vim.fn.getwininfo(window)[1]
  return info.width - info.textoff
end

---Return the layout of the windows of the tab page by buffer.
---@return table<integer, string>
local function layouts()
  local found = {}
  for _, window in ipairs(api.nvim_tabpage_list_wins(0)) do
    local bufnr, options = api.nvim_win_get_buf(window), vim.wo[window]
    local size = { window, text_width(window), api.nvim_win_get_height(window) }
    local here = { options.conceallevel, options.wrap and 'wrap' or 'nowrap', found[bufnr] or '' }
    found[bufnr] = table.concat(vim.list_extend(size, here), ' ')
  end
  return found
end

---@param bufnr integer
---@return integer[]
local function windows_of(bufnr)
  return vim.tbl_filter(function(window)
    return api.nvim_win_get_buf(window) == bufnr
  end, api.nvim_tabpage_list_wins(0))
end

---Return the shape of a buffer's virtual lines.
---@param bufnr integer
---@return placet.LineShape
function M.shape(bufnr)
  local narrow, height, width, window = vim.o.columns, vim.o.lines, nil, nil
  for _, candidate in ipairs(windows_of(bufnr)) do
    local columns = text_width(candidate)
    narrow = math.min(narrow, columns)
    height = math.min(height, api.nvim_win_get_height(candidate))
    if columns >= LEAST and columns < (width or math.huge) then
      width, window = columns, candidate
    end
  end
  local tabs = vim.bo[bufnr].vartabstop
  local showbreak = window and vim.wo[window].showbreak or ''
  return {
    width = math.max(width or narrow, 1),
    height = height,
    tabs = tabs == '' and { vim.bo[bufnr].tabstop } or vim.tbl_map(tonumber, vim.split(tabs, ',')),
    lead = showbreak == 'NONE' and '' or showbreak,
  }
end

---Set options of the windows of a buffer, and keep the former values.
---@param bufnr integer
---@param options table<string, any>
local function set_options(bufnr, options)
  local former = former_options[bufnr] or {}
  for _, window in ipairs(windows_of(bufnr)) do
    for name, value in pairs(options) do
      local present = vim.wo[window][name]
      if present ~= value then
        former[window] = vim.tbl_extend('force', former[window] or {}, { [name] = present })
        vim.wo[window][0][name] = value
      end
    end
  end
  former_options[bufnr] = former
end

---Set the former options again; in a window that shows another buffer by now, once the buffer is back.
---@param bufnr integer
local function restore_options(bufnr)
  local former = former_options[bufnr]
  former_options[bufnr] = nil
  for window, options in pairs(former) do
    local function restore()
      for name, value in pairs(options) do
        vim.wo[window][0][name] = value
      end
    end
    if api.nvim_win_is_valid(window) and api.nvim_win_get_buf(window) == bufnr then
      restore()
    elseif api.nvim_win_is_valid(window) and api.nvim_buf_is_valid(bufnr) then
      api.nvim_create_autocmd('BufWinEnter', {
        buffer = bufnr,
        once = true,
        desc = 'Placet: set the options of the window as before the review',
        callback = function()
          if api.nvim_win_is_valid(window) and api.nvim_win_get_buf(window) == bufnr then
            restore()
          end
        end,
      })
    end
  end
end

---Draw again what was drawn for other windows than the present ones. The end of a redraw is the moment that
---sees all changes: of sizes, splits and tab pages, and of the columns for numbers, signs and folds.
local function check()
  for bufnr, layout in pairs(next(watched) and layouts() or {}) do
    for _, drawing in pairs(watched[bufnr] or {}) do
      if drawing.layout ~= layout then
        drawing.layout = layout
        vim.schedule(drawing.draw)
      end
    end
  end
end

---@param callbacks vim.api.keyset.set_decoration_provider
local function set_provider(callbacks)
  api.nvim_set_decoration_provider(api.nvim_create_namespace('placet.hunks.layout'), callbacks)
end

---Call a function whenever the windows of a buffer change, until `forget`. Concealed text is shown meanwhile:
---a character would be accepted unseen.
---@param bufnr integer
---@param namespace integer
---@param wraps boolean whether the windows have to wrap the lines of the buffer
---@param draw fun()
function M.watch(bufnr, namespace, wraps, draw)
  set_options(bufnr, { conceallevel = 0, wrap = wraps or nil })
  if not next(watched) then
    set_provider({ on_end = check })
  end
  watched[bufnr] = watched[bufnr] or {}
  watched[bufnr][namespace] = { layout = layouts()[bufnr] or '', draw = draw }
end

---@param bufnr integer
---@param namespace integer
function M.forget(bufnr, namespace)
  if watched[bufnr] then
    watched[bufnr][namespace] = nil
    if not next(watched[bufnr]) then
      watched[bufnr] = nil
      restore_options(bufnr)
      if not next(watched) then
        set_provider({})
      end
    end
  end
end

return M
