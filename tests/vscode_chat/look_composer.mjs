/** Pictures of the composer and the welcome in all widths, to look at: `node look_composer.mjs DIRECTORY`. */
import { openPage, push, settled, startBrowser, startSite } from './page.mjs';
import { answer, child, scene, text, user } from './scene.mjs';

const directory = process.argv[2] ?? '.';
const site = await startSite();
const browser = await startBrowser();
for (const theme of ['dark', 'light', 'contrast']) {
  for (const width of [200, 300, 420]) {
    const { page, close } = await openPage(browser, site, { theme, width, height: 700, deviceScaleFactor: 1 });
    const picture = async (name) => {
      await settled(page);
      await page.screenshot({ path: `${directory}/${theme}-${width}-${name}.png` });
    };
    await page.evaluate(() => window.fakeHost.say({ type: 'review', review: { mode: 'stage', files: 0, hunks: 0, others: [] } }));
    await picture('empty');
    await page.evaluate((events) => { for (const one of events) window.fakeHost.update(one, 'ses_child'); }, child());
    await page.evaluate((events) => { for (const one of events) window.fakeHost.update(one); }, scene());
    await page.evaluate(() => window.fakeHost.say({ type: 'open', sessionId: 'ses_1' }));
    await page.waitForSelector('.changes');
    await page.evaluate(() => window.fakeHost.say({ type: 'review', review: { sessionId: 'ses_1', mode: 'stage', files: 0, hunks: 0, others: [] } }));
    await push(page, user('msg_5', 'And the docs?'), { kind: 'turn_started', turnId: 'msg_5' }, answer('msg_6', 'msg_5'),
      text('msg_6', 'prt_t', 0, 'The docs say so twice.\nI look at both.', 'agent_thought_chunk'));
    await page.fill('textarea', 'Also the changelog');
    await picture('busy');
    await page.fill('textarea', '');
    await page.click('.chip-button.caution');
    await picture('caution');
    await page.keyboard.press('Escape');
    await page.click('.chip-button.effort');
    await picture('effort');
    await page.keyboard.press('Escape');
    await page.click('.thought button');
    await picture('thought');
    await close();
  }
}
await browser.close();
site.close();
