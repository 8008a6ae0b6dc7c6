/** Changes that are too large to decide hunk by hunk. Pure. */
import type { Hunk } from '../wire';

/** Most hunks of a file with lenses and marks of their own: VS Code's window stands still for thousands. */
const MOST_HUNKS = 300;
/** Most added and deleted lines of a file that a review decides hunk by hunk, and opens without a request. */
const MOST_LINES = 5000;

/** Returns true if the file is decided as a whole, and its diff is opened only at the user's request. */
export function isTooLarge({ hunks }: { hunks: readonly Hunk[] }): boolean {
  return hunks.length > MOST_HUNKS || changedLines({ hunks }) > MOST_LINES;
}

function changedLines({ hunks }: { hunks: readonly Hunk[] }): number {
  return hunks.reduce((sum, hunk) => sum + hunk.oldLines.length + hunk.newLines.length, 0);
}
