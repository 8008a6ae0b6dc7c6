---Freshness of published diagnostics: which version of each file each language server has last reported on.
---The daemon has the same rules in languages/servers/diagnostics_freshness.py.
---
---A report with a version is about that version. A report without version is about the latest text if the
---server has sent as many reports as it received texts. A server that sends one report for several texts
---counts as late until a long silence.
local M = {}

---@class placet.FreshnessRecord
---@field sent integer last version sent to the server
---@field sent_at integer when
---@field unanswered integer texts sent since the last report
---@field reported_version? integer version of the last report
---@field is_versioned boolean whether the last report had a version
---@field reported_at integer when
---@field was_late boolean whether a report was missing when the file was closed
---@field reused boolean whether a missing report may carry the version of the new text: versions are ignored

---Milliseconds of silence after which a server counts as having reported on every text.
M.settled_ms = 10000
---Milliseconds to wait after a report without version: servers also repeat diagnostics of an older text.
M.unversioned_quiet_ms = 1000
---Milliseconds after which a server that never reported counts as a server without diagnostics.
M.silent_ms = 60000

---@type table<integer, table<string, placet.FreshnessRecord>> client id -> path -> record
local records = {}
---@type table<integer, {first_sent_at: integer, has_reported: boolean}>
local servers = {}

---@param client_id integer
local function server_of(client_id)
  servers[client_id] = servers[client_id] or { first_sent_at = vim.uv.now(), has_reported = false }
  return servers[client_id]
end

---@param client_id integer
---@param path string
---@return placet.FreshnessRecord?
function M.find(client_id, path)
  return (records[client_id] or {})[path]
end

---@param client_id integer
---@param path string
---@return placet.FreshnessRecord
local function record_of(client_id, path)
  records[client_id] = records[client_id] or {}
  local record = records[client_id][path]
  if not record then
    record = {
      sent = -1,
      sent_at = 0,
      unanswered = 0,
      is_versioned = true,
      reported_at = 0,
      was_late = false,
      reused = false,
    }
    records[client_id][path] = record
  end
  return record
end

---Record that a text was sent to the server.
---@param client_id integer
---@param path string
---@param version integer
function M.sent(client_id, path, version)
  server_of(client_id)
  local file, now = record_of(client_id, path), vim.uv.now()
  if file.reported_at >= file.sent_at and now - file.reported_at > M.settled_ms then
    file.unanswered = 0
  end
  file.reused, file.was_late = file.was_late and version <= file.sent, false
  file.sent, file.sent_at, file.unanswered, file.reported_version = version, now, file.unanswered + 1, nil
end

---Record that the file was closed. Many servers answer with a report.
---@param client_id integer
---@param path string
function M.closed(client_id, path)
  local file = M.find(client_id, path)
  if file then
    file.was_late = file.unanswered > 0
    file.unanswered, file.reported_version, file.sent_at = file.unanswered + 1, nil, vim.uv.now()
  end
end

---Record a report: `textDocument/publishDiagnostics`.
---@param client_id integer
---@param path string
---@param version? integer
function M.published(client_id, path, version)
  server_of(client_id).has_reported = true
  local file = record_of(client_id, path)
  file.reported_at, file.is_versioned = vim.uv.now(), version ~= nil
  if version and not file.reused then
    file.reported_version = version
    file.unanswered = version == file.sent and 0 or file.unanswered
  else
    file.unanswered = math.max(file.unanswered - 1, 0)
    file.reported_version = file.unanswered == 0 and file.sent or nil
  end
end

---Record a server that ran before the recording began: the server knows this text.
---@param client_id integer
---@param path string
---@param version integer
---@param is_fresh boolean
function M.record_running(client_id, path, version, is_fresh)
  server_of(client_id).has_reported = is_fresh or server_of(client_id).has_reported
  local file = record_of(client_id, path)
  file.sent, file.sent_at = version, vim.uv.now()
  file.reported_version = is_fresh and version or nil
end

---@param client_id integer
function M.forget(client_id)
  records[client_id], servers[client_id] = nil, nil
end

---Return whether the server is expected to publish diagnostics. No capability declares this.
---@param client_id integer
---@return boolean
function M.may_report(client_id)
  local server = server_of(client_id)
  return server.has_reported or vim.uv.now() - server.first_sent_at < M.silent_ms
end

---Return the milliseconds until the diagnostics of a file are fresh: 0 for fresh, nil if only a new report
---can tell.
---@param client_id integer
---@param path string
---@param version integer
---@param quiet_ms integer
---@return integer?
function M.wait_ms(client_id, path, version, quiet_ms)
  local file = M.find(client_id, path)
  if not file or not file.reported_version or file.reported_version < version then
    return nil
  end
  local quiet = file.is_versioned and quiet_ms or math.max(quiet_ms, M.unversioned_quiet_ms)
  return math.max(0, quiet - (vim.uv.now() - file.reported_at))
end

return M
