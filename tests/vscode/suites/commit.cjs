// The button of the SCM view: a message for what is staged, through VS Code's own git extension.
const { execFileSync } = require('node:child_process');
const { assert, openHouse, put, runAll, until, user, vscode } = require('./harness.cjs');

const root = () => vscode.workspace.workspaceFolders[0].uri;
const git = (...words) => execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...words], { cwd: root().fsPath });

/** The repository as the git extension has it, with one file staged and another only changed. */
async function repository() {
  git('init', '--quiet');
  await put('staged.txt', 'one\n');
  await put('changed.txt', 'one\n');
  git('add', '.');
  git('commit', '--quiet', '--message', 'Begin');
  await put('staged.txt', 'two\n');
  git('add', 'staged.txt');
  await put('changed.txt', 'three\n');
  const extension = vscode.extensions.getExtension('vscode.git');
  const api = (await extension.activate()).getAPI(1);
  await api.openRepository(root());
  const found = await until('the repository', () => api.getRepository(root()));
  await found.status();
  return found;
}

/** Hears what is asked for a message, and answers. */
function playMessage(house, text) {
  const asked = [];
  const request = house.agent.request.bind(house.agent);
  house.agent.request = async (method, params, token) => {
    if (method !== 'agent/commitMessage') {
      return request(method, params, token);
    }
    asked.push(params);
    return { text };
  };
  return { asked, dispose: () => delete house.agent.request };
}

exports.run = () =>
  runAll({
    async 'the message is of what is staged, and goes into the box'() {
      const house = await openHouse();
      const found = await repository();
      const played = playMessage(house, 'Count to two\n');
      await vscode.commands.executeCommand('placet.commitMessage', { rootUri: root() });
      assert.equal(found.inputBox.value, 'Count to two');
      assert.equal(played.asked[0].root, root().toString());
      assert.match(played.asked[0].diff, /\+two/);
      assert.doesNotMatch(played.asked[0].diff, /three/);
      played.dispose();
    },

    async 'without anything staged it is of all changes'() {
      const house = await openHouse();
      const extension = vscode.extensions.getExtension('vscode.git');
      const found = extension.exports.getAPI(1).getRepository(root());
      git('reset', '--quiet');
      await found.status();
      found.inputBox.value = '';
      const played = playMessage(house, 'Count on');
      await vscode.commands.executeCommand('placet.commitMessage');
      assert.match(played.asked[0].diff, /two[^]*three|three[^]*two/);
      assert.equal(found.inputBox.value, 'Count on');
      played.dispose();
    },

    async 'what the user has written is replaced only when they say so'() {
      const house = await openHouse();
      const found = vscode.extensions.getExtension('vscode.git').exports.getAPI(1).getRepository(root());
      found.inputBox.value = 'my own words';
      const played = playMessage(house, 'Others');
      const writing = vscode.commands.executeCommand('placet.commitMessage', { rootUri: root() });
      user('dismiss', 'Replace the commit message');
      await writing;
      assert.equal(found.inputBox.value, 'my own words');
      played.dispose();
    },
  });
