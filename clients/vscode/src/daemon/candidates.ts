/** Where the daemon's command may be, in the order in which it is looked for. */
import * as path from 'node:path';
import * as l10n from '@vscode/l10n';

export interface Candidate {
  /** In words, for `Placet: Doctor`. */
  source: string;
  /** The program and its arguments; the program is a path, or a name to be found on PATH. */
  command: readonly string[];
}

export interface Surroundings {
  /** The setting `placet.command`. */
  setting: readonly string[];
  /** The Python interpreter that is selected in the editor. */
  python?: string | undefined;
  /** The user's home, under which uv and pipx put programs also where PATH does not know of it. */
  home?: string | undefined;
  /** Folders whose own virtual environment may be run: those the user trusts. */
  trustedFolders: readonly string[];
  platform: NodeJS.Platform;
}

/** Only the setting, if there is one: what the user named is used or complained about, never replaced. */
export function candidates(around: Surroundings): Candidate[] {
  if (around.setting.length > 0) {
    return [{ source: l10n.t('the setting placet.command'), command: around.setting }];
  }
  const isWindows = around.platform === 'win32';
  const paths = isWindows ? path.win32 : path.posix;
  const script = isWindows ? 'placet.exe' : 'placet';
  const found: Candidate[] = [{ source: 'PATH', command: ['placet', '--stdio'] }];
  if (around.python) {
    found.push({
      source: l10n.t('the selected Python environment'),
      command: [paths.join(paths.dirname(around.python), script), '--stdio'],
    });
  }
  for (const folder of around.trustedFolders) {
    for (const name of ['.venv', 'venv']) {
      found.push({
        source: l10n.t('{0} of {1}', name, paths.basename(folder)),
        command: [paths.join(folder, name, isWindows ? 'Scripts' : 'bin', script), '--stdio'],
      });
    }
  }
  if (around.home) {
    found.push({
      source: l10n.t('the programs of uv and pipx'),
      command: [paths.join(around.home, '.local', 'bin', script), '--stdio'],
    });
  }
  // Offline: nothing is fetched that the user did not ask for.
  found.push({ source: 'uv tool run', command: ['uv', 'tool', 'run', '--offline', 'placet', '--stdio'] });
  return found;
}

/** The first whose program is there, and what was looked at; `where` gives the path of a program, or undefined. */
export async function firstPresent(
  all: readonly Candidate[],
  where: (program: string) => Promise<string | undefined>,
): Promise<{ found?: Candidate; looked: { candidate: Candidate; program: string | undefined }[] }> {
  const looked: { candidate: Candidate; program: string | undefined }[] = [];
  for (const candidate of all) {
    const program = await where(candidate.command[0] ?? '');
    looked.push({ candidate, program });
    if (program !== undefined) {
      return { found: { ...candidate, command: [program, ...candidate.command.slice(1)] }, looked };
    }
  }
  return { looked };
}
