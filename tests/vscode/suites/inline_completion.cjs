// Ghost text of the inline completion: by the language client, as the user types and on the user's key.
const http = require('node:http');
const { assert, openServices, put, runAll, settingsWith, textOf, until, vscode } = require('./harness.cjs');
const { pictured } = require('../pictured.cjs');

/** A server of llama.cpp's interface that fills each hole by `answer`, and keeps the requests. */
class FillServer {
  requests = [];
  answer = () => '';
  #server = http.createServer((request, response) => void this.#serve(request, response));

  async open() {
    await new Promise((resolve, reject) => this.#server.once('error', reject).listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${this.#server.address().port}/v1`;
  }

  close() {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #serve(request, response) {
    let body = '';
    for await (const piece of request) {
      body += piece;
    }
    if (request.method !== 'POST' || !request.url.endsWith('/infill')) {
      response.writeHead(404).end();
      return;
    }
    const asked = JSON.parse(body);
    this.requests.push(asked);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of [{ content: this.answer(asked), stop: false }, { content: '', stop: true, stop_type: 'eos' }]) {
      response.write(`data: ${JSON.stringify(event)}\n\n`);
    }
    response.end();
  }
}

const server = new FillServer();
/** The requests about the user's text: the first request measures the server with a text of Placet's own. */
const aboutTheText = () => server.requests.filter(({ input_prefix }) => !input_prefix.startsWith('"""Sums and means'));

/** A file with the text, open with the cursor at its end. */
async function opened(name, text) {
  const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(await put(name, text)));
  const end = editor.document.positionAt(text.length);
  editor.selection = new vscode.Selection(end, end);
  return editor;
}

const type = (text) => vscode.commands.executeCommand('type', { text });

/** Accepts the ghost text as soon as there is one; resolves to the text of the file. */
async function accepted(name, before, command = 'editor.action.inlineSuggest.commit') {
  await until('a suggestion is accepted', async () => {
    await vscode.commands.executeCommand(command);
    return textOf(name) !== before;
  });
  return textOf(name);
}

const TESTS = {
  async 'what the user types is completed, and accepting is an edit of the user'() {
    server.answer = () => 'greet(name)';
    const services = await openServices();
    await until('the daemon runs because a model is set', () => services.agent.status.state === 'ready');
    await opened('typed.py', 'message = ');
    // The first key begins to measure the server; later keys get a suggestion.
    await until('the server is asked about the text', async () => {
      await type('g');
      await vscode.commands.executeCommand('deleteLeft');
      await type('h');
      await vscode.commands.executeCommand('deleteLeft');
      await type(' ');
      await vscode.commands.executeCommand('deleteLeft');
      await vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
      return aboutTheText().length > 0;
    });
    assert.equal(await accepted('typed.py', 'message = '), 'message = greet(name)');
    assert.deepEqual(services.pendingRequests.waiting, []);
  },

  async 'a key of the user asks, and the picture shows the text'() {
    server.answer = () => '\n    return first + second';
    await opened('asked.py', 'def add(first, second):');
    await vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
    await until('the server is asked', () => aboutTheText().some(({ prompt }) => prompt.includes('def add')));
    await pictured('inline-completion.png');
    assert.equal(await accepted('asked.py', 'def add(first, second):'), 'def add(first, second):\n    return first + second');
  },

  async 'a word of the suggestion is accepted alone'() {
    server.answer = () => 'alpha + beta';
    await opened('word.py', 'sum = ');
    await vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
    assert.equal(await accepted('word.py', 'sum = ', 'editor.action.inlineSuggest.acceptNextWord'), 'sum = alpha');
  },

  async 'the language status names the state, and the menu snoozes'() {
    const { inlineCompletion } = await openServices();
    await opened('state.py', 'x = ');
    await until('the state is shown', () => inlineCompletion.shown === 'Inline completion: on, with filler/qwen2.5-coder');
    const menu = vscode.commands.executeCommand('placet.inlineCompletion');
    await until('the menu is on the screen', async () => {
      await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
      return inlineCompletion.shown?.includes('snoozed');
    });
    await menu;
    const asked = aboutTheText().length;
    await type('y');
    await vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
    await until('the key asks meanwhile', () => aboutTheText().length > asked);
    await (await openServices()).agent.request('agent/inlineCompletion', { snoozeMinutes: 0 });
  },

  async 'no closing bracket is doubled'() {
    server.answer = () => 'value)';
    const editor = await opened('bracket.py', 'print()');
    const inside = new vscode.Position(0, 6);
    editor.selection = new vscode.Selection(inside, inside);
    await vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
    assert.equal(await accepted('bracket.py', 'print()'), 'print(value)');
  },
};

exports.run = async () => {
  const apiBase = await server.open();
  const providers = { filler: { kind: 'llamafile', apiBase, key: false } };
  try {
    await runAll(TESTS, { settings: settingsWith({ providers, completion: { model: 'filler/qwen2.5-coder' } }) });
  } finally {
    server.close();
  }
};
