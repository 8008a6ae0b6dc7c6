/** The session on the page. It is loaded whole, shown once it is all there, and loaded anew when the daemon was away. */
import type { Conversation } from '../../src/chat/conversation';
import type { SessionEvent, UserMessage } from '../../src/wire';
import type { Row } from '../conversation/rows';
import { request } from './host';
import { SessionRows } from './session_rows';
import { Subagents } from './subagents';

/** What the page is told of it. */
export interface Listener {
  changed(): void;
  failed(error: unknown): void;
  /** As it happens, and not of what happened before the session was opened. */
  happened(event: SessionEvent): void;
}

export class OpenSession {
  /** Also while it is being loaded. */
  id: string | undefined;
  readonly subagents: Subagents;
  #shown: SessionRows | undefined;
  /** Loaded, and taken in bit by bit; then it takes the place of the one that is shown. */
  #coming: SessionRows | undefined;
  /** Up to there the coming one is told of what happened before. */
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

  /** The prompts, in order. */
  get prompts(): readonly UserMessage[] {
    const messages = (this.#coming ?? this.#shown)?.conversation.transcript.messages ?? [];
    return messages.filter((message): message is UserMessage => message.role === 'user');
  }

  /** Show it. Rejects with words for the user; until it is loaded, none is shown. */
  async open(sessionId: string): Promise<void> {
    this.leave();
    this.id = sessionId;
    this.subagents.begin(sessionId);
    this.#listener.changed();
    await this.#load(sessionId);
  }

  /** The same again from the daemon, which was away; what is shown stays until the new one is there. */
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
    this.subagents.begin('');
  }

  /** Begin a new one. Rejects with words for the user. */
  async begin(agent: string | undefined, model: string | undefined): Promise<string> {
    const info = await request('agent/session/new', {
      ...(agent !== undefined && { agent }),
      ...(model !== undefined && { model }),
    });
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
    if (own.length < events.length) {
      this.subagents.receive(
        events.filter((event) => event.sessionId !== this.id),
        this.isBusy,
      );
    }
  }

  /** No turn runs: the daemon is gone. */
  interrupt(): void {
    this.#shown?.conversation.endTurnsUntil(this.#shown.received);
  }

  /** Once a frame; true when there is more to do in the next. */
  draw(): boolean {
    const drawn = this.#coming ?? this.#shown;
    drawn?.take((event) => {
      if (drawn === this.#shown || event.seq > this.#past) {
        this.#listener.happened(event);
      }
    });
    drawn?.draw(drawn === this.#shown);
    if (this.#coming?.isUpToDate) {
      this.#shown = this.#coming;
      this.#coming = undefined;
    }
    return !(drawn?.isUpToDate ?? true);
  }

  /** Once all that is known of the session is taken in. */
  async settled(): Promise<void> {
    while (this.#coming || !(this.#shown?.isUpToDate ?? true)) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  }

  /** What a replay does not tell of the changes. */
  async loadChanges(): Promise<void> {
    const drawn = this.#coming ?? this.#shown;
    if (drawn) {
      const { changes } = await request('agent/changes', { sessionId: drawn.conversation.info.id });
      drawn.conversation.setChanges(changes);
      this.#listener.changed();
    }
  }

  /** What it has cost, by the daemon's own books. */
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
    const { session, events } = await request('agent/session/load', { sessionId });
    if (load !== this.#loads) {
      return;
    }
    const coming = new SessionRows(session);
    coming.receive(events);
    this.#past = coming.received;
    this.#coming = coming;
    this.#listener.changed();
    const [status] = await Promise.allSettled([request('agent/status', {}), this.loadChanges()]);
    // A turn without an end runs only if the daemon says so.
    if (status.status === 'fulfilled' && !status.value.running.includes(sessionId)) {
      coming.conversation.endTurnsUntil(this.#past);
    }
    this.#listener.changed();
  }
}
