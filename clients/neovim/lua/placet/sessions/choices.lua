---Choices for pickers and command-line completion: agents, models, sessions, grants and MCP servers of the
---daemon.
local daemon_client = require('placet.daemon.client')
local picker = require('placet.picker')
local words = require('placet.ui.words')
local option_words = require('placet.sessions.option_words')
local known = require('placet.sessions.known')
local scope = require('placet.permission.scope')
local visible_text = require('placet.ui.visible_text')

local M = {}

---Milliseconds that command-line completion waits for the daemon.
local COMPLETION_MS = 400
---Longest list of models for `vim.ui.select`. For a longer list the user first types a part of the name.
local MOST_IN_A_LIST = 40

---@param text string
---@return string
local function one_line(text)
  return (text:gsub('%s+', ' '))
end

---@param agents placet.wire.AgentInfo[]
---@return placet.wire.AgentInfo[] agents that a session can use
local function primary(agents)
  return vim.tbl_filter(function(agent)
    return agent.mode ~= 'subagent'
  end, agents)
end

---@param client vim.lsp.Client
---@param use fun(agents: placet.wire.AgentInfo[])
function M.agents(client, use)
  daemon_client.request(client, 'agent/agents', vim.empty_dict(), function(result)
    use(primary(result.agents))
  end)
end

---@param client vim.lsp.Client
---@param current? string
---@param use fun(name: string)
function M.pick_agent(client, current, use)
  M.agents(client, function(agents)
    picker.pick({
      items = agents,
      prompt = 'Agent',
      kind = 'placet_agent',
      format = function(agent)
        local mark = agent.name == current and '* ' or '  '
        return one_line(('%s%s: %s'):format(mark, agent.name, agent.description))
      end,
    }, function(agent)
      use(agent.name)
    end)
  end)
end

---@param current? placet.ReviewMode
---@param use fun(mode: placet.ReviewMode)
function M.pick_review(current, use)
  picker.pick({
    items = words.MODES,
    prompt = 'Changes of the agent',
    kind = 'placet_review',
    format = function(mode)
      return (mode == current and '* ' or '  ') .. words.mode(mode)
    end,
  }, use)
end

---@param current placet.Caution
---@param use fun(caution: placet.Caution)
function M.pick_caution(current, use)
  picker.pick({
    items = option_words.CAUTIONS,
    prompt = 'How careful',
    kind = 'placet_caution',
    format = function(caution)
      return (caution == current and '* ' or '  ') .. option_words.caution_line(caution)
    end,
  }, use)
end

---@param current placet.Profile|'default'
---@param use fun(profile: string)
function M.pick_profile(current, use)
  picker.pick({
    items = option_words.PROFILES,
    prompt = 'Profile',
    kind = 'placet_profile',
    format = function(profile)
      return (profile == current and '* ' or '  ') .. option_words.profile_line(profile)
    end,
  }, use)
end

---Return the levels of thinking of a model, or nil if the daemon does not know the levels.
---@param models placet.wire.ModelInfo[]
---@param model? string
---@return string[]?
local function levels_of(models, model)
  local own = vim.iter(models):find(function(candidate)
    return candidate.id == model
  end)
  return own and own.efforts
end

local BUDGET = 'a number of tokens …'

---Let the user choose among the levels of thinking of the model, the default and a budget in tokens.
---@param client vim.lsp.Client
---@param model? string
---@param current? string|integer
---@param use fun(effort: string)
function M.pick_effort(client, model, current, use)
  daemon_client.request(client, 'agent/models', { query = model or '', limit = 200 }, function(result)
    local levels = levels_of(result.models, model)
    if levels and #levels == 0 and not current then
      return vim.notify(('Placet: the model %s has no levels of effort'):format(model))
    end
    local items = vim.list_extend({ option_words.DEFAULT }, levels or option_words.LEVELS)
    if current and not vim.list_contains(items, current) then
      items[#items + 1] = current
    end
    items[#items + 1] = BUDGET
    picker.pick({
      items = items,
      prompt = 'Effort of ' .. (model or 'the model'),
      kind = 'placet_effort',
      format = function(effort)
        local mark = effort == (current or option_words.DEFAULT) and '* ' or '  '
        return mark .. (effort == BUDGET and BUDGET or option_words.effort_line(effort))
      end,
    }, function(effort)
      if effort ~= BUDGET then
        return use(tostring(effort))
      end
      vim.ui.input({ prompt = 'Tokens for thinking: ' }, function(tokens)
        if tokens and tokens:match('^%s*%d+%s*$') then
          use(vim.trim(tokens))
        elseif tokens and vim.trim(tokens) ~= '' then
          vim.notify(('Placet: `%s` is not a number of tokens'):format(tokens), vim.log.levels.WARN)
        end
      end)
    end)
  end)
end

---@param tokens integer
local function thousands(tokens)
  return tokens >= 1000000 and ('%.4gM'):format(tokens / 1000000) or ('%.4gk'):format(tokens / 1000)
end

---@param model placet.wire.ModelInfo
---@param current? string
---@return string
local function model_line(model, current)
  local facts = {}
  if model.contextSize then
    facts[1] = thousands(model.contextSize)
  end
  if model.subscription then
    facts[#facts + 1] = 'covered by the subscription'
  elseif model.inputPrice and model.outputPrice then
    facts[#facts + 1] = ('$%g/$%g'):format(model.inputPrice, model.outputPrice)
  end
  if model.tools == false then
    facts[#facts + 1] = 'no tools'
  elseif model.tools == 'prompted' then
    facts[#facts + 1] = 'tools as text'
  end
  if model.favourite or model.recent then
    facts[#facts + 1] = model.favourite and 'favourite' or 'recent'
  end
  local mark = model.id == current and '* ' or '  '
  return mark .. model.id .. (#facts > 0 and ('  (%s)'):format(table.concat(facts, ', ')) or '')
end

---@param client vim.lsp.Client
---@param current? string
---@param use fun(name: string)
function M.pick_model(client, current, use)
  local function ask(query)
    daemon_client.request(client, 'agent/models', { query = query, limit = 1000 }, function(result)
      if result.missing then
        vim.notify(
          'Placet: the list lacks the models of the providers. ' .. visible_text.plain(result.missing),
          vim.log.levels.WARN
        )
      end
      if #result.models > MOST_IN_A_LIST and picker.current() == 'select' and query == '' then
        local prompt = ('Part of the model name (%s): '):format(words.counted(result.total, 'model'))
        return vim.ui.input({ prompt = prompt }, function(query_words)
          if query_words then
            ask(query_words == '' and ' ' or query_words)
          end
        end)
      end
      picker.pick({
        items = result.models,
        prompt = 'Model',
        kind = 'placet_model',
        format = function(model)
          return model_line(model, current)
        end,
      }, function(model)
        use(model.id)
      end)
    end)
  end
  ask('')
end

---Mark a model as a favourite, or remove the mark.
---@param client vim.lsp.Client
---@param name string
function M.toggle_favourite(client, name)
  daemon_client.request(client, 'agent/models', { query = name, limit = 1000 }, function(listed)
    local own = vim.iter(listed.models):find(function(model)
      return model.id == name
    end)
    local params = { model = name, favourite = not (own and own.favourite) }
    daemon_client.request(client, 'agent/models/setFavourite', params, function()
      local change = params.favourite and 'is now a favourite' or 'is no longer a favourite'
      vim.notify(('Placet: the model %s %s'):format(name, change))
    end)
  end)
end

---@param session placet.wire.SessionInfo
---@param current? string
---@return string
local function session_line(session, current)
  local when = os.date('%Y-%m-%d %H:%M', math.floor(session.updated / 1000))
  local cost = vim.tbl_get(session, 'usage', 'cost') or 0
  local mark = session.id == current and '* ' or '  '
  local spent = cost > 0 and ('  $%.2f'):format(cost) or ''
  local files = session.toReview or 0
  local review = files > 0 and ('  %s to review'):format(words.counted(files, 'file')) or ''
  return one_line(('%s%s  %s  %s%s%s'):format(mark, when, session.title, session.agent, spent, review))
end

---@param sessions placet.wire.SessionInfo[]
---@param current? string
---@param prompt string
---@param use fun(session: placet.wire.SessionInfo)
function M.pick_session(sessions, current, prompt, use)
  picker.pick({
    items = sessions,
    prompt = prompt,
    kind = 'placet_session',
    format = function(session)
      return session_line(session, current)
    end,
    preview = function(session)
      local model = ('%s, %s'):format(session.agent, session.model)
      return ('# %s\n\n%s\n\n`%s`'):format(session.title, model, session.id)
    end,
  }, use)
end

---@param grant placet.wire.GrantInfo
---@return string
function M.grant_line(grant)
  local covered = scope.label({ scope = grant.scope, patterns = { grant.pattern } })
  return one_line(('%s: %s (%s)'):format(grant.permission, covered, grant.given:sub(1, 10)))
end

---@param client vim.lsp.Client
---@param session_id? string
---@param use fun(grant: placet.wire.GrantInfo)
function M.pick_grant(client, session_id, use)
  daemon_client.request(client, 'agent/permission/rules', { sessionId = session_id }, function(result)
    if #result.grants == 0 then
      return vim.notify('Placet: no grants to revoke')
    end
    picker.pick({
      items = result.grants,
      prompt = 'Revoke',
      kind = 'placet_grant',
      format = M.grant_line,
    }, use)
  end)
end

---Last result of each method, used by completion when the daemon does not answer in time.
---@type table<string, table>
local last_results = {}

---@param method string
---@param params table
---@return table? result
local function ask_now(method, params)
  local client = known.session()
  if not client then
    return nil
  end
  local answer = client:request_sync(method, params, COMPLETION_MS)
  if answer and answer.result then
    last_results[method] = answer.result
  end
  return last_results[method]
end

---@return string[]
function M.agent_names()
  return vim.tbl_map(function(agent)
    return agent.name
  end, primary((ask_now('agent/agents', vim.empty_dict()) or {}).agents or {}))
end

---@param lead string
---@return string[]
function M.model_names(lead)
  return vim.tbl_map(function(model)
    return model.id
  end, (ask_now('agent/models', { query = lead, limit = 200 }) or {}).models or {})
end

---Return the efforts of the model of the current session.
---@return string[]
function M.efforts()
  local _, session_id = known.session()
  local model = session_id and (known.info(session_id) or {}).model
  local models = model and (ask_now('agent/models', { query = model, limit = 200 }) or {}).models
  local levels = models and levels_of(models, model) or option_words.LEVELS
  return vim.list_extend({ option_words.DEFAULT }, levels)
end

---@return string[]
function M.session_titles()
  return vim.tbl_map(function(session)
    return session.title
  end, (ask_now('agent/session/list', { limit = 200 }) or {}).sessions or {})
end

---@return string[]
function M.grant_ids()
  return vim.tbl_map(function(grant)
    return grant.id
  end, (ask_now('agent/permission/rules', vim.empty_dict()) or {}).grants or {})
end

---@return string[]
function M.mcp_servers()
  return vim.tbl_map(function(server)
    return server.name
  end, (ask_now('agent/mcp', vim.empty_dict()) or {}).servers or {})
end

return M
