// The walkthrough: its steps are ticked off by doing what they say. walkthrough.user.mjs clicks.
const { openServices, openTabs, put, runAll, until, vscode } = require('./harness.cjs');

exports.run = () =>
  runAll({
    async 'a step is done once its button was used'() {
      await openServices();
      await vscode.commands.executeCommand('workbench.action.openWalkthrough', 'placet.placet#start', false);
      const seen = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, 'seen.txt');
      await until('the doctor', () => openTabs().includes('Placet: Doctor'));
      await put('opened.txt', '');
      await until('the step is ticked', () => vscode.workspace.fs.stat(seen).then(Boolean, () => false));
    },
  });
