/** Long conversations for the page, and what of them the page draws. */
import { answer, text, user } from './scene.mjs';

const WORDS = 'The function `greet` is **used** in two files, and [one](src/a.py) of them is tested. '.split(/(?<= )/);

/** So many pieces of an answer of prose, lists and code. */
export function prose(count) {
  return [...Array(count).keys()].map((index) => {
    const word = WORDS[index % WORDS.length];
    return index % 90 === 89 ? `${word}\n\n` : index % 400 === 200 ? '\n\n```python\ndef f():\n    return 1\n```\n\n' : index % 300 === 150 ? '\n- an item\n- another\n\n' : word;
  });
}

/** So many turns of a prompt and an answer. */
export function longSession(turns, piece = prose(120).join('')) {
  return [...Array(turns).keys()].flatMap((turn) => [
    user(`msg_u${turn}`, `Prompt ${turn}`),
    { kind: 'turn_started', turnId: `msg_u${turn}` },
    answer(`msg_a${turn}`, `msg_u${turn}`, { completed: 1 }),
    text(`msg_a${turn}`, `prt_a${turn}`, 0, piece),
    { kind: 'turn_ended', turnId: `msg_u${turn}`, stopReason: 'end_turn' },
  ]);
}

/** Has the page take so many pieces at a time, a frame apart, until all is drawn; and what it drew. */
export function stream(page, pieces, perBatch) {
  return drawing(page, () =>
    page.evaluate(
      async ([all, size]) => {
        let offset = 0;
        for (let at = 0; at < all.length; at += size) {
          const batch = all.slice(at, at + size).map((one) => {
            const event = { kind: 'agent_message_chunk', messageId: 'msg_2', partId: 'prt_s', offset, text: one };
            offset += [...one].length;
            return window.fakeHost.update(event);
          });
          window.fakeHost.say({ type: 'events', events: batch });
          await new Promise((resolve) => requestAnimationFrame(resolve));
        }
      },
      [pieces, perBatch],
    ),
  );
}

/**
 * What the page draws during the work and until it rests: `rows` at the end, the letters that come to the page in all
 * (`drawn`), and the `most` that come before the page takes its next task.
 */
export async function drawing(page, work) {
  await page.evaluate(() => {
    const count = { most: 0, drawn: 0 };
    const observer = new MutationObserver((records) => {
      const nodes = records.flatMap(({ addedNodes }) => [...addedNodes]).reduce((sum, node) => sum + node.textContent.length, 0);
      const grown = new Map(records.filter(({ type }) => type === 'characterData').reverse().map(({ target, oldValue }) => [target, oldValue.length]));
      const letters = [...grown].reduce((sum, [target, before]) => sum + Math.abs(target.length - before), nodes);
      count.most = Math.max(count.most, letters);
      count.drawn += letters;
    });
    observer.observe(document.querySelector('#page'), { subtree: true, childList: true, characterData: true, characterDataOldValue: true });
    window.drawing = { count, observer };
  });
  await work();
  return page.evaluate(async () => {
    const { count, observer } = window.drawing;
    for (let before = -1; before !== count.drawn; ) {
      before = count.drawn;
      for (let frame = 0; frame < 4; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
    }
    observer.disconnect();
    return { ...count, rows: document.querySelectorAll('.row').length };
  });
}
