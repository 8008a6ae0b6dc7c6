// Sign-in with a subscription: the user picks a provider, sees the code, and is signed in without a restart.
const { spawn } = require('node:child_process');
const path = require('node:path');
const readline = require('node:readline');
const { assert, beside, openServices, removeConfiguration, runAll, until, user, vscode } = require('./harness.cjs');
const { pictured: picturedIn } = require('../pictured.cjs');

const TESTS = path.join(__dirname, '..', '..');

/** The server of both subscriptions, and the variables which lead the daemon there. */
async function openOwner() {
  const [python] = vscode.workspace.getConfiguration('placet').get('command');
  const owner = spawn(python, ['-m', 'wire_servers.subscription_server'], {
    env: { ...process.env, PYTHONPATH: TESTS },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const line = await new Promise((resolve) => readline.createInterface({ input: owner.stdout }).once('line', resolve));
  return { variables: JSON.parse(line), enterCode: () => owner.stdin.write('entered\n'), close: () => owner.stdin.end() };
}

/** Has a picture of the window taken, for a reader. */
const pictured = (name) => picturedIn(`sign-in-${name}.png`, beside());

exports.run = async () => {
  const services = await openServices();
  const owner = await openOwner();
  const variables = { ...owner.variables, PYTHON_KEYRING_BACKEND: 'keyring.backends.fail.Keyring' };
  const before = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]));
  Object.assign(process.env, variables);
  try {
    // The daemon has the variables from its start on.
    await services.agent.startAgain();
    await runAll({
      async 'a code is shown until the user has entered it, and then the account'() {
        const { model } = await services.agent.request('agent/status', {});
        assert.ok(model);
        void vscode.commands.executeCommand('placet.signIn');
        user('see', 'text=ChatGPT plan');
        await pictured('list');
        user('click', 'ChatGPT plan');
        user('see', '.quick-input-title >> text=WDJB-MJHT');
        await pictured('code');
        await vscode.env.clipboard.writeText('mine');
        assert.equal(await vscode.env.clipboard.readText(), 'mine', 'nothing is copied unasked');
        user('point', '.quick-input-titlebar [aria-label="Copy Code"]');
        await until('the code is copied', async () => (await vscode.env.clipboard.readText()) === 'WDJB-MJHT');
        await pictured('copied');
        user('click', 'I open the page myself');
        await vscode.commands.executeCommand('notifications.showList');
        user('see', 'text=Enter the code WDJB-MJHT at');
        await pictured('waiting');
        owner.enterCode();
        user('see', 'text=You are signed in as ada@example.com, plan plus.');
        await pictured('done');
        const listed = async () => {
          const { models } = await services.agent.request('agent/models', { query: 'chatgpt/', limit: 1000 });
          return models.length > 0 && models;
        };
        for (const { inputPrice, outputPrice } of await until('the models are offered', listed)) {
          assert.deepEqual([inputPrice ?? null, outputPrice ?? null], [null, null]);
        }
        await vscode.commands.executeCommand('notifications.clearAll');
        user('see', '.quick-input-list >> text=Covered by the subscription');
        await pictured('models');
        const favourites = async () => {
          const { models } = await services.agent.request('agent/models', { query: 'chatgpt/', limit: 1000 });
          return models.filter(({ favourite }) => favourite).map(({ id }) => id);
        };
        const star = (label) => user('point', `.quick-input-list .monaco-list-row >> nth=0 >> [aria-label="${label}"]`);
        star('Add to Favourites');
        await until('the model is a favourite', async () => (await favourites()).length === 1);
        user('see', '.quick-input-list >> text=favourite');
        await pictured('favourite');
        star('Remove From Favourites');
        await until('no model is a favourite', async () => (await favourites()).length === 0);
      },
    });
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) {
        delete process.env[name];
      } else {
        process.env[name] = value;
      }
    }
    owner.close();
    await removeConfiguration('keys.json');
    await services.agent.startAgain();
  }
};
