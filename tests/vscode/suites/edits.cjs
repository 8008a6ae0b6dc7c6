// Edits of the real daemon in real documents: unsaved, saved, not open; taken back.
const { asked, assert, inMode, killDaemon, onDisk, openServices, openTabs, play, prompt, put, runAll, until, vscode } = require('./harness.cjs');
const { acceptAll, closed } = require('../reviewing.cjs');

const SAVED = 'def area(w, h):\n    return w * h\n';
const UNSAVED = `# not saved yet\n${SAVED}`;

const edit = (uri, oldString, newString) => [
  { events: [{ call: 'read', arguments: { filePath: uri.fsPath } }] },
  { events: [{ call: 'edit', arguments: { filePath: uri.fsPath, oldString, newString } }] },
  { events: [{ text: 'Done.' }] },
];

async function openUnsaved(uri) {
  const document = await vscode.workspace.openTextDocument(uri);
  const editor = await vscode.window.showTextDocument(document);
  await editor.edit((change) => change.insert(new vscode.Position(0, 0), '# not saved yet\n'));
  return document;
}

exports.run = () =>
  runAll({
    async 'the daemon starts when it is first needed'() {
      const services = await openServices();
      await services.agent.stop();
      assert.equal(services.agent.status.state, 'stopped');
      await services.agent.request('agent/status', {});
      assert.equal(services.agent.status.state, 'ready');
    },

    async 'an unsaved document is edited once the user has accepted the proposal, and stays unsaved'() {
      const services = await openServices();
      const uri = await put('staged.py', SAVED);
      const document = await openUnsaved(uri);
      await prompt(services, await play(services, edit(uri, 'return w * h', 'return w * h  # area')), 'Say what it returns');
      assert.equal(document.getText(), UNSAVED);
      await acceptAll(services);
      assert.equal(document.getText(), UNSAVED.replace('return w * h', 'return w * h  # area'));
      assert.equal(document.isDirty, true);
      assert.equal(await onDisk(uri), SAVED);
    },

    'an unsaved document is edited once the user has accepted by the notification, and stays unsaved': inMode('ask', async () => {
      const services = await openServices();
      const uri = await put('unsaved.py', SAVED);
      const document = await openUnsaved(uri);
      const session = await play(services, edit(uri, 'return w * h', 'return w * h  # area'));
      const turn = prompt(services, session, 'Say what it returns');
      await asked(services);
      await vscode.commands.executeCommand('notifications.showList');
      // user.mjs clicks "Review" in the notification, and accepts the hunk.
      const result = await turn;
      assert.equal(result.stopReason, 'end_turn');
      assert.equal(document.getText(), UNSAVED.replace('return w * h', 'return w * h  # area'));
      assert.equal(document.isDirty, true);
      assert.equal(await onDisk(uri), SAVED);
    }),

    async 'the daemon takes its edit back and leaves later typing'() {
      const services = await openServices();
      const uri = await put('undone.py', SAVED);
      const document = await openUnsaved(uri);
      await prompt(services, await play(services, edit(uri, 'return w * h', 'return h * w')), 'Turn it round');
      await acceptAll(services);
      assert.match(document.getText(), /return h \* w/);
      const start = new vscode.Position(0, 0);
      await vscode.window.activeTextEditor.edit((change) => change.insert(start, '# typed later\n'));
      await vscode.commands.executeCommand('placet.undo');
      await until('the edit is gone', () => document.getText() === `# typed later\n${UNSAVED}`);
    },

    async 'one undo of the editor takes the whole edit back'() {
      const services = await openServices();
      const uri = await put('editor-undo.py', `${SAVED}\n\n\n\n\n\n\n\n\n\nLAST = 1\n`);
      const document = await vscode.workspace.openTextDocument(uri);
      await vscode.window.showTextDocument(document);
      const before = document.getText();
      const call = { filePath: uri.fsPath, edits: [] };
      call.edits.push({ oldString: 'return w * h', newString: 'return h * w' });
      call.edits.push({ oldString: 'LAST = 1', newString: 'LAST = 2' });
      const session = await play(services, [
        { events: [{ call: 'read', arguments: { filePath: uri.fsPath } }] },
        { events: [{ call: 'multiedit', arguments: call }] },
        { events: [{ text: 'Done.' }] },
      ]);
      await prompt(services, session, 'Two places');
      await acceptAll(services);
      assert.match(document.getText(), /LAST = 2/);
      assert.equal(document.isDirty, false, 'it was clean, so it is saved');
      await vscode.commands.executeCommand('undo');
      assert.equal(document.getText(), before);
      await document.save();
    },

    async 'a file that is not open is edited and saved without a tab'() {
      const services = await openServices();
      const uri = await put('closed.py', SAVED);
      const session = await play(services, edit(uri, 'return w * h', 'return h * w'));
      assert.equal((await prompt(services, session, 'Turn it round')).stopReason, 'end_turn');
      await acceptAll(services);
      assert.equal(await onDisk(uri), SAVED.replace('w * h', 'h * w'));
      await closed();
    },

    'typing while the daemon asks makes the edit merge, and loses nothing': inMode('ask', async () => {
      const services = await openServices();
      const uri = await put('typed.py', SAVED);
      const document = await vscode.workspace.openTextDocument(uri);
      const editor = await vscode.window.showTextDocument(document);
      const session = await play(services, edit(uri, 'return w * h', 'return h * w'));
      const turn = prompt(services, session, 'Turn it round');
      const ask = await asked(services);
      await editor.edit((change) => change.insert(new vscode.Position(0, 0), '# typed meanwhile\n'));
      services.pendingRequests.answer(ask.id, { outcome: 'once' });
      await turn;
      assert.equal(document.getText(), `# typed meanwhile\n${SAVED.replace('w * h', 'h * w')}`);
    }),

    'a cancelled turn takes its question off the screen': inMode('ask', async () => {
      const services = await openServices();
      const uri = await put('cancelled.py', SAVED);
      const session = await play(services, edit(uri, 'return w * h', 'return h * w'));
      const turn = prompt(services, session, 'Turn it round');
      const ask = await asked(services);
      void vscode.commands.executeCommand('placet.answer', ask.id);
      await until('the diff is open', () => openTabs().length === 1);
      await vscode.commands.executeCommand('placet.cancel');
      assert.equal((await turn).stopReason, 'cancelled');
      await until('nothing waits', () => services.pendingRequests.waiting.length === 0);
      await until('the diff is closed', () => openTabs().length === 0);
      assert.equal(await onDisk(uri), SAVED);
    }),

    async 'a daemon that dies is started again'() {
      const services = await openServices();
      const pid = await killDaemon(services);
      await until('it is seen', () => services.agent.status.state === 'starting');
      await until('it runs again', () => services.agent.status.state === 'ready');
      assert.notEqual((await services.agent.request('agent/status', {})).pid, pid);
    },
  });
