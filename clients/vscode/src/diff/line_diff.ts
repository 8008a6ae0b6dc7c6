/**
 * Compares two texts by lines and returns the changed runs: the same hunks as the daemon's, computed again while the
 * user types.
 */

export interface Run {
  /** Start line, 0-based as in the daemon's hunks. */
  oldStart: number;
  /** Lines with their line ends. */
  oldLines: string[];
  newStart: number;
  newLines: string[];
}

/**
 * Number of differing lines from which two texts count as completely different: the cost of the search grows with the
 * square.
 */
const MOST_DIFFERENCES = 1500;

/**
 * Returns the lines of a text with their ends; only `\n` ends a line, as the texts of a review have no other line ends.
 */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Returns the changed runs of lines, in order; at least one unchanged line lies between two runs. */
export function diffLines(old: string, now: string): Run[] {
  const before = linesOf(old);
  const after = linesOf(now);
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) {
    start++;
  }
  let oldEnd = before.length;
  let newEnd = after.length;
  while (oldEnd > start && newEnd > start && before[oldEnd - 1] === after[newEnd - 1]) {
    oldEnd--;
    newEnd--;
  }
  const kept = commonLines(before.slice(start, oldEnd), after.slice(start, newEnd));
  const runs: Run[] = [];
  let [oldAt, newAt] = [start, start];
  for (const [oldLine, newLine] of [...kept, [oldEnd - start, newEnd - start] as const]) {
    const [oldNext, newNext] = [oldLine + start, newLine + start];
    if (oldNext > oldAt || newNext > newAt) {
      const [oldLines, newLines] = [before.slice(oldAt, oldNext), after.slice(newAt, newNext)];
      runs.push({ oldStart: oldAt, oldLines, newStart: newAt, newLines });
    }
    [oldAt, newAt] = [oldNext + 1, newNext + 1];
  }
  return runs;
}

/** Returns the position of a line of `before` in `now`; for a deleted line, the old position. */
export function lineNow(before: string, now: string, line: number): number {
  let shift = 0;
  for (const run of diffLines(before, now)) {
    if (run.oldStart > line) {
      break;
    }
    if (line < run.oldStart + run.oldLines.length) {
      return run.newStart + Math.min(line - run.oldStart, Math.max(run.newLines.length - 1, 0));
    }
    shift = run.newStart + run.newLines.length - (run.oldStart + run.oldLines.length);
  }
  return line + shift;
}

/**
 * Returns the pairs of unchanged lines, ascending: a longest common subsequence (Myers, "An O(ND) Difference
 * Algorithm", 1986).
 */
function commonLines(before: readonly string[], after: readonly string[]): (readonly [number, number])[] {
  const [oldCount, newCount] = [before.length, after.length];
  const most = Math.min(oldCount + newCount, MOST_DIFFERENCES);
  // Furthest line of `before` on each diagonal, by number of differences.
  const steps: Int32Array[] = [];
  let reach = new Int32Array(3);
  for (let differences = 0; differences <= most; differences++) {
    steps.push(reach);
    const next = new Int32Array(2 * differences + 5);
    for (let diagonal = -differences; diagonal <= differences; diagonal += 2) {
      let oldLine = reached(reach, differences, diagonal);
      while (oldLine < oldCount && oldLine - diagonal < newCount && before[oldLine] === after[oldLine - diagonal]) {
        oldLine++;
      }
      next[diagonal + differences + 2] = oldLine;
      if (oldLine >= oldCount && oldLine - diagonal >= newCount) {
        return tracedBack(steps, oldCount, newCount);
      }
    }
    reach = next;
  }
  return [];
}

function tracedBack(steps: readonly Int32Array[], oldCount: number, newCount: number): [number, number][] {
  const pairs: [number, number][] = [];
  let [oldLine, newLine] = [oldCount, newCount];
  for (let differences = steps.length - 1; differences >= 0; differences--) {
    const reach = steps[differences] ?? new Int32Array(3);
    const diagonal = oldLine - newLine;
    const start = reached(reach, differences, diagonal);
    for (; oldLine > start; oldLine--) {
      pairs.push([oldLine - 1, oldLine - 1 - diagonal]);
    }
    const from = comesDown(reach, differences, diagonal) ? diagonal + 1 : diagonal - 1;
    oldLine = comesDown(reach, differences, diagonal) ? start : start - 1;
    newLine = oldLine - from;
  }
  return pairs.reverse();
}

/** Returns the furthest line on a diagonal after one more difference. */
function reached(reach: Int32Array, differences: number, diagonal: number): number {
  if (differences === 0) {
    return 0;
  }
  const down = reach[diagonal + 1 + differences + 1] ?? 0;
  const right = (reach[diagonal - 1 + differences + 1] ?? 0) + 1;
  return comesDown(reach, differences, diagonal) ? down : right;
}

function comesDown(reach: Int32Array, differences: number, diagonal: number): boolean {
  if (differences === 0 || diagonal === -differences || diagonal === differences) {
    return diagonal === -differences;
  }
  return (reach[diagonal - 1 + differences + 1] ?? 0) < (reach[diagonal + 1 + differences + 1] ?? 0);
}
