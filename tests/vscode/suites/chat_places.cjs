// The chat in editor tabs and in the secondary side bar. The window is reloaded in between: this runs twice.
const fs = require('node:fs/promises');
const os = require('node:os');
const path = require('node:path');
const { assert, openServices, openTabs, play, prompt, reloadWindow, runAll, until, vscode } = require('./harness.cjs');
const { ChatUser } = require('../model.cjs');

const side = new ChatUser('side');
const tab = new ChatUser('editor');
const run = (command, ...parameters) => vscode.commands.executeCommand(command, ...parameters);
const NOTES = () => path.join(vscode.workspace.workspaceFolders[0].uri.fsPath, '.places.json');

exports.run = async () => {
  const before = await fs.readFile(NOTES(), 'utf8').then(JSON.parse, () => undefined);
  return before ? after(before) : first();
};

/** A session with a title, in which the model has said the words. */
async function spoken(services, title, words) {
  const id = await play(services, [{ events: [{ text: words }] }]);
  await services.agent.request('agent/session/rename', { sessionId: id, title });
  await prompt(services, id, `Say ${words}`);
  return id;
}

const front = () => vscode.window.tabGroups.activeTabGroup.activeTab?.label;

async function first() {
  const services = await openServices();
  const apples = await spoken(services, 'About apples', 'Apples are red.');
  await runAll({
    async 'the chat moves to the secondary side bar and back'() {
      await run('placet.chat.focus');
      await side.see('Apples are red.');
      await side.inWindow('.part.sidebar:visible .composite.title:has-text("Placet")');
      await run('placet.moveToSecondarySideBar');
      await side.inWindow('.part.auxiliarybar:visible .composite.title:has-text("Placet")');
      await side.see('Apples are red.');
      await run('placet.moveToPrimarySideBar');
      await side.inWindow('.part.sidebar:visible .composite.title:has-text("Placet")');
      await side.see('Apples are red.');
    },

    async 'the session of the chat opens in an editor tab with its title, once'() {
      await run('placet.openInEditor');
      await tab.see('Apples are red.');
      await until('the tab has the title', () => front() === 'About apples');
      await run('placet.openInEditor');
      assert.deepEqual(openTabs(), ['About apples']);
      await services.agent.request('agent/session/rename', { sessionId: apples, title: 'Only apples' });
      await until('the tab has the new title', () => front() === 'Only apples');
    },

    async 'two pages on one session show the prompts of each other, also while a prompt waits'() {
      const go = path.join(await fs.mkdtemp(path.join(os.tmpdir(), 'go-')), 'go');
      await play(services, [{ events: [{ text: 'I begin.' }, { wait_for_file: go }] }, { events: [{ text: 'Now the second.' }] }]);
      await run('placet.openInEditor');
      await side.send('The first prompt');
      await tab.see('The first prompt');
      await tab.see('I begin.');
      await side.send('The second prompt');
      await tab.see('sent elsewhere');
      await tab.see('The second prompt');
      await fs.writeFile(go, '');
      await tab.see('Now the second.');
      await tab.gone('sent elsewhere');
    },
  });
  // Not a test of its own: what runAll opens in one it closes.
  services.session.set(apples);
  await run('placet.openInEditor');
  await tab.see('Apples are red.');
  const pears = await spoken(services, 'About pears', 'Pears are green.');
  await side.see('Pears are green.');
  await run('placet.openInEditor');
  await tab.see('Pears are green.');
  await until('two tabs', () => openTabs().length === 2);
  assert.equal(services.session.id, pears);
  await run('workbench.action.previousEditor');
  await tab.see('Apples are red.');
  await until('the commands apply to the session of the tab in front', () => services.session.id === apples);
  await side.see('Pears are green.');
  await tab.write('half a thought');
  const { pid } = await services.agent.request('agent/status', {});
  await fs.writeFile(NOTES(), JSON.stringify({ apples, pears, pid }));
  await reloadWindow();
}

async function after({ apples, pears }) {
  const services = await openServices();
  // Each test of runAll closes all tabs, and this is about the tabs that the window has opened.
  await until('the tabs are back', () => openTabs().length === 2);
  assert.deepEqual(openTabs(), ['Only apples', 'About pears']);
  await tab.see('Apples are red.');
  await until('the draft is back', async () => (await tab.written()) === 'half a thought');
  await until('the commands apply to the tab', () => services.session.id === apples);
  await run('workbench.action.nextEditor');
  await tab.see('Pears are green.');
  await until('the commands apply to the other tab', () => services.session.id === pears);
  await runAll({
    async 'a new session begins in the tab that is in use, and the side bar stays'() {
      await side.see('Pears are green.');
      await run('placet.openSession', apples);
      await until('the tab of the session comes to the front', () => front() === 'Only apples');
      await tab.see('Apples are red.');
      await run('placet.new');
      await tab.gone('Apples are red.');
      await until('the commands begin a session', () => services.session.id === undefined);
      await side.see('Pears are green.');
      await run('workbench.action.closeActiveEditor');
      await until('the commands apply to the side bar', () => services.session.id === pears);
    },
  });
}
