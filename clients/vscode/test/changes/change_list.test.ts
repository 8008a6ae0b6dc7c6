import { describe, expect, it } from 'vitest';
import { beforeLastTurn, filesIn, placeOf, stateOf, turnsOf } from '../../src/changes/change_list';
import type { ListedChange, ListedFile, ListedHunk } from '../../src/wire';

const hunk = (id: number, state: ListedHunk['state'], oldStart = id): ListedHunk => ({
  id,
  oldStart,
  oldLines: ['old\n'],
  newStart: oldStart,
  newLines: ['new\n', 'more\n'],
  state,
});
const file = (uri: string, hunks: ListedHunk[], parts: Partial<ListedFile> = {}): ListedFile => ({
  uri,
  kind: 'modify',
  state: 'kept',
  hunks,
  ...parts,
});
const change = (id: string, turnId: string, files: ListedFile[], parts: Partial<ListedChange> = {}): ListedChange => ({
  id,
  turnId,
  kind: 'edit',
  state: 'applied',
  undoes: [],
  files,
  ...parts,
});

const CHANGES = [
  change('c1', 't1', [file('file:///a', [hunk(1, 'kept'), hunk(2, 'dropped')])]),
  change('c2', 't2', [
    file('file:///a', [hunk(1, 'kept')]),
    file('file:///b', [hunk(1, 'dropped')], { state: 'dropped' }),
  ]),
  change('c3', 't2', [file('file:///a', [hunk(1, 'reverted')], { state: 'reverted' })], { state: 'reverted' }),
  change('u1', 't2', [file('file:///a', [])], { kind: 'undo' }),
  change('f1', 't2', [file('file:///f', [])], { state: 'failed' }),
];

describe('the changes of a session', () => {
  it('are told by file and state, the one touched last first', () => {
    const kept = filesIn(CHANGES, 'kept');
    expect(kept.map(({ uri, additions, deletions }) => [uri, additions, deletions])).toEqual([['file:///a', 4, 2]]);
    expect(kept[0]?.shares.map((share) => share.change.id)).toEqual(['c1', 'c2']);
    expect(filesIn(CHANGES, 'dropped').map(({ uri }) => uri)).toEqual(['file:///b', 'file:///a']);
    expect(filesIn(CHANGES, 'reverted').map(({ uri }) => uri)).toEqual(['file:///a']);
  });

  it('follow a file that was renamed', () => {
    const renamed = file('file:///a', [hunk(1, 'kept')], { kind: 'rename', newUri: 'file:///z' });
    const kept = filesIn([...CHANGES, change('c4', 't3', [renamed])], 'kept');
    expect(kept.map(({ uri, shares }) => [uri, shares.length])).toEqual([['file:///z', 3]]);
  });

  it('count a file that could not be compared by its own state', () => {
    const { hunks: _, ...plain } = file('file:///large', [], { state: 'kept' });
    expect(filesIn([change('c', 't', [plain])], 'kept').map(({ uri }) => uri)).toEqual(['file:///large']);
    expect(filesIn([change('c', 't', [plain])], 'dropped')).toEqual([]);
  });

  it('stand at their turns, the last first, and what waits at the turn that runs', () => {
    const { turnId: _, ...waits } = change('p', '', [file('file:///p', [], { state: 'proposed' })], {
      state: 'proposed',
    });
    const turns = turnsOf([...CHANGES, waits]);
    expect(turns.map(({ id, changes }) => [id, changes.map((change) => change.id)])).toEqual([
      ['t2', ['c2', 'c3', 'p']],
      ['t1', ['c1']],
    ]);
  });

  it('know what the last turn that touched a file found in it', () => {
    expect(beforeLastTurn(CHANGES, 'file:///a')?.id).toBe('c2');
    expect(beforeLastTurn(CHANGES, 'file:///b')).toBeUndefined();
  });

  it('of an older daemon have a state all the same', () => {
    const { state: _, ...plain } = file('file:///a', []);
    expect(stateOf(change('c', 't', []), plain)).toBe('kept');
    expect(stateOf(change('c', 't', [], { state: 'refused' }), plain)).toBe('dropped');
    expect(stateOf(change('c', 't', []), { ...plain, reverted: true })).toBe('reverted');
  });
});

describe('a hunk that was dropped', () => {
  const lines = (text: string) => text.split('').map((letter) => `${letter}\n`);
  const dropped = { ...hunk(2, 'dropped', 3), oldLines: ['x\n'], newLines: ['y\n'] };
  const kept = { ...hunk(1, 'kept', 0), oldLines: ['a\n'], newLines: ['A\n', 'B\n'] };

  it('goes where its lines are, nearest to where they were', () => {
    expect(placeOf(dropped, [kept, dropped], lines('ABbcxx'))).toBe(4);
    expect(placeOf(dropped, [], lines('xbcxx'))).toBe(3);
  });

  it('has no place when they are gone', () => {
    expect(placeOf(dropped, [kept], lines('ABbc'))).toBeUndefined();
  });

  it('of new lines alone goes behind the lines that stood before it', () => {
    const added = { ...dropped, oldLines: [] };
    expect(placeOf(added, [kept], lines('ABbcd'))).toBe(4);
    expect(placeOf(added, [{ ...kept, state: 'dropped' }], lines('abcd'))).toBe(3);
    expect(placeOf(added, [], lines('ab'))).toBeUndefined();
  });
});
