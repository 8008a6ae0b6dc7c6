/** What the page knows, and what can be done. It is told of by `onChange`, at most once a frame. */
import type { Status } from '../src/agent';
import type { Ask } from '../src/chat/asks';
import { Conversation } from '../src/chat/conversation';
import type { Attachment, ToPage } from '../src/chat/messages';
import type { Prompt, SessionEvent, SessionInfo, UndoResult } from '../src/wire';
import { Backlog } from './backlog';
import { keep, listen, post, recall, request } from './host';
import { Lists } from './lists';
import { lastName } from './names';
import { type Row, RowMaker } from './rows';
import { Subagents } from './subagents';

export interface Spoken {
  text: string;
  isUrgent: boolean;
}

export class Store {
  status: Status = { state: 'starting', running: [], waiting: 0 };
  conversation: Conversation | undefined;
  rows: Row[] = [];
  isLoading = false;
  problem = '';
  readonly lists = new Lists(() => this.changed());
  asks: readonly Ask[] = [];
  attachments: readonly Attachment[] = [];
  readonly subagents = new Subagents(() => this.changed());
  /** For the screen reader. */
  spoken: Spoken = { text: '', isUrgent: false };
  /** Prompts that wait for the turn's end. */
  queued: readonly string[] = [];
  /** What the host wants of the composer and the header. */
  onWish: (wish: Extract<ToPage, { type: 'write' | 'focus' | 'command' }>) => void = () => {};

  readonly #backlog = new Backlog();
  #rowMaker = new RowMaker();
  #frame = 0;
  #wasReady = false;
  #loads = 0;
  readonly #listeners = new Set<() => void>();

  start(): void {
    listen((message) => this.#take(message));
    post({ type: 'ready' });
    const { sessionId } = recall();
    if (sessionId !== undefined) {
      void this.open(sessionId);
    }
    void this.lists.refresh();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get isBusy(): boolean {
    return this.conversation?.turnId !== undefined;
  }

  /** Asks of this session and of its subagents; those of other sessions too while none is open. */
  get ownAsks(): readonly Ask[] {
    const id = this.conversation?.info.id;
    return this.asks.filter((ask) => {
      const session = ask.request.sessionId;
      return id === undefined || session === id || this.subagents.has(session) || isOfSubagent(ask);
    });
  }

  async open(sessionId: string): Promise<void> {
    this.#loads++;
    const load = this.#loads;
    this.conversation = undefined;
    this.subagents.begin(sessionId);
    this.rows = [];
    this.queued = [];
    this.#rowMaker = new RowMaker();
    this.isLoading = true;
    this.problem = '';
    this.changed();
    try {
      const loaded = await request('agent/session/load', { sessionId });
      if (load !== this.#loads) {
        return;
      }
      this.conversation = this.#opened(loaded.session, loaded.events);
      this.#backlog.clear();
      this.#backlog.add(loaded.events);
      this.#remember(sessionId);
      await this.#loadChanges(this.conversation);
    } catch (error) {
      if (load === this.#loads) {
        this.#fail(error);
        keep({ sessionId: undefined });
      }
    } finally {
      if (load === this.#loads) {
        this.isLoading = false;
        this.changed();
      }
    }
  }

  /** Leave the session; the next prompt begins a new one. */
  leave(): void {
    this.#loads++;
    this.conversation = undefined;
    this.subagents.begin('');
    this.rows = [];
    this.queued = [];
    this.problem = '';
    this.isLoading = false;
    this.#remember(undefined);
    this.changed();
  }

  async send(text: string, queue: 'steer' | 'after', agent?: string, model?: string): Promise<void> {
    const parts: Prompt['parts'] = [
      ...(text.trim() === '' ? [] : [{ type: 'text' as const, text }]),
      ...this.attachments,
    ];
    if (parts.length === 0) {
      return;
    }
    this.attachments = [];
    this.problem = '';
    const waits = this.isBusy && queue === 'after';
    try {
      const sessionId = this.conversation?.info.id ?? (await this.#begin(agent, model));
      if (waits) {
        this.queued = [...this.queued, text];
      }
      this.changed();
      const { stopReason } = await request('agent/prompt', { sessionId, parts, queue });
      this.speak(stopReason === 'end_turn' ? 'Placet has answered.' : 'The turn has ended.', false);
    } catch (error) {
      this.#fail(error);
    } finally {
      if (waits) {
        this.queued = this.queued.filter((one) => one !== text);
      }
      this.changed();
    }
  }

  stop(): void {
    if (this.conversation) {
      post({ type: 'notify', method: 'agent/cancel', params: { sessionId: this.conversation.info.id } });
    }
  }

  attach(attachment: Attachment): void {
    this.attachments = [...this.attachments, attachment];
    this.changed();
  }

  detach(attachment: Attachment): void {
    this.attachments = this.attachments.filter((one) => one !== attachment);
    this.changed();
  }

  /** Do something with the open session, and say so if it fails. */
  async act<T>(work: (sessionId: string) => Promise<T>): Promise<T | undefined> {
    const id = this.conversation?.info.id;
    if (id === undefined) {
      return undefined;
    }
    try {
      this.problem = '';
      return await work(id);
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  retitle(sessionId: string, title: string): void {
    if (this.conversation?.info.id === sessionId) {
      this.conversation.info = { ...this.conversation.info, title };
      this.changed();
    }
  }

  async undo(turnId?: string): Promise<void> {
    const done = await this.act((sessionId) =>
      request('agent/undo', { sessionId, ...(turnId !== undefined && { turnId }) }),
    );
    this.#report(done);
  }

  async redo(): Promise<void> {
    this.#report(await this.act((sessionId) => request('agent/redo', { sessionId })));
  }

  speak(text: string, isUrgent: boolean): void {
    this.spoken = { text, isUrgent };
    this.changed();
  }

  changed(): void {
    if (this.#frame === 0) {
      this.#frame = requestAnimationFrame(() => this.#draw());
    }
  }

  #draw(): void {
    this.#frame = 0;
    this.#backlog.applySome((event) => this.#apply(event));
    if (this.conversation) {
      this.rows = this.#rowMaker.rows(this.conversation);
    }
    for (const listener of this.#listeners) {
      listener();
    }
    if (!this.#backlog.isEmpty) {
      this.changed();
    }
  }

  #apply(event: SessionEvent): void {
    const own = this.conversation;
    if (own && event.sessionId === own.info.id) {
      own.apply(event);
    } else {
      this.subagents.apply(event);
    }
  }

  #take(message: Parameters<Parameters<typeof listen>[0]>[0]): void {
    switch (message.type) {
      case 'events':
        this.#receive(message.events);
        break;
      case 'asks':
        this.#takeAsks(message.asks);
        break;
      case 'status':
        this.#takeStatus(message.status);
        break;
      case 'attach':
        this.attach(message.attachment);
        this.onWish({ type: 'focus' });
        break;
      case 'open':
        if (message.sessionId === null) {
          this.leave();
        } else if (message.sessionId !== this.conversation?.info.id) {
          void this.open(message.sessionId);
        }
        break;
      case 'write':
      case 'focus':
      case 'command':
        this.onWish(message);
        break;
    }
    this.changed();
  }

  /** Queue what is new; what a load has told already would undo what came after it. */
  #receive(events: readonly SessionEvent[]): void {
    const fresh: SessionEvent[] = [];
    for (const event of events) {
      if (event.sessionId === this.conversation?.info.id) {
        if (event.seq > this.conversation.seq) {
          this.conversation.seq = event.seq;
          fresh.push(event);
        }
      } else if (this.subagents.has(event.sessionId)) {
        fresh.push(event);
      } else if (this.isBusy) {
        void this.subagents.load(event.sessionId);
      }
    }
    this.#backlog.add(fresh);
  }

  #takeAsks(asks: readonly Ask[]): void {
    const isNew = asks.some((ask) => !this.asks.some((one) => one.id === ask.id));
    this.asks = asks;
    const last = asks.at(-1);
    if (isNew && last) {
      const text = last.kind === 'permission' ? last.request.title : (last.request.questions[0]?.question ?? '');
      this.speak(`Placet waits for you: ${text}`, true);
    }
  }

  #takeStatus(status: Status): void {
    const isReady = status.state === 'ready';
    if (isReady && !this.#wasReady) {
      void this.lists.refresh();
      void this.#catchUp();
    }
    this.#wasReady = isReady;
    this.status = status;
  }

  /** After the daemon was away: what happened since. */
  async #catchUp(): Promise<void> {
    const own = this.conversation;
    if (!own || own.seq === 0) {
      return;
    }
    try {
      const { session, events } = await request('agent/session/load', { sessionId: own.info.id, since: own.seq });
      if (this.conversation === own) {
        own.info = { ...own.info, ...session };
        own.seq = newest(events, own.seq);
        this.#backlog.add(events);
        this.#askWhetherIdle(own);
        await this.#loadChanges(own);
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  /** A conversation whose events are still to be taken in. A turn without an end runs only if the daemon says so. */
  #opened(info: SessionInfo, events: readonly SessionEvent[]): Conversation {
    const conversation = new Conversation(info);
    conversation.seq = newest(events, 0);
    this.#askWhetherIdle(conversation);
    return conversation;
  }

  #askWhetherIdle(conversation: Conversation): void {
    const { seq } = conversation;
    request('agent/status', {}).then(
      ({ running }) => {
        if (!running.includes(conversation.info.id)) {
          conversation.endTurnsUntil(seq);
          this.changed();
        }
      },
      () => {},
    );
  }

  async #loadChanges(conversation: Conversation): Promise<void> {
    const { changes } = await request('agent/changes', { sessionId: conversation.info.id });
    conversation.setChanges(changes);
    this.changed();
  }

  async #begin(agent: string | undefined, model: string | undefined): Promise<string> {
    const info = await request('agent/session/new', {
      ...(agent !== undefined && { agent }),
      ...(model !== undefined && { model }),
    });
    this.conversation = new Conversation(info);
    this.#rowMaker = new RowMaker();
    this.#remember(info.id);
    return info.id;
  }

  #remember(sessionId: string | undefined): void {
    keep({ sessionId, place: undefined });
    post({ type: 'session', sessionId: sessionId ?? null });
  }

  #report(result: UndoResult | undefined): void {
    if (!result) {
      return;
    }
    const conflicts = result.files.filter((file) => file.status === 'conflict');
    this.problem = conflicts
      .map((file) => `${lastName(file.uri)}: ${file.reason ?? 'you changed the same lines'}`)
      .join('\n');
    const restored = result.files.filter((file) => file.status === 'restored').length;
    this.speak(`${restored} of ${result.files.length} files restored.`, false);
    if (this.conversation) {
      void this.#loadChanges(this.conversation);
    }
  }

  #fail(error: unknown): void {
    this.problem = error instanceof Error ? error.message : String(error);
    this.speak(this.problem, true);
  }
}

function newest(events: readonly SessionEvent[], least: number): number {
  return events.reduce((seq, event) => Math.max(seq, event.seq), least);
}

function isOfSubagent(ask: Ask): boolean {
  return ask.kind === 'permission' && ask.request.origin.length > 0;
}
