/** Waiting times before the restart of a crashed daemon, and the limit of restarts. */
const FIRST_MILLISECONDS = 500;
const FACTOR = 3;
const LIMIT = 5;
const FORGIVEN_AFTER_MILLISECONDS = 180_000;

export class BackOff {
  private deaths: number[] = [];

  /** Records a crash at `now` (milliseconds); returns the waiting time, or undefined to give up. */
  died(now: number): number | undefined {
    this.deaths = [...this.deaths.filter((death) => now - death < FORGIVEN_AFTER_MILLISECONDS), now];
    return this.deaths.length > LIMIT ? undefined : FIRST_MILLISECONDS * FACTOR ** (this.deaths.length - 1);
  }

  /** Forgets all crashes, because the user wants to try again. */
  forget(): void {
    this.deaths = [];
  }
}
