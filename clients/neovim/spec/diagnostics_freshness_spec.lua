local SERVER, PATH = 7, '/a'

describe('a report of a server', function()
  local diagnostics_freshness, now

  ---Milliseconds until the text of a version has fresh diagnostics; nil: after the next report.
  local function wait(version)
    return diagnostics_freshness.wait_ms(SERVER, PATH, version, 100)
  end

  before_each(function()
    package.loaded['placet.editor.diagnostics_freshness'] = nil
    diagnostics_freshness = require('placet.editor.diagnostics_freshness')
    now = 1000000
    stub(vim.uv, 'now', function()
      return now
    end)
  end)

  after_each(function()
    vim.uv.now:revert()
  end)

  it('is unknown before the server received the file', function()
    assert.is_nil(wait(0))
    assert.is_nil(diagnostics_freshness.find(SERVER, PATH))
  end)

  it('with the version is fresh after a short silence', function()
    diagnostics_freshness.sent(SERVER, PATH, 1)
    assert.is_nil(wait(1))
    diagnostics_freshness.published(SERVER, PATH, 1)
    assert.equal(100, wait(1))
    now = now + 60
    assert.equal(40, wait(1))
    now = now + 60
    assert.equal(0, wait(1))
  end)

  it('of an older version does not count for a new version', function()
    diagnostics_freshness.sent(SERVER, PATH, 1)
    diagnostics_freshness.sent(SERVER, PATH, 2)
    diagnostics_freshness.published(SERVER, PATH, 1)
    assert.is_nil(wait(2))
    diagnostics_freshness.published(SERVER, PATH, 2)
    assert.equal(100, wait(2))
  end)

  it('without a version is counted, and needs a longer silence', function()
    diagnostics_freshness.sent(SERVER, PATH, 1)
    diagnostics_freshness.sent(SERVER, PATH, 2)
    diagnostics_freshness.published(SERVER, PATH)
    assert.is_nil(wait(2))
    diagnostics_freshness.published(SERVER, PATH)
    assert.equal(diagnostics_freshness.unversioned_quiet_ms, wait(2))
  end)

  it('once for two texts counts again after a long silence', function()
    diagnostics_freshness.sent(SERVER, PATH, 1)
    diagnostics_freshness.sent(SERVER, PATH, 2)
    diagnostics_freshness.published(SERVER, PATH)
    now = now + diagnostics_freshness.settled_ms + 1
    diagnostics_freshness.sent(SERVER, PATH, 3)
    diagnostics_freshness.published(SERVER, PATH)
    assert.equal(diagnostics_freshness.unversioned_quiet_ms, wait(3))
  end)

  it('for a closed file does not count after the file is opened again', function()
    diagnostics_freshness.sent(SERVER, PATH, 1)
    diagnostics_freshness.closed(SERVER, PATH)
    diagnostics_freshness.sent(SERVER, PATH, 1)
    diagnostics_freshness.published(SERVER, PATH, 1)
    assert.is_nil(wait(1))
  end)

  it('before the recording counts only if certain', function()
    diagnostics_freshness.record_running(SERVER, PATH, 0, true)
    assert.equal(0, wait(0))
    diagnostics_freshness.record_running(SERVER, '/b', 4, false)
    assert.is_nil(diagnostics_freshness.wait_ms(SERVER, '/b', 4, 100))
  end)

  it('is deleted with the server', function()
    diagnostics_freshness.record_running(SERVER, PATH, 0, true)
    diagnostics_freshness.forget(SERVER)
    assert.is_nil(wait(0))
  end)

  it('missing for a minute marks a server without diagnostics', function()
    diagnostics_freshness.sent(SERVER, PATH, 1)
    assert.is_true(diagnostics_freshness.may_report(SERVER))
    now = now + diagnostics_freshness.silent_ms
    assert.is_false(diagnostics_freshness.may_report(SERVER))
    diagnostics_freshness.published(SERVER, PATH, 1)
    assert.is_true(diagnostics_freshness.may_report(SERVER))
  end)
end)
