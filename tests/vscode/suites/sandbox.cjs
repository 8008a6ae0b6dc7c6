// The sandbox as the user meets it: a command's change in the review, the ways out, and the mark on each call.
const fs = require('node:fs/promises');
const path = require('node:path');
const { asked, assert, onDisk, openServices, play, prompt, put, runAll, say, until, user, vscode, withSettings } = require('./harness.cjs');
const { ChatUser } = require('../model.cjs');
const { decided, proposal, review, run } = require('../reviewing.cjs');

// By the time it sleeps the command is found, whatever its process is called in the sandbox.
const NAP = '612.25';

const root = () => vscode.workspace.workspaceFolders[0].uri.fsPath;

/** The processes that sleep as the command of the test does. */
async function napping() {
  const processes = (await fs.readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(processes.map((pid) => fs.readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')));
  return lines.filter((line) => line === `sleep\0${NAP}\0`);
}

/** A turn whose model runs one command. */
async function turnOf(services, given) {
  const session = await play(services, [{ events: [{ call: 'bash', arguments: given }] }, { events: [{ text: 'Done.' }] }]);
  return prompt(services, session, 'Do it');
}

/** Have a screenshot of the window taken, for a reader. */
async function pictured(name) {
  const file = path.join(root(), `../sandbox-${name}.png`);
  say(`pictured: ${file}`);
  user('picture', file);
  await until('the picture is taken', () => fs.stat(file).then(({ size }) => size > 0, () => false));
}

exports.run = async () => {
  const services = await openServices();
  const chat = new ChatUser();
  const before = vscode.workspace.getConfiguration('placet').inspect('settings')?.globalValue;
  await withSettings(services, { ...before, sandbox: { mode: 'auto' } });
  try {
    await runAll({
      async 'a change by a contained command is reviewed, and only what was accepted is written'() {
        const uri = await put('shapes.py', `def area(w, h):\n    return w * h\n${'\n'.repeat(8)}PI = 3.14\n`);
        await vscode.commands.executeCommand('placet.chat.focus');
        const turn = turnOf(services, { command: "sed -i -e 's/w, h/width, height/' -e 's/3.14/3.1416/' shapes.py", description: 'Name the arguments' });
        const ask = await asked(services);
        assert.equal(ask.request.permission, 'edit');
        assert.match(await onDisk(uri), /w, h/, 'nothing is written before the answer');
        void run('placet.review');
        await proposal('shapes.py');
        await chat.see('sandboxed');
        await pictured('review');
        const { units } = review(services).files[0];
        await run('placet.review.accept', { reviewId: ask.id, key: units[0].key });
        await decided(services, 'y.');
        await run('placet.review.reject', { reviewId: ask.id, key: units[1].key });
        assert.equal((await turn).stopReason, 'end_turn');
        assert.match(await onDisk(uri), /width, height[^]*3\.14\n/);
        await chat.see('Done.');
        await pictured('reviewed');
      },

      async 'a turn is cancelled while its contained command runs, and the command is ended'() {
        const turn = turnOf(services, { command: `echo beg''un; sleep ${NAP}`, description: 'Sleep' });
        await chat.see('begun');
        assert.equal((await napping()).length > 0, true);
        await vscode.commands.executeCommand('placet.cancel');
        assert.equal((await turn).stopReason, 'cancelled');
        await until('the command is gone', async () => (await napping()).length === 0);
      },

      async 'the doctor names the sandbox that is in force'() {
        await run('placet.doctor');
        await until('the report is open', () => services.doctor.text.includes('sandbox: bubblewrap'));
        await pictured('doctor');
        await run('workbench.action.closeAllEditors');
      },

      async 'leaving the sandbox is asked with the reason of the model, quoted as the words of the model'() {
        const outside = await fs.mkdtemp(path.join(root(), '../outside-'));
        const turn = turnOf(services, { command: `touch ${outside}/made`, outside: 'The tool keeps its state there.\nIt is safe.' });
        const ask = await asked(services);
        assert.equal(ask.request.permission, 'sandbox');
        await chat.see('The model says: “The tool keeps its state there. It is safe.”');
        void vscode.commands.executeCommand('placet.answer', ask.id);
        await pictured('leaving');
        await chat.click('Allow');
        assert.equal((await turn).stopReason, 'end_turn');
        await fs.stat(path.join(outside, 'made'));
        await chat.see('outside the sandbox');
        await chat.see('Done.');
        await pictured('left');
      },

      async 'a host is asked while the command waits'() {
        const turn = turnOf(services, { command: 'curl -sS http://host.invalid/x', description: 'Fetch x' });
        const ask = await asked(services);
        assert.deepEqual([ask.request.permission, ask.request.command], ['sandbox', 'curl -sS http://host.invalid/x']);
        await chat.see('Connect to host.invalid:80');
        await vscode.commands.executeCommand('notifications.showList');
        await pictured('host');
        await vscode.commands.executeCommand('notifications.hideList');
        await chat.click('Reject');
        assert.equal((await turn).stopReason, 'end_turn');
        await chat.see('Done.');
        await pictured('refused');
      },
    });
  } finally {
    await withSettings(services, before);
  }
};
