local edit_plan = require('placet.editor.edit_plan')

local function collect(edit, expects)
  return edit_plan.collect(edit, expects or {})
end

describe('the files of a WorkspaceEdit', function()
  it('keep the order and collect all edits of a file', function()
    local function change(uri, version, edits)
      return { textDocument = { uri = uri, version = version }, edits = edits }
    end
    local records = collect({
      documentChanges = { change('a', 3, { 1 }), change('b', vim.NIL, { 2 }), change('a', 3, { 4 }) },
    })
    assert.same({ 'a', 'b' }, { records[1].uri, records[2].uri })
    assert.same({ { 1, 4 }, { 2 } }, { records[1].edits, records[2].edits })
    assert.equal(3, records[1].edit_version)
  end)

  it('are read from `changes`', function()
    local records = collect({ changes = { a = { 1, 2 } } })
    assert.same({ 'a', 'modify', { 1, 2 } }, { records[1].uri, records[1].kind, records[1].edits })
  end)

  it('carry the expectations of the same file only', function()
    local expect = { uri = 'a', sha256 = 'x' }
    local records = collect({ changes = { a = {} } }, { { uri = 'other' }, expect })
    assert.equal(expect, records[1].expect)
    assert.equal(1, #records)
  end)

  it('a created file is filled by edits', function()
    local records = collect({
      documentChanges = {
        { kind = 'create', uri = 'a' },
        { textDocument = { uri = 'a' }, edits = { 1 } },
      },
    })
    assert.same({ 1, 'create', { 1 } }, { #records, records[1].kind, records[1].edits })
  end)

  it('a renamed file is edited under the new name', function()
    local records = collect({
      documentChanges = {
        { kind = 'rename', oldUri = 'a', newUri = 'b' },
        { textDocument = { uri = 'b' }, edits = { 1 } },
      },
    })
    assert.same({ 1, 'a', 'b', { 1 } }, { #records, records[1].uri, records[1].new_uri, records[1].edits })
  end)

  it('edits before a rename count for the new name', function()
    local records = collect({
      documentChanges = {
        { textDocument = { uri = 'a' }, edits = { 1 } },
        { kind = 'rename', oldUri = 'a', newUri = 'b' },
      },
    })
    assert.same(
      { 1, 'rename', 'b', { 1 } },
      { #records, records[1].kind, records[1].new_uri, records[1].edits }
    )
  end)

  it('are refused when a file would be both created and deleted', function()
    local done, reason = pcall(collect, {
      documentChanges = { { kind = 'create', uri = 'a' }, { kind = 'delete', uri = 'a' } },
    })
    assert.is_false(done)
    assert.same({ refusal = 'a: more than one file operation on one file' }, reason)
  end)
end)
