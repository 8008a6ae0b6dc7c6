/** Finds the daemon's command in this window. */
import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { type Candidate, candidates, firstPresent } from './candidates';
import { which } from './which';

export type Discovery = Awaited<ReturnType<typeof firstPresent>>;

/** Searches at each start: the user may have installed the daemon, or chosen another Python. */
export async function discover(): Promise<Discovery> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const local = folders.filter(({ uri }) => uri.scheme === 'file').map(({ uri }) => uri.fsPath);
  const all: Candidate[] = candidates({
    setting: vscode.workspace.getConfiguration('placet').get<string[]>('command', []),
    python: await selectedPython(folders[0]?.uri),
    home: homedir(),
    trustedFolders: vscode.workspace.isTrusted ? local : [],
    platform: process.platform,
  });
  return firstPresent(all, which);
}

interface PythonApi {
  environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    resolveEnvironment(environment: { path: string }): Promise<{ executable?: { uri?: vscode.Uri } } | undefined>;
  };
}

/** Returns the interpreter of Microsoft's Python extension, if the extension is installed. */
async function selectedPython(folder: vscode.Uri | undefined): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>('ms-python.python');
  if (!extension) {
    return undefined;
  }
  try {
    const { environments } = extension.isActive ? extension.exports : await extension.activate();
    const environment =
      environments && (await environments.resolveEnvironment(environments.getActiveEnvironmentPath(folder)));
    return environment?.executable?.uri?.fsPath;
  } catch {
    return undefined;
  }
}
