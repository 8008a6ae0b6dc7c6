// Opens one window of VS Code in Chromium, in whose extension host suites run, and does there what a user would do.
// Takes one JSON argument; ends when it is told to. What is told on stdout is for whoever reads a failure.
import { existsSync } from 'node:fs';
import { readdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { follow } from './chat_user.mjs';
import { drawn, readEditor } from './editor_text.mjs';
import patience from './patience.cjs';

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

const HEIGHT = 800;

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
  notices: async (page, file) =>
    tell(
      file,
      await page.locator('.notifications-center .notification-list-item').evaluateAll((items) =>
        items.map((item) => ({
          text: item.querySelector('.notification-list-item-message')?.textContent ?? '',
          links: [...item.querySelectorAll('.notification-list-item-message a')].map((link) => link.textContent),
        })),
      ),
    ),
  // Write the classes of the icons in the status bar, and the words beside each, into the file.
  busy: async (page, file) =>
    tell(
      file,
      await page.locator('.statusbar-item .codicon').evaluateAll((all) =>
        // An item may go while it is looked at.
        all.map((icon) => `${icon.className} ${icon.closest('.statusbar-item')?.textContent.trim()}`),
      ),
    ),
  // Write into the file what of the window is open, how it is laid out, and what has the focus.
  look: async (page, file) => tell(file, await page.evaluate(layout)),
  // Write what the user can read in the focused editor into the file.
  text: async (page, file) => tell(file, await readEditor(page)),
  // Make the window so wide.
  wide: async (page, width) => {
    await page.setViewportSize({ width: Number(width), height: HEIGHT });
    await page.locator(`.monaco-workbench[style*="width: ${width}px"]`).waitFor();
    await drawn(page);
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
    await tell(file, await page.evaluate(() => Math.round(window.longest)));
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
    await tell(file, Math.round(waited));
  },
  lens: (page, label) => page.locator('.codelens-decoration a', { hasText: label }).first().click(),
  // A picture is of what has been drawn: `see` waits for what a selector finds.
  see: (page, selector) => page.locator(selector).first().waitFor(),
  gone: (page, selector) => page.locator(selector).first().waitFor({ state: 'detached' }),
  picture: (page, file) => page.screenshot({ path: file }),
  // The suite is run again in the window then.
  reload: async (page) => {
    isReloading = true;
    const reloaded = page.waitForEvent('domcontentloaded');
    await page.keyboard.press('F1');
    await page.locator('.quick-input-widget:visible input[type="text"]').first().fill('>Developer: Reload Window');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Reload Window' }).first().click();
    await reloaded;
    isReloading = false;
  },
};

/** Writes a reading for the suite, whole. */
async function tell(file, value) {
  await writeFile(`${file}.part`, JSON.stringify(value));
  await rename(`${file}.part`, file);
}

/** In the page: what of the window is open, how it is laid out, and what has the focus. */
function layout() {
  const isSeen = (selector) => [...document.querySelectorAll(selector)].some((one) => one.checkVisibility());
  const part = (name) => {
    const box = document.querySelector(`.part.${name}`)?.getBoundingClientRect();
    return box?.width && box.height ? [box.left, box.width].map(Math.round) : null;
  };
  const focused = document.activeElement;
  const around = focused?.closest('.part, .quick-input-widget, .monaco-dialog-box, .monaco-menu');
  return {
    theme: document.querySelector('.monaco-workbench').className.match(/\b(vs|vs-dark|hc-black|hc-light)\b/)?.[0],
    parts: Object.fromEntries(['sidebar', 'auxiliarybar', 'panel', 'editor'].map((name) => [name, part(name)])),
    views: [...document.querySelectorAll('.part.activitybar .composite-bar .action-label')].map((one) => one.ariaLabel),
    notifications: document.querySelector('[id="status.notifications"]')?.ariaLabel,
    open: ['.quick-input-widget', '.notifications-center', '.monaco-dialog-box', '.context-view .monaco-menu', '.review-widget', '.find-widget.visible', '.monaco-hover'].filter(isSeen),
    focus: `${focused?.tagName} in ${around?.id || around?.className || 'the window'}`,
  };
}

/** Pushes a button that a user could push. VS Code may draw the buttons of a comment, and of the page about trust, anew between the two halves of a click of the mouse, and between the look at a button and the push: that is no click then. */
async function push(button) {
  const push = (element) => element.isConnected && (element.click(), true);
  do {
    await button.click({ trial: true });
  } while (!(await button.evaluate(push)));
}

/** Does it with the limit of a wait that begins now. */
async function patiently(does, page, what) {
  page.setDefaultTimeout(patience.waitMilliseconds());
  return does(page, what);
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
/** The number of a suite that has begun and not ended, as the runner writes it. */
async function cutOff() {
  const names = await readdir(path.join(pictures, 'orders'));
  const numbers = names.filter((name) => name.endsWith('.begun')).map((name) => path.parse(name).name);
  return numbers.find((number) => !names.includes(`${number}.done.json`));
}

/** What the runner says of itself: a suite begins, and its user with it, and fails at this moment. */
const HEARS = {
  // At once; what the user was still to do is no concern of the next test.
  fails: async (page, picture) => {
    doing = Promise.resolve();
    await page.screenshot({ path: picture });
  },
  begins: async (page, file) => {
    const user = file.replace(/\.cjs$/, '.user.mjs');
    if (existsSync(user)) {
      const { act } = await import(pathToFileURL(user));
      act(page, path.join(pictures, `${path.basename(file, '.cjs')}.png`), folder).catch((error) => process.stdout.write(`user: ${error}\n`));
    }
  },
};

const page = await chrome.newPage({ viewport: { width: 1280, height: HEIGHT } });
page.on('pageerror', (error) => process.stdout.write(`page: ${error}\n`));
await page.exposeFunction('codeAutomationLog', (type, values) => {
  // VS Code has much to say of what is not there offline; what the suite says begins with a mark.
  const [text] = values;
  if (typeof text === 'string' && text.startsWith('suite: ')) {
    process.stdout.write(`${text}\n`);
    const [, whose, verb, what] = /^suite: (user|runner) (\w+) (.*)$/.exec(text) ?? [];
    if (verb) {
      const fail = (error) => process.stdout.write(`${whose} could not ${verb} ${what}: ${error}\n`);
      if (whose === 'user') {
        doing = doing.then(() => patiently(DOES[verb], page, what)).catch(fail);
      } else {
        patiently(HEARS[verb], page, what).catch(fail);
      }
    }
  } else if (type === 'error' && JSON.stringify(values).includes('placet')) {
    process.stdout.write(`${type}: ${JSON.stringify(values).slice(0, 4000)}\n`);
  }
});
const ended = new Promise((resolve) => {
  const end = async (code) => {
    // A picture tells what a suite hangs at.
    const number = await cutOff();
    if (number !== undefined) {
      await page.screenshot({ path: path.join(pictures, `failed-${number}-cut-off.png`) }).catch(() => undefined);
    }
    resolve(code);
  };
  page.exposeFunction('codeAutomationExit', (code) => isReloading || resolve(code));
  process.once('SIGTERM', () => void end(3));
});
await page.goto(address, { timeout: patience.waitMilliseconds(), waitUntil: 'domcontentloaded' });
void follow(page, path.join(folder, '..', 'user'));
const code = await ended;
await chrome.close();
process.exit(code);
