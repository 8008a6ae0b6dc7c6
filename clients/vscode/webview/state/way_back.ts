/**
 * Way back to a prompt of the open session: the offered prompt with the preview, the act, and the way forward. The
 * state lives as long as the page; the daemon keeps what a redo needs.
 */
import type { BackPreview, BackResult, GoBack, PromptPart, SessionEvent } from '../../src/wire';

export type What = NonNullable<GoBack['what']>;

/** Prompt to which the user may go back; `preview` is absent until the daemon has described the effect. */
export interface Offer {
  sessionId: string;
  messageId: string;
  /** Number of the user's wish; a repeated wish for the same prompt is another one, and moves the focus to its card. */
  wish: number;
  preview?: BackPreview | undefined;
}

/** Requests of the way back to the daemon. */
export interface Requests {
  preview(params: GoBack): Promise<BackPreview>;
  go(params: GoBack): Promise<BackResult>;
  redo(params: { sessionId: string }): Promise<BackResult>;
}

/** Listener of the page on the way back. */
export interface Listener {
  changed(): void;
  failed(error: unknown): void;
  /** Reports an act, with the prompt as the user wrote the prompt; the files alone have no prompt. */
  went(result: BackResult, parts: readonly PromptPart[]): void;
  /** Reports a redo. */
  redone(result: BackResult): void;
}

export class WayBack {
  #offer: Offer | undefined;
  #wishes = 0;
  /** True during an act, so that no second act starts. */
  #isActing = false;
  readonly #requests: Requests;
  readonly #listener: Listener;

  constructor(requests: Requests, listener: Listener) {
    this.#requests = requests;
    this.#listener = listener;
  }

  /** Returns the offered prompt of the session. */
  offer(sessionId: string | undefined): Offer | undefined {
    return this.#offer?.sessionId === sessionId ? this.#offer : undefined;
  }

  /** Offers a prompt; the daemon describes the effect unless a turn runs, during which nothing can go back. */
  async begin(sessionId: string, messageId: string, isBusy: boolean): Promise<void> {
    this.#wishes += 1;
    const offer: Offer = { sessionId, messageId, wish: this.#wishes };
    await (isBusy ? this.#show(offer) : this.#describe(offer));
  }

  /** Shows the offer with its effect. */
  async #describe({ sessionId, messageId, wish }: Offer): Promise<void> {
    const offer: Offer = { sessionId, messageId, wish };
    this.#show(offer);
    try {
      const preview = await this.#requests.preview({ sessionId, messageId, what: 'all' });
      if (this.#offer === offer) {
        this.#show({ ...offer, preview });
      }
    } catch (error) {
      if (this.#offer === offer) {
        this.cancel();
        this.#listener.failed(error);
      }
    }
  }

  cancel(): void {
    this.#show(undefined);
  }

  /** Goes back to the offered prompt, as the user has chosen. */
  async go(what: What): Promise<void> {
    const offer = this.#offer;
    if (offer) {
      const { sessionId, messageId } = offer;
      await this.#act(async () => {
        const result = await this.#requests.go({ sessionId, messageId, what });
        this.cancel();
        this.#listener.went(result, result.parts.map(asSent));
      });
    }
  }

  async redo(sessionId: string): Promise<void> {
    await this.#act(async () => {
      const result = await this.#requests.redo({ sessionId });
      this.#listener.redone(result);
    });
  }

  /** Reads the preview again when a turn has ended. */
  receive(events: readonly SessionEvent[]): void {
    for (const { sessionId, update } of events) {
      const offer = this.offer(sessionId);
      if (offer && update.kind === 'turn_ended') {
        void this.#describe(offer);
      }
      if (offer && update.kind === 'session_back') {
        this.cancel(); // The prompt may be hidden now.
      }
    }
  }

  async #act(work: () => Promise<void>): Promise<void> {
    if (this.#isActing) {
      return;
    }
    this.#isActing = true;
    try {
      await work();
    } catch (error) {
      this.#listener.failed(error);
    } finally {
      this.#isActing = false;
      this.#listener.changed();
    }
  }

  #show(offer: Offer | undefined): void {
    this.#offer = offer;
    this.#listener.changed();
  }
}

/** Returns the part without the id of the first sending. */
function asSent({ id: _, ...part }: PromptPart): PromptPart {
  return part;
}
