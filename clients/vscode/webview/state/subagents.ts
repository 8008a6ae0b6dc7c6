/** Conversations of a session's subagents, each loaded on the first event or request. */
import { Conversation } from '../../src/chat/conversation';
import type { SessionEvent, ToolPart } from '../../src/wire';
import { request } from './host';

export class Subagents {
  readonly #conversations = new Map<string, Conversation>();
  /** Ids of the sessions that were requested. */
  readonly #asked = new Set<string>();
  readonly #changed: () => void;
  #parentId = '';

  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Forgets all conversations, because another session opens. */
  begin(parentId: string): void {
    this.#conversations.clear();
    this.#asked.clear();
    this.#parentId = parentId;
  }

  has(sessionId: string): boolean {
    return this.#conversations.has(sessionId);
  }

  /** US dollars since the daemon last reported the cost of the session with the subagents. */
  get spentSince(): number {
    return [...this.#conversations.values()].reduce((sum, conversation) => sum + conversation.spentSince, 0);
  }

  forgetCosts(): void {
    for (const conversation of this.#conversations.values()) {
      conversation.forgetCosts();
    }
  }

  /** Applies the events of subagents. While a turn runs, an unknown session may be a subagent's. */
  receive(events: readonly SessionEvent[], mayBegin: boolean): void {
    for (const event of events) {
      const conversation = this.#conversations.get(event.sessionId);
      if (conversation && event.seq > conversation.seq) {
        conversation.apply(event);
        this.#changed();
      } else if (!conversation && mayBegin) {
        void this.load(event.sessionId);
      }
    }
  }

  /** Returns the conversation of a `task` call; while the call runs, only the title identifies the conversation. */
  of(part: ToolPart): Conversation | undefined {
    if (part.state.status === 'pending') {
      return undefined;
    }
    const { metadata, title } = part.state;
    const id = metadata.sessionId;
    if (typeof id === 'string') {
      return this.#conversations.get(id);
    }
    const name = `${title} (@${String(metadata.agent)})`;
    return [...this.#conversations.values()].find((conversation) => conversation.info.title === name);
  }

  /** Loads a subagent's session; does nothing if the session does not belong to a subagent of the open session. */
  async load(sessionId: string): Promise<void> {
    if (!this.#asked.has(sessionId)) {
      this.#asked.add(sessionId);
      await this.#fetch(sessionId);
    }
  }

  /** Loads all known conversations again after the daemon was away. */
  async reload(): Promise<void> {
    await Promise.all([...this.#conversations.keys()].map((id) => this.#fetch(id)));
  }

  async #fetch(sessionId: string): Promise<void> {
    const open = this.#parentId;
    try {
      const { session, events } = await request('agent/session/load', { sessionId });
      const parent = session.parentId ?? '';
      if (open === this.#parentId && (parent === open || this.#conversations.has(parent))) {
        const conversation = new Conversation(session);
        for (const event of events) {
          conversation.apply(event);
        }
        this.#conversations.set(sessionId, conversation);
        this.#changed();
      }
    } catch {
      // The session was deleted, or belongs to another window.
    }
  }
}
