/** The three permission modes, and the settings of each mode. Pure. */
import * as l10n from '@vscode/l10n';

export type PermissionMode = 'ask' | 'edits' | 'look';

export interface PermissionModeChoice {
  mode: PermissionMode;
  label: string;
  detail: string;
}

export function permissionModeChoices(): PermissionModeChoice[] {
  return [
    {
      mode: 'ask',
      label: l10n.t('Ask before every edit and command'),
      detail: l10n.t('The default. A request allowed with "Always" is not repeated.'),
    },
    {
      mode: 'edits',
      label: l10n.t('Allow edits, ask before commands'),
      detail: l10n.t('Every edit is listed and can be undone.'),
    },
    {
      mode: 'look',
      label: l10n.t('Plan only, change nothing'),
      detail: l10n.t('New sessions start with the agent "plan".'),
    },
  ];
}

type Settings = Record<string, unknown>;

/** Returns the mode of the settings; undefined when the settings match no mode. */
export function currentPermissionMode(settings: Settings, agent: string): PermissionMode | undefined {
  if (agent === 'plan') {
    return 'look';
  }
  const permission = settings.permission;
  if (permission === undefined || isEmpty(permission)) {
    return 'ask';
  }
  if (typeof permission !== 'object') {
    return undefined;
  }
  return Object.entries(permission ?? {}).every(([name, action]) => name === 'edit' && action === 'allow')
    ? 'edits'
    : undefined;
}

/** Returns the settings with a mode; rules for other tools than edits stay as the user wrote the rules. */
export function withPermissionMode(settings: Settings, mode: PermissionMode): { settings: Settings; agent: string } {
  const { permission, ...others } = settings;
  const { edit: _, ...rules } = (typeof permission === 'object' ? (permission ?? {}) : {}) as Settings;
  const next = mode === 'edits' ? { ...rules, edit: 'allow' } : rules;
  return {
    settings: isEmpty(next) ? others : { ...others, permission: next },
    agent: mode === 'look' ? 'plan' : '',
  };
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}
