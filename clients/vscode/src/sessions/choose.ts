/** Changes and exports a session with VS Code's pickers, without a panel. */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import { type Entry, input, pick, pickFound, pickOrPress, progress, showInStatusBar } from '../ui/window';
import type { ModelInfo, SessionInfo } from '../wire';
import type { CurrentSession } from './current';
import { effortChoices, effortOf, effortWord, hasEffort } from './effort_choices';
import type { Preferences } from './preferred';

const MOST_MODELS = 1000;
/** Number after the last possible event, so that a load returns the session without history. */
const NO_EVENTS = Number.MAX_SAFE_INTEGER;

/**
 * Sets the session's model: the named model, or a model from the daemon's list, or a typed model. Later sessions begin
 * with a picked model as well. With a provider, only the models of the provider are listed.
 */
export async function chooseModel(
  agent: Agent,
  session: CurrentSession,
  preferences: Preferences,
  named?: string,
  provider?: string,
): Promise<void> {
  const model = named || (await pickModel(agent, provider));
  if (model) {
    await agent.request('agent/session/setModel', { sessionId: await session.get(), model });
    const status = await agent.request('agent/status', {});
    await preferences.prefer({ model, over: status.model?.id });
    tell(vscode.l10n.t('Model: {0}', model));
  }
}

/** Sets how much the session's model thinks: the named effort, or a chosen effort. */
export async function chooseEffort(
  agent: Agent,
  session: CurrentSession,
  preferences: Preferences,
  named?: string,
): Promise<void> {
  const title = vscode.l10n.t('Select Effort');
  const info = await infoOf(agent, session);
  const model = await modelOf(agent, info.model);
  if (!hasEffort(model) && named === undefined) {
    tell(vscode.l10n.t('{0} has no levels of effort.', info.model));
    return;
  }
  const choices = effortChoices(model, info.effort).map((choice) => ({
    ...choice,
    description: choice.effort === info.effort ? vscode.l10n.t('current') : '',
  }));
  const given = named === undefined ? undefined : { effort: effortOf(named) };
  const chosen = given ?? (await pick(choices, { title, placeHolder: info.model }));
  if (chosen) {
    const { effort } = chosen;
    await agent.request('agent/session/setEffort', { sessionId: info.id, effort: effort ?? null });
    await preferences.prefer({ effort });
    tell(vscode.l10n.t('Effort: {0}', effortWord(effort)));
  }
}

/** Sets how much is asked of the session's model, from the next turn on: the named profile, or a chosen profile. */
export async function chooseProfile(agent: Agent, session: CurrentSession, named?: string): Promise<void> {
  const title = vscode.l10n.t('Select Profile');
  const info = await infoOf(agent, session);
  const choices = profileChoices().map((choice) => ({
    ...choice,
    description: choice.profile === info.profile ? vscode.l10n.t('current') : '',
  }));
  const given = named === undefined ? undefined : choices.find(({ id }) => id === named);
  const chosen = given ?? (await pick(choices, { title, placeHolder: info.model }));
  if (chosen) {
    await agent.request('agent/session/setProfile', { sessionId: info.id, profile: chosen.profile ?? null });
    tell(vscode.l10n.t('Profile: {0}', chosen.label));
  }
}

interface ProfileChoice {
  id: string;
  label: string;
  detail: string;
  profile: SessionInfo['profile'];
}

function profileChoices(): ProfileChoice[] {
  return [
    {
      id: 'default',
      label: vscode.l10n.t('Default'),
      detail: vscode.l10n.t('As your settings say'),
      profile: undefined,
    },
    {
      id: 'auto',
      label: vscode.l10n.t('Automatic'),
      detail: vscode.l10n.t('By the size, the context and the speed of a model on your own server'),
      profile: 'auto',
    },
    { id: 'full', label: vscode.l10n.t('Full'), detail: vscode.l10n.t('All tools'), profile: 'full' },
    {
      id: 'small',
      label: vscode.l10n.t('Small'),
      detail: vscode.l10n.t('Six tools and a short prompt, for a small model'),
      profile: 'small',
    },
    {
      id: 'smallest',
      label: vscode.l10n.t('Smallest'),
      detail: vscode.l10n.t('No tools: Placet finds the files, and the model answers with whole files'),
      profile: 'smallest',
    },
  ];
}

async function infoOf(agent: Agent, session: CurrentSession): Promise<SessionInfo> {
  const sessionId = await session.get();
  return (await agent.request('agent/session/load', { sessionId, since: NO_EVENTS })).session;
}

async function modelOf(agent: Agent, id: string): Promise<ModelInfo | undefined> {
  const { models } = await agent.request('agent/models', { limit: MOST_MODELS });
  return models.find((model) => model.id === id);
}

async function pickModel(agent: Agent, provider?: string): Promise<string | undefined> {
  const query = provider === undefined ? '' : `${provider}/`;
  const { models, missing } = await agent.request('agent/models', { query, limit: MOST_MODELS });
  let items = models.filter(({ id }) => id.startsWith(query)).map(itemOf);
  const other: ModelItem = {
    label: vscode.l10n.t('Other Model…'),
    icon: 'edit',
    description: 'provider/name',
    detail: missing ?? '',
  };
  const signIn: ModelItem = { label: vscode.l10n.t('Sign In to Provider…'), icon: 'key', command: 'placet.signIn' };
  const others = [other, ...(provider === undefined ? [signIn] : [])];
  const press = async ({ label: model, isFavourite }: ModelItem): Promise<ModelItem[]> => {
    const { favourites } = await agent.request('agent/models/setFavourite', { model, favourite: !isFavourite });
    items = items.map((item) => marked(item, favourites));
    return [...items, ...others];
  };
  const chosen = await pickOrPress<ModelItem>([...items, ...others], {
    title: vscode.l10n.t('Select Model'),
    buttonOf: ({ isFavourite }) =>
      isFavourite === undefined
        ? undefined
        : {
            icon: isFavourite ? 'star-full' : 'star-empty',
            tooltip: isFavourite ? vscode.l10n.t('Remove From Favourites') : vscode.l10n.t('Add to Favourites'),
            press,
          },
  });
  if (chosen?.command) {
    await vscode.commands.executeCommand(chosen.command);
    return undefined;
  }
  if (chosen !== other) {
    return chosen?.label;
  }
  return input({
    title: vscode.l10n.t('Select Model'),
    prompt: vscode.l10n.t('Name of the model, as provider/name'),
    value: query,
  });
}

interface ModelItem extends Entry {
  command?: string;
  /** Facts behind the description; absent for an entry that is not a model. */
  model?: ModelInfo;
  isFavourite?: boolean;
}

function itemOf(model: ModelInfo): ModelItem {
  const isFavourite = model.favourite;
  return {
    label: model.id,
    description: marksOf(model).join(', '),
    detail: model.server ?? priceOf(model),
    ...(isFavourite && { icon: 'star-full' }),
    model,
    isFavourite,
  };
}

/** Returns the entry of the model after a change of the favourites. */
function marked(item: ModelItem, favourites: readonly string[]): ModelItem {
  return item.model ? itemOf({ ...item.model, favourite: favourites.includes(item.model.id) }) : item;
}

function marksOf(model: ModelInfo): string[] {
  return [
    ...(model.default ? [vscode.l10n.t('default')] : []),
    ...(model.favourite ? [vscode.l10n.t('favourite')] : []),
    ...(model.recent ? [vscode.l10n.t('recent')] : []),
    ...(model.profile ? [vscode.l10n.t('profile {0}', model.profile)] : []),
  ];
}

function priceOf({ inputPrice, outputPrice, subscription }: ModelInfo): string {
  if (subscription) {
    return vscode.l10n.t('Covered by the subscription');
  }
  return inputPrice === undefined || outputPrice === undefined
    ? ''
    : vscode.l10n.t('Input {0}, output {1} US dollars per million tokens', inputPrice, outputPrice);
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
