// What a user reads in the focused editor by turning the wheel of the mouse: each character that comes into view.
const FOCUSED = '.monaco-editor.focused';
/** Part of the editor's size by which one turn moves, so that the pieces in view overlap. */
const TURN = 0.9;
/** A turn that reaches the border of any editor. */
const FAR = 1e6;

/** Reads the editor in rows from the top left; returns `lines`, and `hints`: the texts drawn behind lines. */
export async function readEditor(page) {
  const box = await page.locator(`${FOCUSED} .editor-scrollable`).first().boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  let now = await page.evaluate(place, FOCUSED);
  /** Whether the turn moved the text. */
  const turn = async (right, down) => {
    const heard = await page.evaluate(listen);
    await page.mouse.wheel(right, down);
    await page.evaluate(turned, heard);
    const before = now;
    now = await page.evaluate(place, FOCUSED);
    return now.left !== before.left || now.top !== before.top;
  };
  const toStart = async (side, right, down) => {
    while (now[side] > 0) {
      await turn(right, down);
    }
  };
  do {
    await page.evaluate(forget);
    await toStart('top', 0, -FAR);
    do {
      await toStart('left', -FAR, 0);
      do {
        await page.evaluate(look, FOCUSED);
      } while (now.isWide && (await turn(box.width * TURN, 0)));
    } while (now.isHigh && (await turn(0, box.height * TURN)));
  } while (await page.evaluate(hasMoved));
  return page.evaluate(read);
}

/** Once the window has drawn what has changed. */
export const drawn = (page) => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve())));

/** In the page: how many turns the page has heard of, from the first call on. */
function listen() {
  if (window.turns === undefined) {
    window.turns = 0;
    window.addEventListener('wheel', () => window.turns++, { capture: true, passive: true });
  }
  return window.turns;
}

/** In the page: once the page has heard of the next turn, and has drawn what it changes. */
async function turned(heard) {
  const frame = () => new Promise(requestAnimationFrame);
  while (window.turns === heard) {
    await frame();
  }
  await frame();
  await frame();
}

/** In the page: how far the text is scrolled, and whether there is text to the right of the view or below. */
function place(editor) {
  // The scroll bar and the overview ruler lie over the right end of the view.
  const RULER = 40;
  const area = document.querySelector(`${editor} .editor-scrollable`).getBoundingClientRect();
  const text = document.querySelector(`${editor} .lines-content`).getBoundingClientRect();
  const rows = [...document.querySelectorAll(`${editor} .lines-content > .view-lines > .view-line > span`)].map((row) => row.getBoundingClientRect());
  return {
    left: area.left - text.left,
    top: area.top - text.top,
    isWide: rows.some(({ right }) => right > area.right - RULER),
    isHigh: rows.some(({ bottom }) => bottom > area.bottom),
  };
}

/** In the page: forgets what was seen. */
function forget() {
  window.seen = { lines: new Map(), hints: new Map(), texts: new Map(), hasMoved: false };
}

/** In the page: whether lines have changed places since they were seen, as where a lens comes over a line. */
function hasMoved() {
  return window.seen.hasMoved;
}

/** In the page: adds what is in view, by the place in the text. */
function look(editor) {
  const area = document.querySelector(`${editor} .editor-scrollable`).getBoundingClientRect();
  const isInView = (x, y) => area.left <= x && x <= area.right && area.top <= y && y <= area.bottom;
  for (const line of document.querySelectorAll(`${editor} .lines-content > .view-lines > .view-line`)) {
    const place = Number.parseFloat(line.style.top);
    const characters = window.seen.lines.get(place) ?? new Map();
    window.seen.lines.set(place, characters);
    window.seen.hasMoved ||= (window.seen.texts.get(place) ?? line.textContent) !== line.textContent;
    window.seen.texts.set(place, line.textContent);
    const nodes = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    for (let at = 0, node = nodes.nextNode(); node; at += node.data.length, node = nodes.nextNode()) {
      const range = document.createRange();
      range.selectNodeContents(node);
      const whole = range.getBoundingClientRect();
      if (whole.right < area.left || whole.left > area.right) {
        continue;
      }
      let index = 0;
      for (const character of node.data) {
        range.setStart(node, index);
        range.setEnd(node, index + character.length);
        const box = range.getBoundingClientRect();
        const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
        // Something else may lie over the text.
        if (isInView(x, y) && line.contains(document.elementFromPoint(x, y))) {
          characters.set(at + index, character);
        }
        index += character.length;
      }
    }
    for (const [number, element] of [...line.querySelectorAll('span')].entries()) {
      const { content } = getComputedStyle(element, '::after');
      if (content.startsWith('"')) {
        const box = element.getBoundingClientRect();
        const key = `${place} ${number}`;
        const hint = window.seen.hints.get(key) ?? { place, text: JSON.parse(content), from: false, to: false };
        const y = (box.top + box.bottom) / 2;
        hint.from ||= isInView(box.left, y);
        hint.to ||= isInView(box.right, y);
        window.seen.hints.set(key, hint);
      }
    }
  }
}

/** In the page: what was seen, from the top; a hint only if both ends came into view. */
function read() {
  const ordered = (entries) => [...entries].sort(([one], [other]) => one - other);
  const hints = [...window.seen.hints.values()].filter(({ from, to }) => from && to);
  return {
    lines: ordered(window.seen.lines).map(([, characters]) => ordered(characters).map(([, character]) => character).join('')),
    hints: ordered(hints.map(({ place, text }) => [place, text])).map(([, text]) => text),
  };
}
