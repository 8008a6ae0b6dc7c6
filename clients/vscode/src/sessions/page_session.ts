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

/** Listener to the session of a page; `isByUser` is true where the user has gone to the session on the page. */
type Listener = (isByUser: boolean) => void;

export class PageSession {
  /** Null where the next prompt starts a session; undefined until a session is set. */
  private shownId: string | null | undefined;
  /** Number of the last opening in this page. */
  private opened = 0;
  private readonly listeners = new Set<Listener>();
  private readonly subscription: { dispose(): void };

  constructor(
    private readonly current: CurrentSession,
    private readonly page: Page,
    id?: string,
  ) {
    this.shownId = id ?? (page.followsCommands ? current.id : undefined);
    this.subscription = current.onChange((from) => {
      if (from === this || (from === undefined && page.followsCommands)) {
        this.follow();
      }
    });
  }

  /** Id of the session that the page shows, if the page shows a session. */
  get id(): string | undefined {
    return this.shownId ?? undefined;
  }

  /** Session that the page shall show; null for none, undefined where the page may go on with the session of before. */
  get shown(): string | null | undefined {
    return this.shownId;
  }

  /** Calls the listener when the page shows another session or shall show a session, until the result is disposed. */
  onChange(listener: Listener): { dispose(): void } {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }

  /** Shows a session that a command opens in the page, and lets the window's commands apply to the session. */
  open(id: string | null): void {
    // The page may show a session of a subagent, and leaves that session too.
    this.show(id, false);
    this.use();
    this.opened = this.current.countOpening();
  }

  /**
   * Takes the page's report of the session to which the user has gone; null where the next prompt starts a session. A
   * report from before the last opening in the page is dropped, as the page goes to the opened session. `opening` is the
   * last opening that the page knows.
   */
  takeSession(id: string | null, opening: number): void {
    if (opening < this.opened) {
      return;
    }
    if (id !== this.shownId) {
      this.show(id, true);
    }
    if (this.page.isActive()) {
      this.takeUse(opening);
    }
  }

  /**
   * Takes the page's report that the user has come to the page; `opening` is the last opening that the page knows. A
   * report from before a later opening is dropped, so that the next command acts on the opened session.
   */
  takeUse(opening: number): void {
    if (opening === this.current.opening) {
      this.use();
    }
  }

  /** Lets the window's commands apply to the session of the page, because the user has come to the page. */
  use(): void {
    this.page.used();
    this.current.set(this.id ?? null, this);
  }

  dispose(): void {
    this.subscription.dispose();
  }

  /** Shows the session that the commands apply to now. */
  private follow(): void {
    const id = this.current.id ?? null;
    if (id !== (this.shownId ?? null)) {
      this.show(id, false);
      this.opened = this.current.countOpening();
    }
  }

  private show(id: string | null, isByUser: boolean): void {
    this.shownId = id;
    for (const listener of this.listeners) {
      listener(isByUser);
    }
  }
}
