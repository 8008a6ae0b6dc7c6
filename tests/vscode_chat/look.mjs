/** Pictures to look at: `node look.mjs DIRECTORY`. */
import { openPage, ask, push, settled, startBrowser, startSite } from './page.mjs';
import { child, editPermission, permission, question, scene, text, answer, tool, user } from './scene.mjs';

const directory = process.argv[2] ?? '.';
const site = await startSite();
const browser = await startBrowser();
for (const theme of ['dark', 'light', 'contrast']) {
  const { page, faults } = await openPage(browser, site, { theme, height: 1000, deviceScaleFactor: 1 });
  await page.screenshot({ path: `${directory}/${theme}-empty.png` });
  await page.evaluate((events) => { for (const one of events) window.fakeHost.update(one, 'ses_child'); }, child());
  await page.evaluate((events) => { for (const one of events) window.fakeHost.update(one); }, scene());
  await page.evaluate(() => window.fakeHost.say({ type: 'open', sessionId: 'ses_1' }));
  await page.waitForSelector('.changes');
  await settled(page);
  await page.screenshot({ path: `${directory}/${theme}-answer.png` });
  await page.click('.tool-head:has-text("task")');
  await page.click('.tool-head:has-text("edit")');
  await settled(page);
  const hunk = { id: 2, oldStart: 9, oldLines: ['    print(name)\n'], newStart: 9, newLines: ['    log(name)\n'] };
  const half = { uri: 'file:///home/ada/project/src/half.py', kind: 'modify', additions: 1, deletions: 0, diff: '@@ -1 +1,2 @@\n+import log\n' };
  await push(page, tool('msg_2', 'prt_half', 'write', { status: 'completed', attachments: [], input: {}, title: 'src/half.py', output: '', metadata: { said: [{ text: 'Printing is what it is for.', uri: half.uri, hunk }] }, start: 1, end: 2 }),
    { kind: 'change_applied', messageId: 'msg_2', changeId: 'chg_h', callId: 'call_prt_half', files: [half], refused: [{ uri: half.uri, kind: 'modify', whole: false, hunks: [hunk] }] });
  await page.click('.tool-head:has-text("1 rejected")');
  await settled(page);
  await page.screenshot({ path: `${directory}/${theme}-refused.png` });
  await page.evaluate(() => { document.querySelector('.scroller').scrollTop = 0; });
  await settled(page);
  await page.screenshot({ path: `${directory}/${theme}-top.png` });
  await push(page, user('msg_5', 'And the docs?'), { kind: 'turn_started', turnId: 'msg_5' }, answer('msg_6', 'msg_5'),
    { kind: 'retry', messageId: 'msg_6', attempt: 1, waitSeconds: 4, error: { code: 'rate_limit', message: 'The provider asks to wait.', hint: 'Nothing to do.' } },
    text('msg_6', 'prt_6', 0, 'I run a **command** now.'),
    tool('msg_6', 'prt_7', 'bash', { status: 'running', input: { command: 'make docs' }, title: 'Build the docs', metadata: { output: 'reading sources...\nwriting 12 pages\n' }, start: Date.now() - 5000 }));
  await ask(page, permission());
  await page.click('.to-end', { timeout: 1000 }).catch(() => {});
  await settled(page);
  await page.screenshot({ path: `${directory}/${theme}-command.png` });
  await page.fill('textarea', 'Also the @hel');
  await page.waitForSelector('#suggestions');
  await settled(page);
  await page.screenshot({ path: `${directory}/${theme}-ask.png` });
  await page.fill('textarea', '');
  await ask(page, editPermission(), question());
  await page.click('.todo button');
  await settled(page);
  await page.screenshot({ path: `${directory}/${theme}-asks.png` });
  await ask(page);
  for (const word of ['and the tests', 'then the changelog']) {
    await page.fill('textarea', word);
    await page.keyboard.press('Enter');
  }
  await page.click('.meter');
  await settled(page);
  await page.screenshot({ path: `${directory}/${theme}-queue.png` });
  await page.click('.details button:has-text("Close")');
  await page.click('header .title');
  await settled(page);
  await page.screenshot({ path: `${directory}/${theme}-sessions.png` });
  console.log(theme, faults);
}
await browser.close();
site.close();
