/** Model of a proposed change during a review: the hunks, the decision on each hunk, and the resulting answer. Pure. */

import { isTooLarge } from '../diff/large';
import { diffLines, linesOf, type Run } from '../diff/line_diff';
import type { CommentOnChange, FileOfChange, Permission, RequestPermission } from '../wire';

export type Decision = 'accepted' | 'rejected';

/**
 * Smallest part that the user decides: a hunk, or an operation on a whole file (deletion, rename, an empty new file).
 */
export interface Unit extends Run {
  /** Key that is unique within the review and stays the same while the hunk stays the same. */
  key: string;
  kind: 'hunk' | 'file';
  /** Id of the daemon's hunk; absent for a hunk that the user typed. */
  id?: number;
  decision?: Decision;
}

/** One file of the change, with the proposed text as the user sees the text now. */
export interface ReviewedFile {
  readonly file: FileOfChange;
  readonly text: string;
  readonly units: readonly Unit[];
  /** True if the change is too large for hunks: one unit stands for the whole file, and the text stays as proposed. */
  readonly isWhole: boolean;
}

/** Returns the proposed file without any decision. */
export function reviewed(file: FileOfChange): ReviewedFile {
  const units: Unit[] = [];
  const isWhole = isTooLarge(file);
  if (isWhole || file.kind === 'delete' || file.kind === 'rename' || file.hunks.length === 0) {
    const own = file.kind === 'delete' ? linesOf(file.oldText) : [];
    units.push({ key: `${file.uri}#file`, kind: 'file', oldStart: 0, oldLines: own, newStart: 0, newLines: [] });
  }
  if (file.kind !== 'delete' && !isWhole) {
    for (const hunk of file.hunks) {
      units.push({ ...hunk, key: `${file.uri}#${hunk.id}`, kind: 'hunk' });
    }
  }
  return { file, text: file.newText, units, isWhole };
}

let made = 0;

/** Returns the file with another text. Hunks that did not change keep their decisions. */
export function withText(reviewedFile: ReviewedFile, text: string): ReviewedFile {
  if (text === reviewedFile.text || reviewedFile.isWhole) {
    return reviewedFile;
  }
  const runs: (Run & { id?: number })[] =
    text === reviewedFile.file.newText ? reviewedFile.file.hunks : diffLines(reviewedFile.file.oldText, text);
  const units = runs.map((run): Unit => {
    const sameUnit = reviewedFile.units.find((unit) => unit.kind === 'hunk' && isSame(unit, run));
    const proposed = reviewedFile.file.hunks.find((hunk) => isSame(hunk, run));
    const key =
      sameUnit?.key ??
      (proposed ? `${reviewedFile.file.uri}#${proposed.id}` : `${reviewedFile.file.uri}#typed-${++made}`);
    const { oldStart, oldLines, newStart, newLines } = run;
    const kept = sameUnit?.decision ? { decision: sameUnit.decision } : {};
    const id = proposed ? { id: proposed.id } : {};
    return { key, kind: 'hunk', oldStart, oldLines, newStart, newLines, ...id, ...kept };
  });
  return { ...reviewedFile, text, units: [...reviewedFile.units.filter((unit) => unit.kind === 'file'), ...units] };
}

/**
 * Returns the file with the named units decided, or undecided again. Linked units follow: a rename and the hunks of the
 * renamed file.
 */
export function decided(
  reviewedFile: ReviewedFile,
  keys: ReadonlySet<string>,
  decision: Decision | undefined,
): ReviewedFile {
  const rename =
    reviewedFile.file.kind === 'rename' ? reviewedFile.units.find((unit) => unit.kind === 'file') : undefined;
  const isRenameRefused = rename && keys.has(rename.key) && decision === 'rejected';
  const isHunkAllowed =
    decision === 'accepted' && reviewedFile.units.some((unit) => unit.kind === 'hunk' && keys.has(unit.key));
  return {
    ...reviewedFile,
    units: reviewedFile.units.map((unit) => {
      if (keys.has(unit.key) || isRenameRefused || (isHunkAllowed && unit === rename)) {
        const { decision: _, ...rest } = unit;
        return decision ? { ...rest, decision } : rest;
      }
      return unit;
    }),
  };
}

/**
 * Returns the keys of the hunks whose lines the user has changed in the file since the proposal, as the daemon's merge
 * sees it (docs/EDITS.md, rule 15): the same or neighbouring lines, changed in another way. `now` has LF line ends.
 */
export function conflicting(reviewedFile: ReviewedFile, now: string): ReadonlySet<string> {
  const typed = diffLines(reviewedFile.file.oldText, now);
  const isTouched = (unit: Unit) => typed.some((run) => touches(run, unit) && !isSame(run, unit));
  return new Set(reviewedFile.units.filter((unit) => unit.kind === 'hunk' && isTouched(unit)).map(({ key }) => key));
}

function touches(run: Run, unit: Run): boolean {
  return run.oldStart <= unit.oldStart + unit.oldLines.length && unit.oldStart <= run.oldStart + run.oldLines.length;
}

export interface Count {
  all: number;
  accepted: number;
  rejected: number;
}

export function count(files: readonly ReviewedFile[]): Count {
  const units = files.flatMap((file) => file.units);
  const of = (decision: Decision) => units.filter((unit) => unit.decision === decision).length;
  return { all: units.length, accepted: of('accepted'), rejected: of('rejected') };
}

/**
 * Returns the answer for the decisions. Undecided hunks are rejected, and so are files that the answer does not name.
 */
export function answerOf(files: readonly ReviewedFile[], comments: readonly CommentOnChange[] = []): Permission {
  const feedback = comments.length > 0 ? { comments: [...comments] } : {};
  const hunks: Record<string, number[]> = {};
  const edited: { uri: string; text: string }[] = [];
  for (const file of files) {
    const answer = fileAnswer(file);
    if (answer && 'text' in answer) {
      edited.push({ uri: file.file.uri, text: answer.text });
    } else if (answer) {
      hunks[file.file.uri] = answer.ids;
    }
  }
  if (edited.length === 0 && Object.keys(hunks).length === 0) {
    return { outcome: 'reject', ...feedback };
  }
  const isAll = edited.length === 0 && files.every(({ file }) => hunks[file.uri]?.length === file.hunks.length);
  return {
    outcome: 'once',
    ...(isAll ? {} : { hunks }),
    ...(edited.length > 0 ? { edited } : {}),
    ...feedback,
  };
}

/** Returns the accepted hunk ids, or the text that replaces the proposal; undefined when the file is rejected. */
function fileAnswer(reviewedFile: ReviewedFile): { ids: number[] } | { text: string } | undefined {
  const { file, units, isWhole } = reviewedFile;
  const every = file.hunks.map((hunk) => hunk.id);
  const accepted = units.filter((unit) => unit.decision === 'accepted');
  const whole = units.find((unit) => unit.kind === 'file');
  if (accepted.length === 0 || (file.kind === 'rename' && whole?.decision !== 'accepted')) {
    return undefined;
  }
  if (file.kind === 'delete' || isWhole) {
    return { ids: every };
  }
  const ids = accepted.flatMap((unit) => (unit.id === undefined ? [] : [unit.id]));
  const acceptedText = withUnits(file.oldText, units);
  const isOfThese =
    acceptedText ===
    withUnits(
      file.oldText,
      file.hunks.map((hunk) => ({ ...hunk, isIn: ids.includes(hunk.id) })),
    );
  // Only the text can express a rename without any of the hunks.
  return isOfThese && (ids.length > 0 || every.length === 0) ? { ids } : { text: acceptedText };
}

/** Returns the old text with the accepted hunks applied. */
function withUnits(
  old: string,
  units: readonly (Run & { kind?: string; decision?: Decision; isIn?: boolean })[],
): string {
  const lines = linesOf(old);
  const result: string[] = [];
  let at = 0;
  for (const unit of units) {
    if (unit.kind !== 'file') {
      result.push(...lines.slice(at, unit.oldStart));
      result.push(...(unit.isIn || unit.decision === 'accepted' ? unit.newLines : unit.oldLines));
      at = unit.oldStart + unit.oldLines.length;
    }
  }
  return [...result, ...lines.slice(at)].join('');
}

/** Returns the id of the daemon's hunk at the same place, also for a hunk that the user edited. */
export function hunkIdOf(file: FileOfChange, unit: Unit): number | undefined {
  const end = unit.oldStart + unit.oldLines.length;
  const meets = file.hunks.find(
    (hunk) => hunk.oldStart <= end && unit.oldStart <= hunk.oldStart + hunk.oldLines.length,
  );
  return unit.id ?? meets?.id;
}

/** Returns the unit at a line of the new text; else the last unit before the line, or the first unit of the file. */
export function unitAt(reviewedFile: ReviewedFile, line: number): { unit: Unit; isIn: boolean } | undefined {
  let nearest: Unit | undefined;
  for (const unit of reviewedFile.units) {
    const last = unit.newStart + Math.max(unit.newLines.length, 1) - 1;
    if (line >= unit.newStart && line <= last && (unit.kind === 'hunk' || reviewedFile.units.length === 1)) {
      return { unit, isIn: true };
    }
    if (unit.newStart <= line) {
      nearest = unit;
    }
  }
  const unit = nearest ?? reviewedFile.units[0];
  return unit && { unit, isIn: false };
}

/** Returns the files of a request that the user can review. */
export function filesOf(request: RequestPermission): ReviewedFile[] {
  return (request.change?.files ?? []).map(reviewed);
}

function isSame(run: Run, other: Run): boolean {
  return run.oldStart === other.oldStart && equal(run.oldLines, other.oldLines) && equal(run.newLines, other.newLines);
}

function equal(lines: readonly string[], other: readonly string[]): boolean {
  return lines.length === other.length && lines.every((line, index) => line === other[index]);
}
