/** Data of a session for trees and pickers: the prompt of each turn, and the plan, from the session's events. Pure. */

import type { PlanEntry, SessionEvent, UserMessage } from '../wire';
import { Transcript } from './transcript';

const LONGEST = 80;

export class SessionLog {
  /** First line of the prompt, by turn id. */
  readonly titles = new Map<string, string>();
  plan: readonly PlanEntry[] = [];

  /** Applies an event; returns true if the log changed. */
  apply({ update }: SessionEvent): boolean {
    switch (update.kind) {
      case 'user_message':
        this.titles.set(update.message.id, titleOf(update.message.parts));
        return true;
      case 'plan':
        this.plan = update.entries;
        return true;
      default:
        return false;
    }
  }
}

/** Returns the prompts of a session that began a turn, newest first. */
export function promptsOf(events: readonly SessionEvent[]): UserMessage[] {
  const transcript = new Transcript();
  for (const { update } of events) {
    transcript.apply(update);
  }
  return transcript.messages
    .filter((message): message is UserMessage => message.role === 'user' && message.steers === undefined)
    .filter(({ parts }) => parts.some((part) => part.type !== 'text' || !part.synthetic))
    .reverse();
}

/** Returns the first line of the user's text in a prompt. */
export function titleOf(parts: readonly { type: string; text?: string; synthetic?: boolean }[]): string {
  const text = parts.find(({ type, synthetic }) => type === 'text' && !synthetic)?.text ?? '';
  const [line = ''] = text.trim().split('\n');
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}
