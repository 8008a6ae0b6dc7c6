// A change of thousands of lines: it is offered whole, its diff is opened on demand, and the window goes on.
const fs = require('node:fs/promises');
const path = require('node:path');
const { asked, assert, onDisk, openServices, openTabs, play, prompt, put, runAll, say, until, user, vscode } = require('./harness.cjs');
const { pictured } = require('../pictured.cjs');

const run = (command, ...parameters) => vscode.commands.executeCommand(command, ...parameters);
const LINES = 6000;
const text = (word) => Array.from({ length: LINES }, (_, line) => `${word} = ${line}\nsame${line} = 1\n`).join('');

/** The longest task of the window since it is watched, in milliseconds. */
async function longestTask(name) {
  const file = path.join(vscode.workspace.workspaceFolders[0].uri.fsPath, `../longest-${name}.json`);
  user('longest', file);
  // A quiet machine has no long task: 0 is a measurement too.
  const read = () => fs.readFile(file, 'utf8').then((written) => ({ milliseconds: JSON.parse(written) }), () => undefined);
  return (await until('the tasks are measured', read)).milliseconds;
}

exports.run = () =>
  runAll({
    async 'a file of 6,000 changed lines does not stop the window, and is accepted whole'() {
      const services = await openServices();
      const uri = await put('large.py', text('old'));
      const turns = [['read', { filePath: uri.fsPath }], ['write', { filePath: uri.fsPath, content: text('new') }]];
      const session = await play(services, [...turns.map(([call, given]) => ({ events: [{ call, arguments: given }] })), { events: [{ text: 'Done.' }] }]);
      user('watch', '');
      const turn = prompt(services, session, 'Rename old to new');
      const { id } = await asked(services);
      const [review] = await until('the review is there', () => services.reviews.waiting.length > 0 && services.reviews.waiting);
      assert.equal(review.units.length, 1);
      assert.deepEqual(openTabs(), []);
      const longest = await longestTask('before');
      say(`longest task of the window before the diff is opened: ${longest} ms`);
      await run('placet.review', id);
      user('see', '.codelens-decoration a:has-text("Whole file, 12,000 changed lines"), .codelens-decoration a:has-text("Whole file, 12000 changed lines")');
      await pictured('review-large.png');
      say(`with VS Code's own diff of 6,000 hunks, which the user has asked for: ${await longestTask('with')} ms`);
      await run('placet.review.accept');
      assert.equal((await turn).stopReason, 'end_turn');
      assert.equal(await onDisk(uri), text('new'));
      assert.ok(longest < 1500, `${longest} ms`);
    },
  });
