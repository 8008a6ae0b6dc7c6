---Commands for sessions: pick, rename, fork, delete, search, export and show.
local choices = require('placet.sessions.choices')
local daemon_client = require('placet.daemon.client')
local daemon = require('placet.daemon')
local sessions = require('placet.sessions')
local option_words = require('placet.sessions.option_words')
local visible_text = require('placet.ui.visible_text')
local review_words = require('placet.ui.words')

local M = {}

---Show a message. Titles and names in the text may come from a model.
---@param text string
local function notify(text)
  vim.notify('Placet: ' .. visible_text.plain(text))
end

---Call a function with the current session. Without a session a message is shown.
---@param use fun(client: vim.lsp.Client, session_id: string)
function M.with_current(use)
  daemon.with(function(client)
    if not sessions.current(client) then
      return notify('no current session; `:Placet sessions` lists earlier sessions')
    end
    sessions.with(use)
  end)
end

---@param session_id string
---@return string
local function title_of(session_id)
  return (sessions.info(session_id) or {}).title or session_id
end

---@param client vim.lsp.Client
---@param session_id string
local function switch(client, session_id)
  sessions.switch(client, session_id, function()
    notify(('switched to session "%s"'):format(title_of(session_id)))
  end)
end

---Switch to a session by title or id, or pick a session of the project.
---@param title string '' to pick
---@param otherwise fun() called if no session has the title
function M.pick(title, otherwise)
  daemon.with(function(client)
    sessions.list(client, '', function(all)
      if title == '' then
        return choices.pick_session(all, sessions.current(client), 'Session', function(session)
          switch(client, session.id)
        end)
      end
      local named = vim.iter(all):find(function(session)
        return session.title == title or session.id == title
      end)
      if named then
        switch(client, named.id)
      else
        otherwise()
      end
    end)
  end)
end

---Pick a session that contains all words.
---@param words string '' to ask the user
function M.search(words)
  if words == '' then
    return vim.ui.input({ prompt = 'Search sessions for: ' }, function(input)
      if input and vim.trim(input) ~= '' then
        M.search(vim.trim(input))
      end
    end)
  end
  daemon.with(function(client)
    sessions.list(client, words, function(matches)
      if #matches == 0 then
        return notify(('no session of this project contains "%s"'):format(words))
      end
      choices.pick_session(
        matches,
        sessions.current(client),
        ('Sessions with "%s"'):format(words),
        function(session)
          switch(client, session.id)
        end
      )
    end)
  end)
end

---Start a session, and send the text as its first prompt.
---@param text string '' for no prompt
---@param range? placet.Range
function M.new(text, range)
  daemon.with(function(client)
    sessions.new(client, {}, function(session_id)
      require('placet.chat').show(session_id)
      if text ~= '' then
        require('placet').prompt(text, range, { session_id = session_id })
      end
    end)
  end)
end

---Return the text of each prompt of a session.
---@param client vim.lsp.Client
---@param session_id string
---@param use fun(prompts: {id: string, text: string}[])
local function prompts_of(client, session_id, use)
  daemon_client.request(client, 'agent/session/load', { sessionId = session_id }, function(result)
    local prompts = {}
    for _, event in ipairs(result.events) do
      local message = event.update.kind == 'user_message' and event.update.message
      if message and not message.steers then
        local first = vim.iter(message.parts):find(function(part)
          return part.type == 'text' and not part.synthetic
        end)
        table.insert(prompts, { id = message.id, text = first and first.text:gsub('%s+', ' ') or message.id })
      end
    end
    use(prompts)
  end)
end

---Fork the session, at its end or before a picked prompt.
---@param picks_prompt boolean
function M.fork(picks_prompt)
  M.with_current(function(client, session_id)
    local function fork(message_id)
      sessions.fork(client, session_id, message_id, function(copy)
        notify(('session forked as "%s"'):format(title_of(copy)))
      end)
    end
    if not picks_prompt then
      return fork(nil)
    end
    prompts_of(client, session_id, function(prompts)
      require('placet.picker').pick({
        items = prompts,
        prompt = 'Fork before this prompt',
        kind = 'placet_prompt',
        format = function(prompt)
          return prompt.text
        end,
      }, function(prompt)
        fork(prompt.id)
      end)
    end)
  end)
end

---@param title string '' to ask the user
function M.rename(title)
  M.with_current(function(client, session_id)
    local function rename(name)
      sessions.rename(client, session_id, name, function()
        notify(('session renamed to "%s"'):format(name))
      end)
    end
    if title ~= '' then
      return rename(title)
    end
    vim.ui.input({ prompt = 'Session title: ', default = title_of(session_id) }, function(input)
      if input and vim.trim(input) ~= '' then
        rename(vim.trim(input))
      end
    end)
  end)
end

---@param at_once boolean without asking
function M.delete(at_once)
  M.with_current(function(client, session_id)
    local title = title_of(session_id)
    local function delete()
      sessions.delete(client, session_id, function()
        notify(('session "%s" deleted'):format(title))
      end)
    end
    if at_once then
      return delete()
    end
    vim.ui.select({ 'Delete', 'Cancel' }, {
      prompt = ('Delete session "%s" with its history? Changed files stay.'):format(
        visible_text.plain(title)
      ),
      kind = 'placet_delete',
    }, function(answer)
      if answer == 'Delete' then
        delete()
      end
    end)
  end)
end

---@param path string
---@param text string
---@param overwrite boolean
local function write(path, text, overwrite)
  local shown = vim.fn.fnamemodify(path, ':~:.')
  if not overwrite and vim.uv.fs_stat(path) then
    return daemon_client.complain(('%s already exists; `:Placet! export` overwrites the file'):format(shown))
  end
  if vim.fn.writefile(vim.split(text, '\n', { plain = true }), path) == 0 then
    notify(('session exported to %s'):format(shown))
  end
end

---Export the session into a window or a file. A file with the ending .json can be imported.
---@param path string '' for a window
---@param overwrite boolean
function M.export(path, overwrite)
  local format = path:match('%.json$') and 'json' or 'markdown'
  M.with_current(function(client, session_id)
    sessions.export(client, session_id, format, function(text)
      if path ~= '' then
        return write(vim.fn.fnamemodify(path, ':p'), text, overwrite)
      end
      require('placet.ui.popup').show('export://' .. session_id, text, 'markdown')
    end)
  end)
end

---@param path string '' to ask the user
function M.import(path)
  if path == '' then
    return vim.ui.input({ prompt = 'Import a session from: ', completion = 'file' }, function(input)
      if input and input ~= '' then
        M.import(input)
      end
    end)
  end
  local read, lines = pcall(vim.fn.readfile, vim.fn.expand(path))
  if not read then
    return daemon_client.complain(('%s cannot be read'):format(path))
  end
  daemon.with(function(client)
    sessions.import(client, table.concat(lines, '\n'), function(session_id)
      notify(('imported session "%s"'):format(title_of(session_id)))
    end)
  end)
end

---Show a summary of the session.
function M.summarize()
  M.with_current(function(client, session_id)
    notify('summarizing the session …')
    daemon_client.request(client, 'agent/session/summarize', { sessionId = session_id }, function(result)
      require('placet.ui.popup').show('summary://' .. session_id, result.text, 'markdown')
    end)
  end)
end

---Compact the conversation, so that the model needs fewer tokens. The chat stays complete.
function M.compact()
  M.with_current(function(client, session_id)
    daemon_client.request(client, 'agent/session/compact', { sessionId = session_id }, function(result)
      local sizes = ('about %d of %d tokens remain'):format(result.tokensAfter, result.tokensBefore)
      vim.notify('Placet compact: ' .. sizes)
    end)
  end)
end

---Set the agent or model of the session, by name or by picker.
---@param setting 'agent'|'model'
---@param name string '' to pick
---@param otherwise? fun() called if no agent has the name
function M.choose(setting, name, otherwise)
  sessions.with(function(client, session_id)
    local function choose(chosen)
      sessions.set(client, session_id, setting, chosen, function(info)
        notify(('agent %s, model %s'):format(info.agent, info.model))
      end)
    end
    if name == '' then
      local pick = setting == 'agent' and choices.pick_agent or choices.pick_model
      return pick(client, (sessions.info(session_id) or {})[setting], choose)
    elseif setting == 'model' or not otherwise then
      return choose(name)
    end
    choices.agents(client, function(agents)
      local is_there = vim.iter(agents):any(function(agent)
        return agent.name == name
      end)
      if is_there then
        choose(name)
      else
        otherwise()
      end
    end)
  end)
end

---Mark a model as a favourite, or remove the mark.
---@param name string '' for the model of the session
function M.toggle_favourite(name)
  sessions.with(function(client, session_id)
    choices.toggle_favourite(client, name ~= '' and name or sessions.info(session_id).model)
  end)
end

---Set an option of the session and say the choice.
---@param client vim.lsp.Client
---@param session_id string
---@param option 'effort'|'review'|'caution'
---@param value? string|integer nil for the default
---@param words fun(info: placet.wire.SessionInfo): string
local function set_option(client, session_id, option, value, words)
  sessions.set(client, session_id, option, value, function(info)
    notify(words(info))
  end)
end

---Set the way of reviewing changes of the session, by name or by picker.
---@param mode placet.ReviewMode|'' '' to pick
function M.choose_review(mode)
  sessions.with(function(client, session_id)
    local function choose(chosen)
      set_option(client, session_id, 'review', chosen, function(info)
        return review_words.mode(info.review) or info.review
      end)
    end
    if mode ~= '' then
      return choose(mode)
    end
    choices.pick_review(sessions.review_of(session_id), choose)
  end)
end

---Set how careful the session is, by name or by picker.
---@param caution placet.Caution|'' '' to pick
function M.choose_caution(caution)
  sessions.with(function(client, session_id)
    local function choose(chosen)
      set_option(client, session_id, 'caution', chosen, function(info)
        return option_words.caution(info.caution) or info.caution
      end)
    end
    if caution ~= '' then
      return choose(caution)
    end
    choices.pick_caution((sessions.info(session_id) or {}).caution or 'default', choose)
  end)
end

---Set how much the model thinks, by name or by picker.
---@param effort string level, budget in tokens or `default`; '' to pick
function M.choose_effort(effort)
  sessions.with(function(client, session_id)
    local info = sessions.info(session_id) or {}
    local function choose(chosen)
      set_option(client, session_id, 'effort', option_words.effort_value(chosen), function(now)
        return 'effort ' .. option_words.effort(now.effort)
      end)
    end
    if effort ~= '' then
      return choose(effort)
    end
    choices.pick_effort(client, info.model, info.effort, choose)
  end)
end

---Let the user choose another session with changes to review, and open its change set.
---@param client vim.lsp.Client
---@param current string
---@param open fun(set: placet.ChangeSet)
---@param nothing string message if no session has changes to review
local function review_elsewhere(client, current, open, nothing)
  sessions.list(client, '', function(all)
    local others = vim.tbl_filter(function(session)
      return session.id ~= current and (session.toReview or 0) > 0
    end, all)
    if #others == 0 then
      return notify(nothing)
    end
    choices.pick_session(others, current, 'Sessions with changes to review', function(session)
      sessions.switch(client, session.id, function()
        require('placet.change_set').refresh(client, session.id, open)
      end)
    end)
  end)
end

---Call a function with the change set of the session, as the daemon lists the set now. A Neovim without a
---current session takes a session with changes to review.
---@param use fun(set: placet.ChangeSet)
---@param nothing string message if no session of the project has changes to review
function M.with_change_set(use, nothing)
  sessions.with_known(function(client, session_id)
    require('placet.change_set').refresh(client, session_id, function(set)
      if #set.files == 0 then
        return review_elsewhere(client, session_id, use, nothing)
      end
      use(set)
    end)
  end, function()
    notify(nothing)
  end, true)
end

---Show the change set of the session: in a floating window, or in the quickfix list. A known set is shown at
---once, and read again meanwhile.
---@param in_quickfix boolean
---@param nothing? string message if no session of the project has changes to review
function M.change_set(in_quickfix, nothing)
  local change_set = require('placet.change_set')
  local function open(set)
    require(in_quickfix and 'placet.change_set.hunk_list' or 'placet.change_set.float').open(set)
  end
  local running = daemon.running()
  local known = running and change_set.of_root(running.root_dir)
  if known and #known.files > 0 and known.session_id == sessions.current(running) then
    open(known)
    return change_set.refresh(running, known.session_id)
  end
  M.with_change_set(open, nothing or 'no changes to review')
end

---@param change placet.wire.ListedChange
---@return table[] quickfix items of the change's files
local function items_of(change)
  local when = os.date('%H:%M', math.floor((change.created or 0) / 1000))
  return vim.tbl_map(function(file)
    local state = file.reverted and 'reverted' or change.state
    local author = change.agent and (' by ' .. change.agent) or ''
    return {
      filename = vim.uri_to_fname(file.newUri or file.uri),
      text = ('%s %s, %s%s'):format(when, file.kind, state, author),
    }
  end, change.files or {})
end

---List all files that the session has changed in the quickfix list.
function M.changes()
  sessions.with_known(function(client, session_id)
    daemon_client.request(client, 'agent/changes', { sessionId = session_id }, function(result)
      local items = vim.iter(vim.tbl_map(items_of, result.changes)):flatten():totable()
      if #items == 0 then
        return notify('the session has changed no files')
      end
      vim.fn.setqflist({}, ' ', { title = 'Placet: changes of ' .. title_of(session_id), items = items })
      local window = vim.api.nvim_get_current_win()
      vim.cmd('botright copen')
      vim.api.nvim_set_current_win(window)
    end)
  end, function()
    notify('this project has no session yet')
  end)
end

return M
