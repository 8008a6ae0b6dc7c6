// How long a user waits in the real workbench.
const { ChatUser } = require('../model.cjs');
const { assert, openServices, play, put, runAll, say, vscode } = require('./harness.cjs');

const fs = require('node:fs/promises');
const path = require('node:path');
const { asked, user, until } = require('./harness.cjs');
const { closed, read, run, text, turnOf, write } = require('../reviewing.cjs');

/** Most of each wait, in floors: waits of the same run through the same window, without what is measured. */
const MOST_FLOORS = { words: 4, lenses: 4 };
const TIMES = 6;

/** Lenses of VS Code's own diff, by a provider that has them at once. */
class Floor {
  provideCodeLenses() {
    return [new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), { title: 'Floor', command: 'workbench.action.showCommands' })];
  }
}

/** Milliseconds from the text of a diff that is opened to its first code lens. */
async function untilLenses(name, open) {
  const file = path.join(vscode.workspace.workspaceFolders[0].uri.fsPath, `../lenses-${name}.json`);
  user('lenses', file);
  await open();
  return until('the user saw the lenses', () => fs.readFile(file, 'utf8').then(JSON.parse, () => undefined));
}

// A machine that is busy with other things makes some of the waits long, and not all.
const least = (waits) => Math.min(...waits);
const rounded = (waits) => waits.map(Math.round).join(', ');

exports.run = () =>
  runAll({
    async 'the first words of an answer are on the page soon after the prompt itself'() {
      const services = await openServices();
      await put('a.py', 'ONE = 1\n');
      const answers = [...Array(2 * TIMES).keys()].map((number) => ({ events: [{ text: `The answer ${number}.` }] }));
      await play(services, answers);
      await vscode.commands.executeCommand('placet.chat.focus');
      const chat = new ChatUser();
      await chat.clear();
      const [words, floors] = [[], []];
      for (let number = 0; number < 2 * TIMES; number += 2) {
        // The prompt comes back from the daemon, by the way of the answer.
        floors.push(await chat.millisecondsUntil(`Question ${number}`, `Question ${number}`));
        await chat.see(`The answer ${number}.`);
        words.push(await chat.millisecondsUntil(`The answer ${number + 1}.`, `Question ${number + 1}`));
      }
      say(`Enter to the first words: ${rounded(words)} ms; to the prompt: ${rounded(floors)} ms`);
      assert.ok(least(words) < MOST_FLOORS.words * least(floors), `${least(words) / least(floors)} floors`);
    },

    async 'the code lenses of a review are there soon after those of any diff'() {
      const services = await openServices();
      const floor = vscode.languages.registerCodeLensProvider({ pattern: '**/floor*.py' }, new Floor());
      const [waits, floors] = [[], []];
      for (let number = 0; number < TIMES; number++) {
        const [left, right] = [await put(`left${number}.py`, text(1, 1, 1)), await put(`floor${number}.py`, text(2, 2, 2))];
        floors.push(await untilLenses(`floor-${number}`, () => run('vscode.diff', left, right)));
        await run('workbench.action.closeAllEditors');
        const uri = await put(`lens${number}.py`, text(1, 1, 1));
        const { ended } = await turnOf(services, read(uri), write(uri, text(2, 2, 2)));
        const { id } = await asked(services);
        waits.push(await untilLenses(number, () => run('placet.review')));
        await run('placet.review.rejectAll', { reviewId: id });
        await ended;
        await closed();
      }
      floor.dispose();
      say(`a review's text to its code lenses: ${rounded(waits)} ms; of any diff: ${rounded(floors)} ms`);
      assert.ok(least(waits) < MOST_FLOORS.lenses * least(floors), `${least(waits) / least(floors)} floors`);
    },
  });
