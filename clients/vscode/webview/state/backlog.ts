/** Queue of events for the conversation, applied in portions that fit into a frame. */
import type { SessionEvent } from '../../src/wire';

/** Time budget of one frame, in milliseconds. */
const FRAME_BUDGET_MS = 12;
/** Limit of new text for one frame, in characters: the same frame splits the text into blocks, and draws the blocks. */
const FRAME_CHARACTERS = 10_000;
/** The same limit while nothing is on the screen. */
const HIDDEN_CHARACTERS = 40_000;

export class Backlog {
  #events: readonly SessionEvent[] = [];

  get isEmpty(): boolean {
    return this.#events.length === 0;
  }

  add(events: readonly SessionEvent[]): void {
    this.#events = this.isEmpty ? events : [...this.#events, ...events];
  }

  clear(): void {
    this.#events = [];
  }

  /** Applies as many events as fit into a frame, in order. */
  applySome(isShown: boolean, apply: (event: SessionEvent) => void): void {
    const most = isShown ? FRAME_CHARACTERS : HIDDEN_CHARACTERS;
    const begun = performance.now();
    let count = 0;
    let characters = 0;
    for (const event of this.#events) {
      apply(event);
      count++;
      characters += 'text' in event.update ? event.update.text.length : 0;
      if (characters > most || (count % 16 === 0 && performance.now() - begun > FRAME_BUDGET_MS)) {
        break;
      }
    }
    this.#events = this.#events.slice(count);
  }
}
