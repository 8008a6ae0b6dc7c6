/** Commands on turns, and the display of errors. */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import { NoDaemon } from '../daemon/daemon';
import { fileCount } from '../ui/counts';
import { fail, inform, showInStatusBar, warn } from '../ui/window';
import type { UndoResult } from '../wire';
import type { CurrentSession } from './current';

/** Reverts the last turn's edits, or redoes the reverted edits; later typing stays. */
export async function undoOrRedo(
  agent: Agent,
  session: CurrentSession,
  method: 'agent/undo' | 'agent/redo',
): Promise<void> {
  const sessionId = session.id;
  if (!sessionId) {
    void inform(vscode.l10n.t('Placet has made no changes in this window.'));
    return;
  }
  const { files } = await agent.request<UndoResult>(method, { sessionId });
  const conflicts = files.filter((file) => file.status === 'conflict');
  const restored = files.filter((file) => file.status === 'restored').length;
  if (conflicts.length > 0) {
    const named = conflicts.map(
      (file) => `${vscode.workspace.asRelativePath(vscode.Uri.parse(file.uri))}: ${file.reason}`,
    );
    void warn(`Placet: ${named.join('; ')}`);
  } else {
    showInStatusBar(`Placet: ${vscode.l10n.t('{0} restored', fileCount(restored))}`, 5000);
  }
}

/** Cancels the running turn of the current session. */
export function cancel(agent: Agent, session: CurrentSession): void {
  for (const sessionId of session.id ? [session.id] : agent.status.running) {
    agent.notify('agent/cancel', { sessionId });
  }
}

/** Shows an error, with the button of a remedy. */
export async function showError(error: unknown): Promise<void> {
  if (error instanceof vscode.CancellationError) {
    return;
  }
  const message = error instanceof Error ? error.message : String(error);
  const showLog = { title: vscode.l10n.t('Show Log'), command: 'placet.showLog' };
  const remedies = {
    install: [{ title: vscode.l10n.t('Install…'), command: 'placet.install' }],
    trust: [{ title: vscode.l10n.t('Manage Trust'), command: 'workbench.trust.manage' }],
    doctor: [{ title: vscode.l10n.t('Doctor'), command: 'placet.doctor' }, showLog],
  };
  const action = error instanceof NoDaemon ? error.action : undefined;
  const chosen = await fail(`Placet: ${message}`, ...(action ? remedies[action] : [showLog]));
  if (chosen) {
    await vscode.commands.executeCommand(chosen.command);
  }
}
