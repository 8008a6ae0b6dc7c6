// Reviews that wait while the user types: into the proposal, and elsewhere.
const { asked, assert, onDisk, openServices, openTabs, put, runAll, setUser, until, user, vscode } = require('./harness.cjs');
const { text, read, write, turnOf, run, proposal, focused, cursorAt, waits, targetOf, alone } = require('../reviewing.cjs');

const TESTS = {
    async 'closing is later: what was typed is there when the change is opened again'() {
      const services = await openServices();
      const uri = await put('put-off.py', text(1, 1, 1));
      const { ended } = await turnOf(services, read(uri), write(uri, text(2, 2, 1)));
      const { id } = await asked(services);
      void run('placet.review');
      const editor = await proposal('put-off.py');
      await focused('put-off.py');
      await cursorAt(0);
      user('keys', 'Alt+n');
      await waits(services, '1');
      await until('the proposal is without the hunk', () => editor.document.lineAt(0).text === 'FIRST = 1');
      await cursorAt(7);
      user('keys', 'End');
      user('write', '0');
      await until('it is typed', () => editor.document.lineAt(7).text === 'SECOND = 20');
      await until('it is saved', () => !editor.document.isDirty);
      await run('workbench.action.closeActiveEditor');
      await until('it is closed', () => openTabs().length === 0);
      assert.deepEqual(services.pendingRequests.waiting.map((ask) => ask.id), [id], 'closing answers nothing');
      assert.equal(services.agent.status.waiting, 1);
      await run('placet.review');
      const again = await proposal('put-off.py');
      assert.equal(again.document.lineAt(7).text, 'SECOND = 20');
      const [file] = await waits(services, '1');
      await run('placet.review.accept', { ...targetOf(file, 0), isOwn: true });
      await ended;
      assert.equal(await onDisk(uri), text(1, 20, 1));
    },

    async 'a hunk whose lines the user changes meanwhile is left of all that is accepted, and waits for its own decision'() {
      const services = await openServices();
      const uri = await put('meanwhile.py', text(1, 1, 1));
      const { ended, outputs } = await turnOf(services, read(uri), write(uri, text(2, 2, 2)));
      const { id } = await asked(services);
      await waits(services, '3');
      const edited = await vscode.window.showTextDocument(uri);
      await edited.edit((change) => change.replace(edited.document.lineAt(7).range, 'SECOND = 5'));
      await until('there is a conflict', () => services.changeSet.files[0].hunks.some(({ baseLines }) => baseLines));
      await run('placet.answerWith', id, 'once');
      const [rest] = await waits(services, '1');
      assert.equal(edited.document.getText(), text(2, 5, 2));
      assert.equal(services.pendingRequests.waiting.length, 1, 'the call waits for the conflict');
      await run('placet.review.reject', targetOf(rest, 0));
      assert.equal((await ended).stopReason, 'end_turn');
      assert.match(outputs.at(-1), /SECOND = 2/, 'the model is told what was not applied');
      await edited.document.save();
    },

    async 'a save in the review does nothing to the text'() {
      const services = await openServices();
      const formatter = vscode.languages.registerDocumentFormattingEditProvider('*', {
        provideDocumentFormattingEdits: (document) => [vscode.TextEdit.insert(document.positionAt(0), '# formatted\n')],
      });
      await setUser({ 'editor.formatOnSave': true });
      try {
        const uri = await put('formatted.py', 'ONE = 1\n');
        const { ended } = await turnOf(services, read(uri), write(uri, 'ONE = 2\n'));
        await asked(services);
        void run('placet.review');
        const { document } = await proposal('formatted.py');
        await focused('formatted.py');
        await cursorAt(0);
        user('keys', 'End');
        user('write', '345');
        await until('it is typed', () => document.lineAt(0).text === 'ONE = 2345');
        await until('it is saved', () => !document.isDirty);
        user('keys', 'Control+s');
        user('write', '6');
        await until('it is typed', () => document.getText() === 'ONE = 23456\n');
        await until('it is saved', () => !document.isDirty);
        assert.equal(document.getText(), 'ONE = 23456\n');
        formatter.dispose();
        await run('placet.review.acceptAll');
        await ended;
        assert.equal(await onDisk(uri), 'ONE = 23456\n');
      } finally {
        formatter.dispose();
      }
    },

    async 'a review that opens by itself hides nothing and takes no key'() {
      const services = await openServices();
      const notes = await put('notes.txt', '');
      const uri = await put('quiet.py', text(1, 1, 1));
      const document = await vscode.workspace.openTextDocument(notes);
      await vscode.window.showTextDocument(document);
      const { ended } = await turnOf(services, read(uri), write(uri, text(2, 1, 1)));
      user('write', 'abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz');
      const { id } = await asked(services);
      await until('its tab is there', () => openTabs().length === 2);
      user('write', 'the end');
      await until('all is typed', () => document.getText().endsWith('the end'));
      assert.equal(document.getText(), `${'abcdefghijklmnopqrstuvwxyz'.repeat(3)}the end`);
      assert.equal(vscode.window.activeTextEditor.document, document);
      services.pendingRequests.answer(id, { outcome: 'reject' });
      await ended;
      await until('its tab is gone', () => openTabs().length === 1);
      await document.save();
    },

    async 'a yes in the notification is a yes to what was typed'() {
      const services = await openServices();
      const uri = await put('yes.py', 'ONE = 1\n');
      const { ended } = await turnOf(services, read(uri), write(uri, 'ONE = 2\n'));
      const { id } = await asked(services);
      void run('placet.review');
      const editor = await proposal('yes.py');
      await editor.edit((change) => change.insert(new vscode.Position(0, 7), '  # two'));
      await run('placet.answerWith', id, 'once');
      await ended;
      assert.match(await onDisk(uri), /# two/);
    },

    async 'an answer that allows later edits too writes what was typed, and the next edit is not asked'() {
      const services = await openServices();
      const uri = await put('always.py', text(1, 1, 1));
      const again = ['edit', { filePath: uri.fsPath, oldString: 'THIRD = 1', newString: 'THIRD = 3' }];
      const { ended, outputs } = await turnOf(services, read(uri), write(uri, text(2, 2, 1)), again);
      const { id } = await asked(services);
      const [waiting] = await waits(services, '2');
      await run('placet.review.reject', targetOf(waiting, 0));
      await waits(services, '1');
      void run('placet.review');
      const editor = await proposal('always.py');
      await until('the rejected hunk is gone', () => editor.document.lineAt(0).text === 'FIRST = 1');
      await editor.edit((change) => change.insert(editor.document.lineAt(7).range.end, '  # two'));
      void run('placet.answer', id);
      user('click', 'Allow in This Session');
      assert.equal((await ended).stopReason, 'end_turn');
      assert.equal(await onDisk(uri), text(1, '2  # two', 3));
      assert.ok(outputs.some((output) => output.includes('+SECOND = 2  # two')), 'the model is told of the typed text');
    },

    async 'the entry Review of the picker leads back to the first hunk that waits'() {
      const services = await openServices();
      const notes = await put('elsewhere.txt', '');
      const uri = await put('picker.py', text(1, 1, 1));
      const { ended } = await turnOf(services, read(uri), write(uri, text(1, 2, 1)));
      const { id } = await asked(services);
      void run('placet.answer', id);
      await proposal('picker.py');
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(notes));
      user('click', 'Review');
      await focused('picker.py');
      await cursorAt(7);
      services.pendingRequests.answer(id, { outcome: 'reject' });
      await ended;
    },

    async 'the trees tell of it'() {
      const services = await openServices();
      const uri = await put('told.py', text(1, 1, 1));
      const plan = { todos: [{ content: 'Look', status: 'completed' }, { content: 'Edit', status: 'in_progress' }] };
      const { ended } = await turnOf(services, ['todowrite', plan], read(uri), write(uri, text(2, 2, 1)));
      await asked(services);
      const [waiting] = await waits(services, '2');
      await run('placet.review.accept', targetOf(waiting, 0));
      await run('placet.review.reject', targetOf(waiting, 1));
      await ended;
      const trees = services.trees;
      assert.equal(trees['placet.todo'].description, '1/2');
      assert.deepEqual(trees['placet.todo'].roots().map(({ item }) => item.accessibilityInformation.label), ['Look, done', 'Edit, in progress']);
      await until('the change is listed', () => trees['placet.changes'].roots().length === 1);
      const turn = () => trees['placet.changes'].roots()[0];
      const hunks = async () => (await (await turn().children())[0].children()).map(({ item }) => item.contextValue).join();
      await until('the turn has its name', () => turn().item.label === 'Do it');
      await until('the hunks have their states', async () => (await hunks()) === 'hunk.kept,hunk.dropped');
      const [file] = await turn().children();
      assert.equal(file.item.label, 'told.py');
      assert.match(file.item.accessibilityInformation.label, /^told\.py, changed file, accepted/);
      const sessions = await trees['placet.sessions'].roots();
      assert.match(sessions[0].item.accessibilityInformation.label, /open/);
      await run('placet.sessions.fork', sessions[0]);
      assert.equal((await trees['placet.sessions'].roots()).length, sessions.length + 1);
    },
};

exports.run = () => runAll(alone(TESTS), { settings: { 'placet.reviewMode': 'ask' } });
