// Opens one window of VS Code in Chromium, in whose extension host suites run, and does there what a user would do.
// Takes one JSON argument; ends when it is told to. What is told on stdout is for whoever reads a failure.
import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { follow } from './chat_user.mjs';

const { server, folder, workspace, extension, runner, browser, pictures } = JSON.parse(process.argv[2]);

const host = new URL(server).host;
const remote = (path) => `vscode-remote://${host}${path}`;
const payload = [
  ['extensionDevelopmentPath', remote(extension)],
  ['extensionTestsPath', remote(runner)],
  ['skipWelcome', 'true'],
];
const what = workspace ? `workspace=${workspace}` : `folder=${folder}`;
const address = `${server}/?${what}&payload=${encodeURIComponent(JSON.stringify(payload))}`;

/** What a suite may have done by the user, as `harness.cjs` asks for it. */
const DOES = {
  // A picker that was closed stays in the page, hidden.
  click: (page, label) => page.locator('.quick-input-list .monaco-list-row:visible', { hasText: label }).first().click(),
  press: async (page, key) => {
    await page.locator('.quick-input-list .monaco-list-row:visible').first().waitFor();
    await page.keyboard.press(key);
  },
  type: (page, text) => fillIn(page, 'text', text),
  secret: (page, text) => fillIn(page, 'password', text),
  // A window under test shows no toasts of its own accord; they are in the list behind the bell.
  dismiss: async (page, text) => {
    await page.locator('[id="status.notifications"] a').click();
    const item = page.locator('.notification-list-item', { hasText: text }).first();
    await item.hover();
    await item.locator('.codicon-notifications-clear').click();
  },
  // Anything by its text: a button of a notification or a dialogue.
  push: (page, label) => push(page.locator('.monaco-button:visible:not(.disabled), a.monaco-text-button:visible', { hasText: label }).first()),
  keys: (page, chord) => chord.split(' then ').reduce((done, key) => done.then(() => page.keyboard.press(key)), Promise.resolve()),
  write: (page, text) => page.keyboard.type(text, { delay: 20 }),
  point: (page, selector) => page.locator(selector).first().click(),
  // Write the text and the links of each notification, as the list behind the bell shows them now, into the file.
  notices: async (page, file) => {
    const notifications = await page.locator('.notifications-center .notification-list-item').evaluateAll((items) =>
      items.map((item) => ({
        text: item.querySelector('.notification-list-item-message')?.textContent ?? '',
        links: [...item.querySelectorAll('.notification-list-item-message a')].map((link) => link.textContent),
      })),
    );
    await writeFile(`${file}.part`, JSON.stringify(notifications));
    await rename(`${file}.part`, file);
  },
  // Write the classes of the icons in the status bar, and the words beside each, into the file.
  busy: async (page, file) => {
    const icons = await page.locator('.statusbar-item .codicon').evaluateAll((all) =>
      // An item may go while it is looked at.
      all.map((icon) => `${icon.className} ${icon.closest('.statusbar-item')?.textContent.trim()}`),
    );
    await writeFile(`${file}.part`, JSON.stringify(icons));
    await rename(`${file}.part`, file);
  },
  // Make the side bar with the chat so wide, by its edge.
  sidebar: async (page, width) => {
    const box = await page.locator('.part.sidebar:visible, .part.auxiliarybar:visible').first().boundingBox();
    const isLeft = box.x < 640;
    await page.mouse.move(isLeft ? box.x + box.width : box.x, box.y + 300);
    await page.mouse.down();
    await page.mouse.move(isLeft ? box.x + Number(width) : box.x + box.width - Number(width), box.y + 300, { steps: 5 });
    await page.mouse.up();
    await page.mouse.move(640, 300);
  },
  // Write how long the window's longest task took from `watch` on, in milliseconds, into the file.
  watch: (page) =>
    page.evaluate(() => {
      window.longest = 0;
      window.longTasks ??= new PerformanceObserver((list) => {
        window.longest = Math.max(window.longest, ...list.getEntries().map((entry) => entry.duration));
      });
      window.longTasks.observe({ type: 'longtask' });
    }),
  longest: async (page, file) => {
    await writeFile(`${file}.part`, JSON.stringify(await page.evaluate(() => Math.round(window.longest))));
    await rename(`${file}.part`, file);
  },
  // Write into the file how many milliseconds a diff's right side is seen before its first code lens.
  lenses: async (page, file) => {
    const waited = await page.evaluate(
      () =>
        new Promise((resolve) => {
          let line;
          const look = () => {
            line ??= document.querySelector('.editor.modified .view-line') ? performance.now() : undefined;
            const isThere = [...document.querySelectorAll('.editor.modified .codelens-decoration a')].length > 0;
            if (line !== undefined && isThere) {
              resolve(performance.now() - line);
            } else {
              requestAnimationFrame(look);
            }
          };
          look();
        }),
    );
    await writeFile(`${file}.part`, JSON.stringify(Math.round(waited)));
    await rename(`${file}.part`, file);
  },
  lens: (page, label) => page.locator('.codelens-decoration a', { hasText: label }).first().click(),
  // A picture is of what has been drawn: `see` waits for what a selector finds.
  see: (page, selector) => page.locator(selector).first().waitFor(),
  gone: (page, selector) => page.locator(selector).first().waitFor({ state: 'detached' }),
  picture: (page, file) => page.screenshot({ path: file }),
  // The suite is run again in the window then.
  reload: async (page) => {
    isReloading = true;
    const reloaded = page.waitForEvent('domcontentloaded', { timeout: 60_000 });
    await page.keyboard.press('F1');
    await page.locator('.quick-input-widget:visible input[type="text"]').first().fill('>Developer: Reload Window');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Reload Window' }).first().click();
    await reloaded;
    isReloading = false;
  },
};

/** Pushes a button that a user could push. VS Code may draw the buttons of a comment anew between the two halves of a click of the mouse, which is no click then. */
async function push(button) {
  await button.click({ trial: true });
  await button.evaluate((element) => element.click());
}

async function fillIn(page, kind, text) {
  const box = page.locator(`.quick-input-widget:visible input[type="${kind}"]`).first();
  await box.waitFor();
  await box.fill(text);
  await page.keyboard.press('Enter');
}

/** What the suite's end says is not meant then: it is cut off. */
let isReloading = false;
/** One thing after the other, as a user does. */
let doing = Promise.resolve();

const chrome = await chromium.launch({
  executablePath: browser,
  handleSIGTERM: false,
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
/** The suite that runs, and where its window is pictured if it fails. */
let suite = '';
const picture = () => path.join(pictures, `${path.basename(suite, '.cjs')}.png`);

/** What the runner says of itself: a suite begins, and its user with it; a suite has ended. */
const HEARS = {
  begins: async (page, file) => {
    suite = file;
    const user = file.replace(/\.cjs$/, '.user.mjs');
    if (existsSync(user)) {
      const { act } = await import(pathToFileURL(user));
      act(page, picture(), folder).catch((error) => process.stdout.write(`user: ${error}\n`));
    }
  },
  fails: (page) => page.screenshot({ path: picture() }),
};

const page = await chrome.newPage({ viewport: { width: 1280, height: 800 } });
page.on('pageerror', (error) => process.stdout.write(`page: ${error}\n`));
await page.exposeFunction('codeAutomationLog', (type, values) => {
  // VS Code has much to say of what is not there offline; what the suite says begins with a mark.
  const [text] = values;
  if (typeof text === 'string' && text.startsWith('suite: ')) {
    process.stdout.write(`${text}\n`);
    const [, whose, verb, what] = /^suite: (user|runner) (\w+) (.*)$/.exec(text) ?? [];
    if (verb) {
      const does = (whose === 'user' ? DOES : HEARS)[verb];
      doing = doing.then(() => does(page, what)).catch((error) => process.stdout.write(`${whose}: ${error}\n`));
    }
  } else if (type === 'error' && JSON.stringify(values).includes('placet')) {
    process.stdout.write(`${type}: ${JSON.stringify(values).slice(0, 4000)}\n`);
  }
});
const ended = new Promise((resolve) => {
  const end = async (code) => {
    await page.screenshot({ path: path.join(pictures, 'end.png') }).catch(() => undefined);
    resolve(code);
  };
  page.exposeFunction('codeAutomationExit', (code) => isReloading || resolve(code));
  process.once('SIGTERM', () => void end(3));
});
await page.goto(address, { timeout: 60_000, waitUntil: 'domcontentloaded' });
void follow(page, path.join(folder, '..', 'user'));
const code = await ended;
await chrome.close();
process.exit(code);
