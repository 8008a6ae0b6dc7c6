/** Pictures of rows, chips and errors, by theme and width: `node look_rows.mjs DIRECTORY [LANGUAGE]`. */
import { openPage, push, settled, startBrowser, startSite } from './page.mjs';
import { answer, text, tool, user } from './scene.mjs';

const directory = process.argv[2] ?? '.';
const language = process.argv[3] ?? 'en';
const site = await startSite();
const browser = await startBrowser();
const done = { status: 'completed', attachments: [], output: '', metadata: {}, start: 1, end: 2 };
const look = (name, number, title) => tool('msg_2', `prt_${name}${number}`, name, { ...done, input: { filePath: title }, title });
const FOLDED = [
  ...['src/hello.py', 'src/main.py', 'tests/test_hello.py', 'README.md'].map((path, number) => look('read', number, path)),
  ...['greet', 'welcome', 'hello'].map((pattern, number) => look('grep', number, pattern)),
];
const COMMAND = 'I run the tests like this:\n\n```bash\npytest -q --maxfail=1 tests/test_hello.py\n```\n\nThen I look at the result.';
const ROOT = 'file:///home/ada/project';
const failed = (code, message) => ({ kind: 'turn_ended', turnId: 'msg_1', stopReason: 'error', error: { code, message, hint: 'See the documentation of the provider.' } });
for (const theme of ['dark', 'light', 'contrast']) {
  for (const width of [200, 300, 420]) {
    const open = (options = {}) => openPage(browser, site, { theme, width, language, height: 582, ...options });
    const shot = async (page, name) => {
      await settled(page);
      await page.screenshot({ path: `${directory}/${theme}-${width}-${name}.png` });
    };
    const { page, faults, close } = await open({ sessionId: 'ses_1' });
    await push(page, user('msg_1', 'Run the tests'), { kind: 'turn_started', turnId: 'msg_1' }, answer('msg_2', 'msg_1'), ...FOLDED, text('msg_2', 'prt_say', 0, COMMAND));
    await page.waitForSelector('.calls-row');
    await shot(page, 'folded');
    await page.evaluate((root) => {
      window.fakeHost.say({ type: 'editor', file: { type: 'file', uri: `${root}/src/a_long_name_of_a_module.py`, mime: 'text/plain', range: { start: 3, end: 12 } } });
      window.fakeHost.say({ type: 'attach', attachment: { type: 'file', uri: `${root}/src/hello.py`, mime: 'text/plain' } });
      window.fakeHost.say({ type: 'attach', attachment: { type: 'file', uri: `${root}/tests/test_hello.py`, mime: 'text/plain' } });
    }, ROOT);
    await shot(page, 'chips');
    await push(page, answer('msg_2', 'msg_1', { completed: 9 }), failed('rate_limit', 'The provider asks to wait: too many requests.'));
    await shot(page, 'error-wait');
    await close();
    const key = await open({ sessionId: 'ses_1' });
    await push(key.page, user('msg_1', 'Run the tests'), { kind: 'turn_started', turnId: 'msg_1' }, answer('msg_2', 'msg_1', { completed: 9 }), failed('authentication', 'The key for acme was refused.'));
    await shot(key.page, 'error-key');
    await key.close();
    const none = await open();
    await none.page.evaluate(() => {
      window.fakeHost.login = { id: 'acme/large', key: 'missing', variables: ['ACME_API_KEY'] };
      window.fakeHost.say({ type: 'refresh' });
    });
    await shot(none.page, 'no-key');
    await none.close();
    const stopped = await open();
    await stopped.page.evaluate(() => window.fakeHost.say({ type: 'status', status: { state: 'failed', problem: 'Placet was not found. Install Placet, or set placet.command.', remedy: 'install', running: [], waiting: 0 } }));
    await shot(stopped.page, 'not-found');
    await stopped.close();
    if (faults.length > 0) console.log(theme, width, faults);
  }
}
await browser.close();
site.close();
