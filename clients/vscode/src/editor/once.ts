/** Answers by id, the last hundred: what is done is done once, however often it is asked for. */
export class Once<T> {
  private readonly answers = new Map<string, Promise<T>>();

  /** `isDone` says of an answer whether anything was done; what was not may be asked for again. */
  constructor(
    private readonly isDone: (answer: T) => boolean,
    private readonly limit = 100,
  ) {}

  /** The answer to `id`, by doing `work` if that was not done before. */
  run(id: string, work: () => Promise<T>): Promise<T> {
    const known = this.answers.get(id);
    if (known) {
      return known;
    }
    const answer = work().then((value) => {
      if (!this.isDone(value)) {
        this.answers.delete(id);
      }
      return value;
    });
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
