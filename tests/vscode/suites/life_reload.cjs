// The window is reloaded in the middle of a turn: this runs twice, and the second run looks for what the first began.
const path = require('node:path');
const fs = require('node:fs/promises');
const { asked, assert, isAlive, onDisk, openTabs, prompt, put, reloadWindow, runAll, until, vscode } = require('./harness.cjs');
const { answersAgain, begin, ChatUser, updatesOf, withModel, withWire } = require('../model.cjs');

const REVIEWED = 'reviewed.py';
/** What the model answers, one after the other, to propose a change of the file. */
const proposal = (uri) => [
  [{ call: 'read', arguments: { filePath: uri.fsPath } }],
  [{ call: 'edit', arguments: { filePath: uri.fsPath, oldString: 'ONE = 1', newString: 'ONE = 2' } }],
];

const NOTES = () => path.join(vscode.workspace.workspaceFolders[0].uri.fsPath, '.before.json');

exports.run = async () => {
  const before = await fs.readFile(NOTES(), 'utf8').then(JSON.parse, () => undefined);
  return before ? withWire((model) => after(model, before)) : withModel(reload);
};

/** Never ends by itself: the window takes it down. */
async function reload({ services, wire }) {
  const chat = new ChatUser();
  const reviewed = await begin(services, 'Reviewed');
  await vscode.commands.executeCommand('placet.chooseReview', 'ask');
  const uri = await put(REVIEWED, 'ONE = 1\n');
  wire.play(...proposal(uri));
  void prompt(services, reviewed, 'Make it two').catch(() => undefined);
  await asked(services);
  await vscode.commands.executeCommand('placet.review');
  await until('the review is open', () => openTabs().length === 1);
  // And a tab as a window leaves it that had no time to close its own: VS Code opens it anew, which it does not with a diff.
  const { modified } = vscode.window.tabGroups.activeTabGroup.tabs[0].input;
  await vscode.commands.executeCommand('vscode.open', modified.with({ authority: 'left' }), { preview: false });
  await until('what was left is there', () => openTabs().length === 2);
  const session = await begin(services, 'Reloaded');
  await vscode.commands.executeCommand('placet.chat.focus');
  wire.play([{ text: 'I look into it.' }, { call: 'todoread' }], [{ text: 'It begins ' }, { wait: 'reloaded' }, { text: 'never said' }]);
  await chat.send('Look into it');
  await chat.see('It begins');
  await wire.reached('reloaded');
  await chat.send('and then the rest');
  await chat.see('Next:');
  await chat.write('half a thou');
  const { pid } = await services.agent.request('agent/status', {});
  await fs.writeFile(NOTES(), JSON.stringify({ session, reviewed, pid }));
  await reloadWindow();
}

async function after(model, { session, reviewed, pid }) {
  const chat = new ChatUser();
  const { services } = model;
  await runAll({
    async 'the tabs of reviews that were open are closed, as their daemon is gone'() {
      await until('no tab is left', () => openTabs().length === 0);
    },

    async 'the view is made anew with all that was said, how the turn ended, and what was being written'() {
      await vscode.commands.executeCommand('placet.chat.focus');
      await chat.see('Look into it');
      await chat.see('I look into it.');
      await chat.see(/Stopped\.|Placet ended before this was finished/);
      const written = await until('the draft and the prompt that waited are there', async () => {
        const text = await chat.written();
        return text.includes('half a thou') && text.includes('and then the rest') && text;
      });
      assert.doesNotMatch(written, /Look into it/, 'what has begun is not to be sent again');
      assert.equal(await until('the page tells its session', () => services.session.id), session);
    },

    async 'the turn has ended with a reason, and the daemon of before is gone'() {
      const ended = (await updatesOf(services, session)).findLast((one) => one.kind === 'turn_ended');
      assert.ok(['cancelled', 'error'].includes(ended.stopReason), JSON.stringify(ended));
      await until('the daemon of before is gone', async () => !(await isAlive(pid)));
    },
  });
  // Outside of a test's time, as the model host starts for it.
  await answersAgain(model, session);
  await chat.see('Here I am again.');
  await runAll({
    async 'nothing of what was reviewed was written or lost, and it is reviewed when it is proposed again'() {
      const uri = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, REVIEWED);
      assert.equal(await onDisk(uri), 'ONE = 1\n');
      const updates = await updatesOf(services, reviewed);
      const { message } = updates.find(({ kind }) => kind === 'user_message');
      assert.equal(message.parts[0].text, 'Make it two');
      assert.ok(updates.findLast(({ kind }) => kind === 'turn_ended').stopReason !== 'end_turn');
      model.wire.clear();
      model.wire.play(...proposal(uri), [{ text: 'It is two.' }]);
      const turn = prompt(services, reviewed, 'Propose it again');
      await asked(services);
      await vscode.commands.executeCommand('placet.review');
      await until('the review is open', () => openTabs().length === 1);
      await vscode.commands.executeCommand('placet.review.acceptAll');
      assert.equal((await turn).stopReason, 'end_turn');
      assert.equal(await onDisk(uri), 'ONE = 2\n');
    },
  });
}
