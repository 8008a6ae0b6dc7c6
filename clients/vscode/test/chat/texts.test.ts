import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..', '..');
/** Attributes that a user reads or hears. */
const READ = [
  'aria-label',
  'aria-description',
  'aria-roledescription',
  'title',
  'placeholder',
  'alt',
  'label',
  'empty',
];
/** Names of tags, and names of agents and keys as the daemon and browsers have them. */
const NAMES = /^(?:a b blockquote .*|build|Arrow(?:Up|Down)|Enter|Escape|Tab|End|Home|Alt|Placet)$/;
/** At least a word in ordinary spelling; or several words. */
const WORDS = /^\p{Lu}?\p{Ll}+(?:[,:;]? \p{L}|…)|^\p{Lu}\p{Ll}+[.!?:]?$|\p{Ll}{2} \p{L}{2}/u;

/** Returns the texts of a module that a user would see in the language of the code, whatever the user's language is. */
function literals(name: string, code: string): string[] {
  const file = ts.createSourceFile(name, code, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const texts: string[] = [];
  const visit = (node: ts.Node, isShown: boolean): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) {
      return;
    }
    if (ts.isJsxAttribute(node)) {
      const attribute = node.name.getText();
      if (attribute !== 'class') {
        visitChildren(node, READ.includes(attribute));
      }
      return;
    }
    if (ts.isJsxText(node) || ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node)) {
      const text = isMarkup(node.text) ? readOf(node.text) : node.text.trim();
      const isSeen = ts.isJsxText(node) || isShown ? /\p{L}{2}/u.test(text) : WORDS.test(text);
      if (isSeen && !NAMES.test(text) && !isTranslated(node)) {
        texts.push(`${name}: ${text}`);
      }
      return;
    }
    if (ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent)) {
      visitChildren(node, true);
      return;
    }
    // A condition is not shown, and neither is the argument of a function.
    const decides = ts.isConditionalExpression(node)
      ? node.condition
      : ts.isBinaryExpression(node)
        ? node.left
        : undefined;
    const isHidden = ts.isCallExpression(node) || ts.isArrowFunction(node) || ts.isElementAccessExpression(node);
    ts.forEachChild(node, (child) =>
      visit(child, isShown && !isHidden && child !== decides && !ts.isJsxElement(child)),
    );
  };
  const visitChildren = (node: ts.Node, isShown: boolean): void => {
    ts.forEachChild(node, (child) => visit(child, isShown));
  };
  visit(file, false);
  return texts;
}

/** Returns true if the text is the key of a translation. */
function isTranslated(node: ts.Node): boolean {
  const call = node.parent;
  return ts.isCallExpression(call) && call.expression.getText() === 'l10n.t' && call.arguments[0] === node;
}

function isMarkup(text: string): boolean {
  return text.startsWith('<');
}

/** Returns the texts in tags that a user would read. */
function readOf(markup: string): string {
  const attributes = [...markup.matchAll(/([\w-]+)="([^"]*)"/g)];
  return attributes.flatMap(([, name = '', value = '']) => (READ.includes(name) ? [value] : [])).join(' ');
}

it('tells words from names', () => {
  const code = `
    const a = <p title="Close it" class="big one">Hello <b>{isOver ? 'done' : \`\${n} left\`}</b>{x === 'open' && 'go'}</p>;
    const b = key === 'Escape' ? l10n.t('Not this') : 'But this';
    const c = l10n.t('Nor {0}', y || 'some words') + '<p class="big one" title="Open">';`;
  expect(literals('a.tsx', code)).toEqual(
    ['Close it', 'Hello', 'done', 'left', 'go', 'But this', 'some words', 'Open'].map((text) => `a.tsx: ${text}`),
  );
});

it('every text of the page is one of the bundle', () => {
  const files = readdirSync(path.join(ROOT, 'webview'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.tsx?$/.test(name),
  );
  expect(files.length).toBeGreaterThan(40);
  expect(files.flatMap((name) => literals(name, readFileSync(path.join(ROOT, 'webview', name), 'utf8')))).toEqual([]);
});
