// What a session goes through: it is cancelled at every stage, and its daemon is killed. The model is on OpenAI's wire.
const { asked, assert, onDisk, prompt, put, runAll, say, until, vscode } = require('./harness.cjs');
const { begin, ChatUser, openModel } = require('../model.cjs');

let opened;
let chat;
const model = async () => {
  chat ??= new ChatUser();
  opened ??= openModel();
  return opened;
};

/** The next prompt of the session is answered: what was cancelled or killed left nothing behind. */
async function answersAgain({ house, wire }, session) {
  wire.clear();
  wire.play([{ text: 'Here I am again.' }]);
  const result = await prompt(house, session, 'Are you there?');
  assert.equal(result.stopReason, 'end_turn', JSON.stringify(result));
}

async function eventsOf(house, sessionId) {
  const { events } = await house.agent.request('agent/session/load', { sessionId });
  return events.map((event) => event.update);
}

exports.run = () =>
  runAll({
    async 'a turn is cancelled before the model has said a word'() {
      const { house, wire } = await model();
      const session = await begin(house, 'Before the first word');
      wire.play([{ wait: 'silent' }, { text: 'never said' }]);
      const turn = prompt(house, session, 'Say something');
      await wire.reached('silent');
      await vscode.commands.executeCommand('placet.cancel');
      assert.equal((await turn).stopReason, 'cancelled');
      await until('the model is left', () => wire.left === 1);
      await answersAgain({ house, wire }, session);
    },

    async 'a turn is cancelled by Escape in the chat while the model speaks, and what it said stays'() {
      const { house, wire } = await model();
      const session = await begin(house, 'While it speaks');
      await vscode.commands.executeCommand('placet.chat.focus');
      wire.play([{ text: 'The beginning of it. ' }, { wait: 'speaking' }, { text: 'never said' }]);
      await chat.send('Tell me all');
      await chat.see('The beginning of it.');
      await wire.reached('speaking');
      await chat.press('Escape');
      await chat.see('Stopped.');
      await chat.see('The beginning of it.');
      const updates = await eventsOf(house, session);
      assert.equal(updates.findLast((one) => one.kind === 'turn_ended')?.stopReason, 'cancelled');
      await answersAgain({ house, wire }, session);
      await chat.see('Here I am again.');
    },

    async 'a turn is cancelled while its command runs, and the command is ended'() {
      const { house, wire } = await model();
      const session = await begin(house, 'While a command runs');
      const folder = vscode.workspace.workspaceFolders[0].uri;
      const command = 'echo $$ > running.pid; sleep 600; touch never.txt';
      wire.play([{ call: 'bash', arguments: { command, description: 'Sleep' } }]);
      const turn = prompt(house, session, 'Sleep');
      house.desk.answer((await asked(house)).id, { outcome: 'once' });
      const written = () => onDisk(vscode.Uri.joinPath(folder, 'running.pid')).then((text) => text.trim(), () => '');
      const pid = Number(await until('the command runs', written));
      await vscode.commands.executeCommand('placet.cancel');
      assert.equal((await turn).stopReason, 'cancelled');
      await until('the command is gone', () => !isAlive(pid));
      await answersAgain({ house, wire }, session);
    },

    async 'a turn is cancelled while it asks, and the question is taken off the screen'() {
      const { house, wire } = await model();
      const session = await begin(house, 'While it asks');
      wire.play([{ call: 'bash', arguments: { command: 'touch asked.txt', description: 'Make a file' } }]);
      const turn = prompt(house, session, 'Make a file');
      await asked(house);
      await chat.see('Allow once');
      await vscode.commands.executeCommand('placet.cancel');
      assert.equal((await turn).stopReason, 'cancelled');
      assert.equal(house.desk.waiting.length, 0);
      await chat.gone('Allow once');
      await answersAgain({ house, wire }, session);
    },

    async 'a daemon killed in the middle of a turn is started again, and nothing that was said is lost'() {
      const { house, wire } = await model();
      const session = await begin(house, 'Killed');
      const uri = await put('kept.py', 'ONE = 1\n');
      wire.play(
        [{ call: 'read', arguments: { filePath: uri.fsPath } }],
        [{ call: 'edit', arguments: { filePath: uri.fsPath, oldString: 'ONE = 1', newString: 'ONE = 2' } }],
        [{ text: 'It is two now. ' }, { wait: 'killed' }, { text: 'never said' }],
      );
      await chat.send('Make it two');
      house.desk.answer((await asked(house)).id, { outcome: 'once' });
      await wire.reached('killed');
      await chat.see('It is two now.');
      await chat.send('and then three');
      await chat.see('Next:');
      const { pid } = await house.agent.request('agent/status', {});
      process.kill(pid, 'SIGKILL');
      await until('it is seen', () => house.agent.status.state !== 'ready');
      await until('it runs again', () => house.agent.status.state === 'ready');
      assert.notEqual((await house.agent.request('agent/status', {})).pid, pid);
      await chat.see('Broken off');
      await chat.see('Make it two');
      assert.equal(await chat.written(), 'and then three', 'what waited is back where it was written');
      assert.equal(await onDisk(uri), 'ONE = 2\n');
      const updates = await eventsOf(house, session);
      const applied = updates.some((one) => one.kind === 'tool_call' && one.part.tool === 'edit' && one.part.state.status === 'completed');
      assert.ok(applied, 'the call that was done is told as done');
      const { changes } = await house.agent.request('agent/changes', { sessionId: session });
      assert.deepEqual(changes.map((one) => one.state), ['applied']);
      say(`kinds: ${updates.map((one) => one.kind).join(' ')}`);
      await answersAgain({ house, wire }, session);
      await chat.see('Here I am again.');
    },
  });

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
