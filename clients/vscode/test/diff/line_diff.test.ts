import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffLines, lineNow, linesOf } from '../../src/diff/line_diff';

const texts = fc
  .array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'd', 'é𝒳\r\n', '\u2028\n'), { maxLength: 30 })
  .map((lines) => lines.join(''));

describe('the lines that changed', () => {
  it('put into the old text give the new one, and lie apart', () => {
    fc.assert(
      fc.property(texts, texts, (old, now) => {
        const lines = linesOf(old);
        const built: string[] = [];
        let at = 0;
        let last = -1;
        for (const run of diffLines(old, now)) {
          expect(run.oldStart > last || last < 0).toBe(true);
          expect(run.oldLines).toEqual(lines.slice(run.oldStart, run.oldStart + run.oldLines.length));
          built.push(...lines.slice(at, run.oldStart));
          expect(built.length).toBe(run.newStart);
          built.push(...run.newLines);
          at = run.oldStart + run.oldLines.length;
          last = at;
        }
        expect([...built, ...lines.slice(at)].join('')).toBe(now);
      }),
      { numRuns: 500 },
    );
  });

  it('are as few as they can be', () => {
    const runs = diffLines('a\nb\nc\nd\ne\n', 'a\nB\nc\nd\nx\ne\n');
    expect(runs).toEqual([
      { oldStart: 1, oldLines: ['b\n'], newStart: 1, newLines: ['B\n'] },
      { oldStart: 4, oldLines: [], newStart: 4, newLines: ['x\n'] },
    ]);
  });

  it('of two long texts without anything in common are found at once', () => {
    const of = (letter: string) => Array.from({ length: 5000 }, (_, line) => `${letter}${line}\n`).join('');
    const start = performance.now();
    expect(diffLines(of('a'), of('b'))).toHaveLength(1);
    expect(performance.now() - start).toBeLessThan(2000);
  });
});

describe('a line', () => {
  it('is found again where it is now', () => {
    const before = 'a\nb\nc\nd\n';
    expect(lineNow(before, before, 2)).toBe(2);
    expect(lineNow(before, `new\nnew\n${before}`, 2)).toBe(4);
    expect(lineNow(before, 'a\nd\n', 3)).toBe(1);
  });

  it('that is gone is where it was', () => {
    expect(lineNow('a\nb\nc\nd\n', 'a\nd\n', 2)).toBe(1);
    expect(lineNow('a\nb\nc\n', 'a\nB\nBB\nc\n', 1)).toBe(1);
  });
});
