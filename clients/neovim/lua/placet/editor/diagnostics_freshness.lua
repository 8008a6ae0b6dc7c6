---What each language server has said of each file, and of which text. The daemon's judgements.py is its twin.
---
---A word is of the version it names; one that names none is of the text sent last, if the server has spoken
---as often as it was told of a text. One that sums up several texts so counts as late, until it has long been
---silent.
local M = {}

---@class placet.FreshnessRecord
---@field sent integer the version it was told last
---@field sent_at integer when
---@field unanswered integer texts it was told since it last spoke
---@field judged? integer the version it has spoken of last
---@field is_versioned boolean whether its last word named one
---@field spoke_at integer when
---@field was_late boolean it owed an answer when the file was closed
---@field reused boolean what it owed may name the same version as the text sent last: a version says nothing

---Milliseconds of silence after which a server that has spoken is taken to have answered all it was told.
M.settled_ms = 10000
---Milliseconds that a word without a version must stand: servers repeat what they said of an older text, too.
M.unversioned_quiet_ms = 1000
---Milliseconds after which a server that never said a word is taken for one that does not judge.
M.silent_ms = 60000

---@type table<integer, table<string, placet.FreshnessRecord>> client id -> path -> judgement
local judgements = {}
---@type table<integer, {told_at: integer, has_spoken: boolean}>
local servers = {}

---@param client_id integer
local function server_of(client_id)
  servers[client_id] = servers[client_id] or { told_at = vim.uv.now(), has_spoken = false }
  return servers[client_id]
end

---@param client_id integer
---@param path string
---@return placet.FreshnessRecord?
function M.find(client_id, path)
  return (judgements[client_id] or {})[path]
end

---@param client_id integer
---@param path string
---@return placet.FreshnessRecord
local function judgement_of(client_id, path)
  judgements[client_id] = judgements[client_id] or {}
  local known = judgements[client_id][path]
  if not known then
    known = {
      sent = -1,
      sent_at = 0,
      unanswered = 0,
      is_versioned = true,
      spoke_at = 0,
      was_late = false,
      reused = false,
    }
    judgements[client_id][path] = known
  end
  return known
end

---The server was told of a text.
---@param client_id integer
---@param path string
---@param version integer
function M.sent(client_id, path, version)
  server_of(client_id)
  local file, now = judgement_of(client_id, path), vim.uv.now()
  if file.spoke_at >= file.sent_at and now - file.spoke_at > M.settled_ms then
    file.unanswered = 0
  end
  file.reused, file.was_late = file.was_late and version <= file.sent, false
  file.sent, file.sent_at, file.unanswered, file.judged = version, now, file.unanswered + 1, nil
end

---The file was closed, which many servers answer with a word of their own.
---@param client_id integer
---@param path string
function M.closed(client_id, path)
  local file = M.find(client_id, path)
  if file then
    file.was_late = file.unanswered > 0
    file.unanswered, file.judged, file.sent_at = file.unanswered + 1, nil, vim.uv.now()
  end
end

---The server spoke by itself: `textDocument/publishDiagnostics`.
---@param client_id integer
---@param path string
---@param version? integer
function M.published(client_id, path, version)
  server_of(client_id).has_spoken = true
  local file = judgement_of(client_id, path)
  file.spoke_at, file.is_versioned = vim.uv.now(), version ~= nil
  if version and not file.reused then
    file.judged = version
    file.unanswered = version == file.sent and 0 or file.unanswered
  else
    file.unanswered = math.max(file.unanswered - 1, 0)
    file.judged = file.unanswered == 0 and file.sent or nil
  end
end

---A server that was there before anybody listened: it knows this text, and perhaps surely judged it.
---@param client_id integer
---@param path string
---@param version integer
---@param has_judged boolean
function M.found(client_id, path, version, has_judged)
  server_of(client_id).has_spoken = has_judged or server_of(client_id).has_spoken
  local file = judgement_of(client_id, path)
  file.sent, file.sent_at = version, vim.uv.now()
  file.judged = has_judged and version or nil
end

---@param client_id integer
function M.forget(client_id)
  judgements[client_id], servers[client_id] = nil, nil
end

---Whether the server may be taken to give diagnostics: most do, and those that don't never said so.
---@param client_id integer
---@return boolean
function M.may_judge(client_id)
  local server = server_of(client_id)
  return server.has_spoken or vim.uv.now() - server.told_at < M.silent_ms
end

---How long until what is known of the file is fresh: 0, a while for it to come to rest, nil if only news can
---tell.
---@param client_id integer
---@param path string
---@param wanted integer
---@param quiet_ms integer
---@return integer?
function M.wait_ms(client_id, path, wanted, quiet_ms)
  local file = M.find(client_id, path)
  if not file or not file.judged or file.judged < wanted then
    return nil
  end
  local quiet = file.is_versioned and quiet_ms or math.max(quiet_ms, M.unversioned_quiet_ms)
  return math.max(0, quiet - (vim.uv.now() - file.spoke_at))
end

return M
