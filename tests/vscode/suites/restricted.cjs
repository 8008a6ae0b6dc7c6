// A folder that is not trusted: nothing runs, what is off is said, and all is there once the user trusts it.
const { assert, openHouse, runAll, say, until, user, vscode } = require('./harness.cjs');

exports.run = () =>
  runAll({
    async 'nothing runs in a folder that is not trusted, and why is said'() {
      assert.equal(vscode.workspace.isTrusted, false);
      const house = await openHouse();
      await assert.rejects(house.agent.start(), /trust this folder first/);
      assert.equal(house.agent.status.state, 'failed');
      assert.match(house.status.item.tooltip, /trust this folder/);
      await vscode.commands.executeCommand('placet.doctor');
      const text = vscode.window.activeTextEditor.document.getText();
      assert.match(text, /This folder is not trusted, so Placet does not run/);
      assert.match(text, /restricted mode/);
    },

    async 'once it is trusted the daemon starts by itself'() {
      const house = await openHouse();
      void vscode.commands.executeCommand('workbench.trust.manage');
      user('push', 'Trust');
      await until('it is trusted', () => vscode.workspace.isTrusted);
      await until('it runs', () => house.agent.status.state === 'ready');
      say(`it runs: ${house.agent.status.version}`);
    },
  });
