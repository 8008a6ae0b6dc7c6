/**
 * Button in the SCM view: writes a commit message for the staged changes, or else for all changes, into the input box.
 */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import { inform, progress, showBusy } from '../ui/window';
import { type Repository, repositoryOf } from './git';

/** Writes the message; a text in the box is never replaced without a question. */
export async function writeCommitMessage(agent: Agent, source?: { rootUri?: vscode.Uri }): Promise<void> {
  const repository = await repositoryOf(source);
  if (!repository) {
    return;
  }
  if (!hasChanges(repository)) {
    void inform(vscode.l10n.t('No changes to commit.'));
    return;
  }
  const before = repository.inputBox.value;
  const title = vscode.l10n.t('Placet is writing the commit message');
  const text = await progress({ location: vscode.ProgressLocation.SourceControl, title }, async () => {
    const busy = showBusy(title);
    try {
      // The daemon reads git on its own, and leaves out the files hidden from the model by the daemon's rules.
      const { text: message } = await agent.request('agent/commitMessage', { root: repository.rootUri.toString() });
      return message.trim();
    } finally {
      busy.dispose();
    }
  });
  if (text !== '' && (await mayReplace(repository, before))) {
    repository.inputBox.value = text;
  }
}

function hasChanges({ state }: Repository): boolean {
  const { indexChanges, workingTreeChanges, untrackedChanges = [] } = state;
  return indexChanges.length + workingTreeChanges.length + untrackedChanges.length > 0;
}

/** Returns true if the box was empty, or the user agrees to replace the text (also after typing during the request). */
async function mayReplace(repository: Repository, before: string): Promise<boolean> {
  const now = repository.inputBox.value;
  if (now.trim() === '') {
    return true;
  }
  const question =
    now === before
      ? vscode.l10n.t('Replace the existing commit message?')
      : vscode.l10n.t('You wrote a commit message in the meantime. Replace your message?');
  const replace = vscode.l10n.t('Replace');
  return (await inform(question, replace)) === replace;
}
