/** Cancellation token without VS Code, which tells a request that nobody waits for the answer any more. */
export class Cancellation {
  isCancellationRequested = false;
  readonly #listeners = new Set<() => void>();

  cancel(): void {
    if (!this.isCancellationRequested) {
      this.isCancellationRequested = true;
      for (const listener of this.#listeners) {
        listener();
      }
      this.#listeners.clear();
    }
  }

  readonly onCancellationRequested = (listener: (event: unknown) => unknown): { dispose(): void } => {
    const call = () => void listener(undefined);
    if (this.isCancellationRequested) {
      queueMicrotask(call);
    } else {
      this.#listeners.add(call);
    }
    return { dispose: () => this.#listeners.delete(call) };
  };
}
