import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  conflictsIn,
  countOf,
  decisionOn,
  diffOf,
  hasDocument,
  hintsOf,
  hunkAt,
  isAcceptable,
  isShownWhole,
  keyOf,
  markedLines,
  newSideHunks,
  ownHunks,
  type PlacedHunk,
  placedHunks,
  presentUri,
  type SetFile,
  stepFrom,
  withLines,
} from '../../src/change_set/files';
import { diffLines } from '../../src/diff/line_diff';
import type { Hunk } from '../../src/wire';

interface Marked {
  name: string;
  hunk: Hunk;
  marked: string;
}

/** Hunks in conflict with their texts between conflict markers, the same for the daemon and all clients. */
const MARKED = JSON.parse(
  readFileSync(new URL('../../../../tests/wire/conflict_markers.json', import.meta.url), 'utf8'),
) as Marked[];

const file = (oldText: string, newText: string, parts: Partial<SetFile> = {}): SetFile => {
  const hunks = diffLines(oldText, newText).map((run, index) => ({ id: index + 1, ...run }));
  return {
    sessionId: 'ses_1',
    uri: 'file:///a.py',
    kind: 'modify',
    state: 'staged',
    version: 'v1',
    additions: 1,
    deletions: 1,
    hunks,
    diff: '',
    ...parts,
  };
};

const OLD = 'one\ntwo\nthree\nfour\nfive\n';
const NEW = 'ONE\nmore\ntwo\nthree\nfive\nsix\n';
const STAGED = file(OLD, NEW);
const UNREVIEWED = file(OLD, NEW, { state: 'unreviewed' });
const places = (hunks: readonly PlacedHunk[]) => hunks.map(({ start, length }) => [start, length]);

describe('a hunk of the change set', () => {
  it('stands at its old lines while it is proposed, and at its new lines once it is written', () => {
    expect(places(placedHunks(STAGED))).toEqual([
      [0, 1],
      [3, 1],
      [5, 0],
    ]);
    expect(places(placedHunks(UNREVIEWED))).toEqual([
      [0, 2],
      [4, 0],
      [5, 1],
    ]);
    expect(places(newSideHunks(STAGED))).toEqual(places(placedHunks(UNREVIEWED)));
  });

  it('is found on its own lines only, and without lines of its own on the lines around its place', () => {
    const at = (line: number) => hunkAt(placedHunks(UNREVIEWED), line)?.hunk.id;
    expect([0, 1, 2, 3, 4, 5].map(at)).toEqual([1, 1, undefined, 2, 2, 3]);
    // Two places side by side: the line between the places belongs to the place before the line.
    const side = placedHunks(file('a\nb\nc\n', 'x\na\ny\nb\nc\n'));
    expect([0, 1, 2].map((line) => hunkAt(side, line)?.hunk.id)).toEqual([1, 2, undefined]);
  });

  it('is followed by the next hunk of the file, and by none at the end', () => {
    const hunks = placedHunks(STAGED);
    expect(stepFrom(hunks, 0, 1)?.hunk.id).toBe(2);
    expect(stepFrom(hunks, -1, 1)?.hunk.id).toBe(1);
    expect(stepFrom(hunks, 5, 1)).toBeUndefined();
    expect(stepFrom(hunks, 5, -1)?.hunk.id).toBe(2);
    expect(stepFrom(hunks, 0, -1)).toBeUndefined();
  });

  it('is reached by steps from hunk to hunk, in order, and is the hunk at the line of the step', () => {
    const line = fc.constantFrom('a\n', 'b\n', 'c\n', 'd\n');
    const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join(''));
    fc.assert(
      fc.property(text, text, fc.constantFrom('staged' as const, 'unreviewed' as const), (old, now, state) => {
        const hunks = placedHunks(file(old, now, { state }));
        const walked: number[] = [];
        let at = -1;
        for (let next = stepFrom(hunks, at, 1); next && next.start > at; next = stepFrom(hunks, at, 1)) {
          at = next.start;
          walked.push(next.hunk.id);
          expect(hunkAt(hunks, at)?.hunk.id).toBe(next.hunk.id);
        }
        expect(walked).toEqual(hunks.map(({ hunk }) => hunk.id));
      }),
    );
  });

  it('keeps its name while its lines stay the same, wherever it stands', () => {
    const names = (newText: string, oldText = OLD) => placedHunks(file(oldText, newText)).map(keyOf);
    expect(names(`zero\n${NEW}`, `zero\n${OLD}`)).toEqual(names(NEW));
    expect(names(NEW.replace('ONE', 'One'))[0]).not.toBe(names(NEW)[0]);
  });

  it('has a name of its own, also where another hunk of the file has the same lines', () => {
    expect(new Set(placedHunks(file('a\nb\na\nb\na\n', 'A\nb\nA\nb\nA\n')).map(keyOf)).size).toBe(3);
  });

  it('shows beside its lines what it proposes, and how many lines more', () => {
    expect(placedHunks(STAGED).map(hintsOf)).toEqual([['→ ONE  (+1)'], [], ['+ six']]);
    expect(placedHunks(UNREVIEWED).map(hintsOf)).toEqual([[], ['− four'], []]);
    expect(placedHunks(file('a\nb\n', 'A\nB\nC\nD\n')).map(hintsOf)).toEqual([['→ A', '→ B  (+2)']]);
  });

  it.each([
    ['a line in place of a line', 'a\n', 'A = 1\n', true],
    ['a line more', 'a\nb\n', 'a\nx\nb\n', true],
    ['two lines more', 'a\nb\n', 'a\nx\ny\nb\n', false],
    ['two lines in place of a line', 'a\n', 'A\nB\n', false],
    ['a line in place of two lines', 'a\nb\n', 'A\n', true],
    ['no line in place of a line', 'a\nb\n', 'a\n', true],
    ['another indentation', 'a\n', '    a\n', true],
    ['a tab', 'a\n', '\ta\n', false],
    ['a long line', 'a\n', `${'x'.repeat(121)}\n`, false],
    ['a blank at the end of a line', 'a\n', 'a \n', false],
    ['no line end at the end of the file', 'a\n', 'a', false],
    ['a line end at the end of the file', 'a', 'a\n', false],
    ['a character without width', 'a\n', 'a\u200b\n', false],
    ['a blank that is none', 'a\n', 'a\u00a0b\n', false],
  ])('shows a hunk whole, or not: %s', (_, before, after, isWhole) => {
    expect(placedHunks(file(before, after)).map((placed) => isShownWhole(placed, false))).toEqual([isWhole]);
  });

  it('shows no new line whole in a wrapped document, where VS Code does not scroll to the end of a hint', () => {
    const isWhole = (after: string) => placedHunks(file('a\n', after)).map((placed) => isShownWhole(placed, true));
    expect([isWhole('b\n'), isWhole('')]).toEqual([[false], [true]]);
  });

  it('begins with the blanks of the line, and says that it is cut', () => {
    const hints = (after: string) => placedHunks(file('a\n', after)).flatMap(hintsOf);
    expect(hints('    a\n')).toEqual(['→ \u00a0\u00a0\u00a0\u00a0a']);
    expect(hints(`${'x'.repeat(121)}\n`)).toEqual([`→ ${'x'.repeat(120)}…`]);
  });

  it('shows no character of the model that turns the direction of the text', () => {
    const [placed] = placedHunks(file('a\n', 'x = "\u202e"\n'));
    expect(placed && hintsOf(placed)).toEqual(['→ x = "\\u202e"']);
  });

  it('is a diff whose every line ends, also at the end of a file', () => {
    const [hunk] = file('a\nb', 'a\nc').hunks;
    expect(hunk && diffOf(hunk)).toBe('-b\n+c\n');
  });
});

describe('a file of the change set', () => {
  it('is shown in its present document: the source of a proposed rename, the destination of a written rename', () => {
    const renamed = { kind: 'rename' as const, oldUri: 'file:///old.py' };
    expect(presentUri({ ...STAGED, ...renamed })).toBe('file:///old.py');
    expect(presentUri({ ...UNREVIEWED, ...renamed })).toBe('file:///a.py');
  });

  it('has a document before it is created only when it is written, and after it is deleted only when not', () => {
    const has = (state: SetFile['state'], kind: SetFile['kind']) => hasDocument({ ...STAGED, state, kind });
    expect([has('staged', 'create'), has('unreviewed', 'create')]).toEqual([false, true]);
    expect([has('staged', 'delete'), has('unreviewed', 'delete')]).toEqual([true, false]);
  });

  it('counts as one hunk where it has none: a deletion, a conflict', () => {
    expect(countOf([STAGED, { ...STAGED, kind: 'delete', hunks: [] }])).toEqual({ files: 2, hunks: 4 });
  });

  it('is decided with the version that was seen, whole or by one hunk, with the words for the model', () => {
    const [, second] = STAGED.hunks;
    expect(decisionOn(STAGED, 'accept')).toEqual({
      sessionId: 'ses_1',
      uri: 'file:///a.py',
      version: 'v1',
      outcome: 'accept',
    });
    expect(decisionOn(STAGED, 'reject', second, 'Why?')).toEqual({
      sessionId: 'ses_1',
      uri: 'file:///a.py',
      version: 'v1',
      outcome: 'reject',
      hunks: [2],
      comment: 'Why?',
    });
  });

  it('of three hundred with two thousand hunks is placed in no time', () => {
    const lines = Array.from({ length: 70 }, (_, index) => `line ${index}\n`);
    const changed = lines.map((line, index) => (index % 10 === 0 ? `new ${index}\n` : line));
    const files = Array.from({ length: 300 }, (_, index) =>
      file(lines.join(''), changed.join(''), { uri: `file:///${index}.py` }),
    );
    const start = performance.now();
    const hunks = files.flatMap(placedHunks);
    const hints = hunks.flatMap(hintsOf);
    expect([hunks.length, hints.length, hunks.map(keyOf).length, countOf(files).hunks]).toEqual([
      2100, 2100, 2100, 2100,
    ]);
    expect(performance.now() - start).toBeLessThan(200);
  });
});

describe('the hunks of an edited proposal', () => {
  const edited = (own: string) =>
    ownHunks(STAGED, NEW, own)?.map(({ start, text, isEdited }) => [start, text, isEdited]);

  it('hold what the user typed in each of them, at the lines of the edited text', () => {
    expect(edited(NEW)).toEqual([
      [0, 'ONE\nmore\n', false],
      [4, '', false],
      [5, 'six\n', false],
    ]);
    expect(edited('ONE\nmine\nand mine\ntwo\nthree\nfive\nsix\n')).toEqual([
      [0, 'ONE\nmine\nand mine\n', true],
      [5, '', false],
      [6, 'six\n', false],
    ]);
    expect(edited('two\nthree\nfour and a half\nfive\n6\n')).toEqual([
      [0, '', true],
      [2, 'four and a half\n', true],
      [4, '6\n', true],
    ]);
  });

  it('are none where the user changed lines beside them, as the text is one text then', () => {
    expect(edited('ONE\nmore\nTWO\nthree\nfive\nsix\n')).toBeUndefined();
    expect(edited('ONE\nMORE\nTWO\nthree\nfive\nsix\n')).toBeUndefined();
    expect(edited('ONE\nmore\ntwo\nmine\nthree\nfive\nsix\n')).toBeUndefined();
  });

  it('make up the edited text together with the lines between them', () => {
    const line = fc.constantFrom('a', 'b', 'c', 'd');
    const lines = fc.array(line, { maxLength: 8 }).map((all) => all.map((letter) => `${letter}\n`).join(''));
    fc.assert(
      fc.property(lines, lines, fc.array(lines, { maxLength: 8 }), (old, now, typed) => {
        const changed = file(old, now);
        const places = newSideHunks(changed);
        // What is typed in the last hunk does not move the hunks before.
        const own = places.reduceRight((text, place, index) => withLines(text, place, typed[index] ?? 'kept\n'), now);
        const hunks = ownHunks(changed, now, own);
        const again = hunks?.reduceRight(
          (text, { text: mine }, index) => withLines(text, places[index] as PlacedHunk, mine),
          now,
        );
        expect(again ?? own).toBe(own);
        for (const hunk of hunks ?? []) {
          expect(
            own
              .split('\n')
              .slice(hunk.start, hunk.start + hunk.length)
              .join('\n'),
          ).toBe(hunk.text.replace(/\n$/, ''));
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a hunk in conflict', () => {
  const own = { id: 1, oldStart: 0, oldLines: ['mine\n'], newStart: 0, newLines: ['ONE\n'] };
  const meeting = { ...own, baseLines: ['one\n'] };

  it('leaves the file acceptable as long as another hunk fits', () => {
    const some = { ...STAGED, hunks: [meeting, { ...own, id: 2, oldStart: 3, newStart: 3 }] };
    expect(conflictsIn(some).map(({ hunk }) => hunk.id)).toEqual([1]);
    expect(isAcceptable(some)).toBe(true);
    expect(isAcceptable({ ...STAGED, hunks: [meeting] })).toBe(false);
    expect(isAcceptable({ ...STAGED, hunks: [], conflict: 'gone' })).toBe(false);
    expect(isAcceptable({ ...STAGED, hunks: [] })).toBe(true);
    expect(isAcceptable({ ...UNREVIEWED, hunks: [], conflict: 'no text by now' })).toBe(true);
  });

  it.each(MARKED)("has the daemon's conflict markers: $name", ({ hunk, marked }) => {
    expect(markedLines(hunk)).toBe(marked);
  });
});
