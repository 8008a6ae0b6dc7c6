/**
 * Implements `Placet: Sign In to Provider`: a picker offers the known providers, the servers of models that run on this
 * computer, and further sign-in methods. The daemon asks for the input of the chosen method and checks a key with one
 * call; the model picker follows.
 */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import { type Entry, inform, input, pick, progress, warn } from '../ui/window';
import type { ModelInfo, SignedIn, SignInTo } from '../wire';
import { cheapest, furtherWays, PROVIDERS, providerName, runningServers } from './providers';

const MOST_MODELS = 10_000;

/** Steps after the sign-in, in other parts of the extension. */
export interface Next {
  /** Lets the user pick a model of the provider. */
  pickModel(provider: string): Promise<unknown>;
  /** Lets every view read the models again. */
  refresh(): void;
}

interface Way extends Entry {
  target?: SignInTo;
  /** Provider of a running server, which needs no sign-in. */
  server?: string;
  /** True if the user enters a key, which one call checks. */
  isKey?: boolean;
}

/** Signs in to the named provider, or to a chosen provider. Rejects with a message for the user. */
export async function signIn(agent: Agent, next: Next, named?: string): Promise<void> {
  const way: Way | undefined = named
    ? { label: named, target: { provider: named }, isKey: true }
    : await chosenWay(agent);
  if (way?.server) {
    await next.pickModel(way.server);
    return;
  }
  const target = way && (way.target ?? (await typedProvider()));
  if (target && (await signedIn(agent, target, way.isKey ?? false))) {
    next.refresh();
    await next.pickModel(target.provider);
  }
}

async function chosenWay(agent: Agent): Promise<Way | undefined> {
  const [{ ways, problems }, models] = await Promise.all([agent.request('agent/auth/methods', {}), listed(agent)]);
  if (problems.length > 0) {
    void warn(`Placet: ${problems.join(' ')}`);
  }
  const servers: Way[] = runningServers(models).map(({ provider, title, models }) => ({
    label: title,
    icon: 'server-process',
    description: models === 1 ? vscode.l10n.t('1 model') : vscode.l10n.t('{0} models', models),
    server: provider,
  }));
  const further: Way[] = furtherWays(ways).map(({ provider, method, label, plugin }) => ({
    label: providerName(provider),
    icon: 'account',
    description: label,
    ...(plugin && { detail: vscode.l10n.t('Plugin {0}', plugin) }),
    target: { provider, method },
  }));
  const keys: Way[] = PROVIDERS.map(({ id, name }) => ({
    label: name,
    icon: 'key',
    target: { provider: id },
    isKey: true,
  }));
  const other: Way = {
    label: vscode.l10n.t('Other Provider…'),
    icon: 'edit',
    description: vscode.l10n.t('Enter a key'),
    isKey: true,
  };
  const entries = [
    ...headed(vscode.l10n.t('running on this computer'), servers),
    ...headed(vscode.l10n.t('sign in'), further),
    ...headed(vscode.l10n.t('enter a key'), [...keys, other]),
  ];
  return pick<Way>(entries, { title: vscode.l10n.t('Sign In to Provider'), matchOnDescription: true });
}

function headed(label: string, entries: readonly Way[]): Way[] {
  return entries.length === 0 ? [] : [{ label, isSeparator: true }, ...entries];
}

async function typedProvider(): Promise<SignInTo | undefined> {
  const prompt = vscode.l10n.t('Provider, as in the names of models; for example anthropic');
  const provider = (await input({ prompt }))?.trim();
  return provider ? { provider } : undefined;
}

/** Signs in until the key is good, or until the user leaves; returns true if a key is kept. */
async function signedIn(agent: Agent, target: SignInTo, isKey: boolean): Promise<boolean> {
  for (;;) {
    const done = await login(agent, target);
    if (done.outcome === 'cancelled') {
      void inform(`Placet: ${done.message}`);
      return false;
    }
    const problem = isKey ? await rejection(agent, target.provider) : undefined;
    if (problem === undefined) {
      void inform(`Placet: ${done.message}`);
      return true;
    }
    const again = vscode.l10n.t('Enter Another Key');
    const getKey = vscode.l10n.t('Get Key');
    const keys = PROVIDERS.find(({ id }) => id === target.provider)?.keys;
    const chosen = await warn(`Placet: ${problem}`, again, ...(keys ? [getKey] : []));
    if (chosen === getKey && keys) {
      await vscode.env.openExternal(vscode.Uri.parse(keys));
    }
    if (chosen === undefined) {
      return false;
    }
  }
}

/** Waits for the sign-in, which takes as long as the user needs; the user can cancel. */
function login(agent: Agent, params: SignInTo): Thenable<SignedIn> {
  const title = `Placet: ${vscode.l10n.t('Signing in to {0}', providerName(params.provider))}`;
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return progress(options, async (_, token) => {
    try {
      return await agent.request('agent/auth/login', params, token);
    } catch (error) {
      if (!token.isCancellationRequested) {
        throw error;
      }
      return { outcome: 'cancelled', message: vscode.l10n.t('The sign-in was cancelled.') };
    }
  });
}

/** Asks a cheap model of the provider for a word; returns the reason if the provider rejects the key. */
async function rejection(agent: Agent, provider: string): Promise<string | undefined> {
  const model = cheapest(await listed(agent), provider);
  if (model === undefined) {
    return undefined;
  }
  const title = `Placet: ${vscode.l10n.t('Checking the key with one call')}`;
  return progress({ location: vscode.ProgressLocation.Notification, title, cancellable: true }, async (_, token) => {
    const check = await agent.request('agent/models/check', { model }, token);
    if (check.code === 'authentication') {
      return check.message;
    }
    if (check.outcome === 'failed') {
      // The key may be good: the model may be missing, or the network.
      void warn(`Placet: ${vscode.l10n.t('The key was kept, and could not be checked. {0}', check.message ?? '')}`);
    }
    return undefined;
  });
}

async function listed(agent: Agent): Promise<readonly ModelInfo[]> {
  return (await agent.request('agent/models', { limit: MOST_MODELS })).models;
}
