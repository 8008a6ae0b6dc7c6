import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { freeSettings, LISTED_SETTINGS, listedSettings, merged } from '../../src/daemon/listed_settings';

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

  it('reach the daemon where the user has set them, the closest first, and never as a default', () => {
    const values: Record<string, object> = {
      'sandbox.mode': { defaultValue: 'auto', globalValue: 'off', workspaceValue: 'require' },
      'maxCost.turn': { defaultValue: null, globalValue: 2 },
      'compaction.auto': { defaultValue: true },
      smallModel: { globalValue: '' },
    };
    expect(listedSettings((name) => values[name])).toEqual({ sandbox: { mode: 'require' }, maxCost: { turn: 2 } });
  });

  it('go over the other settings one by one', () => {
    const settings = { sandbox: { mode: 'off', write: ['/a'] }, model: 'a/b' };
    expect(merged(settings, { sandbox: { mode: 'auto' } })).toEqual({
      ...settings,
      sandbox: { mode: 'auto', write: ['/a'] },
    });
  });
});

describe('the free settings', () => {
  it('let a workspace set everything but the addresses that get the keys', () => {
    const values = {
      globalValue: {
        modelOptions: { apiBase: 'http://mine', temperature: 1 },
        providers: { corp: { kind: 'openai' } },
      },
      workspaceValue: { modelOptions: { apiBase: 'http://evil', temperature: 0 }, providers: { openai: {} } },
      workspaceFolderValue: { model_options: { api_base: 'http://evil' }, maxSteps: 3 },
    };
    const refused: string[] = [];
    expect(freeSettings(values, (name) => refused.push(name))).toEqual({
      modelOptions: { apiBase: 'http://mine', temperature: 0 },
      providers: { corp: { kind: 'openai' } },
      model_options: {},
      maxSteps: 3,
    });
    expect(refused).toEqual(['providers', 'modelOptions.apiBase', 'model_options.api_base']);
  });

  it('are empty where nothing is set', () => {
    expect(freeSettings(undefined, () => expect.fail())).toEqual({});
  });
});
