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
