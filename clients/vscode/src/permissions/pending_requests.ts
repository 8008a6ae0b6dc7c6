/** What waits for the user: permission requests and questions. One answer, wherever it is given, ends it everywhere. */
import type { AskQuestion, Permission, QuestionResult, RequestPermission } from '../wire';

export type Ask =
  | { kind: 'permission'; id: string; request: RequestPermission }
  | { kind: 'question'; id: string; request: AskQuestion };

export type Answer = Permission | QuestionResult;

/** What the chat view needs of them. */
export interface Asks {
  readonly waiting: readonly Ask[];
  /** Called after every change of `waiting`; returns how to stop that. */
  onChange(listener: () => void): { dispose(): void };
  /** Does nothing when it is answered already. */
  answer(id: string, answer: Answer): void;
}

interface Waiting {
  ask: Ask;
  settle: (answer: Answer) => void;
}

/** Asks by their ids, in the order in which they came. */
export class AskDesk implements Asks {
  readonly #waiting = new Map<string, Waiting>();
  readonly #listeners = new Set<() => void>();

  get waiting(): readonly Ask[] {
    return [...this.#waiting.values()].map((one) => one.ask);
  }

  onChange(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  /** Put an ask on the desk until it is answered or withdrawn; the same id again takes the place of the first. */
  put(ask: Ask): Promise<Answer> {
    this.withdraw(ask.id);
    return new Promise((settle) => {
      this.#waiting.set(ask.id, { ask, settle });
      this.#changed();
    });
  }

  answer(id: string, answer: Answer): void {
    const one = this.#waiting.get(id);
    if (one && this.#waiting.delete(id)) {
      one.settle(answer);
      this.#changed();
    }
  }

  /** The daemon no longer wants to know. */
  withdraw(id: string): void {
    const one = this.#waiting.get(id);
    if (one) {
      this.answer(id, one.ask.kind === 'permission' ? { outcome: 'dismissed' } : { answers: null });
    }
  }

  #changed(): void {
    for (const listener of this.#listeners) {
      listener();
    }
  }
}
