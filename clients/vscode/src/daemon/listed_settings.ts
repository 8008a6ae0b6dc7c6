/** Settings of Placet with a VS Code setting of their own; `placet.settings` and the settings files have the others. */

export const LISTED_SETTINGS = [
  'sandbox.mode',
  'sandbox.unasked',
  'sandbox.network',
  'sandbox.domains',
  'sandbox.write',
  'maxCost.turn',
  'maxCost.session',
  'maxCost.day',
  'maxSteps',
  'smallModel',
  'fallbackModels',
  'instructions',
  'context.editor',
  'compaction.auto',
  'diagnostics.afterEdits',
  'diagnostics.minSeverity',
  'languages.own',
  'judge.enabled',
] as const;

/** Names of Placet's settings whose VS Code settings have another name. */
const OTHER_NAMES: Readonly<Record<string, string>> = { agent: 'defaultAgent' };

/** Values of a setting, as VS Code tells them apart from the default. */
export interface SetValues {
  globalValue?: unknown;
  workspaceValue?: unknown;
  workspaceFolderValue?: unknown;
}

type Inspect = (name: string) => SetValues | undefined;

/** Returns Placet's settings that the user has set for all workspaces: the user's own settings. */
export function userSettings(inspect: Inspect): Record<string, unknown> {
  return settingsOf((name) => inspect(name)?.globalValue);
}

/**
 * Returns Placet's settings of the workspace and its folder. They stand in files of the project, which the user need
 * not have written, so they are never sent as the user's own: the daemon holds them to the limits of a project.
 */
export function workspaceSettings(inspect: Inspect): Record<string, unknown> {
  return merged(
    settingsOf((name) => inspect(name)?.workspaceValue),
    settingsOf((name) => inspect(name)?.workspaceFolderValue),
  );
}

/**
 * Returns the settings of one scope: `placet.settings`, and over them the settings with a VS Code setting of their own.
 * A default is left out: it would outweigh Placet's settings files. An empty text counts as not set.
 */
function settingsOf(scoped: (name: string) => unknown): Record<string, unknown> {
  const free = scoped('settings');
  const listed: Record<string, unknown> = {};
  for (const name of ['model', 'agent', ...LISTED_SETTINGS]) {
    const value = scoped(name);
    if (value !== undefined && value !== null && value !== '') {
      put(listed, (OTHER_NAMES[name] ?? name).split('.'), value);
    }
  }
  return merged(isObject(free) ? free : {}, listed);
}

/** Returns the settings with further settings on top; objects are merged. */
function merged(
  settings: Readonly<Record<string, unknown>>,
  over: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const result: Record<string, unknown> = { ...settings };
  for (const [name, value] of Object.entries(over)) {
    const below = result[name];
    result[name] = isObject(below) && isObject(value) ? merged(below, value) : value;
  }
  return result;
}

function put(settings: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    settings[name] = value;
    return;
  }
  const inner = isObject(settings[name]) ? settings[name] : {};
  settings[name] = inner;
  put(inner, rest, value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
