// The first minutes: no model, the ways to a model, a key that is rejected, and a server on this computer.
const fs = require('node:fs/promises');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');
const { ChatUser } = require('../model.cjs');
const { ModelWire } = require('../model_wire.cjs');
const { assert, openServices, removeConfiguration, runAll, settingsWith, setUser, until, user, vscode } = require('./harness.cjs');

const chat = new ChatUser();

const modelOf = async (services) => {
  const sessionId = services.session.id;
  return sessionId && (await services.agent.request('agent/session/load', { sessionId, since: 9e15 })).session.model;
};

/** What the user sees while the server of LM Studio runs. */
async function offered() {
  const services = await openServices();
  services.session.set(null);
  await services.preferences.prefer({ model: undefined, over: undefined });
  const signing = vscode.commands.executeCommand('placet.signIn');
  user('click', 'LM Studio');
  user('click', 'lm_studio/tiny-coder');
  await signing;
  assert.equal(await modelOf(services), 'lm_studio/tiny-coder');
  await services.preferences.prefer({ model: undefined, over: undefined });
  services.session.set(null);
  services.chat.tell({ type: 'refresh' });
  await chat.see(/Found: LM Studio/);
  await chat.button('Use Local Model…');
}

exports.run = () =>
  runAll({
    async 'without a model the chat shows a card, whose button leads to the known providers'() {
      const services = await openServices();
      services.session.set(null);
      await vscode.commands.executeCommand('placet.chat.focus');
      await chat.see('No language model is selected');
      await chat.click('Sign In to Provider…');
      user('see', '.quick-input-list .monaco-list-row:has-text("Anthropic (Claude)")');
      assert.ok(await chat.pick(['Escape'], 'No language model is selected'));
      await chat.button('Select Model…');
    },

    async 'a rejected key is said with a way to another, and a good key ends in the models of the provider'() {
      const wire = new ModelWire();
      const apiBase = await wire.open();
      const services = await openServices();
      // Only the user's own settings can set the address of models.
      await setUser(settingsWith({ model: 'groq/llama-3.3-70b-versatile', modelOptions: { apiBase } }));
      services.session.set(null);
      await services.preferences.prefer({ model: undefined, over: undefined });
      try {
        wire.play([{ status: 401 }], [{ text: 'OK' }]);
        const signing = vscode.commands.executeCommand('placet.signIn');
        user('click', 'Groq');
        user('secret', 'gsk_wrongwrongwrongwrongwrong');
        await until('the first check', () => wire.requests.length === 1);
        await vscode.commands.executeCommand('notifications.showList');
        user('push', 'Enter Another Key');
        user('secret', 'gsk_rightrightrightrightright');
        await until('the second check', () => wire.requests.length === 2);
        user('click', 'groq/openai/gpt-oss-20b');
        await signing;
        assert.equal(await modelOf(services), 'groq/openai/gpt-oss-20b');
        await vscode.commands.executeCommand('placet.chat.focus');
        await chat.button(/Model: gpt-oss-20b/);
        await chat.click(/Model: gpt-oss-20b/);
        await chat.see('groq/openai/gpt-oss-120b');
        await chat.press('Escape');
        await vscode.commands.executeCommand('placet.model', 'groq/openai/gpt-oss-120b');
        await chat.button(/Model: gpt-oss-120b/);
      } finally {
        wire.close();
        // The key, and the choice of the model that the sign-in ends with.
        await removeConfiguration('keys.json');
        await services.preferences.prefer({ model: undefined, over: undefined });
      }
    },

    async 'a server of models on this computer is offered in the card and in the sign-in'() {
      const served = http.createServer((_, response) =>
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ object: 'list', data: [{ id: 'tiny-coder', object: 'model' }] })),
      );
      const { hostname, port } = new URL(process.env.LM_STUDIO_API_BASE);
      await new Promise((resolve, reject) => served.once('error', reject).listen(Number(port), hostname, resolve));
      try {
        await offered();
      } finally {
        served.close();
        served.closeAllConnections();
      }
    },

    async 'a program that is installed meanwhile is found, and the box of the failure goes'() {
      const services = await openServices();
      const command = vscode.workspace.getConfiguration('placet').get('command');
      const program = path.join(await fs.mkdtemp(path.join(os.tmpdir(), 'bin-')), 'placet');
      await services.agent.start();
      await setUser({ 'placet.command': [program] });
      await until('there is no daemon', () => services.agent.status.remedy === 'install');
      await vscode.commands.executeCommand('placet.chat.focus');
      await chat.see('Placet was not found');
      await chat.button('Install…');
      await fs.writeFile(program, `#!/bin/sh\nexec ${command.map((word) => `'${word}'`).join(' ')}\n`, { mode: 0o755 });
      await until('the daemon runs', () => services.agent.status.state === 'ready');
      await chat.gone('Placet was not found');
    },
  });
