/** What is to be told while nobody looks: each ask once and once more later, and turns that took long. Pure. */

/** An ask that is still unanswered so long after it was told is told a second time, and never again. */
export const REMIND_MILLISECONDS = 180_000;
/** A turn that ends sooner is not told of. */
export const LONG_TURN_MILLISECONDS = 20_000;
const TIMES = 2;

export class Reminders {
  private readonly told = new Map<string, { times: number; last: number }>();
  private readonly begun = new Map<string, number>();

  /** Of the asks that wait, those to tell now (milliseconds); each counts as told. */
  asks(waiting: readonly string[], now: number): string[] {
    for (const id of [...this.told.keys()]) {
      if (!waiting.includes(id)) {
        this.told.delete(id);
      }
    }
    const due = waiting.filter((id) => {
      const known = this.told.get(id);
      return !known || (known.times < TIMES && now - known.last >= REMIND_MILLISECONDS);
    });
    for (const id of due) {
      this.told.set(id, { times: (this.told.get(id)?.times ?? 0) + 1, last: now });
    }
    return due;
  }

  /** The user has seen what waits. */
  seen(waiting: readonly string[]): void {
    for (const id of waiting) {
      this.told.set(id, { times: TIMES, last: 0 });
    }
  }

  began(sessionId: string, now: number): void {
    this.begun.set(sessionId, now);
  }

  /** Whether the end of the session's turn is worth telling. */
  ended(sessionId: string, now: number): boolean {
    const start = this.begun.get(sessionId);
    this.begun.delete(sessionId);
    return start !== undefined && now - start >= LONG_TURN_MILLISECONDS;
  }
}
