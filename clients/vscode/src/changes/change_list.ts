/** What `agent/changes` lists, sorted for a screen: by file and by turn, with what became of each hunk. Pure. */
import type { ListedChange, ListedFile, ListedHunk } from '../wire';

export type State = ListedHunk['state'];

/** One file's share of one change. */
export interface Share {
  change: ListedChange;
  file: ListedFile;
  /** The hunks of the state that is asked for; none where the file was too large to be compared. */
  hunks: readonly ListedHunk[];
}

/** A file with all shares of one state, the oldest first. */
export interface FileShares {
  /** Where the file is now. */
  uri: string;
  shares: readonly Share[];
  additions: number;
  deletions: number;
}

/** The files with something in this state, the one touched last first. */
export function filesIn(changes: readonly ListedChange[], state: State): FileShares[] {
  const found = new Map<string, Share[]>();
  for (const change of changes.filter(isEdit)) {
    for (const file of change.files) {
      const hunks = file.hunks?.filter((hunk) => hunk.state === state) ?? [];
      if (hunks.length > 0 || (stateOf(change, file) === state && !file.hunks?.length)) {
        const uri = file.newUri && state === 'kept' ? file.newUri : file.uri;
        const earlier = found.get(file.uri) ?? found.get(uri) ?? [];
        found.delete(file.uri);
        found.delete(uri);
        found.set(uri, [...earlier, { change, file, hunks }]);
      }
    }
  }
  return [...found].reverse().map(([uri, shares]) => ({ uri, shares, ...linesOf(shares) }));
}

function linesOf(shares: readonly Share[]): { additions: number; deletions: number } {
  const hunks = shares.flatMap((share) => share.hunks);
  return {
    additions: hunks.reduce((sum, hunk) => sum + hunk.newLines.length, 0),
    deletions: hunks.reduce((sum, hunk) => sum + hunk.oldLines.length, 0),
  };
}

export interface ListedTurn {
  id: string;
  changes: readonly ListedChange[];
}

/** The changes by the turn that made them, the last turn first. */
export function turnsOf(changes: readonly ListedChange[]): ListedTurn[] {
  const turns = new Map<string, ListedChange[]>();
  let last = '';
  for (const change of changes.filter(isEdit)) {
    // What waits for an answer belongs to the turn that runs, which a subagent's cannot say.
    last = change.turnId ?? last;
    turns.set(last, [...(turns.get(last) ?? []), change]);
  }
  return [...turns].reverse().map(([id, own]) => ({ id, changes: own }));
}

/** Undos and failures are no changes of their own. */
function isEdit(change: ListedChange): boolean {
  return change.kind !== 'undo' && change.state !== 'failed';
}

export function stateOf(change: ListedChange, file: ListedFile): State {
  if (file.state) {
    return file.state;
  }
  const states = { proposed: 'proposed', planned: 'kept', applied: 'kept', reverted: 'reverted' } as const;
  return file.reverted ? 'reverted' : (states[change.state as keyof typeof states] ?? 'dropped');
}

/** The first text that the last turn which touched the file found in it, if it is told. */
export function beforeLastTurn(changes: readonly ListedChange[], uri: string): ListedChange | undefined {
  const shares = filesIn(changes, 'kept').find((fileShares) => fileShares.uri === uri)?.shares ?? [];
  const turn = shares.at(-1)?.change.turnId;
  return shares.find(({ change }) => change.turnId === turn)?.change;
}

/**
 * The 0-based line of `lines` at which a dropped hunk would go in now: where its old lines are, nearest to where they
 * were. Undefined when they are not there, or there is nothing to know the place by.
 */
export function placeOf(hunk: ListedHunk, others: readonly ListedHunk[], lines: readonly string[]): number | undefined {
  const shift = others
    .filter((other) => other.state === 'kept' && other.oldStart < hunk.oldStart)
    .reduce((sum, { newLines, oldLines }) => sum + newLines.length - oldLines.length, 0);
  const expected = hunk.oldStart + shift;
  if (hunk.oldLines.length === 0) {
    return expected <= lines.length ? expected : undefined;
  }
  const fits = (at: number) => hunk.oldLines.every((line, index) => lines[at + index] === line);
  const places = lines.map((_, at) => at).filter(fits);
  return places.sort((place, other) => Math.abs(place - expected) - Math.abs(other - expected))[0];
}
