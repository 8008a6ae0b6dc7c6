// Changes for which a call waits, reviewed before they are written: hunk by hunk, with typing, comments and keys.
const { asked, assert, onDisk, openServices, openTabs, prompt, put, runAll, say, until, user, vscode } = require('./harness.cjs');
const { ChatUser } = require('../model.cjs');
const { closed, text, add, remove, move, update, patch, read, write, turnOf, run, proposal, focused, cursorAt, waits, targetOf, labels, alone } = require('../reviewing.cjs');

const MOST_LETTERS = 40;
const LETTER_MILLISECONDS = 40;

const titles = async (uri) => (await run('vscode.executeCodeLensProvider', uri, 20)).map(({ command }) => command.title);

const TESTS = {
    async 'a change is reviewed by keys, each decision is written at once, and the last one ends the call'() {
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
      await waits(services, '2');
      await cursorAt(14);
      user('keys', 'Alt+[');
      await cursorAt(0);
      user('keys', 'Alt+y');
      await waits(services, '1');
      await until('the hunk is written', async () => (await onDisk(uri)) === text(2, 1, 1));
      assert.equal(services.pendingRequests.waiting.length, 1, 'the call still waits');
      await cursorAt(14);
      user('keys', 'Alt+y');
      assert.equal((await ended).stopReason, 'end_turn');
      assert.equal(services.pendingRequests.waiting.length, 0);
      assert.equal(await onDisk(uri), text(2, 1, 2));
      await closed();
    },

    async 'a waiting change stands in its file too, and is decided there'() {
      const services = await openServices();
      const uri = await put('in-file.py', text(1, 1, 1));
      const { ended } = await turnOf(services, read(uri), write(uri, text(2, 2, 1)));
      await asked(services);
      await waits(services, '2');
      await vscode.window.showTextDocument(uri);
      await until('the hunks have lenses', async () => (await titles(uri)).includes('Waiting · 1 of 2'));
      await run('placet.review.accept');
      await waits(services, '1');
      await cursorAt(7);
      await run('placet.review.reject');
      assert.equal((await ended).stopReason, 'end_turn');
      assert.equal(await onDisk(uri), text(2, 1, 1));
    },

    async 'after the last hunk of a file the next file of the same call is shown'() {
      const services = await openServices();
      const one = await put('next1.py', text(1, 1, 1));
      const two = await put('next2.py', text(1, 1, 1));
      const parts = [update('next1.py', 'FIRST = 1', 'FIRST = 2'), update('next2.py', 'SECOND = 1', 'SECOND = 2')];
      const { ended } = await turnOf(services, read(one), read(two), patch(...parts));
      await asked(services);
      const [first] = await waits(services, '1 1');
      await run('placet.changeSet.compare', targetOf(first, 0));
      await focused('next1.py');
      await cursorAt(0);
      user('keys', 'Alt+y');
      await focused('next2.py');
      await cursorAt(7);
      user('keys', 'Alt+n');
      assert.equal((await ended).stopReason, 'end_turn');
      assert.deepEqual([await onDisk(one), await onDisk(two)], [text(2, 1, 1), text(1, 1, 1)]);
      await closed();
    },

    async 'the steps from hunk to hunk stay in the list of the files, also after the last hunk of a file'() {
      const services = await openServices();
      const one = await put('list1.py', text(1, 1, 1));
      const two = await put('list2.py', text(1, 1, 1));
      const parts = [update('list1.py', 'FIRST = 1', 'FIRST = 2'), update('list2.py', 'SECOND = 1', 'SECOND = 2')];
      const { ended } = await turnOf(services, read(one), read(two), patch(...parts));
      await asked(services);
      await waits(services, '1 1');
      await run('placet.review');
      await until('it is one tab', () => openTabs().length === 1);
      const stepTo = async (name) => {
        for (let steps = 0; steps < 3 && !vscode.window.activeTextEditor?.document.uri.path.endsWith(name); steps++) {
          await run('placet.review.next');
        }
        await focused(name);
      };
      await stepTo('list2.py');
      await stepTo('list1.py');
      await run('placet.review.accept');
      await waits(services, '1');
      await stepTo('list2.py');
      assert.equal(openTabs().length, 1);
      await run('placet.review.reject');
      assert.equal((await ended).stopReason, 'end_turn');
      assert.deepEqual([await onDisk(one), await onDisk(two)], [text(2, 1, 1), text(1, 1, 1)]);
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
      const [first, second, third] = await waits(services, '2 1 1');
      await run('placet.review.reject', targetOf(first, 1));
      await run('placet.review.accept', targetOf(first, 0));
      await run('placet.review.accept', { ...targetOf(second, 0), isOwn: true });
      await run('placet.review.reject', targetOf(third, 0));
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

    async 'accept in the card accepts the hunks that are left, and reject with feedback tells the model'() {
      const services = await openServices();
      const chat = new ChatUser();
      await run('placet.chat.focus');
      const uri = await put('card.py', text(1, 1, 1));
      const { ended, outputs } = await turnOf(services, read(uri), write(uri, text(2, 2, 2)), write(uri, text(2, 3, 2)));
      await chat.see('card.py');
      const [file] = await waits(services, '3');
      await run('placet.review.reject', targetOf(file, 1));
      await waits(services, '2');
      await chat.click('Accept All');
      await until('the second change waits', () => services.changeSet.files[0]?.hunks[0]?.newLines[0] === 'SECOND = 3\n');
      assert.equal(await onDisk(uri), text(2, 1, 2));
      const { id } = await asked(services);
      services.waitingCalls.answer(id, { outcome: 'reject', feedback: 'Leave the second alone.' });
      await ended;
      assert.match(outputs.at(-1), /Leave the second alone\./);
      assert.equal(await onDisk(uri), text(2, 1, 2));
    },

    async 'a change of another session of the window is reviewed, apart from the change of the session that the window shows'() {
      const services = await openServices();
      const one = await put('session1.py', text(1, 1, 1));
      const two = await put('session2.py', text(1, 1, 1));
      const first = await turnOf(services, read(one), write(one, text(2, 2, 2)));
      const { id } = await asked(services);
      await waits(services, '3');
      const second = await turnOf(services, read(two), write(two, text(2, 1, 1)));
      await waits(services, '1 3');
      await run('placet.review', id);
      await focused('session1.py');
      await cursorAt(0);
      user('keys', 'Alt+n');
      await waits(services, '1 2');
      await run('placet.review.acceptAll');
      assert.equal((await first.ended).stopReason, 'end_turn');
      assert.deepEqual([await onDisk(one), await onDisk(two)], [text(1, 2, 2), text(1, 1, 1)]);
      await waits(services, '1');
      await run('placet.review.acceptAll');
      assert.equal((await second.ended).stopReason, 'end_turn');
      assert.equal(await onDisk(two), text(2, 1, 1));
      await closed();
    },

    async 'what was dropped can be put in, and what was kept be undone'() {
      const services = await openServices();
      const uri = await put('later-on.py', text(1, 1, 1));
      const { ended } = await turnOf(services, read(uri), write(uri, text(2, 2, 2)));
      await asked(services);
      const [file] = await waits(services, '3');
      for (const index of file.hunks.keys()) {
        await run(index === 1 ? 'placet.review.reject' : 'placet.review.accept', targetOf(file, index));
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
      await asked(services);
      const files = await waits(services, '1 1 1');
      for (const uri of [stays, made, gone]) {
        const file = files.find((one) => one.uri === uri.toString());
        await run(uri === stays ? 'placet.review.rejectFile' : 'placet.review.acceptFile', targetOf(file));
      }
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
      await asked(services);
      void run('placet.review');
      const { document } = await proposal('new-name.py');
      assert.equal(document.getText(), 'NEW = 1\n');
      const [one, other] = await waits(services, '1 1');
      await run('placet.review.rejectFile', targetOf(other));
      await run('placet.review.acceptFile', targetOf(one));
      assert.equal((await ended).stopReason, 'end_turn');
      assert.equal(await onDisk(named('new-name.py')), 'NEW = 1\n');
      await assert.rejects(onDisk(old));
      assert.equal(await onDisk(stays), 'STAYS = 1\n');
      await assert.rejects(onDisk(named('lost-name.py')));
      assert.match(outputs.at(-1), /Renamed old-name\.py to new-name\.py/);
      assert.match(outputs.at(-1), /keeps-name\.py: the user refused/);
      await closed();
    },

    async 'a comment on a hunk reaches the model with an answer given elsewhere, and one on an applied change is a prompt'() {
      const services = await openServices();
      const uri = await put('said.py', text(1, 1, 1));
      const { ended, outputs } = await turnOf(services, read(uri), write(uri, text(2, 1, 2)));
      const { id } = await asked(services);
      void run('placet.review');
      const editor = await proposal('said.py');
      const thread = { uri: editor.document.uri, range: new vscode.Range(0, 0, 0, 0), comments: [], dispose() {} };
      await run('placet.changeSet.keepComment', { thread, text: 'Why two?' });
      await run('placet.answerWith', id, 'once');
      await ended;
      assert.match(outputs.at(-1), /Why two\?/);

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

    async 'a rejection in the card takes the comments on the hunks along'() {
      const services = await openServices();
      const uri = await put('refused.py', text(1, 1, 1));
      const { ended, outputs } = await turnOf(services, read(uri), write(uri, text(2, 1, 2)));
      const { id } = await asked(services);
      void run('placet.review');
      const editor = await proposal('refused.py');
      const thread = { uri: editor.document.uri, range: new vscode.Range(0, 0, 0, 0), comments: [], dispose() {} };
      await run('placet.changeSet.keepComment', { thread, text: 'Is this safe?' });
      services.waitingCalls.answer(id, { outcome: 'reject', feedback: 'Ask me first.' });
      await ended;
      assert.match(outputs.at(-1), /Is this safe\?/);
      assert.match(outputs.at(-1), /Ask me first\./);
      assert.equal(await onDisk(uri), text(1, 1, 1));
    },
};

exports.run = () => runAll(alone(TESTS), { settings: { 'placet.reviewMode': 'ask' } });
