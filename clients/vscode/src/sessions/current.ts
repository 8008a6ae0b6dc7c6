/** Session that the commands of this window apply to. The session starts on first need. */
import type { Agent } from '../daemon/agent';

/** Page of the chat, as far as the window's session knows pages: a page recognizes itself. */
export interface SessionPage {
  readonly id: string | undefined;
}

/** Listener to changes of the session; `from` is the page of the chat that has brought the session. */
type Listener = (from: SessionPage | undefined) => void;

export class CurrentSession {
  private currentId: string | undefined;
  private beginning: Promise<string> | undefined;
  /** Page of the chat that the session belongs to; absent for a session from a command. */
  private page: SessionPage | undefined;
  private readonly listeners = new Set<Listener>();
  private openings = 0;
  private readonly openingListeners = new Set<() => void>();

  constructor(private readonly agent: Agent) {}

  /** Id of the session, if a session exists. */
  get id(): string | undefined {
    return this.currentId;
  }

  /** Calls the listener when the session changes, until the result is disposed. */
  onChange(listener: Listener): { dispose(): void } {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }

  /** Number of the last opening: a report of a page that does not know the number is late. */
  get opening(): number {
    return this.openings;
  }

  /** Calls the listener after each opening, until the result is disposed. */
  onOpening(listener: () => void): { dispose(): void } {
    this.openingListeners.add(listener);
    return { dispose: () => this.openingListeners.delete(listener) };
  }

  /** Counts the opening of a session, and returns the number of the opening. */
  countOpening(): number {
    this.openings++;
    for (const listener of this.openingListeners) {
      listener();
    }
    return this.openings;
  }

  /** Returns the session's id; starts a session if none exists. */
  async get(): Promise<string> {
    if (this.currentId) {
      return this.currentId;
    }
    this.beginning ??= this.agent.request('agent/session/new', {}).then(
      (session) => {
        this.beginning = undefined;
        if (!this.currentId) {
          this.set(session.id, this.page);
        }
        return this.currentId ?? session.id;
      },
      (error: unknown) => {
        this.beginning = undefined;
        throw error;
      },
    );
    return this.beginning;
  }

  /** Sets the session that the user has opened; null means that the next prompt starts a session. */
  set(id: string | null, from?: SessionPage): void {
    this.page = from;
    if ((id ?? undefined) === this.currentId) {
      return;
    }
    this.currentId = id ?? undefined;
    for (const listener of this.listeners) {
      listener(from);
    }
  }
}
