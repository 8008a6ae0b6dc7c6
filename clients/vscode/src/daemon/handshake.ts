/** What is said of this editor at `initialize`, and what the answer tells of the daemon. */
import * as l10n from '@vscode/l10n';
import { PROTOCOL } from '../wire';

export interface Declaration {
  protocol: number;
  strictApply: boolean;
  requests: string[];
  languageFeatures: string[];
  ui: string[];
  /** Whether the user trusts what the window is opened on. */
  trusted: boolean;
}

/** `methods` are all that are served; what is not named here is never asked. */
export function declaration(
  methods: readonly string[],
  languageFeatures: readonly string[],
  trusted: boolean,
): Declaration {
  return {
    protocol: PROTOCOL,
    strictApply: true,
    requests: methods.filter((method) => method.startsWith('editor/')).sort(),
    languageFeatures: [...languageFeatures].sort(),
    ui: ['permission', 'hunks', 'editProposal', 'question'],
    trusted,
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
    return {
      version: told,
      problem: l10n.t('The command that was started is not Placet. See the setting placet.command.'),
    };
  }
  const versions = [told, protocol, PROTOCOL] as const;
  const problem =
    protocol < PROTOCOL
      ? l10n.t(
          'Placet {0} speaks version {1} of the protocol, this extension version {2}. Update Placet itself: `uv tool upgrade placet`.',
          ...versions,
        )
      : l10n.t(
          'Placet {0} speaks version {1} of the protocol, this extension version {2}. Update this extension.',
          ...versions,
        );
  return { version: told, problem };
}

function field(value: unknown, name: string): unknown {
  return value && typeof value === 'object' ? (value as Record<string, unknown>)[name] : undefined;
}
