/** Commands of the way back: to an earlier prompt of the session in talk and files, and forward again. */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import type { CurrentSession } from '../sessions/current';
import { promptsOf, titleOf } from '../sessions/session_log';
import { ago } from '../ui/relative_time';
import { inform, pick, showInStatusBar, warn } from '../ui/window';
import type { UndoneFile } from '../wire';
import type { SessionNavigation } from './navigation';

/** Lets the user choose a prompt, unless a prompt is named, and offers in the chat to go back to the prompt. */
export async function goBack(
  agent: Agent,
  session: CurrentSession,
  navigation: SessionNavigation,
  sessionId = session.id,
  messageId?: string,
): Promise<void> {
  if (!sessionId) {
    void inform(vscode.l10n.t('This window has no session yet.'));
    return;
  }
  const chosen = messageId ?? (await pickPrompt(agent, sessionId));
  if (chosen !== undefined) {
    await navigation.offerWayBack(sessionId, chosen);
  }
}

/** Takes back the last act of going back. */
export async function redoGoingBack(agent: Agent, session: CurrentSession): Promise<void> {
  const sessionId = session.id;
  if (!sessionId) {
    void inform(vscode.l10n.t('This window has no session yet.'));
    return;
  }
  const { files } = await agent.request('agent/back/redo', { sessionId });
  const problems = files.filter(({ status }) => status === 'conflict').map(problemOf);
  if (problems.length > 0) {
    void warn(`Placet: ${problems.join('; ')}`);
  } else {
    showInStatusBar(`Placet: ${vscode.l10n.t('Forward again: talk and files are as before.')}`, 5000);
  }
}

async function pickPrompt(agent: Agent, sessionId: string): Promise<string | undefined> {
  const { events } = await agent.request('agent/session/load', { sessionId });
  const prompts = promptsOf(events);
  if (prompts.length === 0) {
    void inform(vscode.l10n.t('This session has no prompt to go back to.'));
    return undefined;
  }
  const items = prompts.map(({ id, parts, created }) => ({
    label: titleOf(parts) || vscode.l10n.t('Attached files'),
    description: ago(created, Date.now(), vscode.env.language),
    id,
  }));
  const title = vscode.l10n.t('Go Back to Earlier Prompt');
  const placeHolder = vscode.l10n.t('Nothing is changed yet: the chat shows the effect first');
  return (await pick(items, { title, placeHolder }))?.id;
}

function problemOf({ uri, reason }: UndoneFile): string {
  const name = vscode.workspace.asRelativePath(vscode.Uri.parse(uri, true));
  return `${name}: ${reason ?? vscode.l10n.t('you changed the same lines')}`;
}
