/** Reports of the page to the extension host: the session on the page, and that the user has come to the page. */
import type { FromPage } from '../../src/chat/messages';

type Report = Extract<FromPage, { type: 'session' | 'used' }>;

/** Reporter of one page. A report has the number of the last opening that the page knows, so that the host sees late reports. */
export class PageReports {
  readonly #hasFocus: () => boolean;
  readonly #send: (report: Report) => void;
  /** Absent until the host has greeted the page. */
  #opening: number | undefined;

  constructor(hasFocus: () => boolean, send: (report: Report) => void) {
    this.#hasFocus = hasFocus;
    this.#send = send;
  }

  /** Reports the session to which the user has gone on the page; null where the next prompt starts a session. */
  showed(sessionId: string | null): void {
    this.#send({ type: 'session', sessionId, opening: this.#opening ?? 0 });
  }

  /** Reports that the page has got the focus; before the greeting there is no number yet, and the greeting reports. */
  focused(): void {
    if (this.#opening !== undefined) {
      this.#send({ type: 'used', opening: this.#opening });
    }
  }

  takeOpening(opening: number): void {
    const isGreeting = this.#opening === undefined;
    this.#opening = opening;
    if (isGreeting && this.#hasFocus()) {
      this.focused();
    }
  }
}
