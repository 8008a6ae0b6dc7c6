/** Changes and exports a session with VS Code's pickers, without a panel. */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import { input, pick, pickFound, progress, showInStatusBar } from '../ui/window';
import type { CurrentSession } from './current';

const MOST_MODELS = 1000;

/** Sets the session's model: the named model, or a model from the daemon's list, or a typed model. */
export async function chooseModel(agent: Agent, session: CurrentSession, named?: string): Promise<void> {
  const model = named || (await pickModel(agent));
  if (model) {
    await agent.request('agent/session/setModel', { sessionId: await session.get(), model });
    tell(vscode.l10n.t('Model: {0}', model));
  }
}

async function pickModel(agent: Agent): Promise<string | undefined> {
  const { models, missing } = await agent.request('agent/models', { limit: MOST_MODELS });
  const other = {
    label: vscode.l10n.t('Other Model…'),
    icon: 'edit',
    description: 'provider/name',
    detail: missing ?? '',
  };
  const items = models.map(({ id, default: isDefault, inputPrice, outputPrice }) => ({
    label: id,
    description: isDefault ? vscode.l10n.t('default') : '',
    detail:
      inputPrice === undefined || outputPrice === undefined
        ? ''
        : vscode.l10n.t('Input {0}, output {1} US dollars per million tokens', inputPrice, outputPrice),
  }));
  const chosen = await pick([...items, other], { title: vscode.l10n.t('Select Model') });
  if (chosen !== other) {
    return chosen?.label;
  }
  return input({ title: vscode.l10n.t('Select Model'), prompt: vscode.l10n.t('Name of the model, as provider/name') });
}

/** Sets the session's agent: the named agent, or a chosen agent. */
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
  return (await pick(items, { title: vscode.l10n.t('Select Agent') }))?.label;
}

/** Lets the user choose a session of these folders by searching in titles and messages. */
export async function pickSession(agent: Agent): Promise<string | undefined> {
  const title = vscode.l10n.t('Open Session');
  const picked = await pickFound(title, vscode.l10n.t('Search in titles and messages'), async (query) => {
    const { sessions } = await agent.request('agent/session/list', query ? { query, limit: 100 } : { limit: 100 });
    return sessions.map((session) => ({
      id: session.id,
      label: session.title,
      description: new Date(session.updated).toLocaleString(vscode.env.language),
      detail: session.agent,
    }));
  });
  return picked?.id;
}

/** Compacts the conversation for the model. */
export async function compact(agent: Agent, session: CurrentSession): Promise<void> {
  const sessionId = currentId(session);
  const title = vscode.l10n.t('Placet is compacting the conversation');
  const options = { location: vscode.ProgressLocation.Window, title };
  const { tokensBefore, tokensAfter } = await progress(options, () =>
    agent.request('agent/session/compact', { sessionId }),
  );
  tell(vscode.l10n.t('Compacted: {0} to {1} tokens', tokensBefore, tokensAfter));
}

/** Opens the conversation as Markdown in a new document, which the user reads or saves like any document. */
export async function exportSession(agent: Agent, session: CurrentSession): Promise<void> {
  const { text } = await agent.request('agent/session/export', { sessionId: currentId(session), format: 'markdown' });
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: text });
  await vscode.window.showTextDocument(document);
}

/** Copies the session; returns the id of the copy. */
export async function fork(agent: Agent, session: CurrentSession): Promise<string> {
  return (await agent.request('agent/session/fork', { sessionId: currentId(session) })).id;
}

function currentId(session: CurrentSession): string {
  if (!session.id) {
    throw new Error(vscode.l10n.t('This window has no session yet.'));
  }
  return session.id;
}

function tell(text: string): void {
  showInStatusBar(`Placet: ${text}`, 5000);
}
