// The user has gone back, and the window is reloaded: this runs twice, and the second run goes forth again.
const fs = require('node:fs/promises');
const path = require('node:path');
const { assert, openServices, reloadWindow, runAll, until, vscode } = require('./harness.cjs');
const { bytesIn, fourPrompts, offer, PROMPTS } = require('../prompts.cjs');
const { run } = require('../reviewing.cjs');
const { ChatUser } = require('../model.cjs');

const FOLDER = 'reloaded';
const NOTES = () => path.join(vscode.workspace.workspaceFolders[0].uri.fsPath, '.back.json');

exports.run = async () => {
  const noted = await fs.readFile(NOTES(), 'utf8').then(JSON.parse, () => undefined);
  return noted ? after(noted) : reload();
};

/** Never ends by itself: the window takes it down. */
async function reload() {
  const services = await openServices();
  const { session, chat, before, after } = await fourPrompts(services, FOLDER);
  await chat.clear();
  await offer(chat, PROMPTS[1]);
  await chat.click('Talk and Files');
  await chat.see('You went back.');
  // First the daemon alone is another.
  await services.agent.startAgain();
  await until('the daemon is back', () => services.agent.status.state === 'ready');
  await chat.see('You went back.');
  await chat.gone(PROMPTS[3]);
  assert.deepEqual(await bytesIn(FOLDER), before);
  await fs.writeFile(NOTES(), JSON.stringify({ session, before, after }));
  await reloadWindow();
}

async function after(noted) {
  const chat = new ChatUser();
  await runAll({
    async 'after a reload of the window the prompt is in the input, and a redo gives the bytes of before'() {
      const services = await openServices();
      await run('placet.chat.focus');
      await chat.see('You went back.');
      await chat.see(PROMPTS[0]);
      assert.equal(await until('the page tells its session', () => services.session.id), noted.session);
      assert.equal(await chat.written(), PROMPTS[1]);
      assert.deepEqual(await bytesIn(FOLDER), noted.before);
      await chat.click('Redo');
      await chat.gone('You went back.');
      await chat.see(PROMPTS[3]);
      assert.deepEqual(await bytesIn(FOLDER), noted.after);
      assert.equal(await chat.written(), '', 'the prompt, which nobody edited, is gone from the input');
    },

    async 'files that went back alone are told of by a new daemon and a new page, and a redo brings the files forth'() {
      const services = await openServices();
      await offer(chat, PROMPTS[1]);
      await chat.click('Files Alone');
      await chat.see('The files went back; the talk stayed.');
      await services.agent.startAgain();
      await until('the daemon is back', () => services.agent.status.state === 'ready');
      await run('workbench.action.webview.reloadWebviewAction');
      // The new page begins where the user was, and draws only the rows around this place.
      await chat.see(PROMPTS[1]);
      await chat.see('The files went back; the talk stayed.');
      assert.deepEqual(await bytesIn(FOLDER), noted.before);
      // The undone turns offer a redo too, of the files of one turn.
      await run('placet.redoBack');
      await chat.gone('The files went back; the talk stayed.');
      assert.deepEqual(await bytesIn(FOLDER), noted.after);
    },
  });
}
