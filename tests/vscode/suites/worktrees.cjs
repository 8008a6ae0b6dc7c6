// Worktrees in the list of sessions with the states of their sessions, and a worktree brought back into the review.
const { execFileSync } = require('node:child_process');
const fs = require('node:fs/promises');
const os = require('node:os');
const path = require('node:path');
const { assert, onDisk, openServices, play, prompt, put, removeConfiguration, runAll, settingsWith, setUser, until, user, vscode } = require('./harness.cjs');
const { pictured } = require('../pictured.cjs');

const root = () => vscode.workspace.workspaceFolders[0].uri;
const git = (...words) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...words], { cwd: root().fsPath });

/** Makes the folder a repository with one more commit. */
async function repository(services) {
  git('init', '--quiet');
  await put('worktree.txt', 'one\ntwo\nthree\n');
  git('add', '--force', 'worktree.txt');
  git('commit', '--quiet', '--allow-empty', '--message', 'For worktrees');
  await services.agent.start();
}

const write = ({ uri }, text) => fs.writeFile(path.join(vscode.Uri.parse(uri).fsPath, 'worktree.txt'), text);

async function nodeOf(services, label) {
  const nodes = await services.trees['placet.sessions'].roots();
  return nodes.find(({ item }) => item.label === label);
}

/** Settings with an isolated subagent whose command waits until the gate is written. */
async function fixer(directory) {
  const command = `touch ${directory}/started; cat ${directory}/gate; printf '\\0' > new.bin; ln -s worktree.txt link`;
  const edit = { filePath: 'worktree.txt', oldString: 'two\n', newString: 'TWO\n' };
  const turns = [
    { events: [{ call: 'read', arguments: { filePath: 'worktree.txt' } }] },
    { events: [{ call: 'edit', arguments: edit }] },
    { events: [{ call: 'bash', arguments: { command: `${command}; chmod +x worktree.txt`, description: 'Wait and make' } }] },
    { events: [{ text: 'Done.' }] },
  ];
  execFileSync('mkfifo', [path.join(directory, 'gate')]);
  await fs.writeFile(path.join(directory, 'script.json'), JSON.stringify({ turns }));
  const agent = { fixer: { mode: 'subagent', isolation: 'worktree', model: `scripted/${directory}/script.json` } };
  return { agent, permission: { task: 'allow', edit: 'allow', bash: 'allow', external_directory: 'allow' } };
}

/** Titles of the lenses at the proposed text of the file. */
async function lenses(name) {
  const isProposal = ({ uri }) => uri.scheme === 'placet-proposal' && uri.path.endsWith(`/${name}`);
  // The window may still have the text of another session.
  const documents = vscode.workspace.textDocuments.filter(isProposal);
  const lensesOf = ({ uri }) => vscode.commands.executeCommand('vscode.executeCodeLensProvider', uri, 10);
  return (await Promise.all(documents.map(lensesOf))).flat().map(({ command }) => command?.title ?? '');
}

/** The worktrees of the test are removed with all that is in them. */
const removed = (test) => () =>
  test().finally(async () => {
    const { agent } = await openServices();
    for (const { name } of (await agent.request('agent/worktree/list', {})).worktrees) {
      await agent.request('agent/worktree/remove', { name, force: true });
    }
  });

const TESTS = {
  async 'a worktree stands above the sessions with its state'() {
    const services = await openServices();
    await repository(services);
    const worktree = await services.worktrees.create('', false);
    assert.equal(worktree.name, 'work-1');
    assert.equal((await nodeOf(services, 'work-1')).item.description, 'unchanged');
    await write(worktree, 'one\n2\nthree\n');
    const node = await nodeOf(services, 'work-1');
    assert.equal(node.item.description, '1 file changed');
    assert.equal(node.item.contextValue, 'worktree');
    assert.deepEqual(await node.children(), []);
    assert.equal((await onDisk(vscode.Uri.joinPath(root(), 'worktree.txt'))).toString(), 'one\ntwo\nthree\n');
  },

  async 'a brought back worktree is reviewed here, and its conflict is settled in the proposed text'() {
    const services = await openServices();
    await repository(services);
    const worktree = await services.worktrees.create('back', false);
    await write(worktree, 'one\n2\nthree\n');
    await put('worktree.txt', 'one\nTWO\nthree\n');
    await services.worktrees.review('back');
    const file = await until('the conflict is listed', () =>
      services.changeSet.files.find(({ uri, hunks }) => uri.endsWith('worktree.txt') && hunks[0]?.baseLines),
    );
    assert.equal((await nodeOf(services, 'back')).item.description, 'brought back');
    const sessionId = services.changeSet.session.id;
    const { files } = await services.agent.request('agent/review/list', { sessionId, contents: true });
    const { bothTexts } = files.find(({ uri }) => uri === file.uri);
    assert.match(bothTexts, /<<<<<<< the file now\nTWO\n/);
    const decide = (text) =>
      services.changeSet.decide(() => [{ sessionId: file.sessionId, uri: file.uri, version: file.version, outcome: 'accept', text }]);
    const [left] = await decide(bothTexts);
    assert.equal(left.status, 'conflict');
    assert.deepEqual(await decide('one\n2 and TWO\nthree\n'), []);
    const text = () => onDisk(vscode.Uri.joinPath(root(), 'worktree.txt'));
    await until('the text is written', async () => (await text()).toString() === 'one\n2 and TWO\nthree\n');
    // What is brought back is removed without force.
    await services.agent.request('agent/worktree/remove', { name: 'back' });
    assert.equal(await nodeOf(services, 'back'), undefined);
  },

  async 'an isolated subagent stands in the list, and its changes arrive in the review'() {
    const services = await openServices();
    await repository(services);
    const directory = await fs.mkdtemp(path.join(os.tmpdir(), 'fixer-'));
    await setUser(settingsWith(await fixer(directory)));
    const task = { description: 'fix', prompt: 'Fix it.', subagent_type: 'fixer' };
    const session = await play(services, [
      { events: [{ call: 'task', arguments: task }] },
      { events: [{ text: 'All done.' }] },
    ]);
    const turn = prompt(services, session, 'Fix it');
    await until('the subagent works', () => fs.stat(path.join(directory, 'started')).then(() => true, () => false));
    const [worktree] = (await services.agent.request('agent/worktree/list', {})).worktrees;
    const node = await nodeOf(services, worktree.name);
    assert.equal(node.item.description, '1 file changed · subagent fixer');
    await vscode.commands.executeCommand('workbench.view.extension.placet');
    await vscode.commands.executeCommand('placet.sessions.focus');
    user('see', `.monaco-list-row[aria-label*="${worktree.name}"]`);
    await pictured('vscode-subagent-worktree.png', os.tmpdir());
    await fs.writeFile(path.join(directory, 'gate'), '');
    assert.equal((await turn).stopReason, 'end_turn');
    await until('the changes are listed', () => services.changeSet.files.length === 3);
    const shown = Object.fromEntries(
      services.changeSet.files.map(({ uri, kind, permissions, description }) => [
        path.posix.basename(uri),
        [kind, permissions, description?.split(',')[0]],
      ]),
    );
    assert.deepEqual(shown, {
      'worktree.txt': ['modify', 'executable', undefined],
      'new.bin': ['create', undefined, 'binary file'],
      link: ['create', undefined, 'symbolic link to worktree.txt'],
    });
    await vscode.commands.executeCommand('workbench.view.scm');
    await vscode.commands.executeCommand('placet.review');
    await until('the text has its lenses', async () => (await lenses('worktree.txt')).some((title) => title.includes('made executable')));
    await pictured('vscode-subagent-review.png', os.tmpdir());
    assert.equal(await nodeOf(services, worktree.name), undefined);
    const text = () => onDisk(vscode.Uri.joinPath(root(), 'worktree.txt'));
    assert.equal(await text(), 'one\ntwo\nthree\n');
    const refused = await services.changeSet.decide(() =>
      services.changeSet.files.map(({ sessionId, uri, version }) => ({ sessionId, uri, version, outcome: 'accept' })),
    );
    assert.deepEqual(refused, []);
    assert.equal(await text(), 'one\nTWO\nthree\n');
    assert.equal(await fs.readlink(path.join(root().fsPath, 'link')), 'worktree.txt');
  },
};

// A worktree is trusted as the project is.
exports.run = () =>
  runAll(Object.fromEntries(Object.entries(TESTS).map(([name, test]) => [name, removed(test)]))).finally(() => removeConfiguration('trust.json'));
