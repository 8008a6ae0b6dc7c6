/** Possible commands of the daemon, in the order of the search. */
import * as path from 'node:path';
import * as l10n from '@vscode/l10n';

export interface Candidate {
  /** Source in words, for `Placet: Doctor`. */
  source: string;
  /** Program and arguments; the program is a path, or a name on PATH. */
  command: readonly string[];
}

export interface Surroundings {
  /** Value of the setting `placet.command`. */
  setting: readonly string[];
  /** Python interpreter that is selected in the editor. */
  python?: string | undefined;
  /** Home folder of the user, where uv and pipx put programs even if PATH does not contain the folder. */
  home?: string | undefined;
  /** Trusted folders, which may provide a virtual environment of their own. */
  trustedFolders: readonly string[];
  platform: NodeJS.Platform;
}

/**
 * Returns the possible commands. A command from the setting is the only candidate: a broken setting is reported, never
 * replaced.
 */
export function candidates(around: Surroundings): Candidate[] {
  if (around.setting.length > 0) {
    return [{ source: l10n.t('the setting placet.command'), command: around.setting }];
  }
  const isWindows = around.platform === 'win32';
  const paths = isWindows ? path.win32 : path.posix;
  const script = isWindows ? 'placet.exe' : 'placet';
  const commands: Candidate[] = [{ source: 'PATH', command: ['placet', '--stdio'] }];
  if (around.home) {
    commands.push({
      source: l10n.t('programs installed by uv and pipx'),
      command: [paths.join(around.home, '.local', 'bin', script), '--stdio'],
    });
  }
  // Environments last: the selected environment, too, may lie in the folder and come with a clone.
  if (around.python) {
    commands.push({
      source: l10n.t('the selected Python environment'),
      command: [paths.join(paths.dirname(around.python), script), '--stdio'],
    });
  }
  for (const folder of around.trustedFolders) {
    for (const name of ['.venv', 'venv']) {
      commands.push({
        source: l10n.t('{0} of {1}', name, paths.basename(folder)),
        command: [paths.join(folder, name, isWindows ? 'Scripts' : 'bin', script), '--stdio'],
      });
    }
  }
  // Offline, so that nothing is downloaded without the user's request.
  commands.push({ source: 'uv tool run', command: ['uv', 'tool', 'run', '--offline', 'placet', '--stdio'] });
  return commands;
}

/**
 * Returns the first candidate with an existing program, and all checked candidates; `where` returns the path of a
 * program, or undefined.
 */
export async function firstPresent(
  all: readonly Candidate[],
  where: (program: string) => Promise<string | undefined>,
): Promise<{ candidate?: Candidate; looked: { candidate: Candidate; program: string | undefined }[] }> {
  const looked: { candidate: Candidate; program: string | undefined }[] = [];
  for (const candidate of all) {
    const program = await where(candidate.command[0] ?? '');
    looked.push({ candidate, program });
    if (program !== undefined) {
      return { candidate: { ...candidate, command: [program, ...candidate.command.slice(1)] }, looked };
    }
  }
  return { looked };
}
