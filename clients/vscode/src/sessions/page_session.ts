/** Session of one page of the chat: the window's commands apply to the session of the page that was used last. */
import type { CurrentSession } from './current';

/** Page of the side bar, which follows the commands, or a page in an editor tab, which keeps its session. */
interface Page {
  followsCommands: boolean;
  /** Returns true if the user may be in the page, so that a session of the page becomes the window's. */
  isActive(): boolean;
  /** Called when the user comes to the page. */
  used(): void;
}

export class PageSession {
  private shownId: string | undefined;
  private readonly listeners = new Set<() => void>();
  private readonly subscription: { dispose(): void };

  constructor(
    private readonly current: CurrentSession,
    private readonly page: Page,
    id?: string,
  ) {
    this.shownId = id ?? (page.followsCommands ? current.id : undefined);
    this.subscription = current.onChange((from) => {
      if (from === this || (from === undefined && page.followsCommands)) {
        this.take(current.id);
      }
    });
  }

  /** Id of the session that the page shows, if the page shows a session. */
  get id(): string | undefined {
    return this.shownId;
  }

  /** Calls the listener when the page shows another session, until the result is disposed. */
  onChange(listener: () => void): { dispose(): void } {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }

  /** Takes the session that the page shows; null means that the next prompt starts a session. */
  set(id: string | null): void {
    this.take(id ?? undefined);
    if (this.page.isActive()) {
      this.use();
    }
  }

  /** Shows a session that a command opens in the page, and lets the window's commands apply to the session. */
  open(id: string | null): void {
    this.take(id ?? undefined);
    this.use();
    this.current.countOpening();
  }

  /**
   * Takes the page's report that the user has come to the page; `opening` is the last opening that the page knows. A
   * report from before a later opening is dropped, so that the next command acts on the opened session.
   */
  takeReport(opening: number): void {
    if (opening === this.current.opening) {
      this.use();
    }
  }

  /** Lets the window's commands apply to the session of the page, because the user has come to the page. */
  use(): void {
    this.page.used();
    this.current.set(this.shownId ?? null, this);
  }

  dispose(): void {
    this.subscription.dispose();
  }

  private take(id: string | undefined): void {
    if (id !== this.shownId) {
      this.shownId = id;
      for (const listener of this.listeners) {
        listener();
      }
    }
  }
}
