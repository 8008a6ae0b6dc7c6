// The window is reloaded while changes wait for a review: this runs twice, and in the second run nobody runs a command.
const fs = require('node:fs/promises');
const path = require('node:path');
const { assert, onDisk, openServices, play, prompt, put, reloadWindow, runAll, until, vscode } = require('./harness.cjs');
const { read, run, text, write } = require('../reviewing.cjs');

const NOTES = () => path.join(vscode.workspace.workspaceFolders[0].uri.fsPath, '.waiting.json');
const call = ([name, given]) => ({ events: [{ call: name, arguments: given }] });
const DONE = { events: [{ text: 'Done.' }] };

exports.run = async () => {
  const noted = await fs.readFile(NOTES(), 'utf8').then(JSON.parse, () => undefined);
  return noted ? after(noted) : reload();
};

/** Never ends by itself: the window takes it down. */
async function reload() {
  const services = await openServices();
  const uri = await put('waiting/one.py', text(1, 1, 1));
  const session = await play(services, [call(read(uri)), call(write(uri, text(2, 1, 2))), DONE]);
  await run('placet.chooseReview', 'stage');
  assert.equal((await prompt(services, session, 'Do it')).stopReason, 'end_turn');
  await until('the set has the file', () => services.changeSet.files.length === 1);
  await run('workbench.view.explorer');
  await fs.writeFile(NOTES(), JSON.stringify({ session, uri: uri.toString() }));
  await reloadWindow();
}

async function after({ session, uri }) {
  const file = vscode.Uri.parse(uri);
  const extension = vscode.extensions.getExtension('placet.placet');
  await runAll({
    async 'the marks, the badge and the status are there before the user runs a command'() {
      await until('the window has looked', () => extension.isActive);
      await extension.exports.looked;
      assert.equal(extension.exports.isOpen(), true);
      const services = await extension.exports.services();
      await until('the set is read', () => services.changeSet.files.length === 1);
      assert.equal(services.session.id, session);
      assert.equal(services.changeSetView.status.item.text, '$(git-pull-request) 2');
      assert.equal(services.changes.resources('proposed').length, 1);
      await vscode.window.showTextDocument(file);
      const lenses = await run('vscode.executeCodeLensProvider', file, 100);
      assert.equal(lenses.filter(({ command }) => command?.title.includes('Accept')).length, 2);
    },

    async 'a command asks the daemon where the window knows neither a session nor a daemon'() {
      const services = await openServices();
      services.session.set(null);
      await until('the set is another', () => services.changeSet.files.length === 0);
      await services.agent.stop();
      await run('placet.review.acceptAll');
      assert.equal(services.session.id, session);
      await until('the text is on the disk', async () => (await onDisk(file)) === text(2, 1, 2));
      await until('the set is empty', () => services.changeSet.files.length === 0);
      await fs.rm(NOTES());
    },
  });
}
