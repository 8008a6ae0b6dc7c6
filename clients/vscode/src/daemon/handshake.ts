/** What is said of this editor at `initialize`, and what the answer tells of the daemon. */
import { PROTOCOL } from '../wire';

export interface Declaration {
  protocol: number;
  strictApply: boolean;
  requests: string[];
  languageFeatures: string[];
  ui: string[];
}

/** `methods` are all that are served; what is not named here is never asked. */
export function declaration(methods: readonly string[], languageFeatures: readonly string[]): Declaration {
  return {
    protocol: PROTOCOL,
    strictApply: true,
    requests: methods.filter((method) => method.startsWith('editor/')).sort(),
    languageFeatures: [...languageFeatures].sort(),
    ui: ['permission', 'hunks', 'question', 'diff'],
  };
}

/** The daemon's settings: the free ones, and over them those that have a setting of their own. */
export function settingsOf(free: Record<string, unknown>, model: string, agent: string): Record<string, unknown> {
  return { ...free, ...(model ? { model } : {}), ...(agent ? { agent } : {}) };
}

export interface Greeting {
  version: string;
  /** Why it cannot be worked with, and what to do. */
  problem?: string;
}

/** Read `initialize`'s answer. */
export function greetingOf(capabilities: unknown): Greeting {
  const agent = field(field(capabilities, 'experimental'), 'agent');
  const protocol = field(agent, 'protocol');
  const version = field(agent, 'version');
  const told = typeof version === 'string' ? version : '?';
  if (protocol === PROTOCOL) {
    return { version: told };
  }
  if (typeof protocol !== 'number') {
    return { version: told, problem: 'The command that was started is not Placet. See the setting placet.command.' };
  }
  const older = protocol < PROTOCOL ? 'Placet itself: `uv tool upgrade placet`' : 'this extension';
  return {
    version: told,
    problem: `Placet ${told} speaks version ${protocol} of the protocol, this extension version ${PROTOCOL}. Update ${older}.`,
  };
}

function field(value: unknown, name: string): unknown {
  return value && typeof value === 'object' ? (value as Record<string, unknown>)[name] : undefined;
}
