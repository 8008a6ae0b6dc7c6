/** One turn from its prompt to its end, with what it said and did. */
import type { CancellationToken } from 'vscode';
import { Transcript } from '../chat/transcript';
import type { Agent } from '../daemon/agent';
import type { PromptPart, PromptResult, Update } from '../wire';

/** What is known of a turn once it has ended. */
export interface TurnReport {
  result: PromptResult;
  /** What the model said last. */
  text: string;
  /** URIs of the files it has changed. */
  changed: readonly string[];
  /** How many changes it proposed. */
  proposed: number;
}

export interface TurnOptions {
  token?: CancellationToken | undefined;
  /** Called with each event of the session while the request is open. */
  onUpdate?: ((update: Update) => void) | undefined;
}

/** Gathers what the turn says and does that began last. */
export class TurnListener {
  private transcript = new Transcript();
  private changed = new Set<string>();
  private proposed = 0;

  take(update: Update): void {
    this.transcript.apply(update);
    switch (update.kind) {
      case 'turn_started':
        this.changed = new Set();
        this.proposed = 0;
        break;
      case 'change_proposed':
        this.proposed++;
        break;
      case 'change_applied':
        for (const file of update.files) {
          this.changed.add(file.newUri ?? file.uri);
        }
        break;
      default:
        break;
    }
  }

  report(result: PromptResult): TurnReport {
    const last = this.transcript.messages.findLast((message) => message.role === 'assistant');
    const said = (last?.parts ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : []));
    return { result, text: said.join('\n\n').trim(), changed: [...this.changed], proposed: this.proposed };
  }
}

/** Ask, behind what is asked already, and wait for the end. Rejects with the daemon's words. */
export async function turn(
  agent: Agent,
  sessionId: string,
  parts: PromptPart[],
  options: TurnOptions = {},
): Promise<TurnReport> {
  const listener = new TurnListener();
  const listening = agent.onUpdate((event) => {
    if (event.sessionId === sessionId) {
      listener.take(event.update);
      options.onUpdate?.(event.update);
    }
  });
  try {
    const params = { sessionId, parts, queue: 'after' as const };
    return listener.report(await agent.request('agent/prompt', params, options.token));
  } finally {
    listening.dispose();
  }
}
