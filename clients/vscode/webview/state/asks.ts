/** Pending requests as the page of a session shows the requests. */
import { isOfSubagent, type PendingRequest } from '../../src/permissions/pending_requests';
import type { ToolPart } from '../../src/wire';
import { post } from './host';
import type { OpenSession } from './open_session';

export class Asks {
  all: readonly PendingRequest[] = [];
  /** Last report of the shown requests. */
  #reported = '';

  constructor(private readonly session: OpenSession) {}

  /** Pending requests of this session and of the subagents; also of other sessions while no session is open. */
  get own(): readonly PendingRequest[] {
    return this.all.filter((ask) => this.#isOwn(ask));
  }

  /** Pending requests of other sessions. */
  get others(): readonly PendingRequest[] {
    return this.all.filter((ask) => !this.#isOwn(ask));
  }

  /** Returns true if the tool call, or the subagent of the tool call, waits for the user's answer. */
  isAsking(part: ToolPart): boolean {
    const subagent = part.tool === 'task' ? this.session.subagents.of(part)?.info.id : undefined;
    const isOf = (ask: PendingRequest) =>
      ask.request.sessionId === subagent ||
      (ask.kind === 'permission' ? ask.request.toolCall.callId === part.callId : part.tool === 'question');
    return part.state.status === 'running' && this.own.some(isOf);
  }

  /** Takes the pending requests; returns the words of the latest if a request is new. */
  take(asks: readonly PendingRequest[]): string | undefined {
    const isNew = asks.some((ask) => !this.all.some((previous) => previous.id === ask.id));
    this.all = asks;
    const last = asks.at(-1);
    if (!isNew || !last) {
      return undefined;
    }
    return last.kind === 'permission' ? last.request.title : (last.request.questions[0]?.question ?? '');
  }

  /** Reports the requests on the screen, so that no notification repeats them. */
  report(): void {
    const [ids, others] = [this.own, this.others].map((asks) => asks.map((ask) => ask.id));
    const report = { type: 'shows' as const, ids: ids ?? [], others: others ?? [] };
    if (JSON.stringify(report) !== this.#reported) {
      this.#reported = JSON.stringify(report);
      post(report);
    }
  }

  #isOwn(ask: PendingRequest): boolean {
    const { id } = this.session;
    const session = ask.request.sessionId;
    return id === undefined || session === id || this.session.subagents.has(session) || isOfSubagent(ask);
  }
}
