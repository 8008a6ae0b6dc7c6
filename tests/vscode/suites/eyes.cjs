// What the editor's own language servers know, as the model is told of it: the built-in TypeScript.
const { asked, assert, openServices, openTabs, play, prompt, put, runAll, say, toolOutputs, until, vscode } = require('./harness.cjs');

const SHAPES = `export function area(width: number, height: number): number {
  return width * height;
}
`;
const USE = `import { area } from './shapes';

export const first = area(1, 2);
export const second: number = area(3, 4);
`;

/** A project of its own for each test: VS Code keeps documents for a while that nobody looks at any more. */
async function project(name) {
  await put(`${name}/tsconfig.json`, '{ "compilerOptions": { "strict": true, "types": [] }, "include": ["*.ts"] }\n');
  const shapes = await put(`${name}/shapes.ts`, SHAPES);
  const use = await put(`${name}/use.ts`, USE);
  return { shapes, use };
}

/** Runs the calls as turns of a model, allows all that is asked, and gives what the tools told. */
async function outputsOf(services, calls) {
  const events = [];
  const listening = services.agent.onUpdate((event) => events.push(event));
  const allowing = services.pendingRequests.onChange(() => {
    for (const ask of services.pendingRequests.waiting) {
      services.pendingRequests.answer(ask.id, { outcome: 'once' });
    }
  });
  const turns = calls.map(([call, given]) => ({ events: [{ call, arguments: given }] }));
  const session = await play(services, [...turns, { events: [{ text: 'Done.' }] }]);
  const result = await prompt(services, session, 'Look');
  listening.dispose();
  allowing.dispose();
  assert.equal(result.stopReason, 'end_turn', JSON.stringify(result));
  return toolOutputs(events);
}

const TESTS = {
  async 'an error that an edit makes is told as one of it'() {
    const services = await openServices();
    const { use } = await project('first');
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(use));
    const outputs = await outputsOf(services, [
      ['read', { filePath: use.fsPath }],
      ['edit', { filePath: use.fsPath, oldString: 'second: number', newString: 'second: string' }],
      ['lsp', { operation: 'diagnostics', filePath: use.fsPath }],
    ]);
    say(outputs.slice(1).join('\n---\n'));
    assert.match(outputs[1], /Type 'number' is not assignable to type 'string'/);
    assert.match(outputs[2], /Type 'number' is not assignable to type 'string'/);
  },

  async 'an edit of a file without a tab tells what it broke and what it mended'() {
    const services = await openServices();
    const { use } = await project('closed');
    const outputs = await outputsOf(services, [
      ['read', { filePath: use.fsPath }],
      ['edit', { filePath: use.fsPath, oldString: 'second: number', newString: 'second: string' }],
      ['edit', { filePath: use.fsPath, oldString: 'second: string', newString: 'second: number' }],
    ]);
    say(outputs.slice(1).join('\n---\n'));
    assert.match(outputs[1], /fresh/);
    assert.match(outputs[1], /Type 'number' is not assignable to type 'string'/);
    assert.match(outputs[2], /fresh/);
    assert.doesNotMatch(outputs[2], /error now/);
    await until('no tab is left', () => openTabs().length === 0);
  },

  async 'definition, references, hover, symbols and calls are answered without a tab'() {
    const services = await openServices();
    const { shapes, use } = await project('asked');
    const at = { filePath: shapes.fsPath, line: 1, character: 17 };
    const outputs = await outputsOf(services, [
      ['lsp', { operation: 'findReferences', ...at }],
      ['lsp', { operation: 'goToDefinition', filePath: use.fsPath, line: 3, character: 22 }],
      ['lsp', { operation: 'hover', ...at }],
      ['lsp', { operation: 'documentSymbol', filePath: shapes.fsPath }],
      ['lsp', { operation: 'incomingCalls', ...at }],
      ['lsp', { operation: 'signatureHelp', filePath: use.fsPath, line: 3, character: 27 }],
      ['lsp', { operation: 'workspaceSymbol', query: 'area' }],
    ]);
    say(outputs.join('\n---\n'));
    const [references, definition, hover, symbols, calls, signature, workspace] = outputs;
    assert.match(references, /use\.ts:3:22/);
    assert.match(definition, /shapes\.ts:1:17/);
    assert.match(hover, /function area\(width: number, height: number\): number/);
    assert.match(symbols, /area/);
    assert.match(calls, /use\.ts/);
    assert.match(signature, /height: number/);
    assert.match(workspace, /shapes\.ts/);
    await until('no tab is left', () => openTabs().length === 0);
  },

  async 'a rename of the language server is an edit like any other'() {
    const services = await openServices();
    const { shapes, use } = await project('renamed');
    const at = { filePath: shapes.fsPath, line: 1, character: 17 };
    const [told] = await outputsOf(services, [['lsp', { operation: 'rename', ...at, newName: 'surface' }]]);
    say(told);
    assert.match(told, /Diagnostics \(ts; fresh/);
    for (const uri of [shapes, use]) {
      assert.match((await vscode.workspace.openTextDocument(uri)).getText(), /surface\(/);
    }
    await until('no tab is left', () => openTabs().length === 0);
  },

  async 'a language nobody serves is said to be so'() {
    const services = await openServices();
    const uri = await put('notes.txt', 'nothing\n');
    const [told] = await outputsOf(services, [['lsp', { operation: 'hover', filePath: uri.fsPath, line: 1, character: 1 }]]);
    say(told);
    assert.match(told, /no language server|server/i);
  },
};

// The editor's servers judge what is written: Placet's own servers judge what is only proposed.
exports.run = () => runAll(TESTS, { settings: { 'placet.reviewMode': 'ask' } });
