/** When each file's diagnostics were last set, and for which version of its text. */

interface Heard {
  version: number;
  /** Milliseconds, by the clock given. */
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

  /** Whether anyone ever judged the file. */
  isJudged(uri: string): boolean {
    return this.heard.has(uri);
  }

  /** Milliseconds until what was heard counts as fresh: 0 when it does, undefined when only news can tell. */
  wait(uri: string, version: number, quietMilliseconds: number): number | undefined {
    const last = this.heard.get(uri);
    if (!last || last.version < version) {
      return undefined;
    }
    return Math.max(0, quietMilliseconds - (this.now() - last.moment));
  }
}
