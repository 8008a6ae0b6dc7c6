// Files made, renamed, deleted; saved with a formatter; saved by themselves. Nothing unsaved is ever saved silently.
const { createHash } = require('node:crypto');
const { assert, inMode, onDisk, openServices, openTabs, play, prompt, put, runAll, say, setUser, toolOutputs, until, vscode } = require('./harness.cjs');

const { acceptAll } = require('../reviewing.cjs');

const SAVED = 'def area(w, h):\n    return w * h\n';
const LONGEST_HOLD = 1300;

const DONE = { events: [{ text: 'Done.' }] };

/** A turn in which the model makes these calls; then the user accepts what is proposed. */
async function accepted(services, ...calls) {
  await proposed(services, ...calls);
  await acceptAll(services);
}

/** A turn in which the model makes these calls. */
async function proposed(services, ...calls) {
  const turns = calls.map(([call, given]) => ({ events: [{ call, arguments: given }] }));
  const session = await play(services, [...turns, DONE]);
  assert.equal((await prompt(services, session, 'Do it')).stopReason, 'end_turn');
}

/** What the tools tell the model in a turn of these calls, each of which the user allows. */
async function toldWhenAllowed(services, ...calls) {
  const allowing = services.pendingRequests.onChange(() => services.pendingRequests.waiting.forEach((ask) => services.pendingRequests.answer(ask.id, { outcome: 'once' })));
  const events = [];
  const listening = services.agent.onUpdate((event) => events.push(event));
  await proposed(services, ...calls).finally(() => vscode.Disposable.from(allowing, listening).dispose());
  return toolOutputs(events).join('\n---\n');
}

const exists = (uri) => vscode.workspace.fs.stat(uri).then(() => true, () => false);
const beside = (uri, name) => vscode.Uri.joinPath(uri, '..', name);
const editOf = (uri, oldString, newString) => ['edit', { filePath: uri.fsPath, oldString, newString }];
const readOf = (uri) => ['read', { filePath: uri.fsPath }];

/** A formatter that writes a word in capitals, when a file is saved. */
async function formatsOnSave() {
  await setUser({ 'editor.formatOnSave': true });
  return vscode.languages.registerDocumentFormattingEditProvider(
    { pattern: '**/*.placettest' },
    {
      provideDocumentFormattingEdits: (document) => {
        const text = document.getText();
        const all = new vscode.Range(document.positionAt(0), document.positionAt(text.length));
        return [vscode.TextEdit.replace(all, text.replaceAll('two', 'TWO'))];
      },
    },
  );
}

exports.run = () =>
  runAll({
    async 'one change makes, renames and deletes files, and one undo brings all back'() {
      const services = await openServices();
      const [old, gone] = [await put('old.py', SAVED), await put('gone.py', 'GONE = 1\n')];
      const [moved, made] = [beside(old, 'moved.py'), beside(old, 'made/new.py')];
      const patch = [
        '*** Begin Patch',
        '*** Add File: made/new.py',
        '+NEW = 1',
        '*** Update File: old.py',
        '*** Move to: moved.py',
        '@@',
        ' def area(w, h):',
        '-    return w * h',
        '+    return h * w',
        '*** Delete File: gone.py',
        '*** End Patch',
      ].join('\n');
      await accepted(services, readOf(old), readOf(gone), ['apply_patch', { patchText: patch }]);
      assert.equal(await onDisk(made), 'NEW = 1\n');
      assert.equal(await onDisk(moved), SAVED.replace('w * h', 'h * w'));
      assert.equal(await exists(old), false);
      assert.equal(await exists(gone), false);
      await until('no tab is left', () => openTabs().length === 0);
      await vscode.commands.executeCommand('placet.undo');
      await until('all is as it was', async () => (await exists(gone)) && (await exists(old)) && !(await exists(made)));
      assert.equal(await onDisk(old), SAVED);
      assert.equal(await onDisk(gone), 'GONE = 1\n');
      assert.equal(await exists(moved), false);
    },

    async 'a proposal that is accepted is formatted when it is saved'() {
      const services = await openServices();
      const uri = await put('formatted.placettest', 'one\n');
      const formatter = await formatsOnSave();
      const document = await vscode.workspace.openTextDocument(uri);
      await vscode.window.showTextDocument(document);
      await accepted(services, readOf(uri), editOf(uri, 'one', 'two'));
      assert.equal(document.getText(), 'TWO\n');
      assert.equal(await onDisk(uri), 'TWO\n');
      assert.equal(document.isDirty, false);
      formatter.dispose();
    },

    'what a formatter makes of the text when it is saved is told to the model that waits for it': inMode('ask', async () => {
      const services = await openServices();
      const uri = await put('asked.placettest', 'one\n');
      const formatter = await formatsOnSave();
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
      assert.match(await toldWhenAllowed(services, readOf(uri), editOf(uri, 'one', 'two')), /TWO/);
      assert.equal(await onDisk(uri), 'TWO\n');
      formatter.dispose();
    }),

    async 'a formatter does not touch a document that the user has not saved'() {
      const services = await openServices();
      const uri = await put('unsaved.placettest', 'one\n');
      const formatter = await formatsOnSave();
      const document = await vscode.workspace.openTextDocument(uri);
      const editor = await vscode.window.showTextDocument(document);
      await editor.edit((change) => change.insert(new vscode.Position(1, 0), 'unsaved\n'));
      await accepted(services, readOf(uri), editOf(uri, 'one', 'two'));
      assert.equal(document.getText(), 'two\nunsaved\n');
      assert.equal(document.isDirty, true);
      assert.equal(await onDisk(uri), 'one\n');
      formatter.dispose();
    },

    async 'with autosave an edit is on the disk and taken back by one undo'() {
      const services = await openServices();
      await setUser({ 'files.autoSave': 'afterDelay', 'files.autoSaveDelay': 50 });
      const uri = await put('autosaved.py', SAVED);
      const document = await vscode.workspace.openTextDocument(uri);
      await vscode.window.showTextDocument(document);
      await accepted(services, readOf(uri), editOf(uri, 'w * h', 'h * w'));
      assert.match(document.getText(), /h \* w/);
      await until('it is saved', async () => (await onDisk(uri)) === SAVED.replace('w * h', 'h * w'));
      await vscode.window.showTextDocument(document);
      await vscode.commands.executeCommand('undo');
      assert.equal(document.getText(), SAVED);
      await until('it is saved again', async () => (await onDisk(uri)) === SAVED);
    },

    async 'an edit of several open files is one undo in each, and saves only those that were clean'() {
      const services = await openServices();
      const [clean, dirty] = [await put('clean.py', SAVED), await put('dirty.py', SAVED)];
      const open = await Promise.all([clean, dirty].map((uri) => vscode.workspace.openTextDocument(uri)));
      const editor = await vscode.window.showTextDocument(open[1], { preview: false });
      await editor.edit((change) => change.insert(new vscode.Position(2, 0), '# mine\n'));
      await vscode.window.showTextDocument(open[0], { preview: false });
      const hunk = ['@@', ' def area(w, h):', '-    return w * h', '+    return h * w'];
      const patch = ['*** Begin Patch', '*** Update File: clean.py', ...hunk, '*** Update File: dirty.py', ...hunk, '*** End Patch'];
      await accepted(services, readOf(clean), readOf(dirty), ['apply_patch', { patchText: patch.join('\n') }]);
      assert.deepEqual(open.map((one) => one.isDirty), [false, true]);
      assert.equal(await onDisk(dirty), SAVED);
      assert.match(open[1].getText(), /h \* w[^]*# mine/);
      await vscode.window.showTextDocument(open[1], { preview: false });
      await vscode.commands.executeCommand('undo');
      assert.equal(open[1].getText(), `${SAVED}# mine\n`);
    },

    async 'an edit for another version, or for another text, is refused and does nothing'() {
      const services = await openServices();
      const [uri, other] = [await put('stale.py', SAVED), await put('fits.py', SAVED)];
      const document = await vscode.workspace.openTextDocument(uri);
      await vscode.window.showTextDocument(document);
      const sha256 = createHash('sha256').update(SAVED).digest('hex');
      const refusal = async (expected) => {
        const start = { line: 1, character: 4 };
        const edits = [{ range: { start, end: start }, newText: 'yet another ' }];
        const documentChanges = [other, uri].map((one) => ({ textDocument: { uri: one.toString(), version: null }, edits }));
        const agent = { editId: `stale-${JSON.stringify(expected)}`, expect: [{ uri: uri.toString(), ...expected }], save: 'ifWasClean' };
        // As the daemon would ask, had it not heard yet of what was typed.
        const { clientOptions } = await services.agent.start();
        return clientOptions.middleware.workspace.handleApplyEdit({ edit: { documentChanges }, agent });
      };
      const { version } = document;
      for (const [expected, reason] of [
        [{ version: version - 1, sha256 }, /is at version \d+, the edit is for/],
        [{ version, sha256: sha256.replaceAll(/\d/g, '0') }, /the text has changed since it was read/],
      ]) {
        const answer = await refusal(expected);
        assert.equal(answer.applied, false);
        assert.match(answer.failureReason, reason);
      }
      assert.equal(document.getText(), SAVED);
      assert.equal(await onDisk(other), SAVED);
      assert.equal((await refusal({ version, sha256 })).applied, true);
      assert.match(document.getText(), /yet another return/);
    },

    async 'a tab that VS Code opens by itself, while a file waits to be saved, is closed again'() {
      const services = await openServices();
      const [first, second] = [await put('saved-first.py', SAVED), await put('saved-second.py', SAVED)];
      const hasTab = () => openTabs().includes('saved-second.py');
      let wasOpened = false;
      const slow = vscode.workspace.onWillSaveTextDocument((event) => {
        if (event.document.uri.toString() === first.toString()) {
          // VS Code waits no longer for whoever holds up a save.
          event.waitUntil(until('the tab', hasTab, LONGEST_HOLD).then(() => (wasOpened = true), () => undefined).then(() => []));
        }
      });
      const hunk = ['@@', ' def area(w, h):', '-    return w * h', '+    return h * w'];
      const patch = ['*** Begin Patch', '*** Update File: saved-first.py', ...hunk, '*** Update File: saved-second.py', ...hunk, '*** End Patch'];
      await accepted(services, readOf(first), readOf(second), ['apply_patch', { patchText: patch.join('\n') }]);
      slow.dispose();
      assert.equal(await onDisk(second), SAVED.replace('w * h', 'h * w'));
      say(`a tab was opened by itself: ${wasOpened}`);
      if (wasOpened) {
        await until('its tab is closed', () => !hasTab());
      }
    },

    async 'a file that is in the way of a rename stays, and nothing is done'() {
      const services = await openServices();
      const [from, to] = [await put('from.py', SAVED), await put('to.py', 'IN_THE_WAY = 1\n')];
      const patch = ['*** Begin Patch', '*** Update File: from.py', '*** Move to: to.py', '@@', ' def area(w, h):', '-    return w * h', '+    return h * w', '*** End Patch'];
      await proposed(services, readOf(from), ['apply_patch', { patchText: patch.join('\n') }]);
      assert.deepEqual(services.changeSet.files, []);
      assert.equal(await onDisk(to), 'IN_THE_WAY = 1\n');
      assert.equal(await onDisk(from), SAVED);
    },
  });
