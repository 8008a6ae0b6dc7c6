/** Model of a session's change set: the files, the hunks' places in the present documents, and the decisions. Pure. */
import { isTooLarge } from '../diff/large';
import { diffLines, linesOf } from '../diff/line_diff';
import { spelledOut } from '../ui/plain_text';
import type { Hunk, StagedDecision, StagedFile } from '../wire';

/** File of a change set, with the session that the daemon knows the file by. */
export interface SetFile extends StagedFile {
  sessionId: string;
}

/** Decision with the session of the decided file. */
export interface SetDecision extends StagedDecision {
  sessionId: string;
}

export type Outcome = Exclude<StagedDecision['outcome'], 'comment'>;

/** Hunk of the set with the lines that the hunk takes in the present document. */
export interface PlacedHunk {
  file: SetFile;
  hunk: Hunk;
  /** First line, 0-based. */
  start: number;
  /** Number of lines; 0 for a hunk that only adds lines (staged) or only deletes lines (unreviewed). */
  length: number;
}

/** Hunk in a proposed text that the user has edited, with the lines that the hunk takes there. */
export interface OwnHunk extends PlacedHunk {
  /** Text of the user in place of the hunk's new lines. */
  text: string;
  isEdited: boolean;
}

/** Target of a command: a file of the set, or a hunk of the file. */
export interface SetTarget {
  setUri: string;
  /** Session of the file; the window's session first, if absent. */
  sessionId?: string;
  /** Name of the hunk, as `keyOf` returns the name. */
  key?: string;
  /** Version of the file for which the command was offered. */
  version?: string;
  /** True for a hunk in the proposed text that the user has edited. */
  isOwn?: boolean;
}

/** Session with a change set, and the number of files in the set. */
export interface OtherSet {
  sessionId: string;
  title: string;
  files: number;
}

/** Returns the name of a file among the files of all sessions. */
export function nameOf({ sessionId, uri }: Pick<SetFile, 'sessionId' | 'uri'>): string {
  return `${sessionId} ${uri}`;
}

/** Returns the URI of the file's present document: the source of a proposed rename. */
export function presentUri(file: SetFile): string {
  return file.state === 'staged' ? (file.oldUri ?? file.uri) : file.uri;
}

/** Returns true if the present document exists, so that an editor can show the hunks in the document. */
export function hasDocument(file: SetFile): boolean {
  return file.state === 'staged' ? file.kind !== 'create' : file.kind !== 'delete';
}

/**
 * Returns the hunks with their lines in the present document: the old lines if staged, the new lines if unreviewed. A
 * change that is too large for hunks has none, and is decided as a whole.
 */
export function placedHunks(file: SetFile): PlacedHunk[] {
  return hunksOf(file).map((hunk) =>
    file.state === 'staged'
      ? { file, hunk, start: hunk.oldStart, length: hunk.oldLines.length }
      : { file, hunk, start: hunk.newStart, length: hunk.newLines.length },
  );
}

/** Returns the hunks with their lines in the new text, which a comparison shows on the right side. */
export function newSideHunks(file: SetFile): PlacedHunk[] {
  return hunksOf(file).map((hunk) => ({ file, hunk, start: hunk.newStart, length: hunk.newLines.length }));
}

function hunksOf(file: SetFile): readonly Hunk[] {
  return isTooLarge(file) ? [] : file.hunks;
}

/**
 * Returns the hunks of a file in the user's own text over the proposed text; undefined if the user has changed lines
 * outside of the hunks, so that no hunk stands for itself.
 */
export function ownHunks(file: SetFile, proposed: string, own: string): OwnHunk[] | undefined {
  const lines = linesOf(own);
  const runs = diffLines(proposed, own);
  const placed: OwnHunk[] = [];
  let shift = 0;
  let seen = 0;
  for (const hunk of newSideHunks(file)) {
    const end = hunk.start + hunk.length;
    const inside = runs.filter((run) => hunk.start <= run.oldStart && run.oldStart + run.oldLines.length <= end);
    const growth = inside.reduce((sum, run) => sum + run.newLines.length - run.oldLines.length, 0);
    const [start, length] = [hunk.start + shift, hunk.length + growth];
    const text = lines.slice(start, start + length).join('');
    placed.push({ ...hunk, start, length, text, isEdited: inside.length > 0 });
    shift += growth;
    seen += inside.length;
  }
  return seen === runs.length ? placed : undefined;
}

/** Returns a text with other lines in place of the lines of a hunk. */
export function withLines(text: string, { start, length }: PlacedHunk, now: string): string {
  const lines = linesOf(text);
  return [...lines.slice(0, start), now, ...lines.slice(start + length)].join('');
}

/** Returns the hunk at a line: a hunk without lines is at the lines behind and before the hunk's place. */
export function hunkAt(hunks: readonly PlacedHunk[], line: number): PlacedHunk | undefined {
  return (
    hunks.find(({ start, length }) => start <= line && line < start + Math.max(length, 1)) ??
    hunks.find(({ start, length }) => length === 0 && line === start - 1)
  );
}

/** Returns the next hunk behind a line, or the last hunk before the line; undefined at the end of the file. */
export function stepFrom(hunks: readonly PlacedHunk[], line: number, by: 1 | -1): PlacedHunk | undefined {
  return by > 0 ? hunks.find(({ start }) => start > line) : hunks.findLast(({ start }) => start < line);
}

export interface SetCount {
  files: number;
  hunks: number;
}

/** Returns the number of files and hunks; a change of a whole file without hunks counts as a hunk. */
export function countOf(files: readonly SetFile[]): SetCount {
  return { files: files.length, hunks: files.reduce((sum, { hunks }) => sum + Math.max(hunks.length, 1), 0) };
}

/** Returns true if the user has changed the lines of the hunk too: the acceptance of the hunk replaces the user's lines. */
export function isInConflict({ baseLines }: Hunk): boolean {
  return baseLines !== undefined;
}

/** Returns the hunks in conflict, with their lines in the present document. */
export function conflictsIn(file: SetFile): PlacedHunk[] {
  return placedHunks(file).filter(({ hunk }) => isInConflict(hunk));
}

/**
 * Returns true if the acceptance of the whole file accepts anything: hunks in conflict stay undecided, and an unreviewed
 * file can always be kept.
 */
export function isAcceptable({ state, conflict, hunks }: SetFile): boolean {
  return state === 'unreviewed' || (!conflict && (hunks.length === 0 || hunks.some((hunk) => !isInConflict(hunk))));
}

/** Returns the lines of both sides of a hunk in conflict, between conflict markers as git writes the markers. */
export function markedLines({ oldLines, baseLines = [], newLines }: Hunk): string {
  const ended = (lines: readonly string[]) => lines.map((line) => line.replace(/\n?$/, '\n'));
  const side = (mark: string, lines: readonly string[]) => [`${mark}\n`, ...ended(lines)];
  return [
    ...side('<<<<<<< the file now', oldLines),
    ...side('||||||| before both changes', baseLines),
    ...side('=======', newLines),
    '>>>>>>> the proposed change\n',
  ].join('');
}

/** Returns the decision about a whole file, or about a hunk; the outcome `comment` decides nothing. */
export function decisionOn(file: SetFile, outcome: StagedDecision['outcome'], hunk?: Hunk, comment = ''): SetDecision {
  return {
    sessionId: file.sessionId,
    uri: file.uri,
    version: file.version,
    outcome,
    ...(hunk ? { hunks: [hunk.id] } : {}),
    ...(comment ? { comment } : {}),
  };
}

/** Returns the name of a hunk within the file; the name stays the same while the lines of the hunk stay the same. */
export function keyOf({ hunk, file }: { hunk: Hunk; file: Pick<SetFile, 'hunks'> }): string {
  const text = ({ oldLines, newLines }: Hunk) => JSON.stringify([oldLines, newLines]);
  const own = text(hunk);
  const before = file.hunks.filter((other) => other.id < hunk.id && text(other) === own).length;
  return `${before} ${own}`;
}

/** Longest line that a hint shows whole. */
const MOST_CHARACTERS = 120;

/**
 * Returns a short text for each line of the hunk in the present document: the new line of a staged hunk, or the deleted
 * lines of an unreviewed hunk. The last text also counts the lines without a place of their own. A hunk without lines
 * has a single text, for the line before the place of the hunk.
 */
export function hintsOf({ file, hunk, length }: PlacedHunk): string[] {
  const isStaged = file.state === 'staged';
  const lines = isStaged ? hunk.newLines : hunk.newLines.length === 0 ? hunk.oldLines : [];
  const sign = isStaged ? (length === 0 ? '+' : '→') : '−';
  const texts = lines.slice(0, isStaged ? Math.max(length, 1) : 1).map((line) => `${sign} ${hintOf(line)}`);
  const more = lines.length - texts.length;
  return texts.map((text, index) => (more > 0 && index === texts.length - 1 ? `${text}  (+${more})` : text));
}

/**
 * Returns true if the present document, with the hints, shows each character that accepting the hunk writes. A comparison
 * shows the rest: more lines than the hunk has in the document, a long line, and blanks or no line end at a line's end.
 * VS Code scrolls to the end of a hint only where the document is not wrapped.
 */
export function isShownWhole({ file, hunk, length }: PlacedHunk, isWrapped: boolean): boolean {
  const { newLines, oldLines } = hunk;
  const isSeen = (line: string) => `${hintOf(line).replaceAll(NO_BREAK, ' ')}\n` === line && !/\s\n$/.test(line);
  const isEnded = oldLines.every((line) => line.endsWith('\n'));
  const hasPlaces = newLines.length <= Math.max(length, 1);
  return (
    file.state !== 'staged' || newLines.length === 0 || (!isWrapped && hasPlaces && isEnded && newLines.every(isSeen))
  );
}

/** Returns true if the present document shows nothing of the lines of the file: a proposal that is too large for hunks. */
export function isLeftOut(file: SetFile): boolean {
  return file.state === 'staged' && isTooLarge(file);
}

/** A blank that VS Code draws also at the beginning of a hint, and beside another blank. */
const NO_BREAK = '\u00a0';

function hintOf(line: string): string {
  const text = spelledOut(line.replace(/\n$/, '')).replace(/(?<=^| ) /g, NO_BREAK);
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

/** Returns the hunk as the lines of a unified diff. */
export function diffOf({ oldLines, newLines }: Hunk): string {
  const marked = (sign: string, lines: readonly string[]) => linesOf(lines.join('')).map((line) => `${sign}${line}`);
  return [...marked('-', oldLines), ...marked('+', newLines)].map((line) => line.replace(/\n?$/, '\n')).join('');
}
