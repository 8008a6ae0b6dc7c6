/** Searches programs on PATH. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import * as path from 'node:path';

/** Returns the path of an existing, executable program; a name without a folder is searched on PATH. */
export async function which(program: string, environment = process.env): Promise<string | undefined> {
  if (program === '') {
    return undefined;
  }
  const endings = process.platform === 'win32' ? ['', ...(environment.PATHEXT ?? '.EXE;.CMD').split(';')] : [''];
  const folders = path.basename(program) === program ? (environment.PATH ?? '').split(path.delimiter) : [''];
  for (const folder of folders) {
    for (const ending of endings) {
      const file = path.join(folder, program + ending);
      if (path.isAbsolute(file) && (await isExecutable(file))) {
        return file;
      }
    }
  }
  return undefined;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
