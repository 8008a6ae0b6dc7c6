// In a window of its own, of folders that are not trusted: nothing runs, what is off is said, and all is there
// once the user trusts them.
const { execFile } = require('node:child_process');
const fs = require('node:fs/promises');
const os = require('node:os');
const path = require('node:path');
const { promisify } = require('node:util');
const { assert, openServices, runAll, say, trusted, until, vscode } = require('./harness.cjs');

exports.run = () =>
  runAll({
    async 'nothing of it is loaded before it is needed, beyond the commands'() {
      const { looked, isOpen } = await vscode.extensions.getExtension('placet.placet').activate();
      await looked;
      assert.equal(isOpen(), false);
      await openServices();
    },

    async 'nothing of a hostile repository runs, whatever is tried'() {
      const second = vscode.workspace.workspaceFolders[1].uri.fsPath;
      const directory = await fs.mkdtemp(path.join(os.tmpdir(), 'hostile-'));
      const [python] = vscode.workspace.getConfiguration('placet').get('command');
      const tests = path.join(__dirname, '..', '..');
      const env = { ...process.env, PYTHONPATH: tests };
      await promisify(execFile)(python, ['-m', 'hostile_support', directory, second], { env });

      const services = await openServices();
      await vscode.window.showTextDocument(vscode.Uri.file(path.join(second, 'a.txt')));
      await assert.rejects(services.agent.start(), /Trust this folder/);
      await assert.rejects(services.agent.request('agent/session/new', {}), /Trust this folder/);
      await vscode.commands.executeCommand('placet.doctor');

      assert.deepEqual(await fs.readdir(path.join(directory, 'marks')), []);
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      for (const name of await fs.readdir(second)) {
        await fs.rm(path.join(second, name), { recursive: true });
      }
    },

    async 'nothing runs in a folder that is not trusted, and why is said'() {
      assert.equal(vscode.workspace.isTrusted, false);
      const services = await openServices();
      await assert.rejects(services.agent.start(), /Trust this folder/);
      assert.equal(services.agent.status.state, 'failed');
      await until('the status bar says why', () => /Trust this folder/.test(services.status.item.tooltip));
      await vscode.commands.executeCommand('placet.doctor');
      const text = services.doctor.text;
      assert.match(text, /This folder is not trusted, so Placet does not run/);
      assert.match(text, /restricted mode/);
    },

    async 'once it is trusted the daemon starts by itself'() {
      const services = await openServices();
      await trusted();
      await until('it runs', () => services.agent.status.state === 'ready');
      say(`it runs: ${services.agent.status.version}`);
    },
  });
