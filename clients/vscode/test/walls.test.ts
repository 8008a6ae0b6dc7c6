import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..');

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'placet-walls-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

function add(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  appendFileSync(path.join(folder, file), `${text}\n`);
}

/** Returns the faults that the check finds in the folder, in order. */
function faults(): string[] {
  const { status, stderr } = spawnSync(process.execPath, [path.join(ROOT, 'walls.mjs'), folder], { encoding: 'utf8' });
  const lines = stderr.split('\n').filter(Boolean).sort();
  expect(status, stderr).toBe(lines.length > 0 ? 1 : 0);
  return lines;
}

it('an import of a higher row or of the same row is found in a copy of the extension, in each form', () => {
  for (const name of ['src', 'webview', 'rows.txt']) {
    cpSync(path.join(ROOT, name), path.join(folder, name), { recursive: true });
  }
  const upward: readonly [module: string, imported: string, text: (name: string) => string][] = [
    ['src/daemon/agent.ts', 'src/editor/documents', (name) => `import { find } from '${name}';`],
    ['src/editor/once.ts', 'src/sessions/current', (name) => `import type { CurrentSession } from '${name}';`],
    ['src/sessions/links.ts', 'src/chat/chats', (name) => `export const load = () => import('${name}');`],
    ['src/ui/counts.ts', 'src/wire', (name) => `export type Wire = typeof import("${name}");`],
    ['src/status/bar.ts', 'src/change_set/files', (name) => `export * from '${name}';`],
    ['src/language/handles.ts', 'src/sessions/turn', (name) => `export const turn = require('${name}');`],
    ['src/language/symbols.ts', 'src/sessions/costs', (name) => `import costs = require('${name}');`],
    ['src/chat/messages.ts', 'webview/texts', (name) => `import '${name}';`],
    ['webview/state/names.ts', 'webview/composer/draft', (name) => `import {\n  draft,\n} from '${name}';`],
    ['webview/controls/icons.tsx', 'webview/state/store', (name) => `export type { Store } from '${name}';`],
  ];
  for (const [module, imported, text] of upward) {
    add(module, text(path.posix.relative(path.posix.dirname(module), imported)));
  }
  const lines = faults().filter((line) => !line.startsWith('circle: '));
  expect(lines.map((line) => line.replace(/\.tsx?, but .*/, ''))).toEqual(
    upward.map(([module, imported]) => `${module} imports ${imported}`).sort(),
  );
});

it('a circle of modules inside of a room is found, also a circle of types', () => {
  add('rows.txt', 'src/ui');
  add('src/ui/first.ts', "import type { second } from './second';");
  add('src/ui/second.ts', "export { third } from './third';");
  add('src/ui/third.ts', "import { first } from './first';");
  const circle = ['first', 'second', 'third', 'first'].map((name) => `src/ui/${name}.ts`);
  expect(faults()).toEqual([`circle: ${circle.join(' -> ')}`]);
});

it('a room without a row or with two rows, a row without a room, and a name that leads to no module are found', () => {
  add('rows.txt', 'src/ui | src/no_room\nsrc/ui');
  add('src/ui/window.ts', "export const load = (name: string) => import('../' + name);");
  add('src/new_room/module.ts', "import '../ui/no_module';\nimport '../ui/window';");
  expect(faults()).toEqual([
    'rows.txt lacks the room src/new_room',
    'rows.txt names a room twice',
    'src/new_room/module.ts imports ../ui/no_module, which does not exist',
    "src/ui/window.ts imports a computed name: '../' + name",
    'there is no room src/no_room',
  ]);
});

it('a function of more than 60 lines without its comment is found in each form', () => {
  const lines = (count: number) => 'tell();\n'.repeat(count);
  const texts: Record<string, string> = {
    comment: `/**\n * Tells.\n *\n * Often.\n */\nfunction fits() {\n${lines(58)}}`,
    declared: `// Tells.\nfunction tooLong() {\n${lines(59)}}`,
    arrow: `export const tooLong = () => {\n${lines(59)}};`,
    method: `class Teller {\n  /** Tells. */\n  tooLong(): void {\n${lines(59)}}\n}`,
    outer: `function outer() {\n  function inner() {\n${lines(57)}}\n}`,
    many: `export default async function () {\n${lines(70)}}`,
  };
  add('rows.txt', 'src/ui');
  for (const [name, text] of Object.entries(texts)) {
    add(`src/ui/${name}.ts`, text);
  }
  expect(faults()).toEqual([
    'src/ui/arrow.ts:1: a function has 61 lines, 60 at most',
    'src/ui/declared.ts:2: a function has 61 lines, 60 at most',
    'src/ui/many.ts:1: a function has 72 lines, 60 at most',
    'src/ui/method.ts:3: a function has 61 lines, 60 at most',
    'src/ui/outer.ts:1: a function has 61 lines, 60 at most',
  ]);
});

it('ARCHITECTURE.md shows the rows', () => {
  const blocks = readFileSync(path.join(ROOT, '..', '..', 'ARCHITECTURE.md'), 'utf8').match(/(?<=```\n).*?(?=```)/gs);
  expect(blocks).toContain(readFileSync(path.join(ROOT, 'rows.txt'), 'utf8'));
});
