local words = require('placet.going_back.words')

local function file(name, status, reason)
  return { uri = 'file:///p/' .. name, status = status, reason = reason, additions = 1, deletions = 2 }
end

local PREVIEW = {
  files = { file('a', 'restored'), file('b', 'conflict', 'edited since'), file('c', 'unchanged') },
  staged = { 'file:///p/d', 'file:///p/e' },
  prompts = 3,
}

describe('the effect of going back', function()
  it('names prompts, files and proposed changes', function()
    local effect = 'hides 3 prompts, restores 1 file, 2 files leave the review'
    assert.equal(effect, words.effect('all', PREVIEW))
  end)

  it('on the talk alone names no file', function()
    assert.equal('hides 3 prompts', words.effect('talk', PREVIEW))
  end)

  it('on the files alone names no prompt', function()
    assert.equal('restores 1 file, 2 files leave the review', words.effect('files', PREVIEW))
  end)

  it('without any change of a file says so', function()
    assert.equal('hides 1 prompt, restores no file', words.effect('all', { files = {}, prompts = 1 }))
  end)
end)

describe('the outcome of going back', function()
  it('counts the restored files and the files of the change set', function()
    assert.equal('1 file restored, changes to review of 2 files updated', words.outcome(PREVIEW))
    assert.equal('no file changed', words.outcome({ files = { file('c', 'unchanged') } }))
  end)

  it('names the files that were left alone, with the reasons', function()
    assert.same({ '/p/b (edited since)' }, words.left_alone(PREVIEW))
  end)
end)

describe('the title of a prompt', function()
  it('is one visible line of limited length', function()
    assert.equal('one two\\u001b', words.title({ text = ' one\n two\27 ' }))
    assert.equal(60, vim.fn.strchars(words.title({ text = ('x'):rep(100) })))
  end)

  it('is never empty', function()
    assert.equal('(attachments only)', words.title({ text = ' \n' }))
  end)

  it('has the number of the prompt', function()
    assert.equal('2 go on', words.numbered(2, { text = 'go on' }))
  end)
end)
