local units_of = require('placet.change_set.units')
local words = require('placet.ui.words')

local function hunk(id, start, old, new)
  return { id = id, oldStart = start, oldLines = old, newStart = start, newLines = new }
end

local function listed(name, state, fields)
  return vim.tbl_extend('force', {
    uri = 'file:///' .. name,
    kind = 'modify',
    state = state,
    version = 'v-' .. name,
    hunks = { hunk(1, 0, { 'a\n' }, { 'b\n' }), hunk(2, 4, {}, { 'c\n' }) },
  }, fields or {})
end

describe('the units of a change set', function()
  it('are numbered over all files', function()
    local files, units = units_of.of({ listed('x', 'staged'), listed('y', 'unreviewed') })
    assert.equal(2, #files)
    assert.same(
      { 1, 2, 3, 4 },
      vim.tbl_map(function(unit)
        return unit.number
      end, units)
    )
    assert.same({ waiting = 0, staged = 2, unreviewed = 2 }, units_of.count(units))
  end)

  it('of files for which a call waits are a group of their own', function()
    local _, units = units_of.of({
      listed('x', 'staged', { waits = 'chg_1' }),
      listed('y', 'staged'),
      listed('z', 'staged', { waits = 'chg_2' }),
    })
    assert.same({ waiting = 4, staged = 2, unreviewed = 0 }, units_of.count(units))
    assert.same({ units[5], units[6] }, units_of.of_call(units, 'chg_2'))
  end)

  it('have the present text on the old side, whatever the state of the file', function()
    local _, units = units_of.of({ listed('x', 'staged'), listed('y', 'unreviewed') })
    assert.same({ 'a\n' }, units[1].hunk.oldLines)
    assert.same({ 'b\n' }, units[3].hunk.oldLines)
    assert.same({ 'a\n' }, units[3].hunk.newLines)
  end)

  it('of a daemon without states are proposed', function()
    local files = units_of.of({ listed('x', nil) })
    assert.equal('staged', files[1].state)
  end)

  it('show a proposed new file and a deleted file in a preview', function()
    local lines = { hunk(1, 0, {}, { 'text\n' }) }
    local gone = { hunk(1, 0, { 'text\n' }, {}) }
    local files = units_of.of({
      listed('new', 'staged', { kind = 'create', hunks = lines }),
      listed('made', 'unreviewed', { kind = 'create', hunks = lines }),
      listed('going', 'staged', { kind = 'delete', hunks = gone }),
      listed('gone', 'unreviewed', { kind = 'delete', hunks = gone }),
    })
    assert.same(
      { false, true, false, true },
      vim.tbl_map(function(file)
        return file.is_preview
      end, files)
    )
    assert.same({ 'text\n' }, files[2].units[1].hunk.newLines)
    assert.is_nil(files[1].units[1].hunk)
  end)

  it('show a rename where the file is now', function()
    local fields = { kind = 'rename', oldUri = 'file:///old' }
    local files = units_of.of({ listed('new', 'staged', fields), listed('new', 'unreviewed', fields) })
    assert.equal('file:///old', files[1].document)
    assert.equal('file:///new', files[2].document)
    assert.equal('file:///new', files[1].place)
    assert.equal(3, #files[1].units)
  end)

  it('keep their key while the daemon gives the hunk another id or line', function()
    local _, before = units_of.of({ listed('x', 'staged') })
    local _, after = units_of.of({ listed('x', 'staged', { hunks = { hunk(1, 9, {}, { 'c\n' }) } }) })
    assert.equal(units_of.key(before[2]), units_of.key(after[1]))
    assert.are_not.equal(units_of.key(before[1]), units_of.key(after[1]))
  end)
end)

describe('the decisions', function()
  it('name the hunks of a part, and no hunks of a whole file', function()
    local _, units = units_of.of({ listed('x', 'staged'), listed('y', 'staged') })
    units[1].comment, units[4].comment = 'why', 'too'
    assert.same({
      { uri = 'file:///x', version = 'v-x', outcome = 'accept', comment = 'why' },
      { uri = 'file:///y', version = 'v-y', outcome = 'accept', hunks = { 2 }, comment = 'too' },
    }, units_of.decisions({ units[1], units[2], units[4] }, 'accept'))
  end)

  it('name each hunk where the user accepts other lines', function()
    local _, units = units_of.of({ listed('x', 'staged') })
    assert.same({
      { uri = 'file:///x', version = 'v-x', outcome = 'accept', hunks = { 1 }, text = 'mine\n' },
      { uri = 'file:///x', version = 'v-x', outcome = 'accept', hunks = { 2 } },
    }, units_of.decisions(units, 'accept', { [units[1]] = 'mine\n' }))
  end)

  it('on a rename accept the rename alone, and reject its hunks with it', function()
    local fields = { kind = 'rename', oldUri = 'file:///old' }
    local _, units = units_of.of({ listed('new', 'staged', fields) })
    assert.same({}, units_of.decisions({ units[1] }, 'accept')[1].hunks)
    assert.is_nil(units_of.decisions({ units[1] }, 'reject')[1].hunks)
    assert.same({ 1 }, units_of.decisions({ units[2] }, 'reject')[1].hunks)
  end)
end)

describe('the words of a change set', function()
  it('name each way of reviewing', function()
    assert.equal('Ask before each change', words.mode('ask'))
    assert.equal('Collect changes for review', words.mode('stage'))
    assert.equal('Apply changes, review afterwards', words.mode('apply'))
    assert.is_nil(words.mode(nil))
  end)

  it('count hunks by state', function()
    assert.equal('2 proposed, 1 unreviewed', words.counts({ staged = 2, unreviewed = 1 }))
    assert.equal('3 proposed', words.counts({ waiting = 1, staged = 2, unreviewed = 0 }))
    assert.equal('1 unreviewed', words.counts({ staged = 0, unreviewed = 1 }))
    assert.equal('', words.counts({ staged = 0, unreviewed = 0 }))
    assert.equal('1 hunk', words.counted(1, 'hunk'))
    assert.equal('0 hunks', words.counted(0, 'hunk'))
  end)
end)
