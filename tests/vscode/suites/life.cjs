// A turn is cancelled at every stage, and the next one is as if nothing had been. The model is on OpenAI's wire.
const { asked, assert, isAlive, onDisk, prompt, runAll, until, vscode } = require('./harness.cjs');
const { answersAgain, begin, ChatUser, updatesOf, withModel } = require('../model.cjs');

exports.run = () => withModel((model) => runAll(testsOf(model)));

function testsOf(model) {
  const { services, wire } = model;
  const chat = new ChatUser();
  return {
    async 'a turn is cancelled before the model has said a word'() {
      const session = await begin(services, 'Before the first word');
      wire.play([{ wait: 'silent' }, { text: 'never said' }]);
      const turn = prompt(services, session, 'Say something');
      await wire.reached('silent');
      await vscode.commands.executeCommand('placet.cancel');
      assert.equal((await turn).stopReason, 'cancelled');
      await until('the model is left', () => wire.left === 1);
      await answersAgain(model, session);
    },

    async 'a turn is cancelled by Escape in the chat while the model speaks, and what it said stays'() {
      const session = await begin(services, 'While it speaks');
      await vscode.commands.executeCommand('placet.chat.focus');
      wire.play([{ text: 'The beginning of it. ' }, { wait: 'speaking' }, { text: 'never said' }]);
      await chat.send('Tell me all');
      await chat.see('The beginning of it.');
      await wire.reached('speaking');
      await chat.press('Escape');
      await chat.see('Stopped.');
      await chat.see('The beginning of it.');
      const updates = await updatesOf(services, session);
      assert.equal(updates.findLast((one) => one.kind === 'turn_ended')?.stopReason, 'cancelled');
      await answersAgain(model, session);
      await chat.see('Here I am again.');
    },

    async 'a turn is cancelled while its command runs, and the command is ended'() {
      const session = await begin(services, 'While a command runs');
      const folder = vscode.workspace.workspaceFolders[0].uri;
      const command = 'echo $$ > running.pid; sleep 600; touch never.txt';
      wire.play([{ call: 'bash', arguments: { command, description: 'Sleep' } }]);
      const turn = prompt(services, session, 'Sleep');
      services.pendingRequests.answer((await asked(services)).id, { outcome: 'once' });
      const written = () => onDisk(vscode.Uri.joinPath(folder, 'running.pid')).then((text) => text.trim(), () => '');
      const pid = Number(await until('the command runs', written));
      await vscode.commands.executeCommand('placet.cancel');
      assert.equal((await turn).stopReason, 'cancelled');
      await until('the command is gone', async () => !(await isAlive(pid)));
      await answersAgain(model, session);
    },

    async 'a turn is cancelled while it asks, and the question is taken off the screen'() {
      const session = await begin(services, 'While it asks');
      wire.play([{ call: 'bash', arguments: { command: 'touch asked.txt', description: 'Make a file' } }]);
      const turn = prompt(services, session, 'Make a file');
      await asked(services);
      await chat.see('Run this command?');
      await vscode.commands.executeCommand('placet.cancel');
      assert.equal((await turn).stopReason, 'cancelled');
      await until('nothing waits', () => services.pendingRequests.waiting.length === 0);
      await chat.gone('Run this command?');
      await answersAgain(model, session);
    },
  };
}
