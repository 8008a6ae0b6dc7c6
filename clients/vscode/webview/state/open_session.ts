/**
 * The session on the page. The session is loaded whole, shown once everything is loaded, and loaded anew when the
 * daemon comes back.
 */
import type { Conversation } from '../../src/chat/conversation';
import type { SessionEvent, UserMessage } from '../../src/wire';
import type { Chosen } from './choosing';
import { request } from './host';
import type { Row } from './rows';
import { SessionRows } from './session_rows';
import { Subagents } from './subagents';

/** Listener of the page on the session. */
export interface Listener {
  changed(): void;
  failed(error: unknown): void;
  /** Reports a live event, and no event from before the opening of the session. */
  happened(event: SessionEvent): void;
}

export class OpenSession {
  /** Id of the session, set also during loading. */
  id: string | undefined;
  readonly subagents: Subagents;
  #shown: SessionRows | undefined;
  /** Loaded session that is applied piece by piece and then replaces the shown session. */
  #coming: SessionRows | undefined;
  /** Events that arrive before the answer of a load; the answer may be older than these events. */
  #meanwhile: SessionEvent[] | undefined;
  /** Number of the last event from before the loading. */
  #past = 0;
  #loads = 0;
  readonly #listener: Listener;

  constructor(listener: Listener) {
    this.#listener = listener;
    this.subagents = new Subagents(() => listener.changed());
  }

  get conversation(): Conversation | undefined {
    return this.#shown?.conversation;
  }

  get rows(): readonly Row[] {
    return this.#shown?.rows ?? [];
  }

  get isLoading(): boolean {
    return this.id !== undefined && this.#shown === undefined;
  }

  get isBusy(): boolean {
    return this.conversation?.turnId !== undefined;
  }

  /** Returns the prompts, in order. */
  get prompts(): readonly UserMessage[] {
    const messages = (this.#coming ?? this.#shown)?.conversation.transcript.messages ?? [];
    return messages.filter((message): message is UserMessage => message.role === 'user');
  }

  /** Shows the session. Rejects with a message for the user; until loading ends, no session is shown. */
  async open(sessionId: string): Promise<void> {
    this.leave();
    this.id = sessionId;
    this.subagents.begin(sessionId);
    this.#listener.changed();
    await this.#load(sessionId);
  }

  /** Loads the session again after the daemon was away; the shown state stays until the new state is complete. */
  async reload(): Promise<void> {
    const { id } = this;
    if (id !== undefined) {
      await Promise.all([this.#load(id), this.subagents.reload()]);
    }
  }

  leave(): void {
    this.#loads++;
    this.id = undefined;
    this.#shown = undefined;
    this.#coming = undefined;
    this.#meanwhile = undefined;
    this.subagents.begin('');
  }

  /** Starts a new session with the user's choices. Rejects with a message for the user. */
  async begin({ agent, review, caution }: Chosen): Promise<string> {
    let info = await request('agent/session/new', { ...(agent !== undefined && { agent }) });
    const sessionId = info.id;
    if (review !== undefined) {
      info = await request('agent/session/setReview', { sessionId, review });
    }
    if (caution !== undefined) {
      info = await request('agent/session/setCaution', { sessionId, caution });
    }
    this.leave();
    this.id = info.id;
    this.subagents.begin(info.id);
    this.#shown = new SessionRows(info);
    return info.id;
  }

  receive(events: readonly SessionEvent[]): void {
    const target = this.#coming ?? this.#shown;
    const own = events.filter((event) => event.sessionId === this.id);
    target?.receive(own);
    this.#meanwhile?.push(...own);
    if (own.length < events.length) {
      this.subagents.receive(
        events.filter((event) => event.sessionId !== this.id),
        this.isBusy,
      );
    }
  }

  /** Ends the running turn, because the daemon is gone. */
  interrupt(): void {
    if (this.#shown) {
      this.#shown.conversation.endTurnsUntil(this.#shown.received);
      this.#shown.conversation.queued = [];
    }
  }

  /** Draws one frame; returns true when the next frame has more to do. */
  draw(): boolean {
    const drawn = this.#coming ?? this.#shown;
    const isShown = drawn === this.#shown;
    drawn?.take(isShown, (event) => {
      if (isShown || event.seq > this.#past) {
        this.#listener.happened(event);
      }
    });
    drawn?.draw(isShown);
    if (this.#coming?.isUpToDate) {
      this.#shown = this.#coming;
      this.#coming = undefined;
    }
    return !(drawn?.isUpToDate ?? true);
  }

  /** Resolves once everything known of the session is applied. */
  async settled(): Promise<void> {
    while (this.#coming || !(this.#shown?.isUpToDate ?? true)) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  }

  /** Loads the facts about the changes that a replay does not contain. */
  async loadChanges(): Promise<void> {
    const drawn = this.#coming ?? this.#shown;
    if (drawn) {
      const { changes } = await request('agent/changes', { sessionId: drawn.conversation.info.id });
      drawn.conversation.setChanges(changes);
      this.#listener.changed();
    }
  }

  /** Loads the cost of the session from the daemon. */
  async loadCost(): Promise<void> {
    const drawn = this.#coming ?? this.#shown;
    if (drawn) {
      const { id } = drawn.conversation.info;
      const { session } = await request('agent/session/load', { sessionId: id, since: drawn.received });
      this.subagents.forgetCosts();
      drawn.conversation.describe(session);
      this.#listener.changed();
    }
  }

  async #load(sessionId: string): Promise<void> {
    this.#loads++;
    const load = this.#loads;
    const meanwhile: SessionEvent[] = [];
    this.#meanwhile = meanwhile;
    const { session, events, queued = [] } = await request('agent/session/load', { sessionId });
    if (load !== this.#loads) {
      return;
    }
    this.#meanwhile = undefined;
    const coming = new SessionRows(session);
    coming.conversation.queued = queued;
    coming.receive(events);
    this.#past = coming.received;
    coming.receive(meanwhile);
    this.#coming = coming;
    this.#listener.changed();
    const [status] = await Promise.allSettled([request('agent/status', {}), this.loadChanges()]);
    // A turn without an end runs only if the daemon reports a running turn.
    if (status.status === 'fulfilled' && !status.value.running.includes(sessionId)) {
      coming.conversation.endTurnsUntil(this.#past);
    }
    this.#listener.changed();
  }
}
