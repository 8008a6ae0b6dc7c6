/** History of the sent prompts, which the arrow keys walk through as in a shell. Pure; every step is a new value. */

const KEPT = 100;

export interface History {
  /** Prompts, the oldest first. */
  prompts: readonly string[];
  /** Index of the shown prompt; the number of all prompts stands for the draft. */
  place: number;
  /** Text of the draft when the walk began. */
  draft: string;
}

export function newHistory(prompts: readonly string[] = []): History {
  return { prompts, place: prompts.length, draft: '' };
}

/** Adds a sent prompt; the same prompt twice in a row is kept once. */
export function remember(history: History, prompt: string): History {
  const isNew = prompt.trim() !== '' && history.prompts.at(-1) !== prompt;
  return newHistory(isNew ? [...history.prompts, prompt].slice(-KEPT) : history.prompts);
}

/** Goes one step back (-1) or forth (1) from the text on the screen; undefined at either end. */
export function walk(history: History, step: -1 | 1, shown: string): { history: History; text: string } | undefined {
  const { prompts, place } = history;
  const next = place + step;
  if (next < 0 || next > prompts.length) {
    return undefined;
  }
  const draft = place === prompts.length ? shown : history.draft;
  return { history: { prompts, place: next, draft }, text: prompts[next] ?? draft };
}
