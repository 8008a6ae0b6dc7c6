/** What a session can be given, and what can be done with it, by pickers of VS Code: no panel is needed. */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import { input, pick, pickFound, progress, showInStatusBar } from '../ui/window';
import type { CurrentSession } from './current';

const MOST_MODELS = 1000;

/** The session's model: the one named, or one of those the daemon knows, or one that is typed. */
export async function chooseModel(agent: Agent, session: CurrentSession, named?: string): Promise<void> {
  const model = named || (await pickModel(agent));
  if (model) {
    await agent.request('agent/session/setModel', { sessionId: await session.get(), model });
    tell(vscode.l10n.t('Model: {0}', model));
  }
}

async function pickModel(agent: Agent): Promise<string | undefined> {
  const { models, missing } = await agent.request('agent/models', { limit: MOST_MODELS });
  const other = { label: vscode.l10n.t('Another…'), icon: 'edit', description: 'provider/name', detail: missing ?? '' };
  const items = models.map(({ id, default: isDefault, inputPrice, outputPrice }) => ({
    label: id,
    description: isDefault ? vscode.l10n.t('default') : '',
    detail:
      inputPrice === undefined || outputPrice === undefined
        ? ''
        : vscode.l10n.t('{0} US dollars for a million tokens read, {1} for a million written', inputPrice, outputPrice),
  }));
  const chosen = await pick([...items, other], { title: vscode.l10n.t('Model') });
  if (chosen !== other) {
    return chosen?.label;
  }
  return input({ title: vscode.l10n.t('Model'), prompt: vscode.l10n.t('As provider/name') });
}

/** Who answers in the session: the one named, or one that is chosen. */
export async function chooseAgent(agent: Agent, session: CurrentSession, named?: string): Promise<void> {
  const name = named || (await pickAgent(agent));
  if (name) {
    await agent.request('agent/session/setAgent', { sessionId: await session.get(), agent: name });
    tell(vscode.l10n.t('Agent: {0}', name));
  }
}

async function pickAgent(agent: Agent): Promise<string | undefined> {
  const { agents } = await agent.request('agent/agents', {});
  const items = agents
    .filter((agent) => agent.mode !== 'subagent')
    .map((agent) => ({ label: agent.name, description: agent.model ?? '', detail: agent.description }));
  return (await pick(items, { title: vscode.l10n.t('Agent') }))?.label;
}

/** One of the sessions of these folders; its title is looked for, and what was said in it as well. */
export async function pickSession(agent: Agent): Promise<string | undefined> {
  const title = vscode.l10n.t('Sessions');
  const found = await pickFound(title, vscode.l10n.t('Words of the title, or of what was said'), async (query) => {
    const { sessions } = await agent.request('agent/session/list', query ? { query, limit: 100 } : { limit: 100 });
    return sessions.map((session) => ({
      id: session.id,
      label: session.title,
      description: new Date(session.updated).toLocaleString(vscode.env.language),
      detail: session.agent,
    }));
  });
  return found?.id;
}

/** Sum up the conversation for the model. */
export async function compact(agent: Agent, session: CurrentSession): Promise<void> {
  const sessionId = known(session);
  const title = vscode.l10n.t('Placet sums up the conversation');
  const options = { location: vscode.ProgressLocation.Window, title };
  const { tokensBefore, tokensAfter } = await progress(options, () =>
    agent.request('agent/session/compact', { sessionId }),
  );
  tell(vscode.l10n.t('Summed up: {0} to {1} tokens', tokensBefore, tokensAfter));
}

/** The conversation as Markdown, in a new document: linear, and to be read or saved like any other. */
export async function exportSession(agent: Agent, session: CurrentSession): Promise<void> {
  const { text } = await agent.request('agent/session/export', { sessionId: known(session), format: 'markdown' });
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: text });
  await vscode.window.showTextDocument(document);
}

/** A copy of the session; its id. */
export async function fork(agent: Agent, session: CurrentSession): Promise<string> {
  return (await agent.request('agent/session/fork', { sessionId: known(session) })).id;
}

function known(session: CurrentSession): string {
  if (!session.known) {
    throw new Error(vscode.l10n.t('There is no session in this window yet.'));
  }
  return session.known;
}

function tell(text: string): void {
  showInStatusBar(`Placet: ${text}`, 5000);
}
