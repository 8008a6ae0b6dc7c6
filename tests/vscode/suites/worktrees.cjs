// Worktrees in the list of sessions with the states of their sessions, and a worktree brought back into the review.
const { execFileSync } = require('node:child_process');
const fs = require('node:fs/promises');
const path = require('node:path');
const { assert, onDisk, openServices, put, runAll, until, vscode } = require('./harness.cjs');

const root = () => vscode.workspace.workspaceFolders[0].uri;
const git = (...words) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...words], { cwd: root().fsPath });

/** Makes the folder a repository with one more commit, and removes the worktrees of earlier tests. */
async function repository(services) {
  git('init', '--quiet');
  await put('worktree.txt', 'one\ntwo\nthree\n');
  git('add', '--force', 'worktree.txt');
  git('commit', '--quiet', '--allow-empty', '--message', 'For worktrees');
  await services.agent.start();
  for (const { name } of (await services.agent.request('agent/worktree/list', {})).worktrees) {
    await services.agent.request('agent/worktree/remove', { name, force: true });
  }
}

const write = ({ uri }, text) => fs.writeFile(path.join(vscode.Uri.parse(uri).fsPath, 'worktree.txt'), text);

async function nodeOf(services, label) {
  const nodes = await services.trees['placet.sessions'].roots();
  return nodes.find(({ item }) => item.label === label);
}

exports.run = () =>
  runAll({
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
        services.changeSet.files.find(({ uri, conflict }) => uri.endsWith('worktree.txt') && conflict),
      );
      assert.equal((await nodeOf(services, 'back')).item.description, 'brought back');
      const { newText } = (await services.changeSet.texts()).get(file.uri);
      assert.match(newText, /<<<<<<< the file now\nTWO\n/);
      const decide = (text) =>
        services.changeSet.decide(() => [{ uri: file.uri, version: file.version, outcome: 'accept', text }]);
      const [left] = await decide(newText);
      assert.equal(left.status, 'conflict');
      assert.deepEqual(await decide('one\n2 and TWO\nthree\n'), []);
      const text = () => onDisk(vscode.Uri.joinPath(root(), 'worktree.txt'));
      await until('the text is written', async () => (await text()).toString() === 'one\n2 and TWO\nthree\n');
    },

    async 'a brought back worktree is removed without a loss'() {
      const services = await openServices();
      await services.agent.request('agent/worktree/remove', { name: 'back' });
      assert.equal(await nodeOf(services, 'back'), undefined);
    },
  });
