/** The built page in Chromium, with a scripted host, served from this machine to itself. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import patience from '../vscode/patience.cjs';
import { themeCss } from './themes.mjs';

const EXTENSION = fileURLToPath(new URL('../../clients/vscode/', import.meta.url));
const require = createRequire(import.meta.url);
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const NONCE = 'test';
/** The address of a document without anything in it, at the site of the page. */
const EMPTY = '/empty';

export const browserPath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => {
  try {
    readFileSync(path);
    return true;
  } catch {
    return false;
  }
});

/** Builds the page as it is shipped, in memory (others may use what `make` built), and serves it until `close`. */
export async function startSite() {
  const { build } = createRequire(`${EXTENSION}package.json`)('esbuild');
  const { pageOptions } = await import(pathToFileURL(`${EXTENSION}webview/esbuild.mjs`));
  const page = await build({ ...pageOptions(true), write: false });
  const bundled = (name) => page.outputFiles.find(({ path }) => path.endsWith(name)).contents;
  const built = await build({ entryPoints: [`${EXTENSION}src/chat/page.ts`], write: false, format: 'esm', bundle: true });
  const { pageHtml } = await import(`data:text/javascript;base64,${Buffer.from(built.outputFiles[0].contents).toString('base64')}`);
  const site = createServer((request, response) => {
    const url = new URL(request.url, 'http://127.0.0.1');
    const send = (type, body) => response.writeHead(200, { 'content-type': type }).end(body);
    if (url.pathname === '/main.js' || url.pathname === '/main.css') {
      const type = url.pathname.endsWith('js') ? 'text/javascript' : 'text/css';
      send(type, bundled(url.pathname));
    } else if (url.pathname === '/host.js') {
      send('text/javascript', readFileSync(new URL('host.js', import.meta.url)));
    } else if (url.pathname === '/theme.css') {
      send('text/css', themeCss(url.searchParams.get('theme') ?? 'dark'));
    } else if (url.pathname === EMPTY) {
      send('text/html', '');
    } else if (url.pathname === '/favicon.ico') {
      response.writeHead(204).end();
    } else if (url.pathname === '/') {
      const theme = url.searchParams.get('theme') ?? 'dark';
      const html = pageHtml({ script: '/main.js', style: '/main.css', source: url.origin.replace(/\/\/.*/, `//${request.headers.host}`), nonce: NONCE, place: url.searchParams.get('place') ?? 'side', ...spoken(url.searchParams.get('language') ?? 'en') });
      const kind = theme === 'contrast' ? 'vscode-high-contrast' : `vscode-${theme}`;
      send(
        'text/html',
        html
          .replace(/<body([^>]*)>/, `<body$1 class="${kind}"><script nonce="${NONCE}" src="/host.js"></script>`)
          .replace('<head>', `<head><link rel="stylesheet" href="/theme.css?theme=${theme}">`),
      );
    } else {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
  return { address: `http://127.0.0.1:${site.address().port}`, close: () => site.close() };
}

/** The language with its texts, as VS Code hands them to the extension. */
function spoken(language) {
  return language === 'en' ? { language } : { language, texts: bundle(language) };
}

export function bundle(language) {
  return JSON.parse(readFileSync(`${EXTENSION}l10n/bundle.l10n.${language}.json`, 'utf8'));
}

export function startBrowser() {
  return chromium.launch({
    executablePath: browserPath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
}

/** The tabs that wait for the next page, by browser. */
const tabs = new WeakMap();

/**
 * A tab and how to leave it. A new tab costs a window and processes, so one tab serves page after page; a page that is to be
 * `fresh` gets a tab of its own.
 */
async function takeTab(browser, site, { fresh, viewport, ...options }) {
  if (fresh || Object.keys(options).length > 0) {
    const context = await browser.newContext({ viewport, ...options });
    context.setDefaultTimeout(patience.waitMilliseconds());
    return { page: await context.newPage(), leave: () => context.close() };
  }
  const waiting = tabs.get(browser);
  tabs.delete(browser);
  const page = waiting ?? (await (await browser.newContext()).newPage());
  page.setDefaultTimeout(patience.waitMilliseconds());
  await page.setViewportSize(viewport);
  // A tab that a failed test did not leave is not used again.
  return { page, leave: async () => {
    page.removeAllListeners();
    await page.goto(`${site.address}${EMPTY}`);
    await page.evaluate(() => sessionStorage.clear());
    await page.mouse.move(-10, -10);
    tabs.set(browser, page);
  } };
}

/**
 * A page with nothing of an earlier one, ready; what went wrong in it is in `faults`. `fresh`: in a tab of its own, as a
 * test that measures the page or changes its clock needs.
 */
export async function openPage(browser, site, { theme = 'dark', language = 'en', sessionId, place = 'side', width = 420, height = 760, ...options } = {}) {
  const { page, leave } = await takeTab(browser, site, { viewport: { width, height }, ...options });
  const faults = [];
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('request', (request) => !request.url().startsWith(site.address) && !request.url().startsWith('data:') && faults.push(`loaded ${request.url()}`));
  page.on('dialog', (dialog) => faults.push(`dialog ${dialog.message()}`));
  await page.goto(`${site.address}/?theme=${theme}&language=${language}&place=${place}`);
  await page.waitForSelector('textarea');
  if (sessionId) {
    await page.evaluate((id) => window.fakeHost.say({ type: 'open', sessionId: id }), sessionId);
    await page.waitForFunction(() => document.querySelector('h1')?.textContent !== 'New session');
  }
  return { page, faults, close: leave };
}

/** What the page said of that type or method. */
export function said(page, name) {
  return page.evaluate((wanted) => window.fakeHost.said.filter((one) => one.type === wanted || one.method === wanted), name);
}

/** The messages of that type or method, once the page has sent at least `count` of them. */
export async function sent(page, name, count = 1) {
  await page.waitForFunction(
    ([name, count]) => window.fakeHost.said.filter(({ type, method }) => type === name || method === name).length >= count,
    [name, count],
  );
  return said(page, name);
}

export function push(page, ...updates) {
  return page.evaluate((all) => window.fakeHost.push(...all), updates);
}

/** Puts the asks to the page; settles once the page has drawn the asks, which the page does with its next frame. */
export function ask(page, ...asks) {
  return page.evaluate(async (all) => {
    window.fakeHost.say({ type: 'asks', asks: all });
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  }, asks);
}

/** axe's findings of the two worst kinds, in words. */
export async function violations(page) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return found.violations
    .filter((one) => one.impact === 'serious' || one.impact === 'critical')
    .map((one) => `${one.id}: ${one.nodes.map((node) => `${node.html} ${node.any[0]?.message ?? ''}`).join(' | ')}`);
}

/** Once all that the page asked is answered, and what it shows stays as it is for a few frames. */
export function settled(page) {
  return page.evaluate(async () => {
    const frames = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 50))));
    const look = () => `${document.body.innerHTML} ${document.querySelector('.scroller')?.scrollTop}`;
    let before = '';
    for (let turn = 0; turn < 100 && (window.fakeHost.answering > 0 || look() !== before); turn++) {
      before = look();
      await frames();
    }
  });
}

/** Turn the wheel over the list, until the list has moved, and rests. */
export async function wheel(page, pixels) {
  await page.mouse.move(200, 300);
  await page.evaluate(() => { window.fakeHost.keptAtScroll = undefined; });
  await page.mouse.wheel(0, pixels);
  await rested(page);
}

/** Once the page has had its place kept after the last movement of the list. */
export async function rested(page) {
  await page.waitForFunction(() => window.fakeHost.kept > window.fakeHost.keptAtScroll);
}
