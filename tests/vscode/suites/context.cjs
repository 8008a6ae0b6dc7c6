// Context of a prompt: the selection of the editor, and what a terminal and git tell.
const { ChatUser } = require('../model.cjs');
const { assert, hostOf, openServices, play, put, runAll, until, vscode } = require('./harness.cjs');

const chat = new ChatUser();

exports.run = () =>
  runAll({
    async 'the selection of the editor goes along with a prompt of the chat'() {
      const services = await openServices();
      await play(services, [{ events: [{ text: 'I see.' }] }]);
      const uri = await put('selected.py', 'one = 1\ntwo = 2\nthree = 3\n');
      const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri));
      editor.selection = new vscode.Selection(0, 0, 1, 7);
      await vscode.commands.executeCommand('placet.chat.focus');
      await chat.see('selected.py:1-2');
      await chat.send('What is this?');
      const prompts = async () =>
        (await services.agent.request('agent/session/load', { sessionId: services.session.id })).events.filter(({ update }) => update.kind === 'user_message');
      const [{ update }] = await until('the prompt', async () => {
        const found = await prompts();
        return found.length > 0 && found;
      });
      const part = update.message.parts.find(({ type }) => type === 'file');
      assert.deepEqual([part.uri, part.range], [uri.toString(), { start: 1, end: 2 }]);
    },

    async 'the current file without a selection is offered'() {
      const services = await openServices();
      await play(services, []);
      await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(await put('offered.py', 'x = 1\n')));
      await vscode.commands.executeCommand('placet.chat.focus');
      await chat.click(/offered\.py/);
      await chat.button(/Remove offered\.py/);
    },

    async 'a line of code goes to the terminal, and waits there for Enter'() {
      const services = await openServices();
      hostOf(services).runInTerminal('echo from the chat\n');
      const terminal = await until('the terminal', () => vscode.window.activeTerminal);
      terminal.dispose();
      await assert.rejects(hostOf(services).serve('host/context', { kind: 'terminalSelection' }), /Select text in a terminal first/);
    },

    async 'what git does not know is said'() {
      const services = await openServices();
      await assert.rejects(hostOf(services).serve('host/context', { kind: 'gitDiff' }), /Git knows no changes/);
    },

    async 'the last command of a terminal with shell integration is told with output and exit code'() {
      const services = await openServices();
      const terminal = vscode.window.createTerminal({ name: 'told', shellPath: '/bin/bash' });
      terminal.show(false);
      await until('the shell integration', () => terminal.shellIntegration);
      // VS Code tells no output which reaches it in one piece with the begin or the end of the command.
      terminal.shellIntegration.executeCommand('sleep 1; echo "from the shell"; sleep 1; (exit 3)');
      const [part] = await until('the last command', () => hostOf(services).serve('host/context', { kind: 'lastCommand' }).catch(() => undefined));
      const text = Buffer.from(part.uri.split(',')[1], 'base64').toString();
      assert.match(text, /^\$ sleep 1; echo "from the shell"; sleep 1; \(exit 3\)\n/);
      assert.match(text, /\nfrom the shell\n/);
      assert.match(text, /\nexit code 3$/);
      terminal.dispose();
    },
  });
