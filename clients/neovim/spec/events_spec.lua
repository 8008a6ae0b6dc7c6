local events = require('placet.events')

describe('an event', function()
  it('reaches its subscribers in the order of their subscriptions, before `emit` returns', function()
    local calls = {}
    for _, name in ipairs({ 'first', 'second' }) do
      events.subscribe('session_renamed', function(session_id, title)
        calls[#calls + 1] = { name, session_id, title }
      end)
    end
    events.subscribe('session_forgotten', function()
      calls[#calls + 1] = 'another event'
    end)

    events.emit('session_renamed', 'ses_1', 'The barn')

    assert.same({ { 'first', 'ses_1', 'The barn' }, { 'second', 'ses_1', 'The barn' } }, calls)
  end)

  it('without a subscriber does nothing', function()
    assert.has_no.errors(function()
      events.emit('nothing_pending')
    end)
  end)
end)
