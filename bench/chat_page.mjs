// The longest task of the page of the chat while much comes at once, in processor time, beside a task that is always the
// same. Prints a line of JSON for each measurement: `name`, `milliseconds`, `floor` and the
// `goal` in floors, of the calmest of a few attempts.
import { answer, text, user } from '../tests/vscode_chat/scene.mjs';
import { longSession, prose, stream } from '../tests/vscode_chat/streams.mjs';
import { openPage, push, startBrowser, startSite } from '../tests/vscode_chat/page.mjs';

/** Longest task in floors; a floor is about 35 to 55 milliseconds. */
const GOALS = { stream: 4, open: 2 };
const ATTEMPTS = 3;
const FLOORS = 9;
const LIST = Array(20_000).fill('- item\n');
const STREAMS = [
  ['20,000 deltas: prose, lists and code', prose(20_000), 100],
  ['20,000 deltas: one code block', ['```python\n', ...Array(20_000).fill('x = f(1)\n')], 100],
  ['20,000 deltas: one line', Array(20_000).fill('word '), 100],
  ['20,000 deltas: one list', LIST, 100],
  // A page that was not drawn for a while has all that came meanwhile to draw at once.
  ['20,000 deltas: one list, 3,000 at a time', LIST, 3_000],
];

const site = await startSite();
const browser = await startBrowser();

/** The longest task of the page's thread during the work, and the same task after the work. */
async function longestTask(page, work) {
  const [longest] = await tasksDuring(page, work);
  const same = await tasksDuring(page, async () => {
    for (let time = 0; time < FLOORS; time++) {
      await page.evaluate(drawTheSame);
    }
  });
  return { milliseconds: longest, floor: same[Math.floor(FLOORS / 2)] };
}

/** Processor times of the tasks of the page's thread during the work, in milliseconds, the longest first. */
async function tasksDuring(page, work) {
  await browser.startTracing(page, { categories: ['-*', 'disabled-by-default-devtools.timeline', 'toplevel', '__metadata'] });
  await work();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const mains = traceEvents.filter((one) => one.name === 'thread_name' && one.args.name === 'CrRendererMain');
  const tasks = traceEvents.filter(
    (one) => one.name === 'RunTask' && one.tdur !== undefined && mains.some((main) => main.pid === one.pid && main.tid === one.tid),
  );
  return tasks.map((one) => one.tdur / 1000).sort((a, b) => b - a);
}

/** In the page: makes, styles and lays out the same elements in one task. */
function drawTheSame() {
  const list = document.createElement('div');
  for (let index = 0; index < 2_000; index++) {
    const line = list.appendChild(document.createElement('p'));
    line.textContent = `Line ${index} of the list`;
  }
  document.body.append(list);
  const { offsetHeight } = list;
  list.remove();
  return offsetHeight;
}

/** A page with these events of a session, which is opened by `open`. */
async function pageWith(events) {
  const { page, close } = await openPage(browser, site, { fresh: true });
  await page.evaluate((all) => {
    for (const one of all) window.fakeHost.update(one);
    window.fakeHost.running = ['ses_1'];
  }, events);
  return { page, close };
}

const RUNNING = [user('msg_1', 'Now'), { kind: 'turn_started', turnId: 'msg_1' }, answer('msg_2', 'msg_1')];

async function open(page) {
  await page.evaluate(() => window.fakeHost.say({ type: 'open', sessionId: 'ses_1' }));
  await page.waitForFunction(() => document.querySelector('.scroller')?.textContent.includes('Now'));
}

async function scroll(page) {
  await page.evaluate(async () => {
    const scroller = document.querySelector('.scroller');
    for (let step = 1; step <= 40; step++) {
      scroller.dispatchEvent(new WheelEvent('wheel', { deltaY: -100 }));
      scroller.scrollTop = scroller.scrollHeight * (1 - step / 40);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  });
}

/** Measures each of the works on one page after the other, and tells the calmest attempt of each. */
async function measure(goal, events, works) {
  const attempts = [];
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { page, close } = await pageWith(events);
    const measured = [];
    for (const [, work] of works) {
      measured.push(await longestTask(page, () => work(page)));
    }
    attempts.push(measured);
    await close();
  }
  for (const [index, [name]] of works.entries()) {
    const [calmest] = attempts.map((measured) => measured[index]).sort((a, b) => a.milliseconds / a.floor - b.milliseconds / b.floor);
    process.stdout.write(`${JSON.stringify({ name, ...calmest, goal })}\n`);
  }
}

try {
  for (const [name, pieces, perBatch] of STREAMS) {
    await measure(GOALS.stream, RUNNING, [[name, async (page) => {
      await open(page);
      await stream(page, pieces, perBatch);
    }]]);
  }
  const many = longSession(5_000, 'A line that says **something** of `code`.\n\n- one\n- two');
  await measure(GOALS.open, [...many, ...RUNNING], [
    ['10,000 messages: opened', open],
    ['10,000 messages: 1,000 deltas', (page) => push(page, { kind: 'turn_started', turnId: 'msg_1' }).then(() => stream(page, prose(1_000), 10))],
    ['10,000 messages: scrolled through', scroll],
  ]);
  await measure(GOALS.open, [...longSession(400, prose(400).join('')), ...RUNNING, text('msg_2', 'prt_1', 0, 'Now.')], [['400 long turns: opened', open]]);
} finally {
  await browser.close();
  site.close();
}
