local SERVER, PATH = 7, '/a'

describe('what a server said', function()
  local judgements, now

  ---How long until it is fresh, for the text of a version; nil: only news can tell.
  local function wait(version)
    return judgements.wait_ms(SERVER, PATH, version, 100)
  end

  before_each(function()
    package.loaded['placet.editor.diagnostics_freshness'] = nil
    judgements = require('placet.editor.diagnostics_freshness')
    now = 1000000
    stub(vim.uv, 'now', function()
      return now
    end)
  end)

  after_each(function()
    vim.uv.now:revert()
  end)

  it('is not known before it was told of the file', function()
    assert.is_nil(wait(0))
    assert.is_nil(judgements.find(SERVER, PATH))
  end)

  it('is fresh a short quiet after it named the version', function()
    judgements.sent(SERVER, PATH, 1)
    assert.is_nil(wait(1))
    judgements.published(SERVER, PATH, 1)
    assert.equal(100, wait(1))
    now = now + 60
    assert.equal(40, wait(1))
    now = now + 60
    assert.equal(0, wait(1))
  end)

  it('of an older version is not of the new one', function()
    judgements.sent(SERVER, PATH, 1)
    judgements.sent(SERVER, PATH, 2)
    judgements.published(SERVER, PATH, 1)
    assert.is_nil(wait(2))
    judgements.published(SERVER, PATH, 2)
    assert.equal(100, wait(2))
  end)

  it('without a version is counted, and must stand for longer', function()
    judgements.sent(SERVER, PATH, 1)
    judgements.sent(SERVER, PATH, 2)
    judgements.published(SERVER, PATH)
    assert.is_nil(wait(2))
    judgements.published(SERVER, PATH)
    assert.equal(judgements.unversioned_quiet_ms, wait(2))
  end)

  it('once for two texts counts again after a long silence', function()
    judgements.sent(SERVER, PATH, 1)
    judgements.sent(SERVER, PATH, 2)
    judgements.published(SERVER, PATH)
    now = now + judgements.settled_ms + 1
    judgements.sent(SERVER, PATH, 3)
    judgements.published(SERVER, PATH)
    assert.equal(judgements.unversioned_quiet_ms, wait(3))
  end)

  it('late of a closed file says nothing of the same version opened anew', function()
    judgements.sent(SERVER, PATH, 1)
    judgements.closed(SERVER, PATH)
    judgements.sent(SERVER, PATH, 1)
    judgements.published(SERVER, PATH, 1)
    assert.is_nil(wait(1))
  end)

  it('before anybody listened counts only where that is sure', function()
    judgements.found(SERVER, PATH, 0, true)
    assert.equal(0, wait(0))
    judgements.found(SERVER, '/b', 4, false)
    assert.is_nil(judgements.wait_ms(SERVER, '/b', 4, 100))
  end)

  it('goes with the server', function()
    judgements.found(SERVER, PATH, 0, true)
    judgements.forget(SERVER)
    assert.is_nil(wait(0))
  end)

  it('never, for a minute, makes it one that does not judge', function()
    judgements.sent(SERVER, PATH, 1)
    assert.is_true(judgements.may_judge(SERVER))
    now = now + judgements.silent_ms
    assert.is_false(judgements.may_judge(SERVER))
    judgements.published(SERVER, PATH, 1)
    assert.is_true(judgements.may_judge(SERVER))
  end)
end)
