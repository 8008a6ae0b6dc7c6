/** Reports to the extension host that the user has come to the page. */

/** Reporter of one page. A report has the number of the last opening that the page knows, so that the host sees late reports. */
export class UseReport {
  readonly #hasFocus: () => boolean;
  readonly #send: (opening: number) => void;
  /** Absent until the host has greeted the page. */
  #opening: number | undefined;

  constructor(hasFocus: () => boolean, send: (opening: number) => void) {
    this.#hasFocus = hasFocus;
    this.#send = send;
  }

  /** Reports that the page has got the focus; before the greeting there is no number yet, and the greeting reports. */
  focused(): void {
    if (this.#opening !== undefined) {
      this.#send(this.#opening);
    }
  }

  takeOpening(opening: number): void {
    const isGreeting = this.#opening === undefined;
    this.#opening = opening;
    if (isGreeting && this.#hasFocus()) {
      this.#send(opening);
    }
  }
}
