local decision = require('placet.review.decision')

local function hunk(id, start)
  return { id = id, oldStart = start, oldLines = { 'old\n' }, newStart = start, newLines = { 'new\n' } }
end

local function modified(uri, ids)
  local hunks = {}
  for index, id in ipairs(ids) do
    hunks[index] = hunk(id, index * 2 - 2)
  end
  local old = ('old\nkept\n'):rep(#ids)
  return { uri = uri, kind = 'modify', hunks = hunks, oldText = old, newText = (old:gsub('old', 'new')) }
end

---A review of a change, decided by one letter a unit: a(ccepted), r(ejected), - (nothing said).
local function answer(files, letters)
  local change = { files = files }
  local units = decision.units_of(change)
  assert.equal(#letters, #units)
  for index, unit in ipairs(units) do
    local choice = ({ a = 'accepted', r = 'rejected' })[letters:sub(index, index)]
    if choice then
      decision.decide(units, unit, choice)
    end
  end
  return decision.answer_of(change, units), units
end

describe('the answer to a review', function()
  it('names no hunks when all hunks are accepted', function()
    assert.same({ outcome = 'once' }, (answer({ modified('a', { 1, 2 }), modified('b', { 3 }) }, 'aaa')))
  end)

  it('rejects when all hunks are rejected', function()
    assert.same({ outcome = 'reject' }, (answer({ modified('a', { 1, 2 }) }, 'rr')))
    assert.same({ outcome = 'reject' }, (answer({ modified('a', { 1, 2 }) }, '--')))
  end)

  it('names the accepted hunks, and no file without an accepted hunk', function()
    local given = answer({ modified('a', { 1, 2 }), modified('b', { 3 }) }, 'rar')
    assert.same({ outcome = 'once', hunks = { a = { 2 } } }, given)
  end)

  it('names an accepted file beside a rejected file', function()
    local given = answer({ modified('a', { 1, 2 }), modified('b', { 3 }) }, 'aar')
    assert.same({ outcome = 'once', hunks = { a = { 1, 2 } } }, given)
  end)

  it('carries the comments, and a comment alone rejects', function()
    local change = { files = { modified('a', { 4 }) } }
    local units = decision.units_of(change)
    units[1].comment = 'why?'
    local comments = { { uri = 'a', hunk = 4, text = 'why?' } }
    assert.same({ outcome = 'reject', comments = comments }, decision.answer_of(change, units))
  end)
end)

describe('a unit without hunks', function()
  it('is a deletion', function()
    local gone = { uri = 'a', kind = 'delete', hunks = { hunk(1, 0), hunk(2, 4) } }
    local units = decision.units_of({ files = { gone } })
    assert.same({ 1, { 1, 2 } }, { #units, units[1].ids })
  end)

  it('is a new empty file', function()
    assert.equal(1, #decision.units_of({ files = { { uri = 'a', kind = 'create', hunks = {} } } }))
  end)

  it('is the new name, which the hunks follow', function()
    local function renamed()
      local file = modified('a', { 1 })
      file.kind, file.newUri = 'rename', 'b'
      return file
    end
    local _, units = answer({ renamed() }, 'r-')
    assert.equal('rejected', units[2].decision)
    _, units = answer({ renamed() }, '-a')
    assert.equal('accepted', units[1].decision)
  end)
end)

describe('the next undecided unit', function()
  it('is searched beyond the end', function()
    local _, units = answer({ modified('a', { 1, 2, 3 }) }, '-a-')
    assert.equal(3, decision.next_open(units, 2).number)
    assert.equal(1, decision.next_open(units, 3).number)
    assert.equal(1, decision.next_open(units, 0).number)
  end)

  it('has no comment, and is nil when all units are decided', function()
    local _, units = answer({ modified('a', { 1, 2 }) }, '-a')
    units[1].comment = 'hm'
    assert.is_nil(decision.next_open(units, 0))
    assert.equal(1, decision.count(units))
  end)
end)

describe("a file's share, when the user wrote another text", function()
  it('is the text of the user', function()
    local file = modified('a', { 1, 2 })
    local change = { files = { file } }
    local units = decision.units_of(change)
    decision.retext(units, file, 'mine\nkept\nold\nkept\n')
    assert.equal(1, #units)
    decision.decide(units, units[1], 'accepted')
    local edited = { { uri = 'a', text = 'mine\nkept\nold\nkept\n' } }
    assert.same({ outcome = 'once', edited = edited }, decision.answer_of(change, units))
  end)

  it('is the text of the agent when the user wrote the same text', function()
    local file = modified('a', { 1, 2 })
    local change = { files = { file } }
    local units = decision.units_of(change)
    decision.retext(units, file, 'mine\n')
    decision.retext(units, file, file.newText)
    assert.same({ { 1 }, { 2 } }, { units[1].ids, units[2].ids })
  end)
end)
