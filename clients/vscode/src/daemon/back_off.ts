/** How long to wait before a daemon that died is started again, and when to give up. */
const FIRST_MILLISECONDS = 500;
const FACTOR = 3;
const LIMIT = 5;
const FORGIVEN_AFTER_MILLISECONDS = 180_000;

export class BackOff {
  private deaths: number[] = [];

  /** It died at `now` (milliseconds): how long to wait, or undefined to leave it dead. */
  died(now: number): number | undefined {
    this.deaths = [...this.deaths.filter((death) => now - death < FORGIVEN_AFTER_MILLISECONDS), now];
    return this.deaths.length > LIMIT ? undefined : FIRST_MILLISECONDS * FACTOR ** (this.deaths.length - 1);
  }

  /** The user wants to try again. */
  forget(): void {
    this.deaths = [];
  }
}
