/** Conversation with rows. Events are applied as fast as the frames allow. */
import { Conversation } from '../../src/chat/conversation';
import type { SessionEvent, SessionInfo } from '../../src/wire';
import { Backlog } from './backlog';
import { type Row, RowMaker } from './rows';

/** Time budget of one frame, in milliseconds. */
const FRAME_MS = 12;

export class SessionRows {
  readonly conversation: Conversation;
  rows: readonly Row[] = [];
  /** Number of the last received event, applied or not. */
  #received = 0;
  readonly #backlog = new Backlog();
  readonly #rowMaker = new RowMaker();
  #isDrawn = true;

  constructor(info: SessionInfo) {
    this.conversation = new Conversation(info);
  }

  get received(): number {
    return this.#received;
  }

  /** True if every received event is applied and has rows. */
  get isUpToDate(): boolean {
    return this.#backlog.isEmpty && this.#isDrawn;
  }

  /** Adds events. A known event is not applied again, since the event would undo later events. */
  receive(events: readonly SessionEvent[]): void {
    const received = this.#received;
    const fresh = events.filter((event) => event.seq > received);
    this.#received = fresh.reduce((seq, event) => Math.max(seq, event.seq), received);
    this.#backlog.add(fresh);
    this.#isDrawn &&= fresh.length === 0;
  }

  /** Applies as many events as one frame allows; reports each applied event. */
  take(isShown: boolean, taken: (event: SessionEvent) => void): void {
    this.#backlog.applySome(isShown, (event) => {
      this.conversation.apply(event);
      taken(event);
    });
  }

  /** Makes the rows: all at once, or in the budget of one frame while the rows are not on the screen. */
  draw(isShown: boolean): void {
    if (isShown || this.#backlog.isEmpty) {
      const deadline = isShown ? Number.POSITIVE_INFINITY : performance.now() + FRAME_MS;
      const rows = this.#rowMaker.rowsBefore(deadline, this.conversation);
      this.rows = rows ?? this.rows;
      this.#isDrawn = rows !== undefined;
    }
  }
}
