---A page's colours: by tree-sitter while it is short. Its Markdown is parsed as a whole for every piece of
---text, so a long page goes on with a syntax of our own, which looks at what is on the screen.
local api = vim.api
local M = {}

local MOST_LINES = 400

---@param bufnr integer
function M.start(bufnr)
  if api.nvim_buf_line_count(bufnr) <= MOST_LINES then
    pcall(vim.treesitter.start, bufnr, 'markdown')
  end
end

---To be called when the page has grown.
---@param bufnr integer
function M.watch(bufnr)
  if vim.treesitter.highlighter.active[bufnr] and api.nvim_buf_line_count(bufnr) > MOST_LINES then
    -- It would load the syntax of Markdown, and with it that of web pages: too long for one frame.
    local is_on = vim.g.syntax_on
    vim.g.syntax_on = nil
    vim.treesitter.stop(bufnr)
    vim.g.syntax_on = is_on
    if is_on then
      vim.bo[bufnr].syntax = 'placet-page'
    end
  end
end

return M
