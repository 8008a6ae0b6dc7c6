/** The conversations of a session's subagents, each loaded when it is first heard of or asked for. */
import { Conversation } from '../../src/chat/conversation';
import type { SessionEvent, ToolPart } from '../../src/wire';
import { request } from './host';

export class Subagents {
  readonly #known = new Map<string, Conversation>();
  /** Sessions that were asked about. */
  readonly #asked = new Set<string>();
  readonly #changed: () => void;
  #parentId = '';

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Another session is open. */
  begin(parentId: string): void {
    this.#known.clear();
    this.#asked.clear();
    this.#parentId = parentId;
  }

  has(sessionId: string): boolean {
    return this.#known.has(sessionId);
  }

  /** US dollars since the daemon last said what their session has cost with them. */
  get spentSince(): number {
    return [...this.#known.values()].reduce((sum, conversation) => sum + conversation.spentSince, 0);
  }

  forgetCosts(): void {
    for (const conversation of this.#known.values()) {
      conversation.forgetCosts();
    }
  }

  /** Take in what is of them. While a turn runs, a session that is not known may be one of them. */
  receive(events: readonly SessionEvent[], mayBegin: boolean): void {
    for (const event of events) {
      const known = this.#known.get(event.sessionId);
      if (known && event.seq > known.seq) {
        known.apply(event);
        this.#changed();
      } else if (!known && mayBegin) {
        void this.load(event.sessionId);
      }
    }
  }

  /** Whose work the call to `task` is; while it runs, the title is all that tells. */
  of(part: ToolPart): Conversation | undefined {
    if (part.state.status === 'pending') {
      return undefined;
    }
    const { metadata, title } = part.state;
    const id = metadata.sessionId;
    if (typeof id === 'string') {
      return this.#known.get(id);
    }
    const name = `${title} (@${String(metadata.agent)})`;
    return [...this.#known.values()].find((conversation) => conversation.info.title === name);
  }

  /** Does nothing for a session that is no subagent's of the open one. */
  async load(sessionId: string): Promise<void> {
    if (!this.#asked.has(sessionId)) {
      this.#asked.add(sessionId);
      await this.#fetch(sessionId);
    }
  }

  /** All that are known, from the daemon, which was away. */
  async reload(): Promise<void> {
    await Promise.all([...this.#known.keys()].map((id) => this.#fetch(id)));
  }

  async #fetch(sessionId: string): Promise<void> {
    const open = this.#parentId;
    try {
      const { session, events } = await request('agent/session/load', { sessionId });
      const parent = session.parentId ?? '';
      if (open === this.#parentId && (parent === open || this.#known.has(parent))) {
        const conversation = new Conversation(session);
        for (const event of events) {
          conversation.apply(event);
        }
        this.#known.set(sessionId, conversation);
        this.#changed();
      }
    } catch {
      // It belongs to a session that is gone, or that another window has.
    }
  }
}
