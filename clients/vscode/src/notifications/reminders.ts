/**
 * Decides which desktop notifications are due: each pending request twice at most, and long turns at their end. Pure.
 */

/** A pending request is repeated once, after this time. */
export const REMIND_MILLISECONDS = 180_000;
/** The end of a shorter turn causes no notification. */
export const LONG_TURN_MILLISECONDS = 20_000;
const TIMES = 2;

export class Reminders {
  private readonly shown = new Map<string, { times: number; last: number }>();
  private readonly begun = new Map<string, number>();

  /** Returns the pending requests to show now (milliseconds), and counts these requests as shown. */
  asks(waiting: readonly string[], now: number): string[] {
    for (const id of [...this.shown.keys()]) {
      if (!waiting.includes(id)) {
        this.shown.delete(id);
      }
    }
    const due = waiting.filter((id) => {
      const previous = this.shown.get(id);
      return !previous || (previous.times < TIMES && now - previous.last >= REMIND_MILLISECONDS);
    });
    for (const id of due) {
      this.shown.set(id, { times: (this.shown.get(id)?.times ?? 0) + 1, last: now });
    }
    return due;
  }

  /** Counts the pending requests as seen by the user. */
  seen(waiting: readonly string[]): void {
    for (const id of waiting) {
      this.shown.set(id, { times: TIMES, last: 0 });
    }
  }

  began(sessionId: string, now: number): void {
    this.begun.set(sessionId, now);
  }

  /** Returns true if the session's turn was long enough for a notification. */
  ended(sessionId: string, now: number): boolean {
    const start = this.begun.get(sessionId);
    this.begun.delete(sessionId);
    return start !== undefined && now - start >= LONG_TURN_MILLISECONDS;
  }
}
