// What VS Code runs as its tests: one suite after the other, as they are ordered by files beside the folder.
const fs = require('node:fs/promises');
const path = require('node:path');
const { differences, tidied } = require('./fresh.cjs');
const { beside, pictureOfFailure, say, until } = require('./suites/harness.cjs');

const LOOK_MILLISECONDS = 30;

exports.run = async () => {
  const orders = path.join(beside(), 'orders');
  const fresh = await freshState(orders);
  for (let number = await done(orders); ; number++) {
    const { suite, given } = await ordered(path.join(orders, `${number}.json`));
    const begun = path.join(orders, `${number}.begun`);
    // In a window that was reloaded the suite that was cut off is run again, and finds what it left.
    if (!(await exists(begun))) {
      await fs.writeFile(begun, '');
      console.log(`suite: runner begins ${suite}`);
    }
    const { value, problem } = await outcome(suite, given);
    await write(path.join(orders, `${number}.done.json`), { value, problem: problem || (await left(suite, fresh)) });
  }
};

/** What the window was like before the first suite, which a window that was reloaded reads again. */
async function freshState(orders) {
  const file = path.join(orders, 'fresh.json');
  if (!(await exists(file))) {
    await write(file, await tidied());
  }
  return JSON.parse(await fs.readFile(file, 'utf8'));
}

async function write(file, value) {
  await fs.writeFile(`${file}.part`, JSON.stringify(value));
  await fs.rename(`${file}.part`, file);
}

async function done(orders) {
  return (await fs.readdir(orders)).filter((name) => name.endsWith('.done.json')).length;
}

const exists = (file) => fs.access(file).then(() => true, () => false);

async function ordered(file) {
  for (;;) {
    try {
      return JSON.parse(await fs.readFile(file, 'utf8'));
    } catch {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
    }
  }
}

/** What the suite returns, and what went wrong; empty where nothing did. */
async function outcome(suite, given) {
  try {
    return { value: await require(suite).run(given), problem: '' };
  } catch (error) {
    return { problem: await failure(suite, error) };
  }
}

/** What the suite has left in the window, which the next one would find; empty where nothing is. */
async function left(suite, fresh) {
  const start = performance.now();
  let found = [];
  try {
    await until('the window is as a fresh one', async () => {
      found = differences(await tidied(), fresh);
      return found.length === 0;
    });
    say(`the window is as a fresh one after ${Math.round(performance.now() - start)} ms`);
    return '';
  } catch (error) {
    return failure(suite, new Error(`${path.basename(suite, '.cjs')} has left in the window: ${found.join('; ') || error.stack}`));
  }
}

async function failure(suite, error) {
  if (!error.isPictured) {
    await pictureOfFailure(path.basename(suite, '.cjs'));
  }
  return String(error.stack ?? error);
}
