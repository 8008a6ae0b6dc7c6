// What VS Code runs as its tests: one suite after the other, as they are ordered by files beside the folder.
const fs = require('node:fs/promises');
const path = require('node:path');
const vscode = require('vscode');

const LOOK_MILLISECONDS = 30;
const KEPT = ['.git', '.vscode'];
const COMMANDS = [
  'notifications.clearAll',
  'notifications.hideList',
  'workbench.action.closeAllEditors',
  'workbench.action.closeSidebar',
  'workbench.action.closeAuxiliaryBar',
  'workbench.action.closePanel',
];

exports.run = async () => {
  const orders = path.join(vscode.workspace.workspaceFolders[0].uri.fsPath, '../orders');
  for (let number = await done(orders); ; number++) {
    const { suite } = await ordered(path.join(orders, `${number}.json`));
    const begun = path.join(orders, `${number}.begun`);
    // In a window that was reloaded the suite that was cut off is run again, and finds what it left.
    if (!(await exists(begun))) {
      await tidy();
      await fs.writeFile(begun, '');
      console.log(`suite: runner begins ${suite}`);
    }
    const problem = await outcome(suite);
    if (problem) {
      console.log(`suite: ${problem}`);
      console.log(`suite: runner fails ${suite}`);
    }
    const file = path.join(orders, `${number}.done.json`);
    await fs.writeFile(`${file}.part`, JSON.stringify({ problem }));
    await fs.rename(`${file}.part`, file);
  }
};

async function done(orders) {
  return (await fs.readdir(orders)).filter((name) => name.endsWith('.done.json')).length;
}

const exists = (file) => fs.access(file).then(() => true, () => false);

/** Nothing of the suite before is in the window, in its folders or allowed. */
async function tidy() {
  const extension = vscode.extensions.getExtension('placet.placet');
  if (extension.isActive) {
    const { agent, session } = await extension.exports.services();
    session.set(null);
    if (agent.status.state === 'ready') {
      const { grants } = await agent.request('agent/permission/rules', {});
      await Promise.all(grants.map(({ id }) => agent.request('agent/permission/revoke', { id })));
    }
  }
  for (const command of COMMANDS) {
    await vscode.commands.executeCommand(command);
  }
  for (const { uri } of vscode.workspace.workspaceFolders) {
    const names = (await fs.readdir(uri.fsPath)).filter((name) => !KEPT.includes(name));
    await Promise.all(names.map((name) => fs.rm(path.join(uri.fsPath, name), { recursive: true })));
  }
}

async function ordered(file) {
  for (;;) {
    try {
      return JSON.parse(await fs.readFile(file, 'utf8'));
    } catch {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
    }
  }
}

async function outcome(suite) {
  try {
    await require(suite).run();
    return '';
  } catch (error) {
    return String(error?.stack ?? error);
  }
}
