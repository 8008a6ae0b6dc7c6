/**
 * Permission requests and questions that wait for the user. An answer, given anywhere, settles a request everywhere.
 */
import type { AskQuestion, Permission, QuestionResult, RequestPermission, StagedFile } from '../wire';

/** File of a proposed change, as a card shows the file. */
export type AskedFile = Pick<StagedFile, 'uri' | 'kind' | 'additions' | 'deletions'>;

export type PendingRequest =
  | { kind: 'permission'; id: string; request: RequestPermission; files?: readonly AskedFile[] }
  | { kind: 'question'; id: string; request: AskQuestion };

/** Returns true if a subagent asks, in whatever session of the window. */
export function isOfSubagent(ask: PendingRequest): boolean {
  return ask.kind === 'permission' && ask.request.origin.length > 0;
}

export type Answer = Permission | QuestionResult;

/** The part of the pending requests that the chat view needs. */
export interface Asks {
  readonly waiting: readonly PendingRequest[];
  /** Calls the listener after every change of `waiting`, until the result is disposed. */
  onChange(listener: () => void): { dispose(): void };
  /** Answers a request; an answered request stays unchanged. */
  answer(id: string, answer: Answer): void;
}

interface Unsettled {
  ask: PendingRequest;
  settle: (answer: Answer) => void;
}

/** Pending requests of a window by id, in order of arrival. The object lives as long as the window. */
export class PendingRequests implements Asks {
  readonly #waiting = new Map<string, Unsettled>();
  readonly #listeners = new Set<() => void>();

  get waiting(): readonly PendingRequest[] {
    return [...this.#waiting.values()].map((waiting) => waiting.ask);
  }

  /** Changes about which the requests ask, as the change set names the changes. */
  get changes(): readonly { changeId: string; sessionId: string }[] {
    return this.waiting.flatMap((ask) => {
      const changeId = ask.kind === 'permission' ? ask.request.changeId : undefined;
      return changeId === undefined ? [] : [{ changeId, sessionId: ask.request.sessionId }];
    });
  }

  onChange(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  /** Keeps a request until an answer or a withdrawal. A second request with the same id replaces the first request. */
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

  /** Removes a request that the daemon has cancelled. */
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
