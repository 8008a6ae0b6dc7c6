/** Time and version of each file's last diagnostics. */

interface Heard {
  version: number;
  /** Time in milliseconds, by the given clock. */
  moment: number;
}

export class Freshness {
  private readonly heard = new Map<string, Heard>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  hear(uri: string, version: number): void {
    this.heard.set(uri, { version, moment: this.now() });
  }

  forget(uri: string): void {
    this.heard.delete(uri);
  }

  /** Returns true if the file ever had diagnostics. */
  isJudged(uri: string): boolean {
    return this.heard.has(uri);
  }

  /**
   * Returns the milliseconds until the diagnostics count as fresh: 0 for fresh diagnostics, undefined when only new
   * diagnostics can be fresh.
   */
  wait(uri: string, version: number, quietMilliseconds: number): number | undefined {
    const last = this.heard.get(uri);
    if (!last || last.version < version) {
      return undefined;
    }
    return Math.max(0, quietMilliseconds - (this.now() - last.moment));
  }
}
