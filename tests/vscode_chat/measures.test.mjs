/** What the page of the chat view takes: memory, and room in narrow side bars. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ask, browserPath, openPage, push, settled, startBrowser, startSite } from './page.mjs';
import { answer, DIFF, editPermission, manyFiles, permission, text, tool, user } from './scene.mjs';

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
  const { page, faults, close } = await openPage(browser, site, { fresh: true });
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

const LONG = { agent: 'documentation', model: 'anthropic/claude-opus-4-5-20251101' };
const CODE = 'Like this:\n\n```bash\npytest -q --maxfail=1 tests/test_hello.py\n```\n';

/** What of the page is cut off: texts by name. */
function cutOff() {
  const isOut = (one) => {
    const { left, right, bottom, width } = one.getBoundingClientRect();
    return width === 0 || left < 0 || right > innerWidth + 0.5 || bottom > innerHeight + 0.5;
  };
  const found = [];
  if (document.documentElement.scrollWidth > innerWidth) found.push('the page scrolls sideways');
  for (const one of document.querySelectorAll('.sending button, .answers button')) if (isOut(one)) found.push(`button ${one.textContent || one.ariaLabel}`);
  // A name may end in an ellipsis where it fills the line, and shows twelve characters at the least.
  for (const word of document.querySelectorAll('.chip-button .word')) {
    const isWhole = word.scrollWidth <= word.clientWidth + 1;
    if (!isWhole && word.clientWidth < (12 * word.scrollWidth) / word.textContent.length) found.push(`name ${word.textContent}`);
  }
  // The words over a code block stand on one line each.
  for (const words of document.querySelectorAll('.code-head > *')) {
    if (words.getBoundingClientRect().height > 26) found.push(`lines of ${words.textContent}`);
  }
  const prompt = document.querySelector('textarea');
  const style = getComputedStyle(prompt);
  const pen = document.createElement('canvas').getContext('2d');
  pen.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  const room = prompt.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
  if (pen.measureText(prompt.placeholder).width > room) found.push(`placeholder ${prompt.placeholder}`);
  if (prompt.getBoundingClientRect().height > 40) found.push('the placeholder takes lines');
  return found;
}

for (const language of ['en', 'de']) {
  for (const width of [200, 300, 370]) {
    test(`at ${width} pixels nothing is cut off, with long names and questions: ${language}`, async () => {
      const { page, faults, close } = await openPage(browser, site, { width, language, height: 700 });
      await page.evaluate((names) => {
        Object.assign(window.fakeHost.sessions[0], names);
        window.fakeHost.say({ type: 'open', sessionId: 'ses_1' });
      }, LONG);
      await page.waitForFunction(() => document.querySelector('.chip-button.agent')?.textContent.includes('documentation'));
      await settled(page);
      assert.deepEqual(await page.evaluate(cutOff), []);
      await push(page, user('msg_1', 'Go'), { kind: 'turn_started', turnId: 'msg_1' }, answer('msg_2', 'msg_1'), text('msg_2', 'prt_1', 0, CODE));
      await page.waitForSelector('.code-head');
      await settled(page);
      assert.deepEqual(await page.evaluate(cutOff), []);
      for (const one of [permission(), editPermission(), manyFiles(30)]) {
        await ask(page, one);
        await settled(page);
        assert.deepEqual(await page.evaluate(cutOff), [], one.request.title);
      }
      assert.deepEqual(faults, []);
      await close();
    });
  }
}
