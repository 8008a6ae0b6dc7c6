/**
 * Index of the changes that wait for a review, which the daemon writes beside its store, for a look without a daemon
 * (docs/PROTOCOL.md, "Without a daemon"). Pure, apart from `readIndex`.
 */
import { readFile } from 'node:fs/promises';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';

const NAME = 'to-review.json';
const VERSION = 1;

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the path of the index in Placet's data directory. */
export function indexPath(platform: NodeJS.Platform, environment: Environment, home: string): string {
  const { join, isAbsolute } = platform === 'win32' ? path.win32 : path.posix;
  if (platform === 'win32') {
    return join(environment.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'placet', NAME);
  }
  const own = environment.XDG_DATA_HOME;
  const byDefault = platform === 'darwin' ? ['Library', 'Application Support'] : ['.local', 'share'];
  return join(own && isAbsolute(own) ? own : join(home, ...byDefault), 'placet', NAME);
}

/** Returns the text of the index; undefined where no daemon has written an index. */
export async function readIndex(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    // No index is no answer: nothing is said and nothing is started.
    return undefined;
  }
}

/** Returns true if the index lists one of the folders; false as well for an index that says nothing. */
export function hasChanges(text: string, folders: readonly string[], platform: NodeJS.Platform): boolean {
  const same = (folder: string) => (platform === 'win32' ? folder.toLowerCase() : folder);
  const opened = new Set(folders.map(same));
  return listedFolders(text, platform === 'win32').some((folder) => opened.has(same(folder)));
}

function listedFolders(text: string, windows: boolean): string[] {
  try {
    const { version, folders } = JSON.parse(text) as { version?: unknown; folders?: object };
    return version === VERSION ? Object.keys(folders ?? {}).map((uri) => fileURLToPath(uri, { windows })) : [];
  } catch {
    return [];
  }
}
