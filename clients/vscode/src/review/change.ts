/** A proposed change while it is looked at: what each hunk is, what was decided of it, and the answer that makes. Pure. */
import type { CommentOnChange, FileOfChange, Permission, RequestPermission } from '../wire';
import { diffLines, linesOf, type Run } from './line_diff';

export type Decision = 'accepted' | 'rejected';

/** What is decided at once: a hunk, or what is done to a file as a whole (it is deleted, renamed, made empty). */
export interface Unit extends Run {
  /** Unique within its review, and the same as long as the hunk stays what it is. */
  key: string;
  kind: 'hunk' | 'file';
  /** The daemon's id; absent for one that the user's typing made. */
  id?: number;
  decision?: Decision;
}

/** One file of the change, and the text it is to have as the user sees it now. */
export interface ReviewedFile {
  readonly file: FileOfChange;
  readonly text: string;
  readonly units: readonly Unit[];
}

/** The file as it was proposed, with nothing decided. */
export function reviewed(file: FileOfChange): ReviewedFile {
  const units: Unit[] = [];
  if (file.kind === 'delete' || file.kind === 'rename' || file.hunks.length === 0) {
    const own = file.kind === 'delete' ? linesOf(file.oldText) : [];
    units.push({ key: `${file.uri}#file`, kind: 'file', oldStart: 0, oldLines: own, newStart: 0, newLines: [] });
  }
  if (file.kind !== 'delete') {
    for (const hunk of file.hunks) {
      units.push({ ...hunk, key: `${file.uri}#${hunk.id}`, kind: 'hunk' });
    }
  }
  return { file, text: file.newText, units };
}

let made = 0;

/** The same file with another text. Decisions stay with the hunks that are what they were. */
export function withText(reviewedFile: ReviewedFile, text: string): ReviewedFile {
  if (text === reviewedFile.text) {
    return reviewedFile;
  }
  const runs: (Run & { id?: number })[] =
    text === reviewedFile.file.newText ? reviewedFile.file.hunks : diffLines(reviewedFile.file.oldText, text);
  const units = runs.map((run): Unit => {
    const known = reviewedFile.units.find((unit) => unit.kind === 'hunk' && isSame(unit, run));
    const proposed = reviewedFile.file.hunks.find((hunk) => isSame(hunk, run));
    const key =
      known?.key ?? (proposed ? `${reviewedFile.file.uri}#${proposed.id}` : `${reviewedFile.file.uri}#typed-${++made}`);
    const { oldStart, oldLines, newStart, newLines } = run;
    const kept = known?.decision ? { decision: known.decision } : {};
    const id = proposed ? { id: proposed.id } : {};
    return { key, kind: 'hunk', oldStart, oldLines, newStart, newLines, ...id, ...kept };
  });
  return { ...reviewedFile, text, units: [...reviewedFile.units.filter((unit) => unit.kind === 'file'), ...units] };
}

/** With these units decided, or undecided again. What hangs together follows: a rename and the hunks in it. */
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

/** The answer to what was decided; what is undecided is refused. A file that is not named in it is refused as well. */
export function answerOf(files: readonly ReviewedFile[], comments: readonly CommentOnChange[] = []): Permission {
  const said = comments.length > 0 ? { comments: [...comments] } : {};
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
    return { outcome: 'reject', ...said };
  }
  const isAll = edited.length === 0 && files.every(({ file }) => hunks[file.uri]?.length === file.hunks.length);
  return {
    outcome: 'once',
    ...(isAll ? {} : { hunks }),
    ...(edited.length > 0 ? { edited } : {}),
    ...said,
  };
}

/** The ids allowed, or the text that is wanted instead; undefined when the file is refused. */
function fileAnswer(reviewedFile: ReviewedFile): { ids: number[] } | { text: string } | undefined {
  const { file, units } = reviewedFile;
  const every = file.hunks.map((hunk) => hunk.id);
  const accepted = units.filter((unit) => unit.decision === 'accepted');
  const whole = units.find((unit) => unit.kind === 'file');
  if (accepted.length === 0 || (file.kind === 'rename' && whole?.decision !== 'accepted')) {
    return undefined;
  }
  if (file.kind === 'delete') {
    return { ids: every };
  }
  const ids = accepted.flatMap((unit) => (unit.id === undefined ? [] : [unit.id]));
  const wanted = withUnits(file.oldText, units);
  const isOfThese =
    wanted ===
    withUnits(
      file.oldText,
      file.hunks.map((hunk) => ({ ...hunk, isIn: ids.includes(hunk.id) })),
    );
  // A rename alone, without any of its hunks, can only be said by the text.
  return isOfThese && (ids.length > 0 || every.length === 0) ? { ids } : { text: wanted };
}

/** The old text with the accepted hunks in it. */
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

/** The daemon's hunk at the same place, for one that the user has typed into. */
export function hunkIdOf(file: FileOfChange, unit: Unit): number | undefined {
  const end = unit.oldStart + unit.oldLines.length;
  const meets = file.hunks.find(
    (hunk) => hunk.oldStart <= end && unit.oldStart <= hunk.oldStart + hunk.oldLines.length,
  );
  return unit.id ?? meets?.id;
}

/** The unit a line of the new text is in; else the last before it, or the first of the file. */
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

/** The files of a request that can be reviewed. */
export function filesOf(request: RequestPermission): ReviewedFile[] {
  return (request.change?.files ?? []).map(reviewed);
}

function isSame(run: Run, other: Run): boolean {
  return run.oldStart === other.oldStart && equal(run.oldLines, other.oldLines) && equal(run.newLines, other.newLines);
}

function equal(lines: readonly string[], other: readonly string[]): boolean {
  return lines.length === other.length && lines.every((line, index) => line === other[index]);
}
