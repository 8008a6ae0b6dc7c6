// The button of the SCM view: a message for what is staged, through VS Code's own git extension. And the list of MCP servers, and signing in.
const { execFileSync } = require('node:child_process');
const fs = require('node:fs/promises');
const os = require('node:os');
const path = require('node:path');
const { assert, openServices, put, removeConfiguration, runAll, settingsWith, until, user, vscode } = require('./harness.cjs');

const root = () => vscode.workspace.workspaceFolders[0].uri;
const git = (...words) => execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.org', ...words], { cwd: root().fsPath });

const PLUGIN = `
PROMPT = {"key": "word", "message": "The word", "secret": True}
METHOD = {"type": "oauth", "label": "By a word", "prompts": [PROMPT], "authorize": lambda inputs: inputs["word"]}


def plugin(context):
    return {"auth": {"provider": "acme", "methods": [METHOD]}}
`;

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

/** An MCP server that gets a region and a password. */
function asking() {
  const [python] = vscode.workspace.getConfiguration('placet').get('command');
  const inputs = [
    { id: 'region', type: 'pickString', options: ['Europe', 'America'] },
    { id: 'token', description: 'API token', password: true },
  ];
  const odd = path.join(__dirname, '..', '..', 'mcp_support', 'odd.py');
  return { command: [python, '-S', odd, 'environment'], env: { GIVEN: '${input:region} ${input:token}' }, inputs };
}

const SCRIPT = path.join(os.tmpdir(), `commit-${process.pid}.json`);

/** From now on messages are written by a model that wants to see these words, and answers with the text. */
const playMessage = (expect, text) => fs.writeFile(SCRIPT, JSON.stringify({ turns: [{ expect, events: [{ text }] }] }));

const TESTS = {
  async 'the message is of what is staged, and goes into the box'() {
    const services = await openServices();
    const found = await repository();
    await playMessage(['+two'], 'Count to two\n');
    await vscode.commands.executeCommand('placet.commitMessage', { rootUri: root() });
    assert.equal(found.inputBox.value, 'Count to two');
  },

  async 'without anything staged it is of all changes'() {
    const services = await openServices();
    const extension = vscode.extensions.getExtension('vscode.git');
    const found = extension.exports.getAPI(1).getRepository(root());
    git('reset', '--quiet');
    await found.status();
    found.inputBox.value = '';
    await playMessage(['+two', '+three'], 'Count on');
    await vscode.commands.executeCommand('placet.commitMessage');
    assert.equal(found.inputBox.value, 'Count on');
  },

  async 'what the user has written is replaced only when they say so'() {
    const services = await openServices();
    const found = vscode.extensions.getExtension('vscode.git').exports.getAPI(1).getRepository(root());
    found.inputBox.value = 'my own words';
    await playMessage([], 'Others');
    const writing = vscode.commands.executeCommand('placet.commitMessage', { rootUri: root() });
    user('dismiss', 'Replace the existing commit message');
    await writing;
    assert.equal(found.inputBox.value, 'my own words');
  },

  async 'an MCP server is started from the list of them, and what is wrong with it can be read'() {
    const left = vscode.commands.executeCommand('placet.mcp');
    for (const label of ['lost', 'Connect', 'lost', 'Show Problem']) {
      user('click', label);
    }
    await left;
    const { document } = vscode.window.activeTextEditor;
    assert.match(document.getText(), /^# lost: .*\n\nThe MCP server lost cannot be started/);
  },

  async 'values of an MCP server are entered from the list of them, a password hidden'() {
    const services = await openServices();
    const state = async () => (await services.agent.request('agent/mcp', {})).servers.find(({ name }) => name === 'asking').state;
    await until('the server wants values', async () => (await state()) === 'needs_input');
    const left = vscode.commands.executeCommand('placet.mcp');
    for (const label of ['values required', 'Enter Values…', 'America']) {
      user('click', label);
    }
    user('secret', 'hush-5e7c');
    await until('the server has the values', async () => (await state()) === 'connected');
    user('see', '.quick-input-widget:visible .monaco-list-row:has-text("asking"):has-text("connected")');
    user('keys', 'Escape');
    await left;
    const kept = await fs.readFile(path.join(process.env.XDG_CONFIG_HOME, 'placet', 'mcp-auth.json'), 'utf8');
    assert.match(kept, /mcp-input asking /);
  },

  async 'a provider is signed in to as a plugin has it, which asks for a word'() {
    const configuration = path.join(process.env.XDG_CONFIG_HOME, 'placet');
    const plugin = path.join(configuration, 'plugin', 'acme.py');
    await fs.mkdir(path.dirname(plugin), { recursive: true });
    await fs.writeFile(plugin, PLUGIN);
    user('click', 'acme');
    user('secret', 'the word');
    // The models of the provider follow.
    user('see', '.quick-input-widget:visible .monaco-list-row:has-text("Other Model")');
    user('keys', 'Escape');
    await vscode.commands.executeCommand('placet.signIn');
    await fs.rm(path.dirname(plugin), { recursive: true });
    const kept = JSON.parse(await fs.readFile(path.join(configuration, 'keys.json'), 'utf8'));
    assert.deepEqual(Object.keys(kept), ['ACME_API_KEY']);
  },
};

exports.run = async () => {
  const mcp = { lost: { command: ['/no/such/program'] }, asking: asking() };
  const settings = settingsWith({ agent: { commit: { model: `scripted/${SCRIPT}` } }, mcp });
  try {
    await runAll(TESTS, { settings });
  } finally {
    await fs.rm(SCRIPT, { force: true });
    await removeConfiguration('keys.json', 'mcp-auth.json');
  }
};
