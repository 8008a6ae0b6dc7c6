import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { LISTED_SETTINGS, listedSettings, merged } from '../../src/daemon/listed_settings';

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
