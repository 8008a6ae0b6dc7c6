/** The session that the commands of this window mean, begun when it is first needed. */
import type { Agent } from '../daemon/agent';

export class CurrentSession {
  private id: string | undefined;
  private beginning: Promise<string> | undefined;
  private readonly listeners = new Set<() => void>();

  constructor(private readonly agent: Agent) {}

  /** The session, if there is one yet. */
  get known(): string | undefined {
    return this.id;
  }

  /** Called when it becomes another; returns how to stop that. */
  onChange(listener: () => void): { dispose(): void } {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }

  /** The session's id; begins one when there is none. */
  async get(): Promise<string> {
    if (this.id) {
      return this.id;
    }
    this.beginning ??= this.agent.request('agent/session/new', {}).then(
      (session) => {
        this.beginning = undefined;
        if (!this.id) {
          this.set(session.id);
        }
        return this.id ?? session.id;
      },
      (error: unknown) => {
        this.beginning = undefined;
        throw error;
      },
    );
    return this.beginning;
  }

  /** The user has gone to another; null means that the next prompt begins one. */
  set(id: string | null): void {
    if ((id ?? undefined) === this.id) {
      return;
    }
    this.id = id ?? undefined;
    for (const listener of this.listeners) {
      listener();
    }
  }
}
