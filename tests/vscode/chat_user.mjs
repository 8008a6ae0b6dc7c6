// The user in the chat's page, who does what the suite writes into files of the folder, and answers with a file each.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import patience from './patience.cjs';

const LOOK_MILLISECONDS = 20;
/** The part of a wait after which a pick that did not come about may be tried again. */
const PICK = 0.2;

/** What ChatUser of model.cjs wishes: `{ inWindow }`, `{ see }`, `{ gone }`, `{ type }`, `{ press }`, `{ click }`, `{ item }`, `{ inView }`, `{ button }`, `{ focused }`, `{ value }`, `{ look }`, `{ clear }`, `{ pick, see }`, `{ send, words }`. */
export async function follow(page, directory) {
  await mkdir(directory, { recursive: true });
  for (let number = 1; ; number++) {
    const wish = await nextWish(path.join(directory, `${number}.wish.json`));
    let done = { ok: true };
    try {
      done = { ok: true, value: await fulfil(page, wish) };
    } catch (error) {
      const picture = path.join(directory, `${number}.png`);
      await page.screenshot({ path: picture });
      done = { ok: false, message: `${error}\nsee ${picture}` };
    }
    const answer = path.join(directory, `${number}.done.json`);
    await writeFile(`${answer}.part`, JSON.stringify(done));
    await rename(`${answer}.part`, answer);
  }
}

async function nextWish(file) {
  for (;;) {
    try {
      return JSON.parse(await readFile(file, 'utf8'));
    } catch {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
    }
  }
}

async function fulfil(page, wish) {
  if (wish.place === undefined) {
    return fulfilIn(page, page.frameLocator('iframe.webview.ready').frameLocator('#active-frame'), wish);
  }
  for (;;) {
    const chat = await pageIn(page, wish.place);
    try {
      return await fulfilIn(page, chat, wish);
    } catch (error) {
      // A page that was about to go, as another tab comes to the front.
      if (!chat.isDetached()) {
        throw error;
      }
    }
  }
}

async function fulfilIn(page, chat, wish) {
  const limit = { timeout: patience.waitMilliseconds() };
  const prompt = chat.locator('textarea');
  if (wish.pick !== undefined) {
    const seen = chat.locator('#page').getByText(wish.see).first();
    try {
      await page.locator('.quick-input-list .monaco-list-row:visible').first().waitFor({ timeout: PICK * limit.timeout });
      for (const key of wish.pick) {
        await page.keyboard.press(key);
      }
      await seen.waitFor({ timeout: PICK * limit.timeout });
      return true;
    } catch {
      return false;
    }
  }
  if (wish.inWindow !== undefined) {
    await page.locator(wish.inWindow).first().waitFor(limit);
  } else if (wish.see !== undefined) {
    await chat.locator('#page').getByText(wish.isPattern ? new RegExp(wish.see) : wish.see).first().waitFor(limit);
  } else if (wish.gone !== undefined) {
    await chat.locator('#page').getByText(wish.gone).first().waitFor({ ...limit, state: 'detached' });
  } else if (wish.type !== undefined) {
    await prompt.waitFor(limit);
    await prompt.click(limit);
    await page.keyboard.type(wish.type);
  } else if (wish.send !== undefined) {
    await prompt.click(limit);
    await page.keyboard.type(wish.send);
    await prompt.evaluate(waitForWords, wish.words);
    await page.keyboard.press('Enter');
    return prompt.evaluate(() => window.words);
  } else if (wish.clear !== undefined) {
    await prompt.fill('', limit);
  } else if (wish.press !== undefined) {
    await page.keyboard.press(wish.press);
  } else if (wish.click !== undefined) {
    await chat.getByRole('button', { name: named(wish.click, wish) }).first().click(limit);
  } else if (wish.item !== undefined) {
    await chat.getByRole('menuitem', { name: wish.item }).first().click(limit);
  } else if (wish.inView !== undefined) {
    await chat.locator(wish.inView).first().waitFor(limit);
    const outside = await chat.locator(wish.inView).evaluateAll((all) =>
      all
        .filter((one) => {
          const box = one.getBoundingClientRect();
          return box.width === 0 || box.top < 0 || box.bottom > innerHeight || box.left < 0 || box.right > innerWidth;
        })
        .map((one) => one.textContent),
    );
    if (outside.length > 0) {
      throw new Error(`outside of the view: ${outside.join(', ')}`);
    }
  } else if (wish.button !== undefined) {
    await chat.getByRole('button', { name: named(wish.button, wish) }).first().waitFor(limit);
  } else if (wish.focused !== undefined) {
    await chat.locator('button:focus', { hasText: wish.focused }).first().waitFor(limit);
  } else if (wish.look !== undefined) {
    await prompt.waitFor(limit);
    return chat.locator('body').evaluate(contents, undefined, limit);
  } else if (wish.value !== undefined) {
    await prompt.waitFor(limit);
    return prompt.inputValue(limit);
  }
  return undefined;
}

/** In the page: has `window.words` become the milliseconds from Enter to the frame with the words. */
function waitForWords(prompt, words) {
  const list = document.querySelector('main');
  window.words = new Promise((resolve) => {
    prompt.addEventListener('keydown', () => {
      const start = performance.now();
      const observer = new MutationObserver(() => {
        if (list.textContent.includes(words)) {
          observer.disconnect();
          requestAnimationFrame(() => resolve(performance.now() - start));
        }
      });
      observer.observe(list, { subtree: true, childList: true, characterData: true });
    }, { once: true, capture: true });
  });
}

/** In the page: what it shows of a session, of a draft and of requests. */
function contents(body) {
  return {
    title: body.querySelector('h1')?.textContent ?? '',
    draft: body.querySelector('textarea').value,
    chips: [...body.querySelectorAll('.composer .chip:not(.offered) .chip-name')].map((one) => one.textContent),
    cards: body.querySelectorAll('.ask').length,
  };
}

/** The chat's page in a side bar or in the editor tab in front, once there is one. */
async function pageIn(page, place) {
  for (const deadline = Date.now() + patience.waitMilliseconds(); Date.now() < deadline; ) {
    for (const frame of page.frames()) {
      const isThere = await frame.locator(`body[data-place="${place}"] textarea`).isVisible().catch(() => false);
      if (isThere) {
        return frame;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
  }
  throw new Error(`no page of the chat in the ${place}`);
}

function named(name, { isPattern }) {
  return isPattern ? new RegExp(name) : name;
}
