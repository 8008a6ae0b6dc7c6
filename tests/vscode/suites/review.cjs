// Changes reviewed before they are written: hunk by hunk, with typing, comments and keys, in VS Code's own diff editors.
const { asked, assert, onDisk, openServices, openTabs, prompt, put, runAll, say, until, user, vscode } = require('./harness.cjs');
const { closed, text, add, remove, move, update, patch, read, write, turnOf, run, proposal, focused, cursorAt, review, decided, labels, alone } = require('../reviewing.cjs');

const MOST_LETTERS = 40;
const LETTER_MILLISECONDS = 40;

const TESTS = {
    async 'a change is reviewed by keys, and only what was accepted is written'() {
      const services = await openServices();
      const uri = await put('keys.py', text(1, 1, 1));
      const { ended } = await turnOf(services, read(uri), write(uri, text(2, 2, 2)));
      await asked(services);
      void run('placet.review');
      await proposal('keys.py');
      await focused('keys.py');
      await cursorAt(0);
      user('keys', 'Alt+]');
      await cursorAt(7);
      user('keys', 'Alt+n');
      await decided(services, '.n.');
      await cursorAt(14);
      user('keys', 'Alt+[');
      user('keys', 'Alt+[');
      await cursorAt(0);
      user('keys', 'Alt+y');
      await decided(services, 'yn.');
      assert.equal(await onDisk(uri), text(1, 1, 1), 'nothing is written yet');
      user('keys', 'Alt+y');
      assert.equal((await ended).stopReason, 'end_turn');
      assert.equal(await onDisk(uri), text(2, 1, 2));
      await closed();
    },

    async 'three files are reviewed in one list, with mixed and edited answers'() {
      const services = await openServices();
      const one = await put('one.py', text(1, 1, 1));
      const two = await put('two.py', text(1, 1, 1));
      const three = await put('three.py', 'OLD = 1\n');
      const { ended, outputs } = await turnOf(
        services,
        read(one),
        read(two),
        read(three),
        patch(
          update('one.py', 'FIRST = 1', 'FIRST = 2') + '@@\n-THIRD = 1\n+THIRD = 2\n',
          update('two.py', 'SECOND = 1', 'SECOND = 2'),
          update('three.py', 'OLD = 1', 'NEW = 1'),
        ),
      );
      await asked(services);
      await until('the three files are listed', () => labels(services, 'proposed').join() === 'one.py,three.py,two.py');
      void run('placet.review');
      const editor = await proposal('two.py');
      await until('it is one tab', () => openTabs().length === 1);
      const type = (text) => editor.edit((change) => change.replace(editor.document.lineAt(7).range, text));
      // Typed for so long that VS Code, which asks nobody, opens a tab of what is not saved.
      for (let letters = 0; openTabs().length === 1 && letters < MOST_LETTERS; letters++) {
        await type(`SECOND = ${letters}`);
        await new Promise((resolve) => setTimeout(resolve, LETTER_MILLISECONDS));
      }
      await type('SECOND = 22  # mine');
      const [first] = review(services).files;
      await run('placet.review.reject', { reviewId: review(services).id, key: first.units[1].key });
      await decided(services, '.n . .');
      for (const file of review(services).files.slice(0, 2)) {
        await run('placet.review.accept', { reviewId: review(services).id, key: file.units[0].key });
      }
      await decided(services, 'yn y .');
      await run('placet.review.reject', { reviewId: review(services).id, key: review(services).files[2].units[0].key });
      assert.equal((await ended).stopReason, 'end_turn');
      assert.equal(await onDisk(one), text(2, 1, 1));
      assert.equal(await onDisk(two), text(1, '22  # mine', 1));
      assert.equal(await onDisk(three), 'OLD = 1\n');
      say(outputs.at(-1));
      assert.match(outputs.at(-1), /The user changed your proposal before allowing it/);
      assert.match(outputs.at(-1), /NOT applied/);
      await closed();
      await until('what was kept and dropped is listed', () => labels(services, 'kept').length === 2 && labels(services, 'dropped').length === 2);
      assert.deepEqual(labels(services, 'kept'), ['one.py', 'two.py']);
      assert.deepEqual(labels(services, 'dropped'), ['one.py', 'three.py']);
      await until('no proposal is listed', () => labels(services, 'proposed').length === 0);
    },

    async 'what was dropped can be put in, and what was kept be undone'() {
      const services = await openServices();
      const uri = await put('later-on.py', text(1, 1, 1));
      const { ended } = await turnOf(services, read(uri), write(uri, text(2, 2, 2)));
      const { id } = await asked(services);
      const keys = review(services).files[0].units.map(({ key }) => key);
      for (const [index, key] of keys.entries()) {
        await run(index === 1 ? 'placet.review.reject' : 'placet.review.accept', { reviewId: id, key });
      }
      await ended;
      const [dropped] = await until('it is listed', () => services.changes.resources('dropped').length === 1 && services.changes.resources('dropped'));
      await run('placet.changes.putIn', dropped);
      const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === uri.toString());
      assert.equal(document.getText(), text(2, 2, 2));
      assert.equal(document.isDirty, true);
      await document.save();
      const told = [];
      const listening = services.agent.onUpdate(({ update }) => {
        told.push(...(update.kind === 'user_message' ? update.message.parts : []).map((part) => part.text));
      });
      await prompt(services, services.session.id, 'Go on').finally(() => listening.dispose());
      assert.match(told.join('\n'), /refused this part of your change of later-on.py, and has put it in since/);
      const [kept] = services.changes.resources('kept');
      const original = await services.changes.original(uri);
      assert.equal((await vscode.workspace.openTextDocument(original)).getText(), text(1, 1, 1), 'for the gutter');
      await run('placet.changes.open', kept);
      await until('the change is shown', () => openTabs().some((label) => label.includes('(Placet)')));
      await run('placet.changes.undoFile', kept);
      await until('it is undone', () => document.getText() === text(1, 2, 1));
    },

    async 'a new and a deleted file are accepted, another deletion is not'() {
      const services = await openServices();
      const gone = await put('gone.py', 'GONE = 1\n');
      const stays = await put('stays.py', 'STAYS = 1\n');
      const made = vscode.Uri.joinPath(gone, '..', 'made.py');
      const { ended } = await turnOf(
        services,
        read(gone),
        read(stays),
        patch(add('made.py', ['MADE = 1']), remove('gone.py'), remove('stays.py')),
      );
      const { id } = await asked(services);
      void run('placet.review');
      const editor = await proposal('gone.py');
      assert.equal(editor.document.getText(), '');
      const lenses = await run('vscode.executeCodeLensProvider', editor.document.uri, 10);
      assert.match(lenses[0].command.title, /Delete file · 2 of 3/);
      const uriOf = (index) => review(services).files[index].file.uri;
      await run('placet.review.rejectFile', { reviewId: id, uri: uriOf(2) });
      await run('placet.review.acceptFile', { reviewId: id, uri: uriOf(0) });
      await run('placet.review.acceptFile', { reviewId: id, uri: uriOf(1) });
      assert.equal((await ended).stopReason, 'end_turn');
      assert.equal(await onDisk(made), 'MADE = 1\n');
      assert.equal(await onDisk(stays), 'STAYS = 1\n');
      await assert.rejects(onDisk(gone));
    },

    async 'a rename is accepted with its change, another is not'() {
      const services = await openServices();
      const old = await put('old-name.py', 'OLD = 1\n');
      const stays = await put('keeps-name.py', 'STAYS = 1\n');
      const named = (name) => vscode.Uri.joinPath(old, '..', name);
      const moves = [move('old-name.py', 'new-name.py', 'OLD = 1', 'NEW = 1'), move('keeps-name.py', 'lost-name.py', 'STAYS = 1', 'GOES = 1')];
      const { ended, outputs } = await turnOf(services, read(old), read(stays), patch(...moves));
      const { id } = await asked(services);
      void run('placet.review');
      const { document } = await proposal('new-name.py');
      assert.equal(document.getText(), 'NEW = 1\n');
      const lenses = await run('vscode.executeCodeLensProvider', document.uri, 10);
      assert.match(lenses[0].command.title, /Rename/);
      await run('placet.review.rejectFile', { reviewId: id, uri: stays.toString() });
      await run('placet.review.acceptFile', { reviewId: id, uri: old.toString() });
      assert.equal((await ended).stopReason, 'end_turn');
      assert.equal(await onDisk(named('new-name.py')), 'NEW = 1\n');
      await assert.rejects(onDisk(old));
      assert.equal(await onDisk(stays), 'STAYS = 1\n');
      await assert.rejects(onDisk(named('lost-name.py')));
      assert.match(outputs.at(-1), /Renamed old-name\.py to new-name\.py/);
      assert.match(outputs.at(-1), /keeps-name\.py: the user refused/);
      await closed();
    },

    async 'a comment on a hunk reaches the model, and one on an applied change is a prompt'() {
      const services = await openServices();
      const uri = await put('said.py', text(1, 1, 1));
      const { ended, outputs } = await turnOf(services, read(uri), write(uri, text(2, 1, 2)));
      await asked(services);
      void run('placet.review');
      const editor = await proposal('said.py');
      const thread = { uri: editor.document.uri, range: new vscode.Range(0, 0, 0, 0), comments: [], dispose() {} };
      await run('placet.comment.add', { thread, text: 'Why two?' });
      await run('placet.review.acceptAll');
      await ended;
      assert.match(outputs.at(-1), /Why two\?/);
      assert.match(outputs.at(-1), /FIRST = 2/);

      const [kept] = await until('it is listed', () => services.changes.resources('kept').length === 1 && services.changes.resources('kept'));
      await run('placet.changes.open', kept);
      const shown = await until('the change is shown', () =>
        vscode.window.visibleTextEditors.find(({ document }) => document.uri.scheme === 'placet-review' && document.uri.query === 'after'),
      );
      const events = [];
      const listening = services.agent.onUpdate(({ update }) => events.push(update));
      const after = { uri: shown.document.uri, range: new vscode.Range(14, 0, 14, 0), comments: [], dispose() {} };
      await run('placet.comment.add', { thread: after, text: 'Make it three' });
      listening.dispose();
      const { message } = events.find(({ kind }) => kind === 'user_message');
      say(JSON.stringify(message.parts));
      assert.equal(message.parts[0].text, 'Make it three');
      assert.deepEqual(message.parts.find(({ type }) => type === 'file').range, { start: 15, end: 15 });
    },

    async 'a comment is written in the editor itself'() {
      const services = await openServices();
      const uri = await put('written.py', text(1, 1, 1));
      const { ended, outputs } = await turnOf(services, read(uri), write(uri, text(2, 1, 1)));
      await asked(services);
      void run('placet.review');
      await proposal('written.py');
      await focused('written.py');
      await cursorAt(0);
      user('keys', 'Alt+c');
      user('see', '.review-widget .monaco-editor.focused');
      user('write', 'Is this safe?');
      user('push', 'Add Comment');
      await until('it is kept', () => services.reviews.comments.of(review(services)).length === 1);
      await run('placet.review.rejectAll');
      await ended;
      assert.match(outputs.at(-1), /Is this safe\?/);
      assert.equal(await onDisk(uri), text(1, 1, 1));
    },
};

exports.run = () => runAll(alone(TESTS), { settings: { 'placet.reviewMode': 'ask' } });
