/** What the page of the chat view takes: memory. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { browserPath, openPage, push, settled, startBrowser, startSite } from './page.mjs';
import { answer, DIFF, text, tool, user } from './scene.mjs';

const MOST_MEGABYTES = 10;
const MOST_NODES = 2500;

let site;
let browser;
before(async () => {
  assert.ok(browserPath, 'Chromium is needed; on Debian: apt-get install --no-install-recommends chromium');
  site = await startSite();
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  site?.close();
});

const ANSWER = `I renamed \`greet\` to **welcome**, see [hello.py](src/hello.py#L1):

\`\`\`python
${'def welcome(name: str) -> str:\n    return f"Welcome, {name}"\n\n'.repeat(10)}\`\`\`

- The tests pass.
- Nothing else uses it.`;

/** A turn of two messages: the prompt, and an answer with a command, a change and prose. */
function turn(number) {
  const [id, reply] = [`msg_u${number}`, `msg_a${number}`];
  const file = { uri: `file:///home/ada/project/f${number % 20}.py`, kind: 'modify', additions: 3, deletions: 2, diff: DIFF };
  const ran = { status: 'completed', attachments: [], start: 1000, end: 4200, input: { command: 'pytest -q' }, title: 'Run the tests', output: '', metadata: { output: '....\n'.repeat(200), exit: 0 } };
  return [
    user(id, `Rename it, step ${number}`),
    { kind: 'turn_started', turnId: id },
    answer(reply, id, { completed: 9 }),
    tool(reply, `prt_bash${number}`, 'bash', ran),
    { kind: 'change_applied', messageId: reply, changeId: `chg_${number}`, callId: `call_prt_bash${number}`, files: [file] },
    text(reply, `prt_say${number}`, 0, ANSWER),
    { kind: 'turn_ended', turnId: id, stopReason: 'end_turn' },
  ];
}

/** Megabytes of the page's scripts and number of its nodes, once the garbage is collected. */
async function held(page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  const { nodes } = await devtools.send('Memory.getDOMCounters');
  await devtools.detach();
  return { megabytes: usedSize / 2 ** 20, nodes };
}

test('a page that has shown 300 messages from first to last holds little memory', async (context) => {
  const { page, faults, close } = await openPage(browser, site);
  const empty = await held(page);
  await page.evaluate((events) => {
    for (const event of events) window.fakeHost.update(event);
    window.fakeHost.say({ type: 'open', sessionId: 'ses_1' });
  }, [...Array(149).keys()].flatMap(turn));
  await page.waitForFunction(() => document.querySelector('.scroller')?.textContent.includes('step 148'));
  await push(page, ...turn(149));
  await page.waitForFunction(() => document.querySelector('.scroller').textContent.includes('step 149'));
  await page.evaluate(async () => {
    const scroller = document.querySelector('.scroller');
    for (const end of [0, 1]) {
      for (let step = 0; step <= 100; step++) {
        scroller.dispatchEvent(new WheelEvent('wheel', { deltaY: end === 0 ? -100 : 100 }));
        scroller.scrollTop = scroller.scrollHeight * (end === 0 ? 1 - step / 100 : step / 100);
        await new Promise((resolve) => requestAnimationFrame(resolve));
      }
    }
  });
  await settled(page);
  const full = await held(page);
  const megabytes = full.megabytes.toFixed(1);
  context.diagnostic(`memory: ${megabytes} MB and ${full.nodes} nodes after 300 messages, ${empty.megabytes.toFixed(1)} MB and ${empty.nodes} nodes before`);
  assert.ok(full.megabytes < MOST_MEGABYTES, `${megabytes} MB`);
  assert.ok(full.nodes < MOST_NODES, `${full.nodes} nodes`);
  assert.deepEqual(faults, []);
  await close();
});
