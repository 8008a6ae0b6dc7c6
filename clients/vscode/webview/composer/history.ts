/** The prompts written before, walked through by the arrow keys as in a shell. Pure; every step is a new value. */

const KEPT = 100;

export interface History {
  /** The oldest first. */
  prompts: readonly string[];
  /** Which one is shown; the number of them all stands for what is being written. */
  place: number;
  /** What was being written when the walk began. */
  draft: string;
}

export function newHistory(prompts: readonly string[] = []): History {
  return { prompts, place: prompts.length, draft: '' };
}

/** With a prompt that was sent; the same one twice in a row is kept once. */
export function remember(history: History, prompt: string): History {
  const isNew = prompt.trim() !== '' && history.prompts.at(-1) !== prompt;
  return newHistory(isNew ? [...history.prompts, prompt].slice(-KEPT) : history.prompts);
}

/** One step back (-1) or forth (1) from the text on the screen; undefined at either end. */
export function walk(history: History, step: -1 | 1, shown: string): { history: History; text: string } | undefined {
  const { prompts, place } = history;
  const next = place + step;
  if (next < 0 || next > prompts.length) {
    return undefined;
  }
  const draft = place === prompts.length ? shown : history.draft;
  return { history: { prompts, place: next, draft }, text: prompts[next] ?? draft };
}
