// The sandbox as the user meets it: a command's change in the review, the ways out, and the mark on each call.
const fs = require('node:fs/promises');
const path = require('node:path');
const { asked, assert, beside, inMode, onDisk, openServices, play, prompt, put, runAll, settingsWith, until, vscode } = require('./harness.cjs');
const { ChatUser } = require('../model.cjs');
const { pictured: picturedIn } = require('../pictured.cjs');
const { proposal, run, targetOf, waits } = require('../reviewing.cjs');

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

/** Has a picture of the window taken, for a reader. */
const pictured = (name) => picturedIn(`sandbox-${name}.png`, beside());

exports.run = async () => {
  const services = await openServices();
  const chat = new ChatUser();
  await runAll(
    {
      'a change by a contained command is asked, and only what was accepted is written': inMode('ask', async () => {
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
        const [file] = await waits(services, '2');
        await run('placet.review.accept', targetOf(file, 0));
        const [rest] = await waits(services, '1');
        await run('placet.review.reject', targetOf(rest, 0));
        assert.equal((await turn).stopReason, 'end_turn');
        assert.match(await onDisk(uri), /width, height[^]*3\.14\n/);
        await chat.see('Done.');
        await pictured('reviewed');
      }),

      async 'a change by a contained command is proposed, and only what was accepted is written'() {
        const uri = await put('circles.py', `def area(r):\n    return r * r\n${'\n'.repeat(8)}PI = 3.14\n`);
        const command = "sed -i -e 's/r)/radius)/' -e 's/3.14/3.1416/' circles.py";
        assert.equal((await turnOf(services, { command, description: 'Name the argument' })).stopReason, 'end_turn');
        const [file] = await until('two hunks are proposed', () => services.changeSet.files[0]?.hunks.length === 2 && services.changeSet.files);
        assert.equal(file.uri, uri.toString());
        assert.match(await onDisk(uri), /area\(r\)[^]*3\.14\n/, 'nothing is written before the answer');
        const editor = await vscode.window.showTextDocument(uri);
        editor.selection = new vscode.Selection(0, 0, 0, 0);
        await run('placet.review.accept');
        await until('one hunk is left', () => services.changeSet.files[0]?.hunks.length === 1);
        await run('placet.review.rejectAll');
        await until('nothing is left', () => services.changeSet.files.length === 0);
        await until('the hunk is written', async () => /area\(radius\)[^]*3\.14\n/.test(await onDisk(uri)));
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
    },
    { settings: settingsWith({ sandbox: { mode: 'auto' } }) },
  );
};
