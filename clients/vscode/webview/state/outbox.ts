/** Holds the prompts that have not started a turn yet, and returns lost prompts to the user. */
import type { OpenPrompt } from '../../src/chat/messages';
import type { Prompt, QueuedPrompt, SessionEvent, UserMessage } from '../../src/wire';
import { attachmentsIn } from './attachments';
import { adopt, begin, keep, post, recall } from './host';
import { textOf } from './names';

/** Prompt that has not started a turn. */
export interface Waiting extends OpenPrompt {
  /** True if the prompt waits for the end of a turn, and not only for the daemon. */
  isQueued: boolean;
}

type Parts = Prompt['parts'];

/** Listener of the page on the outbox. */
export interface Listener {
  changed(): void;
  failed(error: unknown): void;
  /** Returns a lost prompt to the user, who can send the prompt again. */
  returned(parts: Parts): void;
}

export class Outbox {
  #waiting: readonly Waiting[] = [];
  /** Texts of the prompts that waited in an earlier page. */
  #left = recall().waiting ?? [];
  readonly #listener: Listener;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  /** Returns the prompts that wait for the end of the running turn, in order. */
  queued(sessionId: string | undefined): readonly Waiting[] {
    return this.#waiting.filter((waiting) => waiting.isQueued && waiting.params.sessionId === sessionId);
  }

  /** Returns the waiting prompts that other clients have sent, by the daemon's list of all waiting prompts. */
  ofOthers(sessionId: string | undefined, all: readonly QueuedPrompt[]): readonly QueuedPrompt[] {
    const own = this.#waiting
      .filter(({ params }) => params.sessionId === sessionId)
      .map(({ params }) => textOf(params.parts));
    return all.filter(({ text }) => {
      const place = own.indexOf(text);
      own.splice(place, place < 0 ? 0 : 1);
      return place < 0;
    });
  }

  async send(params: Prompt, isQueued: boolean): Promise<void> {
    const { id, answer } = begin('agent/prompt', params);
    await this.#follow({ id, params, isQueued }, answer);
  }

  /** Takes over unanswered prompts of an earlier page. */
  takeOver(prompts: readonly OpenPrompt[]): void {
    for (const { id, params } of prompts) {
      void this.#follow({ id, params, isQueued: params.queue !== 'steer' }, adopt<'agent/prompt'>(id));
    }
  }

  /** Gives prompts of an earlier page back to the user that neither wait now nor started a turn. */
  giveBackLost(begun: readonly UserMessage[]): void {
    const present = [
      ...begun.map((userMessage) => textOf(userMessage.parts)),
      ...this.#waiting.map((waiting) => textOf(waiting.params.parts)),
    ];
    const lost = this.#left.filter((text) => !present.includes(text));
    this.#left = [];
    this.#keep();
    if (lost.length > 0) {
      this.#listener.returned([{ type: 'text', text: lost.join('\n\n') }]);
    }
  }

  /** Removes the prompts that started a turn. */
  receive(events: readonly SessionEvent[]): void {
    for (const { sessionId, update } of events) {
      if (update.kind === 'user_message') {
        this.begun(sessionId, update.message);
      }
    }
  }

  begun(sessionId: string, message: UserMessage): void {
    const text = textOf(message.parts);
    const own = this.#waiting.filter(({ params }) => params.sessionId === sessionId);
    // A command's text differs from the user's text.
    const waiting = own.find(({ params }) => textOf(params.parts) === text) ?? own.find(isCommand);
    if (waiting) {
      this.#drop(waiting);
    }
  }

  /** Withdraws a waiting prompt. */
  withdraw(waiting: Waiting): void {
    this.#drop(waiting);
    post({ type: 'cancel', id: waiting.id });
  }

  async #follow(waiting: Waiting, answer: Promise<unknown>): Promise<void> {
    this.#waiting = [...this.#waiting, waiting];
    this.#keep();
    try {
      await answer;
    } catch (error) {
      this.#listener.failed(error);
      if (this.#waiting.includes(waiting)) {
        this.#listener.returned(waiting.params.parts);
      }
    } finally {
      this.#drop(waiting);
    }
  }

  #drop(waiting: Waiting): void {
    this.#waiting = this.#waiting.filter((other) => other !== waiting);
    this.#keep();
  }

  #keep(): void {
    keep({ waiting: [...this.#left, ...this.#waiting.map((waiting) => textOf(waiting.params.parts))] });
    this.#listener.changed();
  }
}

function isCommand({ params }: Waiting): boolean {
  return textOf(params.parts).startsWith('/');
}

/** Returns the parts of several prompts as the parts of one prompt. */
export function together(prompts: readonly Waiting[]): Prompt['parts'] {
  const parts = prompts.flatMap(({ params }) => params.parts);
  const text = prompts
    .map(({ params }) => textOf(params.parts))
    .filter((words) => words !== '')
    .join('\n\n');
  return [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...attachmentsIn(parts)];
}
