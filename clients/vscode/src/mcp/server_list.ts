/** List entries of the MCP servers, and the actions on each server. Pure. */
import * as l10n from '@vscode/l10n';
import { promptCount, resourceCount, toolCount } from '../ui/counts';
import type { ManageMcp, McpServerInfo } from '../wire';

/** Action that the daemon carries out on a server. */
export type ServerAct = Exclude<NonNullable<ManageMcp['action']>, 'list'>;

/** Line of the list of servers. */
export interface ListedServer {
  label: string;
  icon: string;
  description: string;
  detail: string;
  server: McpServerInfo;
}

/** Action on a server; `trouble` shows the problem, and sends no request to the daemon. */
export interface ServerAction {
  label: string;
  detail: string;
  action: ServerAct | 'trouble';
}

export function listedServer(server: McpServerInfo): ListedServer {
  const icon = server.problems.length > 0 && server.state === 'connected' ? 'warning' : ICONS[server.state];
  return {
    label: server.name,
    icon,
    description: [stateOf(server.state), ...(server.signedIn ? [l10n.t('signed in')] : [])].join(', '),
    detail: server.problems[0] ?? capabilities(server),
    server,
  };
}

/** Returns the actions, the likeliest first. */
export function actionsOf({ state, kind, problems, signedIn, takesInput }: McpServerInfo): ServerAction[] {
  const isOn = state === 'connected' || state === 'connecting';
  const logIn: ServerAction = { label: l10n.t('Sign In…'), detail: l10n.t('Opens the browser'), action: 'auth' };
  const connect: ServerAction = isOn
    ? { label: l10n.t('Reconnect'), detail: l10n.t('Restarts the server'), action: 'connect' }
    : {
        label: l10n.t('Connect'),
        detail: l10n.t('Until Placet ends, even if the server is disabled'),
        action: 'connect',
      };
  const off: ServerAction = {
    label: l10n.t('Disconnect'),
    detail: l10n.t('Until you reconnect'),
    action: 'disconnect',
  };
  const logOut: ServerAction = {
    label: l10n.t('Sign Out'),
    detail: l10n.t('Deletes the stored sign-in and disconnects'),
    action: 'logout',
  };
  const enter: ServerAction = {
    label: l10n.t('Enter Values…'),
    detail: l10n.t('Asks for the values of the server, and connects'),
    action: 'input',
  };
  const trouble: ServerAction = { label: l10n.t('Show Problem'), detail: problems[0] ?? '', action: 'trouble' };
  return [
    ...(state === 'needs_auth' ? [logIn] : []),
    ...(state === 'needs_input' ? [enter] : []),
    ...(problems.length > 0 ? [trouble] : []),
    connect,
    ...(isOn ? [off] : []),
    ...(kind === 'remote' && !signedIn && state !== 'needs_auth' ? [logIn] : []),
    ...(takesInput && state !== 'needs_input' ? [enter] : []),
    ...(signedIn ? [logOut] : []),
  ];
}

/** Returns the text of a server's problems, which the user can read and copy. */
export function problemText({ name, state, problems }: McpServerInfo): string {
  return [`# ${name}: ${stateOf(state)}`, ...problems].join('\n\n').concat('\n');
}

const ICONS: Record<McpServerInfo['state'], string> = {
  connected: 'pass',
  connecting: 'loading~spin',
  waiting: 'clock',
  needs_auth: 'key',
  needs_input: 'edit',
  failed: 'error',
  disabled: 'circle-slash',
  disconnected: 'debug-disconnect',
};

function stateOf(state: McpServerInfo['state']): string {
  switch (state) {
    case 'connected':
      return l10n.t('connected');
    case 'connecting':
      return l10n.t('connecting');
    case 'waiting':
      return l10n.t('starts with the first session');
    case 'needs_auth':
      return l10n.t('sign-in required');
    case 'needs_input':
      return l10n.t('values required');
    case 'failed':
      return l10n.t('failed');
    case 'disabled':
      return l10n.t('disabled');
    case 'disconnected':
      return l10n.t('disconnected');
  }
}

function capabilities({ state, tools, prompts, resources }: McpServerInfo): string {
  return state === 'connected'
    ? [toolCount(tools.length), promptCount(prompts.length), resourceCount(resources)].join(', ')
    : '';
}
