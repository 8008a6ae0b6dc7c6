/** Sorts the result of `agent/changes` by file and by turn, with the state of each hunk. Pure. */
import type { ListedChange, ListedFile, ListedHunk } from '../wire';

export type State = ListedHunk['state'];

/** Part of a change that concerns one file. */
export interface Share {
  change: ListedChange;
  file: ListedFile;
  /** Hunks of the requested state; empty where the file was too large to compare. */
  hunks: readonly ListedHunk[];
}

/** File with all shares of one state, the oldest first. */
export interface FileShares {
  /** Current URI of the file. */
  uri: string;
  shares: readonly Share[];
  additions: number;
  deletions: number;
}

/** Returns the files with changes in a state, the last touched file first. */
export function filesIn(changes: readonly ListedChange[], state: State): FileShares[] {
  const files = new Map<string, Share[]>();
  for (const change of changes.filter(isEdit)) {
    for (const file of change.files) {
      const hunks = file.hunks?.filter((hunk) => hunk.state === state) ?? [];
      if (hunks.length > 0 || (stateOf(change, file) === state && !file.hunks?.length)) {
        const uri = file.newUri && state === 'kept' ? file.newUri : file.uri;
        const earlier = files.get(file.uri) ?? files.get(uri) ?? [];
        files.delete(file.uri);
        files.delete(uri);
        files.set(uri, [...earlier, { change, file, hunks }]);
      }
    }
  }
  return [...files].reverse().map(([uri, shares]) => ({ uri, shares, ...linesOf(shares) }));
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

/** Returns the changes by turn, the last turn first. */
export function turnsOf(changes: readonly ListedChange[]): ListedTurn[] {
  const turns = new Map<string, ListedChange[]>();
  let last = '';
  for (const change of changes.filter(isEdit)) {
    // A change that waits for an answer belongs to the running turn; a subagent's change names no turn.
    last = change.turnId ?? last;
    turns.set(last, [...(turns.get(last) ?? []), change]);
  }
  return [...turns].reverse().map(([id, own]) => ({ id, changes: own }));
}

/** Returns false for an undo and for a failed change, which are not edits. */
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

/** Returns the change with the text before the last turn on the file as old text, if known. */
export function beforeLastTurn(changes: readonly ListedChange[], uri: string): ListedChange | undefined {
  const shares = filesIn(changes, 'kept').find((fileShares) => fileShares.uri === uri)?.shares ?? [];
  const turn = shares.at(-1)?.change.turnId;
  return shares.find(({ change }) => change.turnId === turn)?.change;
}

/**
 * Returns the 0-based line of `lines` where a rejected hunk would go now: the match of the old lines that is nearest to
 * the old place. Returns undefined when the old lines are missing, or nothing marks the place.
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
