import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { getL10nJson } from '@vscode/l10n-dev';
import { describe, expect, it } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..');
type Texts = Record<string, string | { message: string; comment: string[] }>;

const read = (name: string) => readFileSync(path.join(ROOT, name), 'utf8');
const json = (name: string): Texts => JSON.parse(read(name));
const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([one]) => one).sort();
const message = (text: Texts[string] | undefined) => (typeof text === 'object' ? text.message : (text ?? ''));
const places = (text: string) => [...text.matchAll(/\]\(([^)]*)\)/g)].map(([, place]) => place);

describe('the texts of the code', () => {
  it('are all in the bundle, and no others (`npm run l10n` writes it)', async () => {
    const files = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
    const sources = files.filter((name) => name.endsWith('.ts'));
    const contents = sources.map((name) => ({ extension: '.ts' as const, contents: read(path.join('src', name)) }));
    expect(json('l10n/bundle.l10n.json')).toEqual(await getL10nJson(contents));
  });

  it('are all in German, with the same places for what is put in', () => {
    const [texts, german] = [json('l10n/bundle.l10n.json'), json('l10n/bundle.l10n.de.json')];
    expect(Object.keys(german).sort()).toEqual(Object.keys(texts).sort());
    for (const [key, text] of Object.entries(texts)) {
      expect(placeholders(message(german[key])), key).toEqual(placeholders(message(text)));
    }
  });
});

describe('the texts of package.json', () => {
  it('are all there, and none too many', () => {
    const used = [...read('package.json').matchAll(/"%([^%"]+)%"/g)].map(([, key]) => key ?? '');
    expect(Object.keys(json('package.nls.json')).sort()).toEqual([...new Set(used)].sort());
  });

  it('are all in German, with the same links', () => {
    const [texts, german] = [json('package.nls.json'), json('package.nls.de.json')];
    expect(Object.keys(german).sort()).toEqual(Object.keys(texts).sort());
    for (const [key, text] of Object.entries(texts)) {
      expect(places(message(german[key])), key).toEqual(places(message(text)));
    }
  });
});
