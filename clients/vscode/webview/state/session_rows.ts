/** A conversation and its rows. What happens is taken in as fast as frames have room for it. */
import { Conversation } from '../../src/chat/conversation';
import type { SessionEvent, SessionInfo } from '../../src/wire';
import { type Row, RowMaker } from '../conversation/rows';
import { Backlog } from './backlog';

/** Of one frame, in milliseconds. */
const FRAME_MS = 12;

export class SessionRows {
  readonly conversation: Conversation;
  rows: readonly Row[] = [];
  /** The last event that was received, taken in or not. */
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

  /** All that was received is taken in, and all of it has its rows. */
  get isUpToDate(): boolean {
    return this.#backlog.isEmpty && this.#isDrawn;
  }

  /** Of what is known already nothing is taken in again: it would undo what came after it. */
  receive(events: readonly SessionEvent[]): void {
    const known = this.#received;
    const fresh = events.filter((event) => event.seq > known);
    this.#received = fresh.reduce((seq, event) => Math.max(seq, event.seq), known);
    this.#backlog.add(fresh);
    this.#isDrawn &&= fresh.length === 0;
  }

  /** Take in what one frame has room for; tells of each event that was. */
  take(taken: (event: SessionEvent) => void): void {
    this.#backlog.applySome((event) => {
      this.conversation.apply(event);
      taken(event);
    });
  }

  /** Make the rows: all at once, or when nobody sees them yet, as many as one frame has room for. */
  draw(isShown: boolean): void {
    if (isShown || this.#backlog.isEmpty) {
      const deadline = isShown ? Number.POSITIVE_INFINITY : performance.now() + FRAME_MS;
      const rows = this.#rowMaker.rowsBefore(deadline, this.conversation);
      this.rows = rows ?? this.rows;
      this.#isDrawn = rows !== undefined;
    }
  }
}
