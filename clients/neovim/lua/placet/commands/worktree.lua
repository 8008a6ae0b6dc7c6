---`:Placet worktree`: git worktrees in which sessions work apart, with the sessions in each worktree.
local daemon_client = require('placet.daemon.client')
local daemon = require('placet.daemon')
local picker = require('placet.picker')
local switching = require('placet.chat.switching')
local visible_text = require('placet.ui.visible_text')
local words = require('placet.ui.words')

local M = {}

local SESSION_STATES = { works = 'running', waits = 'waits for you', done = 'done' }

---@param text string
---@param level? integer
local function notify(text, level)
  vim.notify('Placet: ' .. visible_text.plain(text), level)
end

---@param worktree placet.wire.WorktreeInfo
---@return string
local function state_of(worktree)
  if worktree.state == 'changed' then
    return words.counted(worktree.changedFiles or 0, 'file') .. ' changed'
  end
  return worktree.state
end

---Return a line with the worktree's state, and the title and state of each session in the worktree.
---@param worktree placet.wire.WorktreeInfo
---@return string
function M.line(worktree)
  local facts = { state_of(worktree) }
  if worktree.subagent then
    local label = worktree.subagent.isAtWork and 'subagent ' or 'left by '
    facts[#facts + 1] = label .. worktree.subagent.agent
  end
  for _, entry in ipairs(worktree.sessions or {}) do
    facts[#facts + 1] = ('%s: %s'):format(entry.session.title, SESSION_STATES[entry.state])
  end
  local mark = worktree.isHere and '* ' or '  '
  return (('%s%s  %s'):format(mark, worktree.name, table.concat(facts, '; ')):gsub('%s*\n%s*', ' '))
end

---Open a worktree in a new tab page, with the file of the current window if the worktree has the file.
---@param worktree placet.wire.WorktreeInfo
local function open(worktree)
  local path, repository = vim.uri_to_fname(worktree.uri), vim.uri_to_fname(worktree.repository)
  local file = vim.api.nvim_buf_get_name(0)
  local is_inside = vim.startswith(file, repository .. '/')
  local place = is_inside and vim.fs.joinpath(path, file:sub(#repository + 2)) or nil
  vim.cmd.tabnew(vim.fn.fnameescape(place and vim.uv.fs_stat(place) and place or path))
  vim.cmd.tcd(vim.fn.fnameescape(path))
end

---Run the setup of a worktree in a terminal, which shows the whole command and asks.
---@param worktree placet.wire.WorktreeInfo
local function set_up(worktree)
  local command = vim.tbl_filter(function(word)
    return word ~= '--stdio'
  end, daemon.command())
  vim.list_extend(command, { 'worktree', 'setup', vim.uri_to_fname(worktree.uri) })
  vim.cmd.new()
  vim.cmd.terminal(table.concat(
    vim.tbl_map(function(word)
      return vim.fn.shellescape(word, true)
    end, command),
    ' '
  ))
end

---@param client vim.lsp.Client
---@param name string '' for the next free name
local function create(client, name)
  local choices = { 'From the last commit', 'With uncommitted changes' }
  vim.ui.select(choices, { prompt = 'New worktree', kind = 'placet_worktree_new' }, function(_, index)
    if not index then
      return
    end
    local params = { name = name ~= '' and name or nil, takesChanges = index == 2 }
    daemon_client.request(client, 'agent/worktree/create', params, function(made)
      if #(made.leftOut or {}) > 0 then
        notify('not copied into the worktree: ' .. table.concat(made.leftOut, '; '), vim.log.levels.WARN)
      end
      open(made.worktree)
      if made.hasSetup then
        set_up(made.worktree)
      end
      notify(('worktree %s: `:Placet new` starts a session here'):format(made.worktree.name))
    end)
  end)
end

---@param client vim.lsp.Client
---@param worktree placet.wire.WorktreeInfo
local function review(client, worktree)
  daemon_client.request(client, 'agent/worktree/bringBack', { name = worktree.name }, function(brought)
    if #(brought.leftOut or {}) > 0 then
      local words_of_all = table.concat(brought.leftOut, '; ')
      local way = ('`:Placet worktree branch %s` commits everything on the branch'):format(worktree.name)
      notify(('left out: %s; %s'):format(words_of_all, way), vim.log.levels.WARN)
    end
    if not brought.session then
      return notify(('%s has no change that the present files lack'):format(worktree.name))
    end
    switching.switch(client, brought.session.id, function()
      local conflicts = #(brought.conflicts or {})
      local settle = conflicts > 0
          and (', %d in conflict: `:Placet edit` on the hunk shows both texts'):format(conflicts)
        or ''
      local files = words.counted(brought.files or 0, 'file')
      notify(('%s to review%s; `:Placet change-set` lists the files'):format(files, settle))
    end)
  end)
end

---@param client vim.lsp.Client
---@param worktree placet.wire.WorktreeInfo
local function commit(client, worktree)
  local params = { name = worktree.name, branch = true }
  daemon_client.request(client, 'agent/worktree/bringBack', params, function(brought)
    notify(('the changes are committed on the branch %s'):format(brought.branch))
  end)
end

---@param client vim.lsp.Client
---@param worktree placet.wire.WorktreeInfo
local function remove(client, worktree)
  local is_loss = worktree.state == 'changed' or worktree.state == 'repository gone'
  local prompt = is_loss
      and ('Remove the worktree %s? It has changes that were not brought back (%s).'):format(
        worktree.name,
        state_of(worktree)
      )
    or ('Remove the worktree %s and its branch?'):format(worktree.name)
  vim.ui.select({ 'Remove', 'Cancel' }, { prompt = prompt, kind = 'placet_worktree_remove' }, function(answer)
    if answer ~= 'Remove' then
      return
    end
    local params = { name = worktree.name, force = is_loss }
    daemon_client.request(client, 'agent/worktree/remove', params, function(removed)
      local kept = removed.keptBranch
      local rest = kept and ('; the branch %s stays, as it has commits of its own'):format(kept) or ''
      notify(('worktree %s removed%s'):format(worktree.name, rest))
    end)
  end)
end

---@type {name: string, label: string, run: fun(client: vim.lsp.Client, worktree: placet.wire.WorktreeInfo)}[]
local ACTIONS = {
  {
    name = 'open',
    label = 'Open in a new tab page',
    run = function(_, worktree)
      open(worktree)
    end,
  },
  { name = 'bring-back', label = 'Bring back: review the changes here', run = review },
  { name = 'branch', label = 'Bring back: commit the changes on the branch', run = commit },
  { name = 'remove', label = 'Remove', run = remove },
}

---@param client vim.lsp.Client
---@param use fun(worktree: placet.wire.WorktreeInfo)
---@param name? string worktree; nil to pick a worktree
local function with_worktree(client, name, use)
  daemon_client.request(client, 'agent/worktree/list', vim.empty_dict(), function(result)
    local named = name
      and vim.iter(result.worktrees):find(function(worktree)
        return worktree.name:lower() == name:lower()
      end)
    if named then
      return use(named)
    elseif name then
      return notify(('there is no worktree %s'):format(name), vim.log.levels.WARN)
    elseif #result.worktrees == 0 then
      return notify('there are no worktrees here; `:Placet worktree new` makes one')
    end
    picker.pick({
      items = result.worktrees,
      prompt = 'Worktree',
      kind = 'placet_worktree',
      format = M.line,
    }, use)
  end)
end

---Return whether the words are an argument of the command.
---@param argument string
---@return boolean
function M.takes(argument)
  local first, rest = argument:match('^(%S+)%s*(%S*)$')
  return first ~= nil and vim.list_contains(M.candidates(), first) and not rest:find('[^%w_-]')
end

---Return the actions for the completion.
---@return string[]
function M.candidates()
  local names = { 'new' }
  for _, action in ipairs(ACTIONS) do
    names[#names + 1] = action.name
  end
  return names
end

---Run `:Placet worktree [ACTION [NAME]]`: without an action the user picks a worktree and an action.
---@param argument string
function M.command(argument)
  local first, rest = argument:match('^(%S*)%s*(.*)$')
  daemon.with(function(client)
    if first == 'new' then
      return create(client, rest)
    end
    local action = vim.iter(ACTIONS):find(function(candidate)
      return candidate.name == first
    end)
    with_worktree(client, rest ~= '' and rest or nil, function(worktree)
      if action then
        return action.run(client, worktree)
      end
      picker.pick({
        items = ACTIONS,
        prompt = M.line(worktree),
        kind = 'placet_worktree_action',
        format = function(candidate)
          return candidate.label
        end,
      }, function(chosen)
        chosen.run(client, worktree)
      end)
    end)
  end)
end

return M
