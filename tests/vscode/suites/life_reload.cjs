// The window is reloaded in the middle of a turn: this runs twice, and the second run looks for what the first began.
const path = require('node:path');
const fs = require('node:fs/promises');
const { assert, runAll, until, user, vscode } = require('./harness.cjs');
const { answersAgain, begin, ChatUser, openModel, openWire, updatesOf } = require('../model.cjs');

const NOTES = () => path.join(vscode.workspace.workspaceFolders[0].uri.fsPath, '.before.json');

exports.run = async () => {
  const before = await fs.readFile(NOTES(), 'utf8').then(JSON.parse, () => undefined);
  return before ? after(before) : reload();
};

/** Never ends by itself: the window takes it down. */
async function reload() {
  const { house, wire, port } = await openModel();
  const chat = new ChatUser();
  const session = await begin(house, 'Reloaded');
  await vscode.commands.executeCommand('placet.chat.focus');
  wire.play([{ text: 'I look into it.' }, { call: 'todoread' }], [{ text: 'It begins ' }, { wait: 'reloaded' }, { text: 'never said' }]);
  await chat.send('Look into it');
  await chat.see('It begins');
  await wire.reached('reloaded');
  await chat.send('and then the rest');
  await chat.see('Next:');
  await chat.write('half a thou');
  const { pid } = await house.agent.request('agent/status', {});
  await fs.writeFile(NOTES(), JSON.stringify({ session, pid, port, next: chat.next }));
  user('reload', 'the window');
  await new Promise(() => {});
}

async function after({ session, pid, port, next }) {
  const chat = new ChatUser(next);
  const model = await openWire(port);
  const { house } = model;
  await runAll({
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
      assert.equal(await until('the page tells its session', () => house.session.known), session);
    },

    async 'the turn has ended with a reason, and the daemon of before is gone'() {
      const ended = (await updatesOf(house, session)).findLast((one) => one.kind === 'turn_ended');
      assert.ok(['cancelled', 'error'].includes(ended.stopReason), JSON.stringify(ended));
      await until('the daemon of before is gone', () => !isAlive(pid));
    },
  });
  // Outside of a test's time, as the model host starts for it.
  await answersAgain(model, session);
  await chat.see('Here I am again.');
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
