import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..');
const read = (name: string) => readFileSync(path.join(ROOT, name), 'utf8');
const json = (name: string): Record<string, string> => JSON.parse(read(name));
const { contributes } = JSON.parse(read('package.json'));

const LANGUAGES = ['', '.de'];
const texts = json('package.nls.json');
const titled = (value: string) => texts[value.slice(1, -1)] ?? value;
const commandTitles: string[] = contributes.commands.map(({ title }: { title: string }) => titled(title));
const viewNames: string[] = Object.values<{ name: string }[]>(contributes.views)
  .flat()
  .map(({ name }) => titled(name));

/** Words that stay small inside of a title. */
const SMALL = /^(?:and|as|at|by|for|from|in|of|on|or|per|to|with)$/;

/** Returns the words of a title that VS Code would write otherwise. */
function wrongWords(title: string): string[] {
  const words = title.replace(/ \([^)]*\)$/, '').split(/[\s:]+/);
  return words.filter((word, index) => {
    const isArticle = /^(?:a|an|the)$/i.test(word);
    return isArticle || (/^[a-z]/.test(word) && (index === 0 || !SMALL.test(word)));
  });
}

function modules(directory: string): string[] {
  return readdirSync(path.join(ROOT, directory), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => path.join(directory, name));
}

/** Returns the fixed texts on the buttons of a module of the page, their names, and tooltips that name a key. */
function buttonTexts(name: string): string[] {
  const found: string[] = [];
  const textsIn = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.expression.getText() === 'l10n.t') {
      const [text] = node.arguments;
      if (text && ts.isStringLiteralLike(text) && !text.text.includes('{')) {
        found.push(text.text);
      }
    }
    ts.forEachChild(node, textsIn);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isJsxElement(node) && node.openingElement.tagName.getText() === 'button') {
      node.children.forEach(textsIn);
      for (const attribute of node.openingElement.attributes.properties) {
        const attributeName = attribute.name?.getText();
        if (
          attributeName === 'aria-label' ||
          (attributeName === 'title' && /\(\S*(?:Enter|Escape)\)/.test(attribute.getText()))
        ) {
          textsIn(attribute);
        }
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(name, read(name), ts.ScriptTarget.Latest, true));
  return found;
}

describe('words as VS Code writes them', () => {
  it('titles of commands and names of views are in title case, without articles', () => {
    for (const title of [...commandTitles, ...viewNames]) {
      expect(wrongWords(title), title).toEqual([]);
    }
  });

  it('texts of the buttons on the page are in title case, without articles', () => {
    const all = new Set(modules('webview').flatMap(buttonTexts));
    expect(all.size).toBeGreaterThan(20);
    for (const text of [...all].filter((other) => /^[A-Z][^.;:?]*$/.test(other))) {
      expect.soft(wrongWords(text), text).toEqual([]);
    }
  });

  it('a command that selects, searches or renames asks for more, and says so with an ellipsis', () => {
    for (const title of commandTitles.filter((other) =>
      /^(?:Ask|Select|Search|Rename|Delete Session|Sign In)\b/.test(other),
    )) {
      expect(title).toMatch(/…$/);
    }
  });

  it.each(LANGUAGES)('an ellipsis is one character, and stands in every language%s', (language) => {
    for (const [english, other] of [
      ['package.nls.json', `package.nls${language}.json`],
      ['l10n/bundle.l10n.json', `l10n/bundle.l10n${language}.json`],
    ] as const) {
      const [source, translated] = [json(english), json(other)];
      for (const [key, text] of Object.entries(source)) {
        expect(translated[key], key).not.toContain('...');
        expect(translated[key]?.endsWith('…'), key).toBe(text.endsWith('…'));
      }
    }
  });

  it('two commands have two titles, unless one of them is in no list of commands', () => {
    const hidden = contributes.menus.commandPalette.filter(({ when }: { when: string }) => when === 'false');
    const listed = contributes.commands.filter(
      ({ command }: { command: string }) => !hidden.some((item: { command: string }) => item.command === command),
    );
    const titles = listed.map(({ title }: { title: string }) => titled(title));
    expect(titles.length).toBe(new Set(titles).size);
  });
});

describe('Markdown', () => {
  it.each(LANGUAGES)('stands in no text of the code, as no such text is rendered%s', (language) => {
    for (const text of Object.values(json(`l10n/bundle.l10n${language}.json`))) {
      expect(text).not.toMatch(/[`*]|\]\(/);
    }
  });

  it.each(LANGUAGES)('stands only in the texts of package.json that are rendered%s', (language) => {
    const rendered = new Set(
      [
        ...read('package.json').matchAll(
          /"(?:markdownDescription|markdownEnumDescriptions|contents|description)": (?:\[[^\]]*\]|"[^"]*")/g,
        ),
      ]
        .filter(([whole]) => !whole.startsWith('"description"') || whole.includes('%walkthrough.'))
        .flatMap(([whole]) => [...whole.matchAll(/"%([^%"]+)%"/g)].map(([, key]) => key)),
    );
    for (const [key, text] of Object.entries(json(`package.nls${language}.json`))) {
      expect(rendered.has(key) || !/[`*]|\]\(/.test(text), key).toBe(true);
    }
  });
});
