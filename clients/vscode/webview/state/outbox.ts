/** Prompts under way: those that have not begun a turn yet wait, and come back to the user if they never do. */
import type { OpenPrompt } from '../../src/chat/messages';
import type { Prompt, SessionEvent, UserMessage } from '../../src/wire';
import { adopt, begin, keep, post, recall } from './host';
import { textOf } from './names';

/** A prompt that no turn has begun with. */
export interface Waiting extends OpenPrompt {
  /** For the end of a turn, and not only for the daemon. */
  isQueued: boolean;
}

type Parts = Prompt['parts'];

/** What the page is told. */
export interface Listener {
  changed(): void;
  failed(error: unknown): void;
  /** Words that nobody has taken, for the user to send again. */
  returned(parts: Parts): void;
}

export class Outbox {
  #waiting: readonly Waiting[] = [];
  /** What an earlier page had waiting, by its text. */
  #left = recall().waiting ?? [];
  readonly #listener: Listener;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  /** Those that wait for the end of the turn that runs, in order. */
  queued(sessionId: string | undefined): readonly Waiting[] {
    return this.#waiting.filter((waiting) => waiting.isQueued && waiting.params.sessionId === sessionId);
  }

  async send(params: Prompt, isQueued: boolean): Promise<void> {
    const { id, answer } = begin('agent/prompt', params);
    await this.#follow({ id, params, isQueued }, answer);
  }

  /** Those that an earlier page sent, and that have no answer yet. */
  takeOver(prompts: readonly OpenPrompt[]): void {
    for (const { id, params } of prompts) {
      void this.#follow({ id, params, isQueued: params.queue !== 'steer' }, adopt<'agent/prompt'>(id));
    }
  }

  /** Of what an earlier page had waiting, that which neither waits now nor ever began comes back. */
  giveBackLost(begun: readonly UserMessage[]): void {
    const known = [
      ...begun.map((userMessage) => textOf(userMessage.parts)),
      ...this.#waiting.map((waiting) => textOf(waiting.params.parts)),
    ];
    const lost = this.#left.filter((text) => !known.includes(text));
    this.#left = [];
    this.#keep();
    if (lost.length > 0) {
      this.#listener.returned([{ type: 'text', text: lost.join('\n\n') }]);
    }
  }

  /** See which prompts have begun. */
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
    // The text of a command is not what was written.
    const waiting = own.find(({ params }) => textOf(params.parts) === text) ?? own.find(isCommand);
    if (waiting) {
      this.#drop(waiting);
    }
  }

  /** Take back one that waits. */
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
