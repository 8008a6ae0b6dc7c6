/** Handshake: the declaration of this editor for `initialize`, and the daemon's answer. */
import * as l10n from '@vscode/l10n';
import { PROTOCOL } from '../wire';

export interface Declaration {
  protocol: number;
  strictApply: boolean;
  requests: string[];
  languageFeatures: string[];
  ui: string[];
  /** True if the user trusts the workspace of the window. */
  trusted: boolean;
}

/**
 * Returns the declaration; `methods` lists all served requests, and the daemon never sends a request outside the list.
 */
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
    ui: ['changeSet'],
    trusted,
  };
}

export interface Greeting {
  version: string;
  /** Reason why the extension cannot use the daemon, with the remedy. */
  problem?: string;
}

/** Reads the answer of `initialize`. */
export function greetingOf(capabilities: unknown): Greeting {
  const agent = field(field(capabilities, 'experimental'), 'agent');
  const protocol = field(agent, 'protocol');
  const version = field(agent, 'version');
  const daemonVersion = typeof version === 'string' ? version : '?';
  if (protocol === PROTOCOL) {
    return { version: daemonVersion };
  }
  if (typeof protocol !== 'number') {
    return {
      version: daemonVersion,
      problem: l10n.t('The started command is not Placet. Check the setting placet.command.'),
    };
  }
  const versions = [daemonVersion, protocol, PROTOCOL] as const;
  const problem =
    protocol < PROTOCOL
      ? l10n.t(
          'Placet {0} uses protocol version {1}, this extension uses version {2}. To update Placet, run: uv tool upgrade placet',
          ...versions,
        )
      : l10n.t(
          'Placet {0} uses protocol version {1}, this extension uses version {2}. Update this extension.',
          ...versions,
        );
  return { version: daemonVersion, problem };
}

function field(value: unknown, name: string): unknown {
  return value && typeof value === 'object' ? (value as Record<string, unknown>)[name] : undefined;
}
