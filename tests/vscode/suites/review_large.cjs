// A change of thousands of lines: it is offered whole, its diff is opened on demand, and it is accepted whole.
const { asked, assert, onDisk, openServices, openTabs, play, prompt, put, runAll, until } = require('./harness.cjs');
const { proposal, run } = require('../reviewing.cjs');

const LINES = 6000;
const text = (word) => Array.from({ length: LINES }, (_, line) => `${word} = ${line}\nsame${line} = 1\n`).join('');

const TESTS = {
  async 'a file of 6,000 changed lines opens no tab by itself, and is accepted whole'() {
    const services = await openServices();
    const uri = await put('large.py', text('old'));
    const turns = [['read', { filePath: uri.fsPath }], ['write', { filePath: uri.fsPath, content: text('new') }]];
    const session = await play(services, [...turns.map(([call, given]) => ({ events: [{ call, arguments: given }] })), { events: [{ text: 'Done.' }] }]);
    const turn = prompt(services, session, 'Rename old to new');
    const { id } = await asked(services);
    await until('the file is in the set', () => services.changeSet.get(uri.toString())?.waits);
    assert.equal(services.waitingCalls.waiting[0].files.length, 1);
    assert.deepEqual(openTabs(), []);
    await run('placet.review', id);
    const { document } = await proposal('large.py');
    const lenses = await run('vscode.executeCodeLensProvider', document.uri, 10);
    assert.deepEqual(lenses.slice(0, 2).map(({ command }) => command.title), ['Waiting · File', '$(check)\u00a0Accept']);
    await run('placet.review.accept');
    assert.equal((await turn).stopReason, 'end_turn');
    assert.equal(await onDisk(uri), text('new'));
  },
};

exports.run = () => runAll(TESTS, { settings: { 'placet.reviewMode': 'ask' } });
