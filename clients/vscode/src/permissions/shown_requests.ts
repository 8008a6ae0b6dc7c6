/** Pending requests that the chat shows now, so that no notification repeats a question on the screen. */

/** Requests on one page of the chat, as the page reports. */
export class ShownPage {
  isVisible = false;
  ids: ReadonlySet<string> = new Set();
  others: ReadonlySet<string> = new Set();

  constructor(private readonly changed: () => void) {}

  /** Takes the report of the page: the shown requests, and the pending requests that the page does not show. */
  show(ids: readonly string[], others: readonly string[]): void {
    this.ids = new Set(ids);
    this.others = new Set(others);
    this.changed();
  }

  setVisible(isVisible: boolean): void {
    if (!isVisible) {
      this.ids = new Set();
      this.others = new Set();
    }
    this.isVisible = isVisible;
    this.changed();
  }
}

/** State of one window: set by the pages of the chat, read by the notifications. */
export class ShownRequests {
  readonly #pages = new Set<ShownPage>();
  readonly #listeners = new Set<() => void>();

  /** Begins the report of one more page, until the page is dropped. */
  page(): ShownPage {
    const page = new ShownPage(() => this.#changed());
    this.#pages.add(page);
    return page;
  }

  /** Forgets a page that was closed. */
  drop(page: ShownPage): void {
    this.#pages.delete(page);
    this.#changed();
  }

  has(id: string): boolean {
    return this.#visible.some((page) => page.ids.has(id));
  }

  /** Returns true if a page is on the screen that is still to report whether the page shows the request. */
  isAwaited(id: string): boolean {
    return !this.has(id) && this.#visible.some((page) => !page.others.has(id));
  }

  onChange(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  get #visible(): ShownPage[] {
    return [...this.#pages].filter((page) => page.isVisible);
  }

  #changed(): void {
    for (const listener of this.#listeners) {
      listener();
    }
  }
}
