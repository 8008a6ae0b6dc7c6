// A folder whose own `.vscode/settings.json` allows commands: VS Code trusts the folder, and the user is still asked.
const { asked, assert, onDisk, openServices, play, prompt, put, removeConfiguration, runAll, until, vscode } = require('./harness.cjs');

const root = () => vscode.workspace.workspaceFolders[0].uri;

/** A turn whose model runs one command. */
async function turnOf(services, command) {
  const call = { call: 'bash', arguments: { command, description: 'Make a file' } };
  const session = await play(services, [{ events: [call] }, { events: [{ text: 'Done.' }] }]);
  return prompt(services, session, 'Do it');
}

const made = (name) => vscode.workspace.fs.stat(vscode.Uri.joinPath(root(), name)).then(() => true, () => false);
const trustQuestion = (services) => services.pendingRequests.waiting.find(({ kind }) => kind === 'question');
const explained = async (services) => {
  const { outcome } = await services.agent.request('agent/permission/explain', { permission: 'bash', subject: 'touch x' });
  return outcome;
};

const TESTS = {
  async 'VS Code has the settings of the folder'() {
    const configuration = vscode.workspace.getConfiguration('placet');
    assert.equal(vscode.workspace.isTrusted, true);
    assert.equal(configuration.get('settings').permission.bash, 'allow');
    assert.equal(configuration.inspect('settings').globalValue.permission, undefined);
  },

  async 'a command that the settings of the folder allow is asked before it runs'() {
    const services = await openServices();
    const turn = turnOf(services, 'touch first.txt');
    const ask = await asked(services);
    assert.equal(ask.request.permission, 'bash');
    assert.equal(await made('first.txt'), false);
    services.pendingRequests.answer(ask.id, { outcome: 'reject' });
    await turn;
    assert.equal(await made('first.txt'), false);
  },

  async 'a change is reviewed as the user has it by default, and not as the settings of the folder say'() {
    const services = await openServices();
    assert.equal(services.reviewMode.current, 'stage');
    const uri = await put('held.txt', 'one\n');
    const calls = [['read', { filePath: uri.fsPath }], ['edit', { filePath: uri.fsPath, oldString: 'one', newString: 'two' }]];
    const turns = calls.map(([call, given]) => ({ events: [{ call, arguments: given }] }));
    const session = await play(services, [...turns, { events: [{ text: 'Done.' }] }]);
    assert.equal((await prompt(services, session, 'Do it')).stopReason, 'end_turn');
    await until('it is proposed', () => services.changeSet.files.map((file) => file.uri).join() === uri.toString());
    assert.equal(await onDisk(uri), 'one\n');
    await vscode.commands.executeCommand('placet.review.rejectAll');
    await until('nothing is proposed', () => services.changeSet.files.length === 0);
    assert.equal(await onDisk(uri), 'one\n');
  },

  async 'the user is asked to trust the settings, and once trusted they count'() {
    const services = await openServices();
    const question = await until('the user is asked', () => trustQuestion(services));
    assert.match(question.request.questions[0].question, /workspace: the editor's settings of the workspace/);
    assert.equal(await explained(services), 'ask');
    services.pendingRequests.answer(question.id, { answers: [['Trust the project']] });
    await until('they count', async () => (await explained(services)) === 'allow');
    assert.equal((await turnOf(services, 'touch second.txt')).stopReason, 'end_turn');
    assert.equal(await made('second.txt'), true);
    assert.equal(services.reviewMode.current, 'stage', 'how changes are reviewed stays the choice of the user');
  },
};

exports.run = () => runAll(TESTS).finally(() => removeConfiguration('trust.json'));
