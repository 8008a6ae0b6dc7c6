/** Answers by id, the last hundred: what is asked twice is done once. */
export class Once<T> {
  private readonly answers = new Map<string, Promise<T>>();

  constructor(private readonly limit = 100) {}

  /** The answer to `id`, by doing `work` if it was never asked for. */
  run(id: string, work: () => Promise<T>): Promise<T> {
    const known = this.answers.get(id);
    if (known) {
      return known;
    }
    const answer = work();
    this.answers.set(id, answer);
    for (const oldest of this.answers.keys()) {
      if (this.answers.size <= this.limit) {
        break;
      }
      this.answers.delete(oldest);
    }
    return answer;
  }
}
