/** Finds the completion at the caret of the prompt: `@path` anywhere, `/command` at the start. Pure. */

export interface Trigger {
  kind: 'mention' | 'command';
  /** Text behind the sign. */
  query: string;
  /** Offset of the sign. */
  start: number;
  end: number;
}

export interface Completed {
  text: string;
  caret: number;
}

const MENTION = /(?:^|[\s([{])@("[^"\n]*|[^\s"`]*)$/;
const COMMAND = /^\/([\w.:/-]*)$/;

/** Returns the trigger directly before the caret; undefined when nothing can be completed. */
export function triggerAt(text: string, caret: number): Trigger | undefined {
  const before = text.slice(0, caret);
  const command = COMMAND.exec(before);
  if (command) {
    return { kind: 'command', query: command[1] ?? '', start: 0, end: caret };
  }
  const mention = MENTION.exec(before);
  if (!mention) {
    return undefined;
  }
  const written = mention[1] ?? '';
  return { kind: 'mention', query: written.replace(/^"/, ''), start: caret - written.length - 1, end: caret };
}

/** Returns a path in the notation of a mention. */
export function mentionOf(target: string): string {
  return /[\s",`]/.test(target) ? `@"${target.replaceAll('"', '')}"` : `@${target}`;
}

/** Returns the text with the chosen completion in place of the trigger; no space follows a name that can go on. */
export function complete(text: string, trigger: Trigger, chosen: string): Completed {
  const before = text.slice(0, trigger.start) + chosen;
  const after = text.slice(trigger.end);
  const space = /^\s/.test(after) || /[/#:]$/.test(chosen) ? '' : ' ';
  const caret = /[/#:]$/.test(chosen) ? before.length : before.length + 1;
  return { text: before + space + after, caret };
}

/** Returns how well a name matches a query: lower is better, undefined means no match. */
export function rank(name: string, query: string): number | undefined {
  const [low, letters] = [name.toLowerCase(), query.toLowerCase()];
  if (letters === '') {
    return 0;
  }
  const place = low.indexOf(letters);
  if (place >= 0) {
    return place === 0 ? 0 : /[\w]/.test(low[place - 1] ?? '') ? 2 : 1;
  }
  let at = -1;
  for (const letter of letters) {
    at = low.indexOf(letter, at + 1);
    if (at < 0) {
      return undefined;
    }
  }
  return 3;
}

/** Returns the best matches, in the order of their ranks. */
export function best<T>(items: readonly T[], query: string, nameOf: (item: T) => string, limit: number): T[] {
  return items
    .map((item) => ({ item, rank: rank(nameOf(item), query) }))
    .filter((ranked): ranked is { item: T; rank: number } => ranked.rank !== undefined)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, limit)
    .map((ranked) => ranked.item);
}
