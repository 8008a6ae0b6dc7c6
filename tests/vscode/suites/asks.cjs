// What the daemon asks the user, answered by the pickers; and that nothing of it gets in the way of typing.
const { asked, assert, killDaemon, onDisk, openServices, openTabs, play, prompt, put, runAll, say, toolOutputs, until, user, vscode } = require('./harness.cjs');

/** Runs a turn in which the model makes these calls, one after the other. */
async function turnOf(services, ...calls) {
  const turns = calls.map(([call, given]) => ({ events: [{ call, arguments: given }] }));
  const session = await play(services, [...turns, { events: [{ text: 'Done.' }] }]);
  return prompt(services, session, 'Do it');
}

const TESTS = {
  async 'no keystroke is lost while a turn asks and edits'() {
    const services = await openServices();
    const typed = await put('typed.txt', '');
    const edited = await put('edited.py', 'ONE = 1\n');
    const document = await vscode.workspace.openTextDocument(typed);
    // The daemon runs before the first letter: on a busy machine its start would outlast the typing.
    await services.agent.start();
    await vscode.window.showTextDocument(document);
    // user.mjs types into the editor from the first letter on, and looks at nothing else.
    await until('the user types', () => document.getText().length > 2);
    const turn = turnOf(
      services,
      ['read', { filePath: edited.fsPath }],
      ['edit', { filePath: edited.fsPath, oldString: 'ONE = 1', newString: 'ONE = 2' }],
    );
    const ask = await asked(services);
    const more = () => {
      const { length } = document.getText();
      return until('the user types on', () => document.getText().length > length + 4);
    };
    await more();
    services.pendingRequests.answer(ask.id, { outcome: 'once' });
    await turn;
    await more();
    await put('enough', '');
    const all = await until('the user has ended', () => onDisk(vscode.Uri.joinPath(typed, '../all')).catch(() => undefined));
    await until('all letters are there', () => document.getText() === all);
    assert.equal(vscode.window.activeTextEditor?.document, document);
    assert.equal(await onDisk(edited), 'ONE = 2\n');
    await until('only the user\'s tab is left', () => openTabs().join() === 'typed.txt');
  },

  async 'a command is allowed in this project by the picker, runs unasked from then on, and asks again once revoked'() {
    const services = await openServices();
    const made = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, 'made.txt');
    const command = ['bash', { command: 'touch made.txt', description: 'Make a file' }];
    const first = turnOf(services, command);
    const ask = await asked(services);
    void vscode.commands.executeCommand('placet.answer', ask.id);
    user('click', 'Allow in This Project');
    assert.equal((await first).stopReason, 'end_turn');
    await vscode.workspace.fs.stat(made);

    assert.equal((await turnOf(services, command)).stopReason, 'end_turn');

    const { grants } = await services.agent.request('agent/permission/rules', {});
    const [grant] = grants.filter((one) => one.scope === 'project');
    say(`granted: ${JSON.stringify(grant)}`);
    await services.agent.request('agent/permission/revoke', { id: grant.id });
    const third = turnOf(services, command);
    services.pendingRequests.answer((await asked(services)).id, { outcome: 'reject', feedback: 'not again' });
    assert.ok((await third).stopReason);
  },

  async 'a question is answered by the picker'() {
    const services = await openServices();
    const events = [];
    const listening = services.agent.onUpdate((event) => events.push(event));
    const options = [
      { label: 'Tabs', description: 'One each' },
      { label: 'Spaces', description: 'Four each' },
    ];
    const turn = turnOf(services, ['question', { questions: [{ header: 'Indent', question: 'With what?', options }] }]);
    const ask = await until('the daemon asks', () => services.pendingRequests.waiting.find((one) => one.kind === 'question'));
    void vscode.commands.executeCommand('placet.answer', ask.id);
    user('click', 'Spaces');
    assert.equal((await turn).stopReason, 'end_turn');
    listening.dispose();
    assert.match(toolOutputs(events).join('\n'), /Spaces/);
  },

  async 'a question that was put away is still open, and its picker can be opened again'() {
    const services = await openServices();
    const uri = await put('later.py', 'ONE = 1\n');
    const turn = turnOf(
      services,
      ['read', { filePath: uri.fsPath }],
      ['edit', { filePath: uri.fsPath, oldString: 'ONE = 1', newString: 'ONE = 2' }],
    );
    const ask = await asked(services);
    const opened = vscode.commands.executeCommand('placet.answer', ask.id);
    await until('the diff is open', () => openTabs().length === 1);
    user('press', 'Escape');
    await opened;
    assert.equal(services.pendingRequests.waiting.length, 1);
    void vscode.commands.executeCommand('placet.answer');
    user('click', 'Accept All');
    assert.equal((await turn).stopReason, 'end_turn');
    assert.equal(await onDisk(uri), 'ONE = 2\n');
  },

  async 'a file that a command changes is read again'() {
    const services = await openServices();
    const uri = await put('disk.py', 'ONE = 1\n');
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
    const turn = turnOf(services, ['bash', { command: 'echo "ONE = 3" > disk.py', description: 'Change it' }]);
    services.pendingRequests.answer((await asked(services)).id, { outcome: 'once' });
    assert.equal((await turn).stopReason, 'end_turn');
    await until('it is read again', () => document.getText() === 'ONE = 3\n');
  },

  async 'the turn of a daemon that was killed is told as ended, and its session is still there'() {
    const services = await openServices();
    const turn = turnOf(services, ['bash', { command: 'touch never.txt', description: 'Make a file' }]);
    const failed = assert.rejects(turn);
    await asked(services);
    await killDaemon(services);
    await failed;
    await until('nothing waits', () => services.pendingRequests.waiting.length === 0 && services.agent.status.running.length === 0);
    await until('it runs again', () => services.agent.status.state === 'ready');
    const { events } = await services.agent.request('agent/session/load', { sessionId: services.session.id });
    assert.ok(events.some((event) => event.update.kind === 'user_message'));
  },

  async 'the doctor says what was found, and copies the report for a report of a fault'() {
    const services = await openServices();
    await vscode.commands.executeCommand('placet.doctor');
    const text = services.doctor.text;
    say(text);
    assert.match(text, /- found: the setting placet\.command/);
    assert.match(text, /version \d/);
    await until('the page is open', () => openTabs().includes('Placet: Doctor'));
    await vscode.commands.executeCommand('placet.copyDoctorReport');
    assert.equal(await vscode.env.clipboard.readText(), text);
  },
};

exports.run = () => runAll(TESTS, { settings: { 'placet.reviewMode': 'ask' } });
