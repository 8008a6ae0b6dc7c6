/** Of a session's events, what the trees show: what each turn was asked, and the plan. Pure. */
import type { PlanEntry, SessionEvent } from '../wire';

const LONGEST = 80;

export class SessionLog {
  /** By the turn's id: the first line of its prompt. */
  readonly titles = new Map<string, string>();
  plan: readonly PlanEntry[] = [];

  /** Take in an event; whether it changed anything. */
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

function titleOf(parts: readonly { type: string; text?: string; synthetic?: boolean }[]): string {
  const text = parts.find(({ type, synthetic }) => type === 'text' && !synthetic)?.text ?? '';
  const [line = ''] = text.trim().split('\n');
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1)}…` : line;
}
