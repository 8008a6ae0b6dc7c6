/** What is being completed at the caret of the prompt: `@path` anywhere, `/command` at the start. Pure. */

export interface Trigger {
  kind: 'mention' | 'command';
  /** What was written behind the sign. */
  query: string;
  /** Where the sign stands. */
  start: number;
  end: number;
}

export interface Completed {
  text: string;
  caret: number;
}

const MENTION = /(?:^|[\s([{])@("[^"\n]*|[^\s"`]*)$/;
const COMMAND = /^\/([\w.:/-]*)$/;

/** What stands directly before the caret; undefined when there is nothing to complete. */
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

/** A path as a mention can hold it. */
export function mentionOf(target: string): string {
  return /[\s",`]/.test(target) ? `@"${target.replaceAll('"', '')}"` : `@${target}`;
}

/** The text with what was chosen in place of what was written; behind a name that can go on, no space. */
export function complete(text: string, trigger: Trigger, chosen: string): Completed {
  const before = text.slice(0, trigger.start) + chosen;
  const after = text.slice(trigger.end);
  const space = /^\s/.test(after) || /[/#:]$/.test(chosen) ? '' : ' ';
  const caret = /[/#:]$/.test(chosen) ? before.length : before.length + 1;
  return { text: before + space + after, caret };
}

/** How well a name answers what was written: lower is better, undefined is not at all. */
export function rank(name: string, query: string): number | undefined {
  const [low, wanted] = [name.toLowerCase(), query.toLowerCase()];
  if (wanted === '') {
    return 0;
  }
  const place = low.indexOf(wanted);
  if (place >= 0) {
    return place === 0 ? 0 : /[\w]/.test(low[place - 1] ?? '') ? 2 : 1;
  }
  let at = -1;
  for (const letter of wanted) {
    at = low.indexOf(letter, at + 1);
    if (at < 0) {
      return undefined;
    }
  }
  return 3;
}

/** The best of them, in the order of their ranks. */
export function best<T>(items: readonly T[], query: string, nameOf: (item: T) => string, limit: number): T[] {
  return items
    .map((item) => ({ item, rank: rank(nameOf(item), query) }))
    .filter((ranked): ranked is { item: T; rank: number } => ranked.rank !== undefined)
    .sort((a, b) => a.rank - b.rank)
    .slice(0, limit)
    .map((ranked) => ranked.item);
}
