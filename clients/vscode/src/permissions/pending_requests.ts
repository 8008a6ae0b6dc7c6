/** What waits for the user: permission requests and questions. One answer, wherever it is given, ends it everywhere. */
import type { AskQuestion, Permission, QuestionResult, RequestPermission } from '../wire';

export type PendingRequest =
  | { kind: 'permission'; id: string; request: RequestPermission }
  | { kind: 'question'; id: string; request: AskQuestion };

export type Answer = Permission | QuestionResult;

/** What the chat view needs of them. */
export interface Asks {
  readonly waiting: readonly PendingRequest[];
  /** Called after every change of `waiting`; returns how to stop that. */
  onChange(listener: () => void): { dispose(): void };
  /** Does nothing when it is answered already. */
  answer(id: string, answer: Answer): void;
}

interface Unsettled {
  ask: PendingRequest;
  settle: (answer: Answer) => void;
}

/** Asks by their ids, in the order in which they came. */
export class PendingRequests implements Asks {
  readonly #waiting = new Map<string, Unsettled>();
  readonly #listeners = new Set<() => void>();

  get waiting(): readonly PendingRequest[] {
    return [...this.#waiting.values()].map((waiting) => waiting.ask);
  }

  onChange(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  /** Put an ask on the desk until it is answered or withdrawn; the same id again takes the place of the first. */
  put(ask: PendingRequest): Promise<Answer> {
    this.withdraw(ask.id);
    return new Promise((settle) => {
      this.#waiting.set(ask.id, { ask, settle });
      this.#changed();
    });
  }

  answer(id: string, answer: Answer): void {
    const waiting = this.#waiting.get(id);
    if (waiting && this.#waiting.delete(id)) {
      waiting.settle(answer);
      this.#changed();
    }
  }

  /** The daemon no longer wants to know. */
  withdraw(id: string): void {
    const waiting = this.#waiting.get(id);
    if (waiting) {
      this.answer(id, waiting.ask.kind === 'permission' ? { outcome: 'dismissed' } : { answers: null });
    }
  }

  #changed(): void {
    for (const listener of this.#listeners) {
      listener();
    }
  }
}
