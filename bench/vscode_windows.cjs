// How long a user waits in the real workbench. Writes the figures beside the folder, in milliseconds.
const fs = require('node:fs/promises');
const path = require('node:path');
const { ChatUser } = require('../tests/vscode/model.cjs');
const { closed, read, run, text, turnOf, write } = require('../tests/vscode/reviewing.cjs');
const { asked, beside, openServices, play, prompt, put, readByUser, runAll, until, user, vscode } = require('../tests/vscode/suites/harness.cjs');

const TIMES = 6;
const LINES = 6_000;
const FIGURES = [];

/** Lenses of VS Code's own diff, by a provider that has them at once. */
class Floor {
  provideCodeLenses() {
    return [new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), { title: 'Floor', command: 'workbench.action.showCommands' })];
  }
}

/** Milliseconds from the text of a diff that is opened to its first code lens. */
async function untilLenses(open) {
  const reading = readByUser('lenses');
  await open();
  return reading;
}

/** Milliseconds of the window's longest task during the work. */
async function longestTask(work) {
  user('watch', '');
  await work();
  return readByUser('longest');
}

// A machine that is busy with other things makes some of the waits long, and not all.
const least = (waits) => Math.min(...waits);
const many = (word) => Array.from({ length: LINES }, (_, line) => `${word} = ${line}\nsame${line} = 1\n`).join('');

const MEASUREMENTS = {
  async 'the first words of an answer, beside the prompt, which comes back from the daemon by the same way'() {
    const services = await openServices();
    await put('a.py', 'ONE = 1\n');
    await play(services, [...Array(2 * TIMES).keys()].map((number) => ({ events: [{ text: `The answer ${number}.` }] })));
    await run('placet.chat.focus');
    const chat = new ChatUser();
    const [words, floors] = [[], []];
    for (let number = 0; number < 2 * TIMES; number += 2) {
      floors.push(await chat.millisecondsUntil(`Question ${number}`, `Question ${number}`));
      await chat.see(`The answer ${number}.`);
      words.push(await chat.millisecondsUntil(`The answer ${number + 1}.`, `Question ${number + 1}`));
    }
    FIGURES.push({ name: 'Enter to the first words of the answer', value: least(words), floor: least(floors), floorName: 'Enter to the prompt', goal: 4 });
  },

  async 'the code lenses of a review, beside those of any diff'() {
    const services = await openServices();
    const floor = vscode.languages.registerCodeLensProvider({ pattern: '**/floor*.py' }, new Floor());
    const [waits, floors] = [[], []];
    for (let number = 0; number < TIMES; number++) {
      const [left, right] = [await put(`left${number}.py`, text(1, 1, 1)), await put(`floor${number}.py`, text(2, 2, 2))];
      floors.push(await untilLenses(() => run('vscode.diff', left, right)));
      await run('workbench.action.closeAllEditors');
      const uri = await put(`lens${number}.py`, text(1, 1, 1));
      const { ended } = await turnOf(services, read(uri), write(uri, text(2, 2, 2)));
      const { id } = await asked(services);
      waits.push(await untilLenses(() => run('placet.review')));
      await run('placet.review.rejectAll', { reviewId: id });
      await ended;
      await closed();
    }
    floor.dispose();
    FIGURES.push({ name: "a review's text to its code lenses", value: least(waits), floor: least(floors), floorName: 'any diff', goal: 4 });
  },

  async 'the longest task of the window when 6,000 lines change, beside the same file opened in an editor'() {
    const services = await openServices();
    const uri = await put('large.py', many('old'));
    const floor = await longestTask(async () => {
      await vscode.window.showTextDocument(uri);
      user('see', '.view-line:has-text("old = 1")');
    });
    await run('workbench.action.closeAllEditors');
    const turns = [read(uri), write(uri, many('new'))].map(([call, given]) => ({ events: [{ call, arguments: given }] }));
    const session = await play(services, [...turns, { events: [{ text: 'Done.' }] }]);
    let turn;
    const value = await longestTask(async () => {
      turn = prompt(services, session, 'Rename old to new');
      await asked(services);
      await until('the review is there', () => services.reviews.waiting.length > 0);
    });
    await run('placet.review.rejectAll');
    await turn;
    FIGURES.push({ name: 'longest task, 6,000 lines proposed', value, floor, floorName: 'the file in an editor', goal: 4 });
  },
};

exports.run = async () => {
  await runAll(MEASUREMENTS, { settings: { 'placet.reviewMode': 'ask' } });
  await fs.writeFile(path.join(beside(), 'figures.json'), JSON.stringify(FIGURES));
};
