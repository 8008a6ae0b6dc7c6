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

/** Values of a setting, as VS Code tells them apart from the default. */
export interface SetValues {
  globalValue?: unknown;
  workspaceValue?: unknown;
  workspaceFolderValue?: unknown;
}

/**
 * Returns the settings that the user has set. A default is left out: it would outweigh Placet's settings files. An
 * empty text counts as not set.
 */
export function listedSettings(inspect: (name: string) => SetValues | undefined): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  for (const name of LISTED_SETTINGS) {
    const { globalValue, workspaceValue, workspaceFolderValue } = inspect(name) ?? {};
    const value = workspaceFolderValue ?? workspaceValue ?? globalValue;
    if (value !== undefined && value !== null && value !== '') {
      put(settings, name.split('.'), value);
    }
  }
  return settings;
}

/**
 * Returns `placet.settings` of all scopes. A workspace's values lack the addresses of models and the table of
 * providers, which get the user's keys: `refused` gets the names of settings that were left out.
 */
export function freeSettings(values: SetValues | undefined, refused: (name: string) => void): Record<string, unknown> {
  const { globalValue, workspaceValue, workspaceFolderValue } = values ?? {};
  let settings = isObject(globalValue) ? globalValue : {};
  for (const value of [workspaceValue, workspaceFolderValue]) {
    settings = merged(settings, isObject(value) ? withoutAddresses(value, refused) : {});
  }
  return settings;
}

function withoutAddresses(
  settings: Readonly<Record<string, unknown>>,
  refused: (name: string) => void,
): Record<string, unknown> {
  const kept = without(settings, ['providers'], refused);
  for (const section of ['modelOptions', 'model_options']) {
    const options = kept[section];
    if (isObject(options)) {
      kept[section] = without(options, ['apiBase', 'api_base'], (name) => refused(`${section}.${name}`));
    }
  }
  return kept;
}

function without(
  settings: Readonly<Record<string, unknown>>,
  names: readonly string[],
  refused: (name: string) => void,
): Record<string, unknown> {
  for (const name of names.filter((name) => name in settings)) {
    refused(name);
  }
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !names.includes(name)));
}

/** Returns the settings with further settings on top; objects are merged. */
export function merged(
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
