/** What the commands do, once the extension is loaded. */
import * as vscode from 'vscode';
import type { Agent } from './agent';
import { NoDaemon } from './daemon/daemon';
import type { CurrentSession } from './session/current';
import type { UndoResult } from './wire';

const INSTALL = 'uv tool install placet';

/** `Placet: Ask`: one line, answered in the chat. Resolves when the turn has ended, with how. */
export async function ask(agent: Agent, session: CurrentSession, given?: string): Promise<string | undefined> {
  const text =
    given ?? (await vscode.window.showInputBox({ title: 'Placet', prompt: vscode.l10n.t('What is to be done?') }));
  if (!text) {
    return undefined;
  }
  const sessionId = await session.get();
  const result = await agent.request('agent/prompt', { sessionId, parts: [{ type: 'text', text }] });
  if (result.stopReason === 'error' && result.error) {
    void vscode.window.showErrorMessage(`Placet: ${result.error.message} ${result.error.hint}`);
  }
  return result.stopReason;
}

/** Take back the last turn's edits, or redo what was taken back; later typing stays. */
export async function takeBack(
  agent: Agent,
  session: CurrentSession,
  method: 'agent/undo' | 'agent/redo',
): Promise<void> {
  const sessionId = session.known;
  if (!sessionId) {
    void vscode.window.showInformationMessage(vscode.l10n.t('Placet has changed nothing in this window.'));
    return;
  }
  const { files } = await agent.request<UndoResult>(method, { sessionId });
  const conflicts = files.filter((file) => file.status === 'conflict');
  const restored = files.filter((file) => file.status === 'restored').length;
  if (conflicts.length > 0) {
    const named = conflicts.map(
      (file) => `${vscode.workspace.asRelativePath(vscode.Uri.parse(file.uri))}: ${file.reason}`,
    );
    void vscode.window.showWarningMessage(`Placet: ${named.join('; ')}`);
  } else {
    vscode.window.setStatusBarMessage(`Placet: ${restored} file(s) restored`, 5000);
  }
}

/** End the turn that runs in the current session. */
export function cancel(agent: Agent, session: CurrentSession): void {
  for (const sessionId of session.known ? [session.known] : agent.status.running) {
    agent.notify('agent/cancel', { sessionId });
  }
}

/** The session's model, from those the daemon knows, or one that is typed. */
export async function chooseModel(agent: Agent, session: CurrentSession): Promise<void> {
  const { models } = await agent.request('agent/models', { limit: 1000 });
  const items = models.map((model) => ({ label: model.id, description: model.default ? 'default' : '' }));
  const chosen = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Model') });
  if (chosen) {
    await agent.request('agent/session/setModel', { sessionId: await session.get(), model: chosen.label });
  }
}

/** In a terminal, where the user sees what runs. */
export function install(): void {
  const terminal = vscode.window.createTerminal('Placet: install');
  terminal.show();
  terminal.sendText(INSTALL, false);
}

/** Say what went wrong, with the button that helps. */
export async function complain(error: unknown): Promise<void> {
  if (error instanceof vscode.CancellationError) {
    return;
  }
  const message = error instanceof Error ? error.message : String(error);
  const action = error instanceof NoDaemon ? error.action : undefined;
  const buttons = { install: ['Install…'], trust: ['Manage trust'], doctor: ['Doctor', 'Show log'] };
  const chosen = await vscode.window.showErrorMessage(
    `Placet: ${message}`,
    ...(action ? buttons[action] : ['Show log']),
  );
  const commands: Record<string, string> = {
    'Install…': 'placet.install',
    'Manage trust': 'workbench.trust.manage',
    Doctor: 'placet.doctor',
    'Show log': 'placet.showLog',
  };
  if (chosen && commands[chosen]) {
    await vscode.commands.executeCommand(commands[chosen]);
  }
}
