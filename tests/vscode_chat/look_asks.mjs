/** Pictures of the pending requests, by theme and width: `node look_asks.mjs DIRECTORY`. */
import { openPage, ask, push, settled, startBrowser, startSite } from './page.mjs';
import { answer, editPermission, manyFiles, permission, question, text, tool, user } from './scene.mjs';

const directory = process.argv[2] ?? '.';
const language = process.argv[3] ?? 'en';
const site = await startSite();
const browser = await startBrowser();
const long = permission({ command: Array.from({ length: 30 }, (_, line) => `echo step ${line} && rm -rf build/${line}`).join('\n') });
for (const theme of ['dark', 'light', 'contrast']) {
  for (const width of [200, 300, 420]) {
    const { page, faults, close } = await openPage(browser, site, { theme, width, language, height: 582, sessionId: 'ses_1' });
    const shot = async (name) => {
      await settled(page);
      await page.screenshot({ path: `${directory}/${theme}-${width}-${name}.png` });
    };
    await push(page, user('msg_1', 'Run the tests'), { kind: 'turn_started', turnId: 'msg_1' }, answer('msg_2', 'msg_1'), text('msg_2', 'prt_1', 0, 'I run the tests.'),
      tool('msg_2', 'prt_2', 'bash', { status: 'running', input: { command: 'pytest -q' }, title: 'pytest -q', metadata: {}, start: Date.now() - 65_000 }));
    await ask(page, permission({ cwd: '/home/ada/project' }));
    await shot('command');
    await page.click('.split-more');
    await shot('command-menu');
    await page.keyboard.press('Escape');
    await page.click('.why button');
    await shot('command-why');
    await ask(page, { ...long, id: 'per_9' });
    await shot('command-long');
    await ask(page, editPermission(), permission(), question());
    await shot('edit');
    await ask(page, manyFiles(30));
    await shot('files');
    await page.click('.split.secondary:last-child .split-more');
    await page.click('[role=menuitem]');
    await shot('feedback');
    await ask(page, question());
    await shot('question');
    if (faults.length > 0) console.log(theme, width, faults);
    await close();
  }
}
await browser.close();
site.close();
