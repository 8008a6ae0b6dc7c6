// The chat view in the real workbench: what happens in the session is on its page.
const { assert, openServices, put, runAll, until, vscode } = require('./harness.cjs');

exports.run = () =>
  runAll({
    async 'a prompt typed into the chat is answered there'() {
      const services = await openServices();
      await put('a.py', 'ONE = 1\n');
      // The page keeps what it showed in another suite.
      await vscode.commands.executeCommand('placet.new');
      const events = [];
      services.agent.onUpdate((event) => events.push(event));
      await vscode.commands.executeCommand('placet.chat.focus');
      // user.mjs types a prompt into the page, and waits for the answer there.
      await until('the turn has ended', () => events.some(({ update }) => update.kind === 'turn_ended'));
      const ended = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, 'seen.txt');
      await until('the user has seen the answer', () => vscode.workspace.fs.stat(ended).then(Boolean, () => false));
      assert.ok(events.some(({ update }) => update.kind === 'user_message'));
    },
  });
