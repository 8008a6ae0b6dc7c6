import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { diffLines } from '../../src/diff/line_diff';
import {
  answerOf,
  conflicting,
  count,
  type Decision,
  decided,
  filesOf,
  type ReviewedFile,
  reviewed,
  unitAt,
  withText,
} from '../../src/review/change';
import type { FileOfChange } from '../../src/wire';

const file = (uri: string, oldText: string, newText: string, parts: Partial<FileOfChange> = {}): FileOfChange => ({
  uri,
  kind: 'modify',
  oldText,
  newText,
  hunks: diffLines(oldText, newText).map((run, index) => ({ id: index + 1, ...run })),
  ...parts,
});

const OLD = 'one\ntwo\nthree\nfour\nfive\n';
const NEW = 'ONE\ntwo\nTHREE\nfour\nFIVE\n';
const A = file('file:///a', OLD, NEW);

/** Returns the file with the units decided in order; a dot leaves a unit undecided. */
function with_(reviewedFile: ReviewedFile, decisions: string): ReviewedFile {
  const words: Record<string, Decision> = { y: 'accepted', n: 'rejected' };
  return reviewedFile.units.reduce((now, unit, index) => {
    const decision = words[decisions[index] ?? '.'];
    return decision ? decided(now, new Set([unit.key]), decision) : now;
  }, reviewedFile);
}

const all = (reviewedFile: ReviewedFile, decision: Decision) =>
  decided(reviewedFile, new Set(reviewedFile.units.map((unit) => unit.key)), decision);

describe('the answer', () => {
  it('names the hunks that were accepted, and is a plain yes or no when that says all', () => {
    const reviewedFile = reviewed(A);
    expect(answerOf([with_(reviewedFile, 'yny')])).toEqual({ outcome: 'once', hunks: { 'file:///a': [1, 3] } });
    expect(answerOf([with_(reviewedFile, 'yyy')])).toEqual({ outcome: 'once' });
    expect(answerOf([with_(reviewedFile, 'nnn')])).toEqual({ outcome: 'reject' });
  });

  it('leaves out a file that was refused whole', () => {
    const other = reviewed(file('file:///b', 'x\n', 'y\n'));
    expect(answerOf([with_(reviewed(A), 'yyy'), with_(other, 'n')])).toEqual({
      outcome: 'once',
      hunks: { 'file:///a': [1, 2, 3] },
    });
  });

  it('has the text of a file that the user typed into, without its rejected hunks', () => {
    const edited = withText(reviewed(A), NEW.replace('THREE', 'Three!'));
    const other = reviewed(file('file:///b', 'x\n', 'y\n'));
    expect(answerOf([with_(edited, 'nyy'), with_(other, 'y')])).toEqual({
      outcome: 'once',
      hunks: { 'file:///b': [1] },
      edited: [{ uri: 'file:///a', text: 'one\ntwo\nThree!\nfour\nFIVE\n' }],
    });
  });

  it('needs no text when what was typed was rejected', () => {
    const edited = withText(reviewed(A), NEW.replace('THREE', 'Three!'));
    expect(answerOf([with_(edited, 'yny')])).toEqual({ outcome: 'once', hunks: { 'file:///a': [1, 3] } });
  });

  it('deletes a file whole or not at all', () => {
    const gone = reviewed(file('file:///a', OLD, '', { kind: 'delete' }));
    expect(gone.units).toHaveLength(1);
    expect(answerOf([all(gone, 'accepted')])).toEqual({ outcome: 'once' });
    expect(answerOf([all(gone, 'rejected')])).toEqual({ outcome: 'reject' });
  });

  it('creates an empty file, and one with text that the user changed', () => {
    const empty = reviewed(file('file:///a', '', '', { kind: 'create' }));
    expect(answerOf([all(empty, 'accepted'), all(reviewed(A), 'rejected')])).toEqual({
      outcome: 'once',
      hunks: { 'file:///a': [] },
    });
    const made = withText(reviewed(file('file:///b', '', 'a\nb\n', { kind: 'create' })), 'a\nc\n');
    expect(answerOf([all(made, 'accepted')])).toEqual({
      outcome: 'once',
      hunks: {},
      edited: [{ uri: 'file:///b', text: 'a\nc\n' }],
    });
  });

  it('renames with what was accepted inside, and not at all when the rename is refused', () => {
    const renamed = reviewed(file('file:///a', OLD, NEW, { kind: 'rename', newUri: 'file:///b' }));
    expect(answerOf([with_(renamed, '.ynn')])).toEqual({ outcome: 'once', hunks: { 'file:///a': [1] } });
    expect(answerOf([with_(renamed, 'ynnn')])).toEqual({
      outcome: 'once',
      hunks: {},
      edited: [{ uri: 'file:///a', text: OLD }],
    });
    expect(answerOf([decided(with_(renamed, 'yyyy'), new Set([renamed.units[0]?.key ?? '']), 'rejected')])).toEqual({
      outcome: 'reject',
    });
  });

  it('renames nothing while the rename is undecided', () => {
    const renamed = with_(reviewed(file('file:///a', OLD, NEW, { kind: 'rename', newUri: 'file:///b' })), '.yyy');
    const undecided = decided(renamed, new Set([renamed.units[0]?.key ?? '']), undefined);
    expect(answerOf([undecided])).toEqual({ outcome: 'reject' });
  });

  it('carries the comments', () => {
    const comments = [{ uri: 'file:///a', hunk: 1, text: 'Why?' }];
    expect(answerOf([with_(reviewed(A), 'nnn')], comments)).toEqual({ outcome: 'reject', comments });
  });
});

describe('typing', () => {
  it('keeps the decisions of the hunks it does not touch', () => {
    const before = with_(reviewed(A), 'yny');
    const after = withText(before, NEW.replace('THREE', 'Three'));
    expect(after.units.map((unit) => unit.decision)).toEqual(['accepted', undefined, 'accepted']);
    const back = withText(after, NEW);
    expect(back.units.map((unit) => [unit.id, unit.decision])).toEqual([
      [1, 'accepted'],
      [2, undefined],
      [3, 'accepted'],
    ]);
  });

  it('may make hunks and take them away', () => {
    const more = withText(with_(reviewed(A), 'y..'), `${NEW}six\n`);
    expect(count([more])).toEqual({ all: 3, accepted: 1, rejected: 0 });
    expect(withText(more, OLD).units).toEqual([]);
  });
});

it('the hunk at a line is the one it is in, else the last before it', () => {
  const reviewedFile = reviewed(A);
  expect(unitAt(reviewedFile, 2)).toMatchObject({ unit: { id: 2 }, isIn: true });
  expect(unitAt(reviewedFile, 3)).toMatchObject({ unit: { id: 2 }, isIn: false });
  expect(unitAt(reviewed(file('file:///a', OLD, '', { kind: 'delete' })), 0)).toMatchObject({ unit: { kind: 'file' } });
});

it('the golden request can be reviewed', () => {
  const golden = path.join(__dirname, '../../../../tests/wire/golden/editor.requestPermission.json');
  const { params } = JSON.parse(readFileSync(golden, 'utf8'));
  const files = filesOf(params);
  expect(count(files)).toEqual({ all: 1, accepted: 0, rejected: 0 });
  const [first] = files;
  expect(first && withText(withText(first, 'x'), first.file.newText).units).toEqual(first?.units);
});

it('a change that is too large for hunks is accepted or rejected whole, and its text stays as proposed', () => {
  const hunks = Array.from({ length: 301 }, (_, id) => ({
    id,
    oldStart: 2 * id,
    oldLines: ['old\n'],
    newStart: 2 * id,
    newLines: ['new\n'],
  }));
  const [oldText, newText] = ['old\nsame\n', 'new\nsame\n'].map((text) => text.repeat(301)) as [string, string];
  const large = reviewed({ uri: 'file:///large.py', kind: 'modify', oldText, newText, hunks });
  const [unit, ...others] = large.units;
  expect(others).toEqual([]);
  expect(withText(large, 'typed\n')).toBe(large);
  const keys = new Set([unit?.key ?? '']);
  expect(answerOf([decided(large, keys, 'accepted')])).toEqual({ outcome: 'once' });
  expect(answerOf([decided(large, keys, 'rejected')])).toEqual({ outcome: 'reject' });
  expect(reviewed({ ...large.file, hunks: hunks.slice(0, 300) }).units.length).toBe(300);
});

describe('the hunks in conflict with the text of the user', () => {
  const TEN = 'a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n';
  const reviewedFile = reviewed(file('file:///t', TEN, TEN.replace('b', 'B').replace('f', 'F').replace('j', 'J')));
  const numbers = (now: string) =>
    [...conflicting(reviewedFile, now)].map((key) => Number(key.replace('file:///t#', '')));

  it.each([
    ['a text as it was', TEN, []],
    ['a change in the lines of a hunk', TEN.replace('f', 'mine'), [2]],
    ['a change in the line beside a hunk', TEN.replace('g', 'mine'), [2]],
    ['a new line between a hunk and its neighbour', TEN.replace('f\n', 'f\nmine\n'), [2]],
    ['a change two lines away from each hunk', TEN.replace('d', 'mine'), []],
    ['the very change of a hunk', TEN.replace('b', 'B'), []],
    ['a text without lines', '', [1, 2, 3]],
  ])('%s', (_, now, expected) => {
    expect(numbers(now)).toEqual(expected);
  });

  it('are hunks alone: a deleted file is one decision', () => {
    const deleted = reviewed(file('file:///t', TEN, '', { kind: 'delete', hunks: [] }));
    expect(conflicting(deleted, 'mine\n').size).toBe(0);
  });
});
