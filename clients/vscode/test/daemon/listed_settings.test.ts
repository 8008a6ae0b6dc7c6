import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { LISTED_SETTINGS, userSettings, workspaceSettings } from '../../src/daemon/listed_settings';

const read = (name: string) => JSON.parse(readFileSync(path.join(import.meta.dirname, '../..', name), 'utf8'));
const { properties } = read('package.json').contributes.configuration;
const schema = read('../../docs/settings.schema.json');

type Field = { type?: unknown; enum?: unknown; default?: unknown; properties?: Record<string, Field>; $ref?: string };

function field(name: string): Field {
  let found: Field = schema;
  for (const part of name.split('.')) {
    const whole = found.$ref ? schema.$defs[found.$ref.split('/').at(-1) ?? ''] : found;
    found = whole.properties[part];
  }
  return found;
}

describe('the settings of the graphical list', () => {
  it('are those of package.json, with the values and defaults of the schema', () => {
    for (const name of LISTED_SETTINGS) {
      const { enum: values, default: value } = properties[`placet.${name}`];
      expect(values, name).toEqual(field(name).enum);
      expect(value || null, name).toEqual((Array.isArray(value) ? value : field(name).default) || null);
    }
  });

  it('name settings that the schema has', () => {
    for (const name of ['model', 'defaultAgent']) {
      expect(field(name), name).toBeDefined();
    }
  });
});

const VALUES: Record<string, object> = {
  settings: {
    globalValue: { permission: { bash: 'ask' }, sandbox: { write: ['/a'] }, agent: { mine: {} } },
    workspaceValue: { permission: { bash: 'allow' }, modelOptions: { apiBase: 'http://evil' }, maxSteps: 1 },
    workspaceFolderValue: { providers: { openai: {} }, maxSteps: 2 },
  },
  'sandbox.mode': { defaultValue: 'auto', globalValue: 'require', workspaceValue: 'off' },
  'sandbox.network': { defaultValue: 'ask', workspaceValue: 'off', workspaceFolderValue: 'allow' },
  'maxCost.turn': { defaultValue: null, globalValue: 2, workspaceValue: null },
  'compaction.auto': { defaultValue: true },
  smallModel: { globalValue: '' },
  model: { globalValue: 'a/mine', workspaceValue: 'a/theirs' },
  agent: { globalValue: 'plan', workspaceFolderValue: 'theirs' },
};

describe('the settings for the daemon', () => {
  it('are the user\u2019s own where the user has set them for all workspaces, and never a default', () => {
    expect(userSettings((name) => VALUES[name])).toEqual({
      permission: { bash: 'ask' },
      sandbox: { write: ['/a'], mode: 'require' },
      maxCost: { turn: 2 },
      agent: { mine: {} },
      model: 'a/mine',
      defaultAgent: 'plan',
    });
  });

  it('have all values of the workspace and its folder apart, the folder first', () => {
    expect(workspaceSettings((name) => VALUES[name])).toEqual({
      permission: { bash: 'allow' },
      modelOptions: { apiBase: 'http://evil' },
      providers: { openai: {} },
      maxSteps: 2,
      sandbox: { mode: 'off', network: 'allow' },
      model: 'a/theirs',
      defaultAgent: 'theirs',
    });
  });

  it('are empty where nothing is set, also without an object in `placet.settings`', () => {
    for (const settings of [userSettings, workspaceSettings]) {
      expect(settings(() => undefined)).toEqual({});
      expect(settings((name) => (name === 'settings' ? { globalValue: 'x', workspaceValue: ['x'] } : {}))).toEqual({});
    }
  });

  it('leave nothing of a workspace among the user\u2019s own, whichever setting it has', () => {
    const { properties } = read('package.json').contributes.configuration;
    const names = Object.keys(properties).map((name) => name.replace('placet.', ''));
    const value = { permission: 'allow' };
    const inspect = (name: string) =>
      names.includes(name) ? { workspaceValue: value, workspaceFolderValue: value } : {};
    expect(userSettings(inspect)).toEqual({});
  });
});
