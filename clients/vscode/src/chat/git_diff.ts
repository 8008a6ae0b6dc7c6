/** The uncommitted changes of the workspace, as VS Code's git extension tells the changes. */
import * as vscode from 'vscode';

interface Repository {
  diff(cached?: boolean): Promise<string>;
}

interface GitExtension {
  getAPI(version: 1): { repositories: Repository[] };
}

/** Rejects with a message for the user when nothing has changed. */
export async function gitDiff(): Promise<string> {
  const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
  const git = extension && (extension.isActive ? extension.exports : await extension.activate());
  const diffs = (git?.getAPI(1).repositories ?? []).flatMap((repository) => [repository.diff(true), repository.diff()]);
  const text = (await Promise.all(diffs)).filter((diff) => diff !== '').join('\n');
  if (text === '') {
    throw new Error(vscode.l10n.t('Git knows no changes in this workspace.'));
  }
  return text;
}
