// The daemon is killed in the middle of a turn. The model is on OpenAI's wire.
const { asked, assert, onDisk, put, runAll, until, vscode } = require('./harness.cjs');
const { answersAgain, begin, ChatUser, openModel, updatesOf } = require('../model.cjs');

exports.run = async () => {
  const model = await openModel();
  const { services, wire } = model;
  const chat = new ChatUser();
  await runAll({
    async 'a daemon killed in the middle of a turn is started again, and nothing that was said is lost'() {
      const session = await begin(services, 'Killed');
      await vscode.commands.executeCommand('placet.chat.focus');
      const uri = await put('kept.py', 'ONE = 1\n');
      wire.play(
        [{ call: 'read', arguments: { filePath: uri.fsPath } }],
        [{ text: 'I make it two.' }, { call: 'edit', arguments: { filePath: uri.fsPath, oldString: 'ONE = 1', newString: 'ONE = 2' } }],
        [{ wait: 'killed' }, { text: 'never said' }],
      );
      await chat.send('Make it two');
      services.pendingRequests.answer((await asked(services)).id, { outcome: 'once' });
      await wire.reached('killed');
      await chat.send('and then three');
      await chat.see('Next:');
      const { pid } = await services.agent.request('agent/status', {});
      process.kill(pid, 'SIGKILL');
      await until('it is seen', () => services.agent.status.state !== 'ready');
      await until('it runs again', () => services.agent.status.state === 'ready');
      assert.notEqual((await services.agent.request('agent/status', {})).pid, pid);
      await chat.see('Placet ended before this was finished');
      await chat.see('Make it two');
      await chat.see('I make it two.');
      await until('what waited is back where it was written', async () => (await chat.written()) === 'and then three');
      assert.equal(await onDisk(uri), 'ONE = 2\n');
      const updates = await updatesOf(services, session);
      const applied = updates.some((one) => one.kind === 'tool_call' && one.part.tool === 'edit' && one.part.state.status === 'completed');
      assert.ok(applied, 'the call that was done is told as done');
      const { changes } = await services.agent.request('agent/changes', { sessionId: session });
      assert.deepEqual(changes.map((one) => one.state), ['applied']);
      await answersAgain(model, session);
      await chat.see('Here I am again.');
    },
  });
};
