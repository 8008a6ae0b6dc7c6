/**
 * Bridge between the daemon and the page: forwards events in batches, serves the requests of the page, and keeps no
 * other state.
 */
import * as l10n from '@vscode/l10n';
import type { Agent } from '../daemon/agent';
import type { Asks } from '../permissions/pending_requests';
import { type Preferred, readPreferred } from '../sessions/preferred_model';
import type { Prompt, SessionEvent } from '../wire';
import { Cancellation } from './cancellation';
import {
  DAEMON_METHODS,
  type DaemonMethod,
  type FileAttachment,
  type FromPage,
  type HostRequests,
  type PageMethod,
  type Remedy,
  type ReviewState,
  readFromPage,
  type ToPage,
} from './messages';

/** Time in milliseconds to collect events of one batch: about one frame. */
export const TOGETHER_MS = 16;

/** Services of the editor for the page. */
export interface Host {
  serve<M extends keyof HostRequests>(method: M, params: HostRequests[M]['params']): Promise<HostRequests[M]['result']>;
  openFile(path: string, line: number | undefined): void;
  openChange(sessionId: string, changeId: string, uri: string | undefined): void;
  openLink(url: string): void;
  openText(language: string, text: string): void;
  review(askId: string): void;
  /** Reports the pending requests that the page shows now, and the others. */
  shows(askIds: readonly string[], others: readonly string[]): void;
  remedy(name: Remedy, argument: string | undefined): void;
  /** Reports the session that the page shows now, with the last opening that the page knows. */
  session(sessionId: string | null, opening: number): void;
  /** Lets the commands of the window apply to the session of the page, if the page knows the last opening. */
  used(opening: number): void;
  /** Number of the last opening of a session that was not begun on a page. */
  readonly opening: number;
  onOpening(listener: () => void): { dispose(): void };
  /** Session that the page shall show; null for none, undefined where the page may go on with the session of before. */
  readonly pageSession: string | null | undefined;
  /** Calls the listener when the page shall show a session, and not when the user has gone there on the page. */
  onPageSession(listener: () => void): { dispose(): void };
  readonly reviewState: ReviewState;
  /** The user's last choices, for the next session. */
  readonly preferred: Preferred;
  onPreferred(listener: () => void): { dispose(): void };
  prefer(preferred: Preferred): void;
  /** File and selection of the active editor. */
  readonly editorFile: FileAttachment | undefined;
  onEditorFile(listener: () => void): { dispose(): void };
  runInTerminal(text: string): void;
  onReviewState(listener: () => void): { dispose(): void };
}

type Post = (message: ToPage) => void;

interface Open {
  method: PageMethod;
  params: unknown;
  cancellation: Cancellation;
}

/** Bridge of one view. The bridge lives as long as the view, which may reload the page at any time. */
export class Bridge {
  readonly #agent: Agent;
  readonly #asks: Asks;
  readonly #host: Host;
  readonly #post: Post;
  readonly #subscriptions: { dispose(): unknown }[];
  #events: SessionEvent[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** True while a page listens. */
  #isLive = false;
  /** Unanswered requests of the page, by request id. */
  readonly #open = new Map<number, Open>();
  /** Messages for a page that is not ready yet. */
  #held: ToPage[] = [];

  constructor(agent: Agent, asks: Asks, host: Host, post: Post) {
    this.#agent = agent;
    this.#asks = asks;
    this.#host = host;
    this.#post = post;
    this.#subscriptions = [
      agent.onUpdate((event) => this.#hold(event)),
      agent.onStatus((status) => this.#send({ type: 'status', status })),
      asks.onChange(() => this.#send({ type: 'asks', asks: asks.waiting })),
      host.onEditorFile(() => this.#send({ type: 'editor', file: host.editorFile ?? null })),
      host.onPreferred(() => this.#send({ type: 'preferred', preferred: host.preferred })),
      host.onReviewState(() => this.#send({ type: 'review', review: host.reviewState })),
      host.onOpening(() => this.#send({ type: 'opening', opening: host.opening })),
      host.onPageSession(() => this.#send({ type: 'open', sessionId: host.pageSession ?? null })),
    ];
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const subscription of this.#subscriptions) {
      subscription.dispose();
    }
  }

  /** Handles a message from the page; a message that the page may not send is dropped. */
  async receive(raw: unknown): Promise<void> {
    const message = readFromPage(raw);
    if (message) {
      await this.#take(message);
    }
  }

  /**
   * Stops sending, because the page is gone. The next page reports when ready, and loads past events from the daemon.
   */
  sleep(): void {
    this.#isLive = false;
    this.#events = [];
  }

  /** Sends a message to the page, or to the next page if no page is ready. */
  tell(message: ToPage): void {
    if (this.#isLive) {
      this.#send(message);
    } else {
      this.#held.push(message);
    }
  }

  /** Sends a message to the page after all earlier events; without a page, the message is dropped. */
  #send(message: ToPage): void {
    this.#flush();
    if (this.#isLive) {
      this.#post(message);
    }
  }

  #greet(): void {
    this.#isLive = true;
    this.#events = [];
    this.#send({ type: 'status', status: this.#agent.status });
    this.#send({ type: 'asks', asks: this.#asks.waiting });
    this.#send({ type: 'review', review: this.#host.reviewState });
    this.#send({ type: 'preferred', preferred: this.#host.preferred });
    this.#send({ type: 'editor', file: this.#host.editorFile ?? null });
    const prompts = [...this.#open].filter(([, open]) => open.method === 'agent/prompt');
    this.#send({ type: 'prompts', prompts: prompts.map(([id, { params }]) => ({ id, params: params as Prompt })) });
    if (this.#host.pageSession !== undefined) {
      this.#send({ type: 'open', sessionId: this.#host.pageSession });
    }
    this.#send({ type: 'opening', opening: this.#host.opening });
    const held = this.#held;
    this.#held = [];
    for (const message of held) {
      this.#send(message);
    }
  }

  async #take(message: FromPage): Promise<void> {
    switch (message.type) {
      case 'ready':
        return this.#greet();
      case 'request':
        return this.#serve(message.id, message.method, message.params);
      case 'cancel':
        return this.#open.get(message.id)?.cancellation.cancel();
      case 'remedy':
        return this.#host.remedy(message.name, message.argument ?? undefined);
      case 'notify':
        return this.#agent.notify(message.method, message.params as never);
      case 'answer':
        return this.#asks.answer(message.id, message.answer);
      case 'review':
        return this.#host.review(message.id);
      case 'shows':
        return this.#host.shows(message.ids, message.others);
      case 'openFile':
        return this.#host.openFile(message.path, message.line ?? undefined);
      case 'openChange':
        return this.#host.openChange(message.sessionId, message.changeId, message.uri ?? undefined);
      case 'openLink':
        return /^https?:\/\//i.test(message.url) ? this.#host.openLink(message.url) : undefined;
      case 'openText':
        return this.#host.openText(message.language, message.text);
      case 'runInTerminal':
        return this.#host.runInTerminal(message.text);
      case 'prefer': {
        const preferred = readPreferred({ ...message.preferred });
        return preferred && this.#host.prefer(preferred);
      }
      case 'session':
        return this.#host.session(message.sessionId ?? null, message.opening);
      case 'used':
        return this.#host.used(message.opening);
    }
  }

  async #serve(id: number, method: PageMethod, params: unknown): Promise<void> {
    const cancellation = new Cancellation();
    this.#open.set(id, { method, params, cancellation });
    try {
      const result = isOfDaemon(method)
        ? await this.#agent.request<unknown>(method, params, cancellation)
        : await this.#host.serve(method, params as never);
      this.#send({ type: 'answered', id, result });
    } catch (error) {
      this.#send({ type: 'failed', id, message: wordsOf(error) });
    } finally {
      this.#open.delete(id);
    }
  }

  #hold(event: SessionEvent): void {
    if (this.#isLive) {
      this.#events.push(event);
      this.#timer ??= setTimeout(() => this.#flush(), TOGETHER_MS);
    }
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#events.length > 0) {
      const events = this.#events;
      this.#events = [];
      this.#post({ type: 'events', events });
    }
  }
}

/** Error codes of vscode-jsonrpc: the connection ended before the answer arrived, or before the request was sent. */
const ENDED = [-32096, -32097, -32099];

function wordsOf(error: unknown): string {
  if (ENDED.includes((error as { code?: number })?.code ?? 0)) {
    return l10n.t('Placet stopped during the turn and is restarting. Queued prompts are back in the input box.');
  }
  return error instanceof Error ? error.message : String(error);
}

function isOfDaemon(method: PageMethod): method is DaemonMethod {
  return (DAEMON_METHODS as readonly string[]).includes(method);
}
