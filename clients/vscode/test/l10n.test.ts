import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..');
type Texts = Record<string, string | { message: string; comment: string[] }>;

const read = (name: string) => readFileSync(path.join(ROOT, name), 'utf8');
const json = (name: string): Texts => JSON.parse(read(name));
const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([placeholder]) => placeholder).sort();
const message = (text: Texts[string] | undefined) => (typeof text === 'object' ? text.message : (text ?? ''));
const places = (text: string) => [...text.matchAll(/\]\(([^)]*)\)/g)].map(([, place]) => place);

/**
 * Returns the translated texts of a module. The result equals the result of `vscode-l10n-dev`, which takes half a
 * minute for all modules.
 */
function textsOf(name: string, code: string): string[] {
  const texts: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && /^(?:vscode\.)?l10n\.t$/.test(node.expression.getText())) {
      const [text] = node.arguments;
      texts.push(text && ts.isStringLiteralLike(text) ? text.text : `${name}: ${node.getText()}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(name, code, ts.ScriptTarget.Latest, true));
  return texts;
}

describe('the texts of the code', () => {
  it('are all in the bundle, and no others (`npm run l10n` writes it)', () => {
    const names = ['src', 'webview'].flatMap((directory) =>
      readdirSync(path.join(ROOT, directory), { recursive: true, encoding: 'utf8' }).map((name) =>
        path.join(directory, name),
      ),
    );
    const texts = names.filter((name) => /\.tsx?$/.test(name)).flatMap((name) => textsOf(name, read(name)));
    expect(Object.entries(json('l10n/bundle.l10n.json')).sort()).toEqual(
      [...new Set(texts)].map((text) => [text, text]).sort(),
    );
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
