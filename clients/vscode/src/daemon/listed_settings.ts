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
