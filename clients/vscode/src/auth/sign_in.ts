/**
 * Implements `Placet: Sign in to a Provider`: a picker offers the sign-in methods, and the daemon asks for the input of
 * the chosen method.
 */
import * as vscode from 'vscode';
import type { Agent } from '../daemon/agent';
import { inform, input, pick, progress, warn } from '../ui/window';
import type { SignedIn, SignInTo } from '../wire';

/** Signs in. Rejects with a message for the user. */
export async function signIn(agent: Agent): Promise<void> {
  const { ways, problems } = await agent.request('agent/auth/methods', {});
  if (problems.length > 0) {
    void warn(`Placet: ${problems.join(' ')}`);
  }
  const items = ways.map((way) => ({
    label: way.provider,
    description: way.label,
    detail: way.plugin ? vscode.l10n.t('Plugin {0}', way.plugin) : '',
    way,
  }));
  const other = {
    label: vscode.l10n.t('Other Provider…'),
    icon: 'edit',
    description: vscode.l10n.t('Enter a key'),
    detail: '',
    way: undefined,
  };
  const chosen = await pick([...items, other], {
    title: vscode.l10n.t('Sign In to Provider'),
    matchOnDescription: true,
  });
  if (!chosen) {
    return;
  }
  const target = chosen.way ?? (await named());
  const done = target && (await signedIn(agent, { provider: target.provider, method: target.method }));
  if (done) {
    void inform(`Placet: ${done.message}`);
  }
}

async function named(): Promise<SignInTo | undefined> {
  const prompt = vscode.l10n.t('Provider, as in the names of models; for example anthropic');
  const provider = (await input({ prompt }))?.trim();
  return provider ? { provider } : undefined;
}

/** Waits for the sign-in, which takes as long as the user needs; the user can cancel. */
function signedIn(agent: Agent, params: SignInTo): Thenable<SignedIn> {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: `Placet: ${vscode.l10n.t('Signing in to {0}', params.provider)}`,
    cancellable: true,
  };
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
