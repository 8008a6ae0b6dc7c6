/** Suggestions for the unfinished `@…` or `/…` at the caret: from the daemon, or else from the editor's own search. */
import type { CompletionItem } from '../../src/wire';
import { best } from '../controls/matches';
import { COMMANDS } from '../state/commands';
import { request } from '../state/host';
import type { Store } from '../state/store';
import { mentionOf, type Trigger } from './mention';

export interface Suggestion {
  label: string;
  detail: string;
  /** Text in place of the trigger, with the sign. */
  text: string;
  trigger: Trigger;
}

const MOST = 12;

export async function suggestions(store: Store, text: string, trigger: Trigger): Promise<Suggestion[]> {
  if (trigger.kind === 'command') {
    return commands(store, trigger);
  }
  try {
    const sessionId = store.conversation?.info.id;
    const position = positionAt(text, trigger.end);
    const { items } = await request('agent/complete', { ...(sessionId && { sessionId }), text, position });
    return items.slice(0, MOST).map((item) => suggestionOf(item, text, trigger));
  } catch {
    const candidates = await request('host/complete', { query: trigger.query }).catch(() => []);
    return candidates
      .slice(0, MOST)
      .map(({ label, detail, mention }) => ({ label, detail, text: mentionOf(mention), trigger }));
  }
}

function commands(store: Store, trigger: Trigger): Suggestion[] {
  const own = new Set<string>(COMMANDS.map((command) => command.name));
  const all = [...COMMANDS, ...store.lists.commands.filter((command) => !own.has(command.name))];
  return best(all, trigger.query, (command) => command.name, MOST).map(({ name, description }) => ({
    label: `/${name}`,
    detail: description,
    text: `/${name}`,
    trigger,
  }));
}

function suggestionOf(item: CompletionItem, text: string, trigger: Trigger): Suggestion {
  const { range, newText } = item.textEdit;
  const start = offsetAt(text, range.start);
  return {
    label: item.label,
    detail: item.detail ?? '',
    text: newText,
    trigger: { ...trigger, start, end: offsetAt(text, range.end) },
  };
}

/** Returns the position in UTF-16 units, which VS Code's client uses with every server. */
function positionAt(text: string, offset: number): { line: number; character: number } {
  const lines = text.slice(0, offset).split('\n');
  return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
}

function offsetAt(text: string, { line, character }: { line: number; character: number }): number {
  const before = text.split('\n', line);
  return before.reduce((sum, line) => sum + line.length + 1, 0) + character;
}
