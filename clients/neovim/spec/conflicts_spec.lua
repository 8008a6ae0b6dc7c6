local conflicts = require('placet.change_set.conflicts')

local SHARED = vim.fs.joinpath(vim.uv.cwd(), '..', '..', 'tests', 'wire', 'conflict_markers.json')

describe('the conflict markers', function()
  for _, example in ipairs(vim.json.decode(assert(io.open(SHARED)):read('*a'))) do
    it("are the daemon's: " .. example.name, function()
      assert.equal(example.marked, table.concat(conflicts.marked(example.hunk).newLines))
    end)
  end
end)
