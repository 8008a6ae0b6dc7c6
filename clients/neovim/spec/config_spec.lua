describe('options', function()
  local config, notices

  before_each(function()
    package.loaded['placet.config'] = nil
    config = require('placet.config')
    vim.g.placet, notices = nil, {}
    stub(vim, 'notify', function(text)
      notices[#notices + 1] = text
    end)
  end)

  after_each(function()
    vim.notify:revert()
    vim.g.placet = nil
  end)

  it('are the defaults when nothing is given', function()
    assert.same(config.defaults, config.get())
    assert.same({}, config.problems({}))
  end)

  it('of vim.g.placet override the defaults, and options of setup override both', function()
    vim.g.placet = { chat = { size = 0.5 }, review = { keys = { accept = 'x', reject = 'y' } } }
    config.store({ review = { keys = { reject = false } } })
    local options = config.get()
    assert.equal(0.5, options.chat.size)
    assert.same({ 'x', false }, { options.review.keys.accept, options.review.keys.reject })
    assert.equal(config.defaults.review.keys.send, options.review.keys.send)
    assert.same({}, notices)
  end)

  it('may be the result of a function', function()
    vim.g.placet = function()
      return { chat = { size = 0.3 } }
    end
    assert.equal(0.3, config.get().chat.size)
  end)

  it('with lists replace the default list', function()
    vim.g.placet = { root_markers = { 'Makefile' } }
    assert.same({ 'Makefile' }, config.get().root_markers)
  end)

  it('of the daemon are not checked', function()
    assert.same({}, config.problems({ settings = { model = 'a/b', anything = { deep = true } } }))
  end)

  it('never change the defaults', function()
    local before = vim.deepcopy(config.defaults)
    vim.g.placet = { chat = { size = 0.9 } }
    config.get()
    assert.same(before, config.defaults)
  end)

  for name, case in pairs({
    ['an unknown name'] = { { chatt = {} }, 'chatt' },
    ['an unknown name within'] = { { chat = { sizes = 1 } }, 'chat.sizes' },
    ['another type'] = { { chat = { size = 'big' } }, 'chat.size' },
    ['a table where none is wanted'] = { { review = { signs = {} } }, 'review.signs' },
    ['no list of words'] = { { cmd = 'placet' }, 'cmd' },
    ['a list of other things'] = { { cmd = { 1 } }, 'cmd' },
    ['a share of nothing'] = { { chat = { size = 0 } }, 'chat.size' },
    ['more than there is'] = { { chat = { size = 40 } }, 'chat.size' },
    ['none of the words there are'] = { { picker = 'dmenu' }, 'picker' },
    ['a key that is no key'] = { { review = { keys = { accept = true } } }, 'review.keys.accept' },
  }) do
    it('with ' .. name .. ' cause one warning with the path, and the default is used', function()
      vim.g.placet = case[1]
      local options = config.get()
      config.get()
      assert.equal(1, #notices)
      assert.truthy(notices[1]:find(('`%s`'):format(case[2]), 1, true))
      assert.equal(config.defaults.chat.size, options.chat.size)
      assert.same(config.defaults.cmd, options.cmd)
      assert.equal(config.defaults.review.keys.accept, options.review.keys.accept)
    end)
  end
end)
