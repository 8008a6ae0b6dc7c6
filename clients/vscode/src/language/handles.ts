/**
 * Objects known outside by a number, for values that must come back as the same object. The oldest objects are
 * forgotten.
 */
export class Handles<T> {
  private readonly values = new Map<number, T>();
  private last = 0;

  constructor(private readonly limit = 1000) {}

  give(value: T): number {
    this.values.set(++this.last, value);
    this.values.delete(this.last - this.limit);
    return this.last;
  }

  get(handle: unknown): T | undefined {
    return typeof handle === 'number' ? this.values.get(handle) : undefined;
  }
}
