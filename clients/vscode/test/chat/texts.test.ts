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
/** Of tags, and names of agents and keys as the daemon and browsers have them. */
const NAMES = /^(?:a b blockquote .*|build|Arrow(?:Up|Down)|Enter|Escape|Tab|End|Alt|Placet)$/;
/** A word at least, as one would write it; or several. */
const WORDS = /^\p{Lu}?\p{Ll}+(?:[,:;]? \p{L}|…)|^\p{Lu}\p{Ll}+[.!?:]?$|\p{Ll}{2} \p{L}{2}/u;

/** What of a module a user would see in the code's own language, whatever theirs is. */
function literals(name: string, code: string): string[] {
  const file = ts.createSourceFile(name, code, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: string[] = [];
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
        found.push(`${name}: ${text}`);
      }
      return;
    }
    if (ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent)) {
      visitChildren(node, true);
      return;
    }
    // What decides is not shown, nor what a function makes something else of.
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
  return found;
}

/** Whether a translation is looked up by it. */
function isTranslated(node: ts.Node): boolean {
  const call = node.parent;
  return ts.isCallExpression(call) && call.expression.getText() === 'l10n.t' && call.arguments[0] === node;
}

function isMarkup(text: string): boolean {
  return text.startsWith('<');
}

/** The words in tags that a user would read. */
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
