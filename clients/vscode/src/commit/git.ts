/** Used part of VS Code's own git extension: the public API, version 1. */
import * as vscode from 'vscode';
import { pick } from '../ui/window';

export interface Repository {
  readonly rootUri: vscode.Uri;
  readonly inputBox: { value: string };
  readonly state: {
    readonly indexChanges: readonly unknown[];
    readonly workingTreeChanges: readonly unknown[];
    readonly untrackedChanges?: readonly unknown[];
  };
}

interface Git {
  readonly repositories: readonly Repository[];
  getRepository(uri: vscode.Uri): Repository | null;
}

interface GitExtension {
  readonly enabled: boolean;
  getAPI(version: 1): Git;
}

/**
 * Returns the repository of the button, or else of the editor, or else the only repository, or else the user's choice.
 */
export async function repositoryOf(source?: { rootUri?: vscode.Uri }): Promise<Repository | undefined> {
  const git = await api();
  if (!git) {
    throw new Error(vscode.l10n.t("VS Code's Git extension is missing or disabled."));
  }
  const place = source?.rootUri ?? vscode.window.activeTextEditor?.document.uri;
  const named = place && git.getRepository(place);
  if (named) {
    return named;
  }
  const [only, ...others] = git.repositories;
  if (!only) {
    throw new Error(vscode.l10n.t('This window has no Git repository.'));
  }
  if (others.length === 0) {
    return only;
  }
  const items = git.repositories.map((repository) => ({ label: repository.rootUri.fsPath, repository }));
  const title = vscode.l10n.t('Select Repository');
  return (await pick(items, { title }))?.repository;
}

async function api(): Promise<Git | undefined> {
  const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
  if (!extension) {
    return undefined;
  }
  const exports = extension.isActive ? extension.exports : await extension.activate();
  return exports.enabled ? exports.getAPI(1) : undefined;
}
