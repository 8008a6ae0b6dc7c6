/** Pending requests that the chat shows now, so that no notification repeats a question on the screen. */

/** State of one window: set by the chat view, read by the notifications. */
export class ShownRequests {
  #ids: ReadonlySet<string> = new Set();
  #others: ReadonlySet<string> = new Set();
  #isChatVisible = false;
  readonly #listeners = new Set<() => void>();

  has(id: string): boolean {
    return this.#isChatVisible && this.#ids.has(id);
  }

  /** Returns true if the chat is on the screen and is still to report whether the chat shows the request. */
  isAwaited(id: string): boolean {
    return this.#isChatVisible && !this.#ids.has(id) && !this.#others.has(id);
  }

  /** Takes the report of the page: the shown requests, and the pending requests that the page does not show. */
  show(ids: readonly string[], others: readonly string[]): void {
    this.#ids = new Set(ids);
    this.#others = new Set(others);
    this.#changed();
  }

  setVisible(isVisible: boolean): void {
    if (!isVisible) {
      this.#ids = new Set();
      this.#others = new Set();
    }
    this.#isChatVisible = isVisible;
    this.#changed();
  }

  onChange(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  #changed(): void {
    for (const listener of this.#listeners) {
      listener();
    }
  }
}
