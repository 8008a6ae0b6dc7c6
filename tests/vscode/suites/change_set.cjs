// Changes gather in the session's change set while the agent goes on, and the user decides in the files themselves.
const fs = require('node:fs/promises');
const os = require('node:os');
const { asked, assert, inMode, onDisk, openServices, openTabs, play, prompt, put, runAll, say, until, user, vscode } = require('./harness.cjs');
const { ChatUser } = require('../model.cjs');
const { pictured } = require('../pictured.cjs');
const { cursorAt, labels, patch, add, move, remove, read, run, text, write } = require('../reviewing.cjs');

const DONE = { events: [{ text: 'Done.' }] };
const MANY_FILES = 300;
const MANY_HUNKS = 7;

const callsOf = (calls) => calls.map(([call, given]) => ({ events: [{ call, arguments: given }] }));

/** A session, in a review mode or as by default, whose model makes these calls in one turn, which has ended; then `later` turns. */
async function staged(services, calls, { mode, later = [] } = {}) {
  const session = await play(services, [...callsOf(calls), DONE, ...later]);
  await (mode && run('placet.chooseReview', mode));
  const { stopReason } = await prompt(services, session, 'Do it');
  assert.equal(stopReason, 'end_turn');
  assert.equal(services.pendingRequests.waiting.length, 0, 'nothing waits for an answer');
  return session;
}

const files = (services) => services.changeSet.files;
const fileOf = (services, uri) => services.changeSet.get(uri.toString());
const counted = (services, wanted) =>
  until(`the set has ${wanted}`, () => files(services).map(({ hunks }) => hunks.length).join() === wanted);
/** Once the file has the text: an open file is saved after the set has told of the decision. */
async function hasText(uri, expected) {
  await until('the text is on the disk', async () => (await onDisk(uri)) === expected).catch(() => undefined);
  assert.equal(await onDisk(uri), expected);
}

const empty = (services) => until('the set is empty', () => files(services).length === 0);

async function shown(uri) {
  const editor = await vscode.window.showTextDocument(uri);
  await run('workbench.action.focusActiveEditorGroup');
  return editor;
}

/** Titles of the lenses of a document, without the icons. */
async function lenses(uri) {
  const all = await run('vscode.executeCodeLensProvider', uri, 100);
  return all
    .filter(({ command }) => command?.command.startsWith('placet.'))
    .map(({ range, command }) => `${range.start.line} ${command.title.replace(/^\$\([\w-]+\)\s*/, '')}`);
}

/** Targets of the lenses of the hunks, in the order of the lines. */
async function targets(uri) {
  const all = await run('vscode.executeCodeLensProvider', uri, 100);
  return all.filter(({ command }) => command?.command === 'placet.review.reject').map(({ command }) => command.arguments[0]);
}

/** Everything the model is told with its next turn. */
async function told(services, session) {
  const texts = [];
  const listening = services.agent.onUpdate(({ update }) => {
    texts.push(...(update.kind === 'user_message' ? update.message.parts : []).map((part) => part.text));
  });
  await prompt(services, session, 'Go on').finally(() => listening.dispose());
  return texts.join('\n');
}

const proposalOf = (name) =>
  until(`the proposed text of ${name} is shown`, () =>
    vscode.window.visibleTextEditors.find(
      ({ document: { uri } }) => uri.scheme === 'placet-proposal' && uri.path.endsWith(`/${name}`),
    ),
  );

const TESTS = {
  async 'a turn ends without an answer, and its hunks are accepted and rejected in the file, by keys'() {
    const services = await openServices();
    const uri = await put('set/keys.py', text(1, 1, 1));
    const session = await staged(services, [read(uri), write(uri, text(2, 2, 2))], { later: [DONE] });
    await counted(services, '3');
    assert.equal(await onDisk(uri), text(1, 1, 1));
    const editor = await shown(uri);
    assert.equal(editor.document.getText(), text(1, 1, 1), 'the buffer is as before');
    await until('the hunks have lenses', async () => (await lenses(uri)).length > 0);
    assert.deepEqual((await lenses(uri)).slice(0, 5), ['0 Proposed · 1 of 3', '0 Accept', '0 Reject', '0 Comment', '0 Compare']);
    editor.selection = new vscode.Selection(3, 0, 3, 0);
    user('keys', 'Alt+]');
    await cursorAt(7);
    user('keys', 'Alt+n');
    await counted(services, '2');
    await cursorAt(14);
    user('keys', 'Alt+[');
    await cursorAt(0);
    user('keys', 'Alt+y');
    await counted(services, '1');
    await until('the hunk is written', async () => (await onDisk(uri)) === text(2, 1, 1));
    await cursorAt(14);
    user('keys', 'Alt+y');
    await empty(services);
    await hasText(uri, text(2, 1, 2));
    assert.match(await told(services, session), /keys\.py/);
  },

  async 'a key outside of every hunk decides nothing'() {
    const services = await openServices();
    const uri = await put('set/outside.py', text(1, 1, 1));
    await staged(services, [read(uri), write(uri, text(2, 2, 2))]);
    await counted(services, '3');
    const editor = await shown(uri);
    editor.selection = new vscode.Selection(4, 0, 4, 0);
    await run('placet.review.accept');
    assert.equal(await onDisk(uri), text(1, 1, 1));
    assert.equal(fileOf(services, uri).hunks.length, 3);
    await run('placet.review.rejectAll');
    await empty(services);
  },

  async 'the typing of the user moves the hunks, and stays'() {
    const services = await openServices();
    const uri = await put('set/typing.py', text(1, 1, 1));
    await staged(services, [read(uri), write(uri, text(1, 2, 2))]);
    await counted(services, '2');
    const editor = await shown(uri);
    await editor.edit((change) => change.insert(new vscode.Position(0, 0), '# mine\n'));
    await run('placet.review.accept', { setUri: uri.toString(), key: '0 [["SECOND = 1\\n"],["SECOND = 2\\n"]]' });
    await counted(services, '1');
    assert.equal(editor.document.getText(), `# mine\n${text(1, 2, 1)}`);
    assert.ok(editor.document.isDirty, 'what the user typed is not saved');
    assert.equal(fileOf(services, uri).hunks[0].oldStart, 15);
    await run('placet.review.acceptFile');
    await empty(services);
    assert.equal(editor.document.getText(), `# mine\n${text(1, 2, 2)}`);
  },

  async 'a hunk in conflict is settled by itself, and the other hunks stay acceptable'() {
    const services = await openServices();
    const uri = await put('set/conflict.py', text(1, 1, 1));
    await staged(services, [read(uri), write(uri, text(2, 2, 2))]);
    await counted(services, '3');
    const editor = await shown(uri);
    const meeting = () => fileOf(services, uri)?.hunks.filter(({ baseLines }) => baseLines) ?? [];
    const typed = (line, now) => editor.edit((change) => change.replace(editor.document.lineAt(line).range, now));
    await typed(0, 'FIRST = 1 ');
    await until('there is a conflict', () => meeting().length === 1);
    assert.equal(fileOf(services, uri).conflict, undefined);
    const all = await lenses(uri);
    const titles = ['0 Conflict · 1 of 3', '0 Take Theirs', '0 Keep Mine', '0 Resolve…', '7 Accept', '14 Accept'];
    assert.deepEqual(titles.filter((title) => !all.includes(title)), []);
    await run('placet.review.acceptAll');
    await until('the hunks that fit are accepted', () => fileOf(services, uri)?.hunks.length === 1);
    assert.equal(editor.document.getText(), text('1 ', 2, 2));
    assert.equal(meeting().length, 1);
    await typed(0, 'FIRST = 1');
    await until('the hunk fits again', () => meeting().length === 0 && fileOf(services, uri)?.hunks.length === 1);
    await typed(0, 'FIRST = 7');
    await until('there is a conflict again', () => meeting().length === 1);
    const target = async () => (await targets(uri)).find(({ key }) => key);
    await run('placet.changeSet.settle', await target());
    const proposal = await proposalOf('conflict.py');
    const markers = ['<<<<<<<', 'FIRST = 7', '|||||||', 'FIRST = 1', '=======', 'FIRST = 2', '>>>>>>>'];
    await until('the markers are there', () => proposal.document.getText().startsWith(markers[0]));
    markers.forEach((marker, line) => assert.ok(proposal.document.lineAt(line).text.startsWith(marker), marker));
    await run('placet.review.acceptFile', { setUri: uri.toString() });
    assert.equal(editor.document.getText(), text(7, 2, 2), 'a text with markers is not accepted');
    const marked = new vscode.Range(0, 0, markers.length, 0);
    await proposal.edit((change) => change.replace(marked, 'FIRST = 27\n'));
    await until('the text is the user’s', async () => (await lenses(proposal.document.uri)).includes('0 Accept Your Text'));
    await run('placet.review.acceptFile', { setUri: uri.toString() });
    await empty(services);
    assert.equal(editor.document.getText(), text(27, 2, 2));
    await until('the comparison is closed', () => openTabs().length === 1);
  },

  async 'the lenses of a hunk in conflict take the proposed lines or keep the lines of the user'() {
    const services = await openServices();
    const uri = await put('set/sides.py', text(1, 1, 1));
    await staged(services, [read(uri), write(uri, text(2, 2, 1))]);
    await counted(services, '2');
    const editor = await shown(uri);
    const meeting = () => fileOf(services, uri)?.hunks.filter(({ baseLines }) => baseLines) ?? [];
    await editor.edit((change) => {
      change.replace(editor.document.lineAt(0).range, 'FIRST = 7');
      change.replace(editor.document.lineAt(7).range, 'SECOND = 7');
    });
    await until('there are conflicts', () => meeting().length === 2);
    const sent = [];
    const { request } = services.agent;
    services.agent.request = (method, ...more) => {
      sent.push(method);
      return request.call(services.agent, method, ...more);
    };
    await run('placet.review.acceptAll');
    services.agent.request = request;
    assert.ok(!sent.includes('agent/review/decide'), 'a conflict is not accepted');
    const [first, second] = await targets(uri);
    await run('placet.review.accept', first);
    await until('one is left', () => meeting().length === 1);
    await run('placet.review.reject', second);
    await empty(services);
    assert.equal(editor.document.getText(), text(2, 7, 1));
  },

  async 'a conflict that is settled on the disk is no longer shown, also where no editor has the file'() {
    const services = await openServices();
    const uri = await put('set/elsewhere.py', text(1, 1, 1));
    await staged(services, [read(uri), write(uri, text(2, 1, 1))]);
    await counted(services, '1');
    const change = (to) => fs.writeFile(uri.fsPath, to);
    await change(text(7, 1, 1));
    await until('there is a conflict', () => fileOf(services, uri).hunks[0]?.baseLines);
    await run('placet.changeSet.compare', { setUri: uri.toString() });
    const { document } = await proposalOf('elsewhere.py');
    await until('the conflict has a lens', async () => (await lenses(document.uri)).includes('0 Conflict · 1 of 1'));
    await change(text(1, 1, 1));
    await until('the hunk has a lens', async () => (await lenses(document.uri)).includes('0 Proposed · 1 of 1'));
    await run('placet.review.rejectAll');
    await empty(services);
  },

  async 'the proposed text is edited beside the file, and exactly this text is written'() {
    const services = await openServices();
    const uri = await put('set/edited.py', text(1, 1, 1));
    await staged(services, [read(uri), write(uri, text(2, 2, 2))]);
    await counted(services, '3');
    await run('placet.review');
    const editor = await proposalOf('edited.py');
    assert.equal(editor.document.getText(), text(2, 2, 2));
    await until('the hunks have lenses', async () => (await lenses(editor.document.uri)).includes('7 Accept'));
    await editor.edit((change) => change.replace(editor.document.lineAt(7).range, 'SECOND = 22'));
    await until('there is a text to accept', async () => (await lenses(editor.document.uri)).includes('0 Accept Your Text'));
    await run('placet.changeSet.discardText', { setUri: uri.toString() });
    await until('the proposed text is back', () => editor.document.getText() === text(2, 2, 2));
    await until('the hunks are back', async () => (await lenses(editor.document.uri)).includes('7 Accept'));
    await editor.edit((change) => change.replace(editor.document.lineAt(7).range, 'SECOND = 33'));
    await until('there is a text to accept', async () => (await lenses(editor.document.uri)).includes('0 Accept Your Text'));
    await run('placet.review.acceptFile', { setUri: uri.toString() });
    await empty(services);
    await hasText(uri, text(2, 33, 2));
    await until('the comparison is closed', () => openTabs().length === 0);
  },

  async 'one hunk of the proposed text is edited and accepted alone, and the other edits of the user stay'() {
    const services = await openServices();
    const uri = await put('set/alone.py', text(1, 1, 1));
    const session = await staged(services, [read(uri), write(uri, text(2, 2, 2))], { later: [DONE] });
    await counted(services, '3');
    await run('placet.review');
    const editor = await proposalOf('alone.py');
    const typed = (line, now) => editor.edit((change) => change.replace(editor.document.lineAt(line).range, now));
    await typed(7, 'SECOND = 22\n# mine');
    await typed(15, 'THIRD = 33');
    const seen = (lens) => until(`there is ${lens}`, async () => (await lenses(editor.document.uri)).includes(lens));
    await seen('7 Edited by you · 2 of 3');
    await seen('15 Accept Hunk');
    await seen('0 Proposed · 1 of 3');
    await run('workbench.action.focusActiveEditorGroup');
    editor.selection = new vscode.Selection(8, 0, 8, 0);
    user('keys', 'Alt+y');
    await counted(services, '2');
    const written = text(1, 1, 1).replace('SECOND = 1', 'SECOND = 22\n# mine');
    await until('the hunk is written as edited', async () => (await onDisk(uri)) === written);
    assert.equal(editor.document.lineAt(15).text, 'THIRD = 33', 'the other edit stays');
    await seen('15 Edited by you · 2 of 2');
    const [reject] = (await run('vscode.executeCodeLensProvider', editor.document.uri, 100)).filter(
      ({ range, command }) => range.start.line === 0 && command.title.includes('Reject Hunk'),
    );
    await run(reject.command.command, ...reject.command.arguments);
    await counted(services, '1');
    await until('the rejected lines leave the text', () => editor.document.lineAt(0).text === 'FIRST = 1');
    await run('placet.review.acceptFile', { setUri: uri.toString() });
    await empty(services);
    await hasText(uri, written.replace('THIRD = 1', 'THIRD = 33'));
    assert.match(await told(services, session), /SECOND = 22/);
  },

  async 'an edit beside the hunks makes the proposed text one text'() {
    const services = await openServices();
    const uri = await put('set/beside.py', text(1, 1, 1));
    await staged(services, [read(uri), write(uri, text(2, 1, 2))]);
    await counted(services, '2');
    await run('placet.review');
    const editor = await proposalOf('beside.py');
    await editor.edit((change) => change.insert(new vscode.Position(4, 0), '# between\n'));
    await until('the text is one', async () => (await lenses(editor.document.uri)).includes('0 Accept Your Text'));
    assert.deepEqual((await lenses(editor.document.uri)).filter((lens) => lens.includes('hunk')), []);
    await run('placet.review.accept');
    await empty(services);
    await hasText(uri, text(2, 1, 2).replace('\n\n\n\n', '\n\n\n\n# between\n'));
  },

  async 'new, deleted and changed files are one list, and are decided from Source Control'() {
    const services = await openServices();
    const one = await put('set/one.py', text(1, 1, 1));
    const gone = await put('set/gone.py', 'GONE = 1\n');
    await staged(services, [read(one), read(gone), write(one, text(2, 1, 2)), patch(add('set/new.py', ['NEW = 1']), remove('set/gone.py'))]);
    await until('three files are listed', () => labels(services, 'proposed').join() === 'gone.py,new.py,one.py');
    assert.match(services.changeSetView.status.item.text, /\$\(git-pull-request\) 4$/);
    assert.match(services.changeSetView.status.item.tooltip, /4 hunks in 3 files to review/);
    await run('placet.review');
    await until('it is one list', () => openTabs().length === 1 && openTabs()[0].startsWith('Placet: 3 file'));
    const resource = (name) => services.changes.resources('proposed').find(({ uri }) => uri.endsWith(name));
    await run('placet.review.rejectFile', resource('gone.py'));
    await until('two files are left', () => labels(services, 'proposed').join() === 'new.py,one.py');
    assert.equal(await onDisk(gone), 'GONE = 1\n');
    const group = { id: 'proposed', resourceStates: services.changes.resources('proposed') };
    await run('placet.review.acceptAll', group);
    await empty(services);
    await hasText(one, text(2, 1, 2));
    await hasText(vscode.Uri.joinPath(one, '../new.py'), 'NEW = 1\n');
    await until('the list is closed', () => openTabs().length === 0);
  },

  async 'lines that are only added or only deleted are gone to, accepted and undone at their place'() {
    const services = await openServices();
    const uri = await put('set/places.py', text(1, 1, 1));
    const now = text(1, 1, 1).replace('SECOND', 'MORE = 1\nSECOND').replace('THIRD = 1\n', '');
    await staged(services, [read(uri), write(uri, now)]);
    await counted(services, '2');
    const editor = await shown(uri);
    await run('placet.review.next');
    await cursorAt(7);
    await run('placet.review.next');
    await cursorAt(14);
    await run('placet.review.previous');
    await cursorAt(7);
    await run('placet.review.accept');
    await counted(services, '1');
    assert.equal(editor.document.lineAt(7).text, 'MORE = 1');
    await cursorAt(15);
    await run('placet.review.reject');
    await empty(services);
    await hasText(uri, text(1, 1, 1).replace('SECOND', 'MORE = 1\nSECOND'));
  },

  async 'a renamed file is reviewed under its present name, and written under its new name'() {
    const services = await openServices();
    const uri = await put('set/before.py', text(1, 1, 1));
    await staged(services, [read(uri), patch(move('set/before.py', 'set/after.py', 'SECOND = 1', 'SECOND = 2'))]);
    await until('the new name is listed', () => labels(services, 'proposed').join() === 'after.py');
    await shown(uri);
    await until('the hunk has lenses', async () => (await lenses(uri)).includes('7 Accept'));
    await run('placet.review.acceptFile');
    await empty(services);
    await hasText(vscode.Uri.joinPath(uri, '../after.py'), text(1, 2, 1));
    await assert.rejects(onDisk(uri));
  },

  async 'a comment goes to the model with the decision, or at once'() {
    const services = await openServices();
    const uri = await put('set/words.py', text(1, 1, 1));
    const session = await staged(services, [read(uri), write(uri, text(2, 2, 1))], { later: [DONE, DONE] });
    await counted(services, '2');
    const editor = await shown(uri);
    const { comments } = services.changeSetView;
    const written = (words, button) => {
      user('keys', 'Alt+c');
      user('see', '.review-widget .monaco-editor.focused');
      user('write', words);
      user('push', button);
    };
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    written('The first stays one.', 'Add for Your Decision');
    await until('the comment is kept', () => comments.of(fileOf(services, uri)) === 'The first stays one.');
    assert.equal(editor.document.getText(), text(1, 1, 1), 'nothing is typed into the file');
    await shown(uri);
    await run('placet.review.reject');
    await counted(services, '1');
    assert.equal(comments.threads.size, 0);
    const texts = [];
    const listening = services.agent.onUpdate(({ update }) => {
      texts.push(...(update.kind === 'user_message' ? update.message.parts : []).map((part) => part.text));
    });
    editor.selection = new vscode.Selection(7, 0, 7, 0);
    written('Is the second right?', 'Send Now');
    await until('the model is told', () => texts.join('\n').includes('Is the second right?'));
    listening.dispose();
    assert.match(texts.join('\n'), /The first stays one\./);
    assert.match(texts.join('\n'), /-SECOND = 1\n\+SECOND = 2\n[^]*Is the second right\?/);
    await until('the turn has ended', () => services.agent.status.running.length === 0);
    assert.ok(session);
    await run('placet.review.rejectAll');
    await empty(services);
  },

  async 'a comment without a decision goes to the model with its next step, and the changes stay undecided'() {
    const services = await openServices();
    const uri = await put('set/said.py', text(1, 1, 1));
    const session = await staged(services, [read(uri), write(uri, text(2, 2, 1))], { later: [DONE, DONE] });
    await counted(services, '2');
    const editor = await shown(uri);
    const { comments } = services.changeSetView;
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    user('keys', 'Alt+c');
    user('see', '.review-widget .monaco-editor.focused');
    user('write', 'Why two?');
    user('push', 'Comment');
    const sent = await until('the comment is sent', () =>
      [...comments.threads.keys()].find((thread) => thread.comments.some(({ contextValue }) => contextValue === 'sent')),
    );
    assert.match(sent.label, /^Sent; /);
    assert.equal(comments.of(fileOf(services, uri)), '', 'the decision does not send the comment again');
    const asking = run('placet.changeSet.commentFile', { setUri: uri.toString() });
    user('type', 'Is the file needed?');
    await asking;
    assert.equal(services.agent.status.running.length, 0, 'no turn is started');
    const words = await told(services, session);
    assert.match(words, /FIRST = 2[^]*Why two\?/);
    assert.match(words, /Is the file needed\?/);
    assert.doesNotMatch(await told(services, session), /Why two/);
    await counted(services, '2');
    assert.equal(editor.document.getText(), text(1, 1, 1));
    await shown(uri);
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    await run('placet.review.accept');
    await counted(services, '1');
    assert.equal(comments.threads.size, 0, 'the thread goes with its hunk');
    await run('placet.review.rejectAll');
    await empty(services);
  },

  async 'a comment on a hunk that has changed stays for the decision'() {
    const services = await openServices();
    const uri = await put('set/gone.py', text(1, 1, 1));
    const calls = [...callsOf([read(uri), write(uri, text(2, 1, 1))]), DONE, ...callsOf([write(uri, text(3, 1, 1))]), DONE];
    const session = await play(services, calls);
    await prompt(services, session, 'Do it');
    await counted(services, '1');
    const editor = await shown(uri);
    const { comments } = services.changeSetView;
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    user('keys', 'Alt+c');
    user('see', '.review-widget .monaco-editor.focused');
    user('write', 'Why two?');
    user('push', 'Add for Your Decision');
    await until('the comment is kept', () => comments.of(fileOf(services, uri)) === 'Why two?');
    await prompt(services, session, 'Once more');
    await until('the hunk is another', () => fileOf(services, uri).hunks[0].newLines[0].includes('3'));
    const [thread] = comments.threads.keys();
    await comments.tell({ thread, text: '' });
    assert.equal(comments.of(fileOf(services, uri)), 'Why two?');
    await run('placet.review.rejectAll');
    await empty(services);
  },

  'the review mode is changed in the middle of a turn': inMode('ask', async () => {
    const services = await openServices();
    const one = await put('set/first.py', text(1, 1, 1));
    const two = await put('set/second.py', text(1, 1, 1));
    const calls = [read(one), read(two), write(one, text(2, 1, 1)), write(two, text(2, 1, 1))];
    const session = await play(services, [...callsOf(calls), DONE]);
    await until('the mode of the session is known', () => services.reviewMode.current === 'ask');
    const ended = prompt(services, session, 'Do it');
    const ask = await until('the first change waits', () => services.pendingRequests.waiting[0]);
    void run('placet.chooseReview');
    user('click', 'Collect changes for review');
    await until('the mode is changed', () => services.reviewMode.current === 'stage');
    services.pendingRequests.answer(ask.id, { outcome: 'once' });
    assert.equal((await ended).stopReason, 'end_turn');
    assert.equal(await onDisk(one), text(2, 1, 1), 'the answered change is written');
    assert.equal(await onDisk(two), text(1, 1, 1));
    await until('the other is in the set', () => fileOf(services, two));
    await run('placet.review.rejectAll');
    await empty(services);
  }),

  'an edit that an earlier answer allows is unreviewed with collect, and is not called accepted': inMode('ask', async () => {
    const services = await openServices();
    const uri = await put('set/allowed.py', text(1, 1, 1));
    const calls = [read(uri), write(uri, text(2, 1, 1))];
    const later = [...callsOf([write(uri, text(2, 2, 1))]), DONE];
    const session = await play(services, [...callsOf(calls), DONE, ...later]);
    const ended = prompt(services, session, 'Do it');
    const ask = await until('the change waits', () => services.pendingRequests.waiting[0]);
    services.pendingRequests.answer(ask.id, { outcome: 'always', scope: 'session' });
    await ended;
    void run('placet.chooseReview');
    user('click', 'Collect changes for review');
    await until('the mode is changed', () => services.reviewMode.current === 'stage');
    await prompt(services, session, 'Again');
    assert.equal(await onDisk(uri), text(2, 2, 1), 'the second edit is written at once');
    await until('the edit is unreviewed', () => fileOf(services, uri)?.state === 'unreviewed');
    const words = () => services.trees['placet.changes'].roots().flatMap((turn) => turn.children().map(({ item }) => item.description));
    // A list that is read during the turn can lack the numbers of lines; the end of the turn has the list read again.
    await until('both edits are listed with their lines', () => words().filter((word) => word.includes('+')).length === 2);
    assert.deepEqual(words(), ['written by your rule · +1 −1', 'accepted · +1 −1']);
    await run('placet.changeSet.keepAll');
    await empty(services);
  }),

  async 'the set stays over another session in the window, and over a restart of the daemon'() {
    const services = await openServices();
    const uri = await put('set/stays.py', text(1, 1, 1));
    const session = await staged(services, [read(uri), write(uri, text(2, 1, 2))]);
    await counted(services, '2');
    services.session.set(null);
    await empty(services);
    assert.equal(services.changeSetView.status.item.command, 'placet.chooseReview');
    services.session.set(session);
    await counted(services, '2');
    await services.agent.startAgain();
    await until('the mode is known again', () => services.reviewMode.current === 'stage');
    await counted(services, '2');
    await run('placet.review.acceptAll');
    await empty(services);
    await hasText(uri, text(2, 1, 2));
  },

  async 'the undecided changes of another session are seen in the chat, the status bar and the list of sessions'() {
    const services = await openServices();
    const uri = await put('set/elsewhere.py', text(1, 1, 1));
    const session = await staged(services, [read(uri), write(uri, text(2, 1, 2))]);
    await counted(services, '2');
    await services.agent.request('agent/session/rename', { sessionId: session, title: 'Elsewhere' });
    const { id } = await services.agent.request('agent/session/new', { title: 'Another' });
    services.session.set(id);
    await empty(services);
    await until('the other set is known', () => services.otherSets.all.some(({ title, files }) => title === 'Elsewhere' && files === 1));
    await until('the status bar tells', () => services.changeSetView.status.item.tooltip.includes('1 file to review in “Elsewhere”'));
    const roots = await services.trees['placet.sessions'].roots();
    assert.ok(roots.some(({ item, subject }) => subject.id === session && item.description.includes('1 file to review')));
    await run('placet.chat.focus');
    const chat = new ChatUser();
    await chat.see('1 file to review in “Elsewhere”');
    await chat.click('Open Session');
    await until('the session is the window’s', () => services.session.id === session);
    await counted(services, '2');
    await chat.gone('to review in “Elsewhere”');
    assert.deepEqual(services.otherSets.all.filter(({ sessionId }) => sessionId === session), []);
    await run('placet.review.rejectAll');
    await empty(services);
    services.session.set(id);
    await until('nothing is left elsewhere', () => services.otherSets.all.every(({ sessionId }) => sessionId !== session));
  },

  async 'a review mode that another client chose is the mode that the window shows'() {
    const services = await openServices();
    const session = await play(services, []);
    await until('the mode is known', () => services.reviewMode.current === 'stage');
    // As another client of the same daemon asks.
    await services.agent.request('agent/session/setReview', { sessionId: session, review: 'apply' });
    await until('the window shows the mode', () => services.reviewMode.current === 'apply');
    await until('the status bar tells', () => services.changeSetView.status.item.tooltip.includes('Apply changes, review afterwards'));
  },

  async 'a written change is unreviewed, and each hunk is kept or undone'() {
    const services = await openServices();
    const uri = await put('set/applied.py', text(1, 1, 1));
    const session = await staged(services, [read(uri), write(uri, text(2, 2, 2))], { mode: 'apply', later: [DONE] });
    assert.equal(await onDisk(uri), text(2, 2, 2), 'the change is written at once');
    await counted(services, '3');
    assert.deepEqual(labels(services, 'unreviewed'), ['applied.py']);
    const editor = await shown(uri);
    await until('the hunks have lenses', async () => (await lenses(uri)).length > 0);
    assert.deepEqual((await lenses(uri)).slice(0, 5), ['0 Unreviewed · 1 of 3', '0 Keep', '0 Undo', '0 Comment', '0 Compare']);
    await editor.edit((change) => change.insert(new vscode.Position(4, 0), '# mine\n'));
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    await run('placet.review.reject');
    await counted(services, '2');
    assert.equal(editor.document.lineAt(0).text, 'FIRST = 1', 'the hunk is undone');
    assert.equal(editor.document.lineAt(4).text, '# mine', 'what was typed stays');
    await cursorAt(8);
    await run('placet.review.accept');
    await counted(services, '1');
    assert.equal(editor.document.lineAt(8).text, 'SECOND = 2');
    await run('placet.changeSet.compare');
    await until('the text before is shown', () => openTabs().some((label) => label.includes('unreviewed')));
    await run('placet.changeSet.undoAll', { id: 'unreviewed', resourceStates: services.changes.resources('unreviewed') });
    await empty(services);
    assert.equal(editor.document.lineAt(15).text, 'THIRD = 1');
    assert.match(await told(services, session), /applied\.py/);
  },

  async 'permissions, links and binary files that a command changed are unreviewed, with words'() {
    const services = await openServices();
    const tool = await put('set/tool.py', text(1, 1, 1));
    const folder = vscode.Uri.joinPath(tool, '..').fsPath;
    const command = `cd ${folder} && chmod 755 tool.py && ln -s tool.py link && printf '\\000\\377' > image.bin`;
    const session = await play(services, [...callsOf([['bash', { command, description: 'Make the tool ready' }]]), DONE, DONE]);
    await run('placet.chooseReview', 'apply');
    const turn = prompt(services, session, 'Do it');
    services.pendingRequests.answer((await asked(services)).id, { outcome: 'once' });
    assert.equal((await turn).stopReason, 'end_turn');
    await until('three files are in the set', () => files(services).length === 3);
    assert.deepEqual(labels(services, 'unreviewed').sort(), ['image.bin', 'link', 'tool.py']);
    const details = services.changes.resources('unreviewed').map(({ decorations }) => decorations.tooltip).join('\n');
    assert.match(details, /made executable/);
    assert.match(details, /symbolic link to tool\.py/);
    assert.match(details, /binary file, 2 bytes/);
    await shown(tool);
    await until('the file has lenses', async () => (await lenses(tool)).length > 0);
    assert.deepEqual((await lenses(tool)).slice(0, 3), ['0 Unreviewed · File · made executable', '0 Keep', '0 Undo']);
    await pictured('vscode-made-executable.png', os.tmpdir());
    const link = vscode.Uri.joinPath(tool, '../link');
    await run('placet.changeSet.compare', { setUri: link.toString() });
    await until('the words about the link are shown', () =>
      vscode.window.visibleTextEditors.some(({ document }) => document.getText() === 'symbolic link to tool.py\n'),
    );
    await run('placet.changeSet.undoAll', { id: 'unreviewed', resourceStates: services.changes.resources('unreviewed') });
    await empty(services);
    assert.equal((await fs.stat(tool.fsPath)).mode & 0o777, 0o644);
    await assert.rejects(fs.lstat(link.fsPath));
    await assert.rejects(fs.lstat(vscode.Uri.joinPath(tool, '../image.bin').fsPath));
    assert.match(await told(services, session), /old mode 644\nnew mode 755/);
  },

  async 'new sessions collect changes by default, and ask where the setting says so'() {
    const services = await openServices();
    const { contributes } = vscode.extensions.getExtension('placet.placet').packageJSON;
    assert.equal(contributes.configuration.properties['placet.reviewMode'].default, 'stage');
    const uri = await put('set/default.py', text(1, 1, 1));
    const session = await play(services, [...callsOf([read(uri), write(uri, text(2, 1, 1))]), DONE]);
    await until('the session collects changes', () => services.reviewMode.current === 'stage');
    assert.equal((await prompt(services, session, 'Do it')).stopReason, 'end_turn');
    await counted(services, '1');
    assert.equal(await onDisk(uri), text(1, 1, 1));
    await run('placet.review.rejectAll');
    await empty(services);
    const configured = (value) =>
      vscode.workspace.getConfiguration('placet').update('reviewMode', value, vscode.ConfigurationTarget.Workspace);
    await configured('ask');
    await play(services, []);
    await until('the next session asks', () => services.reviewMode.current === 'ask');
    await configured(undefined);
    await fs.rm(vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, '.vscode').fsPath, { recursive: true });
  },

  async 'an asked change behind the list of the set is not answered with the set'() {
    const services = await openServices();
    const uris = [await put('set/list1.py', text(1, 1, 1)), await put('set/list2.py', text(1, 1, 1)), await put('set/asked.py', text(1, 1, 1))];
    const [one, two, three] = uris;
    const calls = [...uris.map(read), write(one, text(2, 1, 1)), write(two, text(2, 1, 1))];
    const session = await staged(services, calls, { later: [...callsOf([write(three, text(2, 1, 1))]), DONE] });
    await until('two files are in the set', () => files(services).length === 2);
    await run('placet.review');
    await until('the list is open', () => openTabs().some((label) => label.startsWith('Placet: 2 file')));
    await run('placet.chooseReview', 'ask');
    const ended = prompt(services, session, 'Go on');
    await until('a change waits', () => services.pendingRequests.waiting[0]);
    await until('the change is offered behind the list', () => openTabs().length === 2);
    await run('placet.review.acceptAll', vscode.Uri.parse('multi-diff-editor:/list'));
    await until('the rest of the set is accepted', () => files(services).map(({ uri }) => uri).join() === three.toString());
    assert.equal(services.pendingRequests.waiting.length, 1, 'the change still waits');
    await run('placet.review.rejectAll');
    await ended;
    assert.equal(await onDisk(three), text(1, 1, 1));
    assert.equal(await onDisk(one), text(2, 1, 1));
  },

  async 'proposed and written changes in one set are never decided by one command'() {
    const services = await openServices();
    const one = await put('set/written.py', text(1, 1, 1));
    const two = await put('set/proposed.py', text(1, 1, 1));
    const more = [...callsOf([read(two), write(two, text(2, 1, 1))]), DONE];
    const session = await staged(services, [read(one), write(one, text(2, 1, 1))], { mode: 'apply', later: more });
    await run('placet.chooseReview', 'stage');
    await prompt(services, session, 'Go on');
    await until('both are listed', () => labels(services, 'unreviewed').join() === 'written.py' && labels(services, 'proposed').join() === 'proposed.py');
    await run('placet.review');
    await until('the list is open', () => openTabs().some((label) => label.startsWith('Placet: 2 file')));
    await run('placet.review.rejectAll', vscode.Uri.parse('multi-diff-editor:/list'));
    await until('one file is left', () => files(services).length === 1);
    assert.equal(await onDisk(one), text(2, 1, 1), 'the written change stays');
    await run('placet.changeSet.undoAll');
    await empty(services);
    await hasText(one, text(1, 1, 1));
  },

  async 'twenty closed files are accepted through the editor, and three hundred on the disk'() {
    const services = await openServices();
    const old = 'one\n'.repeat(40);
    const now = `${old}two\n`;
    // Up to twenty closed files are opened in the editor (the setting `edit.filesThroughEditor`).
    for (const [way, count] of [['editor', 20], ['disk', MANY_FILES]]) {
      const names = Array.from({ length: count }, (_, index) => `${way}/f${index}.txt`);
      await Promise.all(names.map((name) => put(name, old)));
      const uris = names.map((name) => vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, name));
      const parts = names.map((name) => `*** Update File: ${name}\n@@\n one\n one\n one\n+two\n*** End of File\n`);
      await staged(services, [...uris.map(read), patch(...parts)]);
      await until('all are in the set', () => files(services).length === count);
      const deciding = performance.now();
      await run('placet.review.acceptAll');
      await empty(services);
      const accepting = performance.now() - deciding;
      say(`${count} closed files accepted through the ${way} in ${Math.round(accepting)} ms; load ${os.loadavg()[0]}`);
      assert.deepEqual(await Promise.all(uris.map(onDisk)), Array(count).fill(now));
      assert.deepEqual(openTabs(), []);
    }
  },

  async 'three hundred files with two thousand hunks are listed at once'() {
    const services = await openServices();
    const lines = Array.from({ length: MANY_HUNKS * 10 }, (_, index) => `line ${index}\n`);
    const changed = lines.map((line, index) => (index % 10 === 5 ? `new ${index}\n` : line));
    const names = Array.from({ length: MANY_FILES }, (_, index) => `many/f${index}.txt`);
    for (const name of names) {
      await put(name, lines.join(''));
    }
    const hunks = lines.flatMap((line, index) => (index % 10 === 5 ? [`@@\n-${line}+${changed[index]}`] : [])).join('');
    const reads = names.map((name) => read(vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, name)));
    await staged(services, [...reads, patch(...names.map((name) => `*** Update File: ${name}\n${hunks}`))]);
    await until('all are in the set', () => files(services).length === MANY_FILES);
    const { view, changes } = { view: services.changeSetView, changes: services.changes };
    // From the answer of the daemon to the drawn list: lenses, badges, marks, Source Control.
    const listed = files(services);
    const start = performance.now();
    services.changeSet.take([...listed]);
    const drawn = performance.now() - start;
    const asked = performance.now();
    await services.changeSet.load();
    const loaded = performance.now() - asked;
    await run('workbench.view.explorer');
    const opening = performance.now();
    await run('placet.review');
    const opened = performance.now() - opening;
    assert.deepEqual(openTabs(), [], 'no 300 comparisons are loaded');
    say(`300 files, ${listed.reduce((sum, file) => sum + file.hunks.length, 0)} hunks: drawn in ${Math.round(drawn)} ms, read in ${Math.round(loaded)} ms, opened in ${Math.round(opened)} ms`);
    assert.equal(changes.resources('proposed').length, MANY_FILES);
    assert.ok(view.status.item.text.endsWith(String(MANY_FILES * MANY_HUNKS)));
    const deciding = performance.now();
    await run('placet.review.rejectAll');
    await empty(services);
    say(`all rejected in ${Math.round(performance.now() - deciding)} ms`);
  },
};

exports.run = () => runAll(TESTS);
