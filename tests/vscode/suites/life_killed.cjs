// The daemon is killed in the middle of a turn. The model is on OpenAI's wire.
const { assert, killDaemon, onDisk, put, runAll, until, vscode } = require('./harness.cjs');
const { answersAgain, begin, ChatUser, updatesOf, withModel } = require('../model.cjs');
const { acceptAll } = require('../reviewing.cjs');

exports.run = () => withModel((model) => runAll(testsOf(model)));

function testsOf(model) {
  const { services, wire } = model;
  const chat = new ChatUser();
  return {
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
      await wire.reached('killed');
      await chat.send('and then three');
      await chat.see('Next:');
      const pid = await killDaemon(services);
      await until('it is seen', () => services.agent.status.state !== 'ready');
      await until('it runs again', () => services.agent.status.state === 'ready');
      assert.notEqual((await services.agent.request('agent/status', {})).pid, pid);
      await chat.see('Placet ended before this was finished');
      await chat.see('Make it two');
      await chat.see('I make it two.');
      await until('what waited is back where it was written', async () => (await chat.written()) === 'and then three');
      await until('what was proposed is still there', () => services.changeSet.files.map((file) => file.uri).join() === uri.toString());
      assert.equal(await onDisk(uri), 'ONE = 1\n');
      await acceptAll(services);
      assert.equal(await onDisk(uri), 'ONE = 2\n');
      const updates = await updatesOf(services, session);
      const applied = updates.some((one) => one.kind === 'tool_call' && one.part.tool === 'edit' && one.part.state.status === 'completed');
      assert.ok(applied, 'the call that was done is told as done');
      const { changes } = await services.agent.request('agent/changes', { sessionId: session });
      assert.deepEqual(changes.map((one) => one.state), ['applied']);
      await answersAgain(model, session);
      await chat.see('Here I am again.');
    },
  };
}
