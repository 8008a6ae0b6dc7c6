/** Cache of the last hundred answers by id, so that a repeated request is executed only once. */
export class Once<T> {
  private readonly answers = new Map<string, Promise<T>>();

  /** `isDone` returns whether an answer changed anything; a request without effect may be repeated. */
  constructor(
    private readonly isDone: (answer: T) => boolean,
    private readonly limit = 100,
  ) {}

  /** Returns the answer to `id`, and runs `work` if no answer is cached. */
  run(id: string, work: () => Promise<T>): Promise<T> {
    const cached = this.answers.get(id);
    if (cached) {
      return cached;
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
